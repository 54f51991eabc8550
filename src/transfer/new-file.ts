/** Errors of the file system, and new files that only their owner may read. */
import { invalidInput } from '../kernel/errors/errors.ts'
import {
  pathExists,
  type WriteChunk,
  writePrivateFile,
  writePrivateFolder,
} from '../kernel/process/private-file.ts'

/** Returns `validation` with the path and code for an error of the file system; other errors unchanged. */
export function explainFileError(error: unknown, path: string, what: 'written' | 'read'): unknown {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error && 'errno' in error)) return error
  return invalidInput(`${path} cannot be ${what} (${error.code}).`)
}

export async function requireNewPath(
  path: string,
  what: 'a backup' | 'an export' | 'a proof',
): Promise<void> {
  if (!(await pathExists(path))) return
  throw invalidInput(`${path} exists already. Choose another name: ${what} never replaces a file.`)
}

/** Writes a file that is renamed when complete and on disk. Throws `validation` if it cannot be written. */
export async function writeNewFile<T>(path: string, write: (put: WriteChunk) => Promise<T>): Promise<T> {
  try {
    return await writePrivateFile(path, write)
  } catch (error) {
    throw explainFileError(error, path, 'written')
  }
}

/** As `writeNewFile`, a folder with the files that `write` puts into it. */
export async function writeNewFolder<T>(path: string, write: (folder: string) => Promise<T>): Promise<T> {
  try {
    return await writePrivateFolder(path, write)
  } catch (error) {
    throw explainFileError(error, path, 'written')
  }
}
