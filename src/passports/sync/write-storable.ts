/** Finds the row that PostgreSQL cannot store by writing halves, because its error does not name it. */
import { type AppError, invalid } from '../../kernel/errors.ts'
import { rowProblem } from '../core/row-problems.ts'
import { isUnstorable } from '../write/insert-models.ts'

/** Writes the rows in as few statements as possible; `refuse` gets those that cannot be stored. */
export async function writeStorable<T>(
  rows: readonly T[],
  write: (rows: readonly T[]) => Promise<void>,
  refuse: (row: T, error: AppError) => void,
): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  try {
    await write(rows)
  } catch (error) {
    if (!isUnstorable(error)) throw error
    if (rows.length === 1) return refuse(first, unstorableError())
    const middle = rows.length >> 1
    await writeStorable(rows.slice(0, middle), write, refuse)
    await writeStorable(rows.slice(middle), write, refuse)
  }
}

function unstorableError(): AppError {
  return invalid([rowProblem({ path: ['data'], code: 'format' }, 'unstorable')])
}
