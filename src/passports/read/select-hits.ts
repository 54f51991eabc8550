/** The statements of a search for a word: which passports have it, and the newest of all to look through. */
import type { AccountContext } from '../../accounts/account/context.ts'
import type { Fragment } from '../../kernel/db/database.ts'
import { filterConditions, type ListFilter } from './list-filter.ts'
import { hasTrigrams, matchesSerial, matchesText, matchesWord } from './match-word.ts'

/**
 * Passports with the word, as a table `p` and conditions. The word is looked for before all other filters, in
 * the only index that has it. Beside a level, other indexes seem to be as good while the statistics are old:
 * then all passports of all accounts were read. An index of trigrams does not help a shorter word.
 */
export function selectMatching(ctx: AccountContext, filter: ListFilter): Fragment {
  const { sql, accountId } = ctx
  const { levels, status: _status, category: _category, q: _q, ...others } = filter
  const word = matchesWord(sql, filter)
  if (Object.values(others).some(value => value !== undefined))
    return sql`passport p where ${filterConditions(ctx, filter)} and ${word}`
  const select = (condition: Fragment) => sql`
    select p.id from (select * from passport where account_id = ${accountId} and ${condition} offset 0) p
    where ${filterConditions(ctx, filter)}`
  const text = matchesText(sql, filter)
  const withText = hasTrigrams(filter)
    ? select(text)
    : sql`select id from (${selectNewest(ctx, filter)} offset 0) w where ${text}`
  const withSerial = select(matchesSerial(sql, filter))
  if (hasItemsAmongOthers(filter)) return sql`((${withText}) union all (${withSerial})) p where true`
  return sql`(${levels.includes('i') ? withSerial : withText}) p where true`
}

export const hasItemsAmongOthers = ({ levels }: ListFilter) => levels.length > 1 && levels.includes('i')

/** Each level has an index in this order. In lists of all levels, items have no text and are left out. */
export function selectNewest(ctx: AccountContext, filter: ListFilter): Fragment {
  const { sql } = ctx
  const levels = hasItemsAmongOthers(filter) ? filter.levels.filter(level => level !== 'i') : filter.levels
  const [first = sql``, ...others] = levels.map(
    level => sql`
      (select p.id, p.search, p.serial from passport p where ${filterConditions(ctx, { ...filter, levels: [level] })}
      order by p.id desc)`,
  )
  if (others.length === 0) return first
  const merged = others.reduce((all, next) => sql`${all} union all ${next}`, first)
  return sql`select id, search, serial from (${merged}) p order by id desc`
}

export const selectItemHits = (ctx: AccountContext, filter: ListFilter): Fragment => ctx.sql`
  select p.id from passport p
  where ${filterConditions(ctx, { ...filter, levels: ['i'] })} and ${matchesSerial(ctx.sql, filter)} order by p.id desc`
