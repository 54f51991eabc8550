/** While the database does not answer, what was true a moment ago is better than nothing: a code on a product is scanned now. */
import { explainDatabaseError } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors.ts'
import { withTimeout } from '../../kernel/timeout.ts'

/** How old what a reader is shown may be while the database is away. */
export const MAX_STALE_MS = 600_000
/** A database that is silent is waited for no longer than this, where there is something to show. */
const DATABASE_TIMEOUT_MS = 2_000

/** `Age` says how old it is in the words of HTTP, so that caches on the way treat it right; the other says why. */
export const buildStaleHeaders = (ageMs: number): readonly string[] => [
  'age',
  String(Math.max(0, Math.round(ageMs / 1000))),
  'x-carnet-stale',
  'database',
]

export const isUnavailable = (error: unknown): boolean =>
  (error instanceof AppError ? error : explainDatabaseError(error))?.code === 'unavailable'

/** What `reading` gives, or `unavailable` after two seconds. */
export const withDeadline = <T>(reading: Promise<T>): Promise<T> =>
  withTimeout(
    reading,
    DATABASE_TIMEOUT_MS,
    () => new AppError('unavailable', 'The database does not answer right now; try again in a moment.'),
  )
