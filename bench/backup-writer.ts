/** Makes one backup in its own process, like the `backup` command, and prints the result to stdout. */
import { constants, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPool } from '../src/kernel/db/database.ts'
import { systemClock } from '../src/kernel/values/clock.ts'
import { openMediaStore } from '../src/media/store/open-media-store.ts'
import { deriveBackupKey } from '../src/transfer/backup/backup-key.ts'
import { createBackup } from '../src/transfer/backup/create-backup.ts'

const { target, path } = JSON.parse(process.argv[2] ?? '{}')
setPriority(constants.priority.PRIORITY_LOW)
const setup = {
  openPool: () => openPool(target, { max: 1, name: 'bench backup' }),
  clock: systemClock,
  key: deriveBackupKey('a secret key that only benches know'),
  version: 'bench',
  mediaStore: openMediaStore({ folder: join(tmpdir(), 'carnet-bench-media') }),
}
process.stdout.write(JSON.stringify(await createBackup(setup, { path })))
