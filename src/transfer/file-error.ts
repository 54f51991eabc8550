/** Turns an error of the file system into a message for the operator. */
import { AppError } from '../kernel/errors.ts'

/** Returns `validation` with the path and the code of the error; returns errors of other kinds unchanged. */
export function explainFileError(error: unknown, path: string, what: 'written' | 'read'): unknown {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error && 'errno' in error)) return error
  return new AppError('validation', `${path} cannot be ${what} (${error.code}).`)
}
