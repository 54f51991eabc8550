/** The conditions of a search for a word. */
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { assert } from '../../kernel/errors.ts'
import { listSearchWords } from '../../kernel/text/search-text.ts'
import type { ListFilter } from './list-filter.ts'

/** Models and batches are found by parts of their texts, items by the beginning of the serial. */
export function matchesWord(sql: Sql, filter: ListFilter): Fragment {
  const [first, ...others] = listSearchWords(filter.q ?? '').map(
    word => sql`search like ${`%${escapeLike(word)}%`}`,
  )
  assert(first !== undefined, 'each word is looked for in at least one form')
  const inText = others.reduce((all, next) => sql`(${all} or ${next})`, first)
  if (!filter.levels.includes('i')) return inText
  return filter.levels.length === 1
    ? matchesSerial(sql, filter)
    : sql`(${inText} or ${matchesSerial(sql, filter)})`
}

/** Serials match by their beginning: a trigram index on them would make issuing items twice as slow. */
export const matchesSerial = (sql: Sql, { q = '' }: ListFilter): Fragment =>
  sql`(serial ~>=~ ${q} and serial ~<~ ${`${q}\u{10ffff}`})`

const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&')
