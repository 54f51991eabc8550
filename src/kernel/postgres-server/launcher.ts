/** Starts PostgreSQL's programs. They refuse to run as root, so root starts them as an unprivileged user. */
import { type SpawnOptions, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { unavailable } from '../errors/errors.ts'

export type ServerUser = { uid: number; gid: number; name: string }

export type Launcher = ReturnType<typeof launcher>

/** Not our environment: PGDATA, PGOPTIONS or the shell's locale would change what the programs do. */
const ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' }

/** The owner of the data: of an existing directory, else this process's user; instead of root, `nobody`. */
export function findServerUser(pgDir: string): ServerUser {
  const uid = getOwnUid()
  const owner = existsSync(pgDir) ? statSync(pgDir) : undefined
  if (uid === 0) return owner && owner.uid !== 0 ? userOf(owner.uid, owner.gid) : findNobody()
  if (owner === undefined || owner.uid === uid) return userOf(uid, process.getgid?.() ?? uid)
  throw unavailable(
    `The data in ${pgDir} belongs to user ${owner.uid}, but Carnet runs as user ${uid}: start Carnet as root or as that user, or set DATA_DIR to another folder.`,
  )
}

/** This process's user. In a container, the user may have a number without a name. */
const getOwnUid = () => process.getuid?.() ?? -1

const userOf = (uid: number, gid: number): ServerUser => ({ uid, gid, name: `user number ${uid}` })

function findNobody(): ServerUser {
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name, , uid, gid] = line.split(':')
    // macOS writes nobody's number as -2.
    if (name === 'nobody') return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0, name }
  }
  throw unavailable(
    'PostgreSQL does not run as root, and there is no user "nobody" here: start Carnet as an ordinary user, or set DATABASE_URL.',
  )
}

/**
 * Starts programs as `user`, who must be able to enter all `folders`. If root has closed one of them, the
 * programs get the single capability to read and enter everything, if the system allows it; running the
 * `postgres` in `binDir` proves that. Throws AppError `unavailable` that names the closed folder.
 */
export async function createLauncher(
  user: ServerUser,
  folders: readonly string[],
  binDir: string,
): Promise<Launcher> {
  if (getOwnUid() !== 0) return launcher(user, [], {})
  const { uid, gid, name } = user
  const [closed] = folders.flatMap(folder => findInaccessibleFolder(folder, user) ?? [])
  if (closed === undefined) return launcher(user, [], { uid, gid })
  const setpriv = SYSTEM_FOLDERS.map(folder => join(folder, 'setpriv')).find(file => existsSync(file))
  if (setpriv !== undefined) {
    const rights = ['--clear-groups', '--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search', '--']
    const privileged = launcher(user, [setpriv, `--reuid=${uid}`, `--regid=${gid}`, ...rights], {})
    const { code } = await privileged.run(join(binDir, 'postgres'), ['--version'])
    if (code === 0) return privileged
  }
  throw unavailable(
    `Carnet was started by root, so PostgreSQL runs as ${name}, who cannot enter ${closed}: start Carnet as an ordinary user, keep Carnet and DATA_DIR outside of ${closed}, or allow access with \`chmod o+x ${closed}\`.`,
  )
}

const SYSTEM_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin']

/** The outermost folder on the path, or `path` itself, that the user may not enter. */
function findInaccessibleFolder(path: string, user: ServerUser): string | undefined {
  const above = dirname(path)
  if (above !== path) {
    const closed = findInaccessibleFolder(above, user)
    if (closed !== undefined) return closed
  }
  const { mode, uid, gid } = statSync(path)
  const right = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001
  return mode & right ? undefined : path
}

function launcher(user: ServerUser, prefix: readonly string[], options: SpawnOptions) {
  const start = (program: string, args: readonly string[], stdio: StdioOptions) => {
    const [command = program, ...rest] = [...prefix, program, ...args]
    // Detached into its own process group, because Ctrl-C in a terminal is for us, not for the database. `/`
    // is a folder that everybody may enter.
    return spawn(command, rest, { ...options, cwd: '/', env: ENVIRONMENT, detached: true, stdio })
  }
  return {
    user,
    run: (program: string, args: readonly string[]) =>
      new Promise<{ code: number; output: string }>(resolve => {
        const child = start(program, args, ['ignore', 'pipe', 'pipe'])
        let output = ''
        child.stdout?.on('data', text => (output += text))
        child.stderr?.on('data', text => (output += text))
        child.once('error', error => resolve({ code: 127, output: error.message }))
        child.once('close', code => resolve({ code: code ?? 1, output }))
      }),
    /** Starts a program that outlives this process and writes to an open file. Returns its process id. */
    async launch(program: string, args: readonly string[], output: number) {
      const child = start(program, args, ['ignore', output, output])
      await once(child, 'spawn')
      child.unref()
      return child.pid ?? 0
    },
  }
}
