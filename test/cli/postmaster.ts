/** Finds the process of an embedded PostgreSQL by its lock file. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Process id of the PostgreSQL whose data is anywhere below `dataDir`. Rejects if none is running there. */
export async function postmasterPid(dataDir: string): Promise<number> {
  const names = await readdir(dataDir, { recursive: true })
  const name = names.find(one => one.endsWith('postmaster.pid'))
  if (name === undefined) throw new Error(`no PostgreSQL runs in ${dataDir}`)
  const [pid] = (await readFile(join(dataDir, name), 'utf8')).split('\n')
  return Number(pid)
}
