/** The folder with the database's files: made once and whole, never opened by another major version. */
import { existsSync, readFileSync } from 'node:fs'
import { lchown, mkdtemp, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../errors.ts'
import { syncFolder } from '../process/sync-folder.ts'
import type { Launcher, ServerUser } from './launcher.ts'

type Programs = { binDir: string; major: number; launcher: Launcher }

/**
 * Makes the data directory if there is none yet, and checks the one that is there. Only under the process lock.
 * Throws AppError `unavailable` when it holds anything but data of this major version.
 */
export async function prepareDataDirectory(
  pgDir: string,
  programs: Programs,
  { user, fsync }: { user: string; fsync: boolean },
): Promise<'made' | 'found'> {
  await removeUnfinished(pgDir)
  if (existsSync(join(pgDir, 'PG_VERSION'))) {
    checkVersion(pgDir, programs)
    await changeOwner(programs.launcher.user, pgDir)
    return 'found'
  }
  if (existsSync(pgDir)) await removeIfEmpty(pgDir)
  await make(pgDir, programs, user, fsync)
  return 'made'
}

const temporaryPrefix = (pgDir: string) => `${basename(pgDir)}.new-`

/** What a start that was killed while making the directory has left. */
async function removeUnfinished(pgDir: string): Promise<void> {
  const folder = dirname(pgDir)
  for (const name of await readdir(folder)) {
    if (!name.startsWith(temporaryPrefix(pgDir))) continue
    // Its initdb may still be at work in there; then the next start has another go.
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
  }
}

function checkVersion(pgDir: string, { binDir, major }: Programs): void {
  const found = readFileSync(join(pgDir, 'PG_VERSION'), 'utf8').trim()
  if (found === String(major)) return
  throw new AppError(
    'unavailable',
    `The data in ${pgDir} was made by PostgreSQL ${found}, and the one in ${binDir} is version ${major}, which does not read it: set PG_BIN_DIR to the programs of version ${found} and make a backup, then move ${pgDir} away, leave PG_BIN_DIR out and restore the backup.`,
  )
}

async function removeIfEmpty(pgDir: string): Promise<void> {
  const names = await readdir(pgDir)
  if (names.length === 0) return rmdir(pgDir)
  throw new AppError(
    'unavailable',
    `${pgDir} is no PostgreSQL data directory (it has no file PG_VERSION), but it is not empty: move it away, or set DATA_DIR to another folder.`,
  )
}

/** A copy made by root belongs to root, who may not be the server. */
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
      // Until the roles have a password, a moment later: nobody else may enter the socket's folder.
      '--auth=trust',
      '--encoding=UTF8',
      '--data-checksums',
      '--no-instructions',
      ...listLocaleOptions(major),
      ...(fsync ? [] : ['--no-sync']),
    ])
    if (code !== 0)
      throw new AppError(
        'unavailable',
        `The database could not be made: ${findLastError(output)}${findAdvice(output)}`,
      )
    await rename(folder, pgDir)
    if (fsync) syncFolder(dirname(pgDir))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Order by code point, the same on every machine and in every later version of its C library; letters of all
 * scripts known as such, which the trigram index goes by. macOS knows no C.UTF-8 of its own.
 */
function listLocaleOptions(major: number): string[] {
  const system =
    process.platform === 'darwin' ? ['--locale=C', '--lc-ctype=en_US.UTF-8'] : ['--locale=C.UTF-8']
  return major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', ...system] : system
}

/** What the operator can do about a container that PostgreSQL does not run in; empty for anything else. */
export function findAdvice(output: string): string {
  if (/could not look up effective user ID|user does not exist/.test(output)) {
    return ' PostgreSQL looks its user up by name, and this user number has none: add a line for it to /etc/passwd (in a container: mount such a file), run as a user that has a name, or set DATABASE_URL.'
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
