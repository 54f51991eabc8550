/** While the database is unavailable, readers get pages up to ten minutes old (RFC 5861, stale-if-error). */

import { withTimeout } from '../../kernel/concurrency/timeout.ts'
import { explainDatabaseError } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors/errors.ts'

/** How long to wait for the database if there is a stale response. */
const DATABASE_TIMEOUT_MS = 2_000

/** `Age` tells caches how old the response is; `X-Carnet-Stale` tells people why. */
export const buildStaleHeaders = (ageMs: number): readonly string[] => [
  'age',
  String(Math.max(0, Math.round(ageMs / 1000))),
  'x-carnet-stale',
  'database',
]

export const isUnavailable = (error: unknown): boolean =>
  (error instanceof AppError ? error : explainDatabaseError(error))?.code === 'unavailable'

/** Throws `unavailable` after two seconds. */
export const withDeadline = <T>(query: Promise<T>): Promise<T> =>
  withTimeout(
    query,
    DATABASE_TIMEOUT_MS,
    () => new AppError('unavailable', 'The database does not answer right now; try again in a moment.'),
  )
