/** A PostgreSQL for a run outside of `npm test`, with the migrated database that stands copy. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../../../src/kernel/postgres-server/embedded-postgres.ts'
import { makeTemplate, TEST_SERVER_VARIABLE } from '../../database.ts'

export async function withTestServer<T>(work: () => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'carnet-worst-'))
  // When started by root, PostgreSQL runs as another user.
  await chmod(folder, 0o711)
  // Only users of this machine can enter the socket's folder.
  const hbaFile = join(folder, 'hba.conf')
  await writeFile(hbaFile, 'local all all trust\n')
  const postgres = await startEmbeddedPostgres({
    dataDir: join(folder, 'run'),
    log: () => {},
    // As in test/run.ts: what is measured must not wait for a disk.
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      autovacuum: 'off',
      hba_file: hbaFile,
    },
  })
  try {
    const { socketDir, port, user, database } = postgres
    const { server } = await makeTemplate({ socketDir, port, user, database }, 'worst')
    process.env[TEST_SERVER_VARIABLE] = JSON.stringify(server)
    return await work()
  } finally {
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
