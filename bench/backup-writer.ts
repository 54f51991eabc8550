/** Makes one backup in its own process, like the `backup` command, and prints the result to stdout. */
import { constants, setPriority } from 'node:os'
import { systemClock } from '../src/kernel/clock.ts'
import { openPool } from '../src/kernel/db/database.ts'
import { deriveBackupKey } from '../src/transfer/backup/backup-key.ts'
import { createBackup } from '../src/transfer/backup/create-backup.ts'

const { target, path } = JSON.parse(process.argv[2] ?? '{}')
setPriority(constants.priority.PRIORITY_LOW)
const setup = {
  openPool: () => openPool(target, { max: 1, name: 'bench backup' }),
  clock: systemClock,
  key: deriveBackupKey('a secret key that only benches know'),
  version: 'bench',
}
process.stdout.write(JSON.stringify(await createBackup(setup, { path })))
