/** Explains database errors to the operator. `explainDatabaseError` explains them to API clients. */
import { explainDatabaseError, sqlState } from '../../kernel/db/database.ts'

const RIGHTS =
  "The database's user may not do this: it must own the database and its tables, or have the owner's rights"

const PROBLEMS: Readonly<Record<string, string>> = {
  '42501': RIGHTS,
  '53100': "The database's disk is full: free some space where PostgreSQL keeps its data",
  '25006':
    'The database is read-only, as a replica is: set DATABASE_URL to a database that can be written to',
}

/** One sentence with PostgreSQL's own message; undefined for an error that the operator cannot fix. */
export function explainOperatorProblem(error: unknown): string | undefined {
  const fault = PROBLEMS[sqlState(error) ?? '']
  return fault !== undefined && error instanceof Error ? `${fault} (${error.message}).` : undefined
}

/** Like `explainOperatorProblem`, but also explains a database that does not answer. */
export function describeDatabaseError(error: unknown): string | undefined {
  const fault = explainOperatorProblem(error)
  const meaning = explainDatabaseError(error)
  if (fault !== undefined || meaning === undefined || !(error instanceof Error)) return fault
  return `${meaning.code === 'unavailable' ? NO_ANSWER : meaning.message} (${error.message})`
}

const NO_ANSWER =
  'The database does not answer right now; try again in a moment. If you were changing something, the change may or may not ' +
  'have been made. Check before you repeat it.'
