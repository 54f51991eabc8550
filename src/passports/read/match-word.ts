/** The conditions of a search for a word. */
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { assert } from '../../kernel/errors/errors.ts'
import { listSearchWords } from '../../kernel/text/search-text.ts'
import type { ListFilter } from './list-filter.ts'

/** Models and batches are found by parts of their texts, items by the beginning of the serial. */
export function matchesWord(sql: Sql, filter: ListFilter): Fragment {
  if (!filter.levels.includes('i')) return matchesText(sql, filter)
  return filter.levels.length === 1
    ? matchesSerial(sql, filter)
    : sql`(${matchesText(sql, filter)} or ${matchesSerial(sql, filter)})`
}

/** No item has a text. */
export function matchesText(sql: Sql, filter: ListFilter): Fragment {
  const [first, ...others] = listSearchWords(filter.q ?? '').map(
    word => sql`search like ${`%${escapeLike(word)}%`}`,
  )
  assert(first !== undefined, 'each word is looked for in at least one form')
  return others.reduce((all, next) => sql`(${all} or ${next})`, first)
}

/** True if the index of texts finds the word. It has only parts of three letters or digits in a row. */
export const hasTrigrams = ({ q = '' }: ListFilter): boolean =>
  listSearchWords(q).every(word => /[\p{L}\p{M}\p{N}]{3}/u.test(word))

/** Serials match by their beginning: a trigram index on them would make issuing items twice as slow. */
export const matchesSerial = (sql: Sql, { q = '' }: ListFilter): Fragment =>
  sql`(serial ~>=~ ${q} and serial ~<~ ${`${q}\u{10ffff}`})`

const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&')
