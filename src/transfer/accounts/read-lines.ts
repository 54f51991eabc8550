/** Reads a text file line by line. Only LF ends a line: Unicode's other line ends can occur in texts of products. */
import { createReadStream } from 'node:fs'
import { AppError } from '../../kernel/errors.ts'
import { explainFileError } from '../new-file.ts'

/** In characters. Our exports have no longer lines. */
const MAX_LINE_LENGTH = 64 * 1_048_576

/** Throws `validation` if the file cannot be read. */
export async function* readLines(path: string): AsyncGenerator<string> {
  let held = ''
  try {
    for await (const chunk of createReadStream(path, { encoding: 'utf8' })) {
      const parts = (held + chunk).split('\n')
      held = parts.pop() ?? ''
      yield* parts
      if (held.length > MAX_LINE_LENGTH)
        throw new AppError('validation', `${path} has a line that is too long for an export of Carnet.`)
    }
  } catch (error) {
    throw explainFileError(error, path, 'read')
  }
  if (held !== '') yield held
}
