/** Splits the rows of a bulk call into statements, and finds those that cannot be stored. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { isTransaction } from '../../kernel/db/transaction.ts'
import { type AppError, invalid } from '../../kernel/errors/errors.ts'
import { splitByBytes } from '../../kernel/text/split-by-bytes.ts'
import { rowProblem } from '../core/row-problems.ts'
import { isUnstorable } from './insert-models.ts'

/** A larger statement blocks the event loop. 500 rows of a usual product are smaller. */
const MAX_STATEMENT_BYTES = 512 * 1024

/** Not split inside a transaction, where locks taken by one statement could deadlock with another writer. */
export const splitForStatements = <T>(
  { sql }: AccountContext,
  rows: readonly T[],
  bytesOf: (row: T) => number,
) => (isTransaction(sql) ? [rows] : splitByBytes(rows, bytesOf, MAX_STATEMENT_BYTES))

/** Writes halves to find the rows that PostgreSQL cannot store, because its error does not name them. */
export async function writeStorable<T>(
  rows: readonly T[],
  write: (rows: readonly T[]) => Promise<void>,
  reject: (row: T, error: AppError) => void,
): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  try {
    await write(rows)
  } catch (error) {
    if (!isUnstorable(error)) throw error
    if (rows.length === 1)
      return reject(first, invalid([rowProblem({ path: ['data'], code: 'format' }, 'unstorable')]))
    const middle = rows.length >> 1
    await writeStorable(rows.slice(0, middle), write, reject)
    await writeStorable(rows.slice(middle), write, reject)
  }
}
