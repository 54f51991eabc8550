/** The manifest of a mirror: its files with their hashes, signed by the account. */
import { type DataObject, isObject } from '../../kernel/data-object.ts'
import { malformed } from './signature-error.ts'

export const MANIFEST_FORMAT = 'carnet-mirror/1'

/** `sha256` is in hex, `path` relative to the manifest, with slashes. */
export type MirroredFile = { path: string; sha256: string }

/** Without its proof. */
export const buildMirrorManifest = (files: readonly MirroredFile[], time: Date) => ({
  format: MANIFEST_FORMAT,
  time: time.toISOString(),
  files,
})

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
