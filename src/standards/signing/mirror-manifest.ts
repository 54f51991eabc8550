/** The manifest of a mirror: its files with their hashes, signed by the account. */
import { type DataObject, isObject } from '../../kernel/values/data-object.ts'
import { malformed } from './signature-error.ts'

export const MANIFEST_FORMAT = 'carnet-mirror/1'

/** `sha256` is in hex, `path` relative to the manifest, with slashes. */
export type MirroredFile = { path: string; sha256: string }

export const MANIFEST_PATH = 'manifest.json'
/** Where the state of the mirror is. */
export const STATE_FOLDER = '.carnet-mirror'

/** They have no hash: the manifest holds the hashes, and the others change with each run. */
const OWN_FILES = [
  {
    path: MANIFEST_PATH,
    about:
      'This list. Its proof, if it has one, signs all of it; "carnet verify" compares the files with it.',
  },
  {
    path: `${STATE_FOLDER}/`,
    about:
      'What the next run of "carnet mirror" needs in order to write only what changed. No reader needs it.',
  },
] as const

/** Without its proof. `ownFiles` lists what stands beside `files`. */
export const buildMirrorManifest = (files: readonly MirroredFile[], time: Date) => ({
  format: MANIFEST_FORMAT,
  time: time.toISOString(),
  ownFiles: OWN_FILES,
  files,
})

export const isOwnFile = (path: string): boolean =>
  OWN_FILES.some(own => (own.path.endsWith('/') ? path.startsWith(own.path) : path === own.path))

/** The manifest of a mirror whose account does not sign; undefined for anything else. */
export const findUnsignedManifest = (file: unknown): DataObject | undefined =>
  isObject(file) && file.format === MANIFEST_FORMAT && !('proof' in file) ? file : undefined

/** Throws `malformed`, also for a path that leads out of the mirror. */
export function listMirroredFiles({ files }: DataObject): MirroredFile[] {
  if (!Array.isArray(files)) throw malformed('Its files are not a list.')
  return files.map((file: unknown) => {
    const { path, sha256 } = isObject(file) ? file : {}
    if (typeof path !== 'string' || !isPathInside(path))
      throw malformed('It has a path that is not relative.')
    if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256))
      throw malformed('It has no hash of a file.')
    return { path, sha256 }
  })
}

const isPathInside = (path: string) =>
  !/[\\\0]|^[a-z]:/i.test(path) && path.split('/').every(part => !['', '.', '..'].includes(part))
