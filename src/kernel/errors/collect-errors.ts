/** Reports the errors of all parts of a request at once. */
import { AppError, type Detail, invalid } from './errors.ts'

type Readers = Readonly<Record<string, () => unknown>>

/**
 * Returns the values of all readers. Throws one `validation` with the details of all their errors; an error
 * without details is thrown at once.
 */
export function collectErrors<T extends Readers>(readers: T): { [K in keyof T]: ReturnType<T[K]> } {
  const values: Record<string, unknown> = {}
  const details: Detail[] = []
  let truncated = false
  for (const [name, read] of Object.entries(readers)) {
    try {
      values[name] = read()
    } catch (error) {
      if (!(error instanceof AppError) || error.details === undefined) throw error
      details.push(...error.details)
      truncated ||= error.truncated
    }
  }
  if (details.length > 0) throw invalid(details, truncated)
  return values as { [K in keyof T]: ReturnType<T[K]> }
}
