/** PostgreSQL refuses to run as root; started by root, its programs run as `nobody`, who must be able to get to them. */
import { execFileSync } from 'node:child_process'
import { chownSync, readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { AppError } from './errors.ts'

export type Identity = {
  uid: number
  /** Gives a file or folder to the identity. */
  own: (path: string) => void
  /** The command line that runs a program as this identity, with spawn options. */
  as: (
    program: string,
    args: readonly string[],
  ) => { command: string; args: string[]; options: { uid?: number; gid?: number } }
}

/** Whom PostgreSQL runs as. Throws `unavailable` naming the folder that is in the way, and the way out. */
export function postgresIdentity(paths: readonly string[]): Identity {
  const uid = process.getuid?.() ?? -1
  if (uid !== 0) {
    return { uid, own: () => {}, as: (command, args) => ({ command, args: [...args], options: {} }) }
  }
  const nobody = findNobody()
  const own = (path: string) => chownSync(path, nobody.uid, nobody.gid)
  const closed = paths.map(path => findClosedFolder(path, nobody)).find(folder => folder !== undefined)
  if (closed === undefined) {
    return { uid: nobody.uid, own, as: (command, args) => ({ command, args: [...args], options: nobody }) }
  }
  if (!hasSetpriv(nobody)) {
    throw new AppError(
      'unavailable',
      `Started by root, PostgreSQL runs as the user nobody, who cannot enter ${closed}. Set DATA_DIR to a folder under /var/lib or /srv, or start Carnet as another user than root.`,
    )
  }
  return {
    uid: nobody.uid,
    own,
    as: (program, args) => ({
      command: 'setpriv',
      args: [...setpriv(nobody), program, ...args],
      options: {},
    }),
  }
}

type User = { uid: number; gid: number }

function findNobody(): User {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find(one => one.startsWith('nobody:'))
  const [, , uid, gid] = line?.split(':') ?? []
  if (uid === undefined || gid === undefined) {
    throw new AppError(
      'unavailable',
      'Started by root, PostgreSQL needs the user nobody, which this system does not have. Start Carnet as another user than root.',
    )
  }
  return { uid: Number(uid), gid: Number(gid) }
}

/** The outermost folder on the way to a path that this user may not enter. */
function findClosedFolder(path: string, user: User): string | undefined {
  const folder = dirname(resolve(path))
  const above = folder === '/' ? undefined : findClosedFolder(folder, user)
  if (above !== undefined) return above
  const { mode, uid, gid } = statSync(folder)
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001
  return mode & bit ? undefined : folder
}

/** May walk through closed folders, and nothing else that root may. */
const setpriv = ({ uid, gid }: User) => [
  ...[`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'],
  ...['--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search'],
]

function hasSetpriv(user: User): boolean {
  try {
    execFileSync('setpriv', [...setpriv(user), 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
