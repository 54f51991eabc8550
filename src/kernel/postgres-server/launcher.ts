/** PostgreSQL refuses to be run by root: started by root, its programs run as a user without rights. */
import { type SpawnOptions, spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '../errors.ts'

export type ServerUser = { uid: number; gid: number; name: string }

export type Launcher = {
  user: ServerUser
  /** Runs a program to its end. */
  run: (program: string, args: readonly string[]) => Promise<{ code: number; output: string }>
  /** Starts a program that outlives this process, its output going to an open file; gives its number. */
  launch: (program: string, args: readonly string[], output: number) => Promise<number>
}

/** The programs see nothing of our environment: PGDATA, PGOPTIONS or a locale of the shell would change what they do. */
const ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' }

/** Who owns the data, or will: the owner of the directory if it is there, else we, else `nobody`. */
export function findServerUser(pgDir: string): ServerUser {
  const uid = ownUid()
  const owner = existsSync(pgDir) ? statSync(pgDir) : undefined
  if (uid !== 0) {
    if (owner && owner.uid !== uid) throw foreignDataError(pgDir, owner.uid, uid)
    return userOf(uid, process.getgid?.() ?? uid)
  }
  return owner && owner.uid !== 0 ? userOf(owner.uid, owner.gid) : findNobody()
}

/** This process's user. A container may run under a number that has no name. */
const ownUid = () => process.getuid?.() ?? -1

const userOf = (uid: number, gid: number): ServerUser => ({ uid, gid, name: `user number ${uid}` })

function foreignDataError(pgDir: string, owner: number, uid: number): AppError {
  const message = `The data in ${pgDir} belongs to user number ${owner}, and this is number ${uid}: start Carnet as root or as that user, or set DATA_DIR to another folder.`
  return new AppError('unavailable', message)
}

function findNobody(): ServerUser {
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name, , uid, gid] = line.split(':')
    // macOS writes nobody's number as -2.
    if (name === 'nobody') return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0, name }
  }
  throw new AppError(
    'unavailable',
    'PostgreSQL does not run as root, and there is no user "nobody" here: start Carnet as an ordinary user, or set DATABASE_URL.',
  )
}

/**
 * How programs are started for `user`, who must be able to enter all `folders`. Where root has closed one of them, the
 * programs get the one right to read and enter everything, if the system lets us give it.
 * Throws AppError `unavailable` that names the closed folder.
 */
export async function createLauncher(
  user: ServerUser,
  folders: readonly string[],
  probe: { program: string; args: readonly string[] },
): Promise<Launcher> {
  if (ownUid() !== 0) return launcher(user, [], {})
  const plain = launcher(user, [], { uid: user.uid, gid: user.gid })
  const closed = folders
    .map(folder => findInaccessibleFolder(folder, user))
    .find(folder => folder !== undefined)
  if (closed === undefined) return plain
  const setpriv = SYSTEM_FOLDERS.map(folder => join(folder, 'setpriv')).find(file => existsSync(file))
  if (setpriv !== undefined) {
    const privileged = launcher(user, [setpriv, ...readAllCapabilities(user)], {})
    if (await works(privileged, probe)) return privileged
  }
  throw new AppError('unavailable', explainInaccessible(closed, user))
}

const SYSTEM_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin']

const readAllCapabilities = ({ uid, gid }: ServerUser) => [
  `--reuid=${uid}`,
  `--regid=${gid}`,
  '--clear-groups',
  '--inh-caps=+dac_read_search',
  '--ambient-caps=+dac_read_search',
  '--',
]

const explainInaccessible = (closed: string, { name }: ServerUser) =>
  `Started by root, PostgreSQL runs as ${name}, who may not enter ${closed}: start Carnet as an ordinary user, keep it and DATA_DIR outside of ${closed}, or allow entering by \`chmod o+x ${closed}\`.`

async function works(candidate: Launcher, probe: { program: string; args: readonly string[] }) {
  const { code } = await candidate.run(probe.program, probe.args)
  return code === 0
}

/** The outermost folder on the way to `path`, or `path` itself, that the user may not enter. */
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

function launcher(user: ServerUser, prefix: readonly string[], options: SpawnOptions): Launcher {
  const start = (program: string, args: readonly string[], stdio: SpawnOptions['stdio']) => {
    const [command = program, ...rest] = [...prefix, program, ...args]
    // A group of its own: Ctrl-C in a terminal is for us, not for the database. `/`: a folder everybody may enter.
    return spawn(command, rest, {
      ...options,
      cwd: '/',
      env: ENVIRONMENT,
      detached: true,
      stdio: stdio ?? 'ignore',
    })
  }
  return {
    user,
    run: (program, args) =>
      new Promise(resolve => {
        const child = start(program, args, ['ignore', 'pipe', 'pipe'])
        let output = ''
        child.stdout?.on('data', text => (output += text))
        child.stderr?.on('data', text => (output += text))
        child.once('error', error => resolve({ code: 127, output: error.message }))
        child.once('close', code => resolve({ code: code ?? 1, output }))
      }),
    launch: (program, args, output) =>
      new Promise((resolve, reject) => {
        const child = start(program, args, ['ignore', output, output])
        child.once('error', reject)
        child.once('spawn', () => {
          child.unref()
          resolve(child.pid ?? 0)
        })
      }),
  }
}
