/** What a database says no to, in words for whoever runs it: `explainDatabaseError` has those for who calls the interface. */
import { explainDatabaseError, sqlState } from '../../kernel/db/database.ts'

const RIGHTS =
  "The database's user may not do this: it has to own the database and the tables in it, or have the rights of who does"

const PROBLEMS: Readonly<Record<string, string>> = {
  '42501': RIGHTS,
  '53100': "The database's disk is full: make room where PostgreSQL keeps its data",
  '25006':
    'The database is read-only, as a replica is: DATABASE_URL has to lead to one that can be written to',
}

/** One sentence, with what PostgreSQL itself said; undefined when it is another error. */
export function explainOperatorProblem(error: unknown): string | undefined {
  const fault = PROBLEMS[sqlState(error) ?? '']
  return fault !== undefined && error instanceof Error ? `${fault} (${error.message}).` : undefined
}

/** The same, and what else comes of a database that is not well. */
export function describeDatabaseError(error: unknown): string | undefined {
  const fault = explainOperatorProblem(error)
  const meaning = explainDatabaseError(error)
  if (fault !== undefined || meaning === undefined || !(error instanceof Error)) return fault
  return `${meaning.code === 'unavailable' ? NO_ANSWER : meaning.message} (${error.message})`
}

const NO_ANSWER =
  'The database does not answer right now; try again in a moment. If this was to change something, it may or may not ' +
  'have been done: look first.'
