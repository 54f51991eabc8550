/**
 * Creates the folder with the database's files, completely or not at all. No other major version can open it.
 */
import { existsSync, readFileSync } from 'node:fs'
import { lchown, mkdtemp, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { unavailable } from '../errors/errors.ts'
import { syncFolder } from '../process/sync-folder.ts'
import type { Launcher, ServerUser } from './launcher.ts'

type Programs = { binDir: string; major: number; launcher: Launcher }

/**
 * Creates the data directory, or checks the existing one. Only under the process lock. Throws AppError
 * `unavailable` if it contains anything but data of this major version.
 */
export async function prepareDataDirectory(
  pgDir: string,
  programs: Programs,
  { user, fsync }: { user: string; fsync: boolean },
): Promise<'created' | 'found'> {
  await removeUnfinished(pgDir)
  if (existsSync(join(pgDir, 'PG_VERSION'))) {
    checkVersion(pgDir, programs)
    await changeOwner(programs.launcher.user, pgDir)
    return 'found'
  }
  if (existsSync(pgDir)) await removeIfEmpty(pgDir)
  await make(pgDir, programs, user, fsync)
  return 'created'
}

const temporaryPrefix = (pgDir: string) => `${basename(pgDir)}.new-`

/** Removes the leftovers of a start that was killed while it created the directory. */
async function removeUnfinished(pgDir: string): Promise<void> {
  const folder = dirname(pgDir)
  for (const name of await readdir(folder)) {
    if (!name.startsWith(temporaryPrefix(pgDir))) continue
    // The killed start's initdb may still be running; then the next start tries again.
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
  }
}

function checkVersion(pgDir: string, { binDir, major }: Programs): void {
  const found = readFileSync(join(pgDir, 'PG_VERSION'), 'utf8').trim()
  if (found === String(major)) return
  throw unavailable(
    `The data in ${pgDir} was created by PostgreSQL ${found}. Version ${major} in ${binDir} cannot read it. Set PG_BIN_DIR to the programs of version ${found} and make a backup. Then move ${pgDir} away, remove PG_BIN_DIR and restore the backup.`,
  )
}

async function removeIfEmpty(pgDir: string): Promise<void> {
  const names = await readdir(pgDir)
  if (names.length === 0) return rmdir(pgDir)
  throw unavailable(
    `${pgDir} is not a PostgreSQL data directory (it has no file PG_VERSION), and it is not empty: move it away, or set DATA_DIR to another folder.`,
  )
}

/** Root may have copied the directory, but cannot run the server. */
async function changeOwner({ uid, gid }: ServerUser, pgDir: string): Promise<void> {
  const { uid: owner } = await stat(pgDir)
  if (owner !== 0 || uid === 0) return
  for (const name of await readdir(pgDir, { recursive: true })) await lchown(join(pgDir, name), uid, gid)
  await lchown(pgDir, uid, gid)
}

async function make(pgDir: string, programs: Programs, user: string, fsync: boolean): Promise<void> {
  const { binDir, major, launcher } = programs
  const folder = await mkdtemp(join(dirname(pgDir), temporaryPrefix(pgDir)))
  try {
    await lchown(folder, launcher.user.uid, launcher.user.gid)
    const { code, output } = await launcher.run(join(binDir, 'initdb'), [
      `--pgdata=${folder}`,
      `--username=${user}`,
      // Only until the roles get a password, a moment later. Nobody else may enter the socket's folder.
      '--auth=trust',
      '--encoding=UTF8',
      '--data-checksums',
      '--no-instructions',
      ...listLocaleOptions(major),
      ...(fsync ? [] : ['--no-sync']),
    ])
    if (code !== 0)
      throw unavailable(`The database could not be created: ${findLastError(output)}${findAdvice(output)}`)
    await rename(folder, pgDir)
    if (fsync) syncFolder(dirname(pgDir))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Sorts by code point, the same on every machine and in every later C library, but also knows the letters of
 * all scripts, which the trigram index needs. macOS has no C.UTF-8.
 */
function listLocaleOptions(major: number): string[] {
  const system =
    process.platform === 'darwin' ? ['--locale=C', '--lc-ctype=en_US.UTF-8'] : ['--locale=C.UTF-8']
  return major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', ...system] : system
}

/** Advice for a container in which PostgreSQL cannot run; empty for any other error. */
export function findAdvice(output: string): string {
  if (/could not look up effective user ID|user does not exist/.test(output)) {
    return ' PostgreSQL needs a user with a name, and this user id has none: add a line for it to /etc/passwd (in a container: mount such a file), run as a user that has a name, or set DATABASE_URL.'
  }
  if (
    /could not (resize|open|write to) shared memory segment|cannot abort transaction 1|No space left/.test(
      output,
    )
  ) {
    return ' The shared memory in /dev/shm or the disk may be full: give a container more (`--shm-size=256m`), or make room in DATA_DIR.'
  }
  return ''
}

function findLastError(output: string): string {
  const lines = output.split('\n').filter(line => line.trim() !== '')
  const complaint = lines.findLast(line => /error|fatal|panic/i.test(line)) ?? lines.at(-1) ?? 'initdb ended'
  return `${complaint.replace(/^.*?(error|FATAL|PANIC): +/, '').replace(/\.$/, '')}.`
}
