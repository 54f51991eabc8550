/** A text file line by line. Only a line feed ends one: the line ends that Unicode knows besides stand in products' texts. */
import { createReadStream } from 'node:fs'
import { AppError } from '../../kernel/errors.ts'

/** A line longer than this is none of ours; it is not gathered any further. */
const LONGEST_LINE = 64 * 1_048_576

/** Throws `validation` when the file cannot be read. */
export async function* readLines(path: string): AsyncGenerator<string> {
  let held = ''
  try {
    for await (const chunk of createReadStream(path, { encoding: 'utf8' })) {
      const parts = (held + chunk).split('\n')
      held = parts.pop() ?? ''
      yield* parts
      if (held.length > LONGEST_LINE) throw new AppError('validation', `${path} has a line that never ends.`)
    }
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error
    throw new AppError('validation', `${path} cannot be read (${error.code}).`)
  }
  if (held !== '') yield held
}
