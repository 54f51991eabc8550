/** What a new product's form begins with: what is mostly the same for all products of a brand need not be typed twice. */
import type { AccountContext } from '../../accounts/context.ts'
import type { CompleteCategory } from '../../categories/catalogue.ts'
import { type Data, isObject } from '../../categories/value.ts'
import { getState, readingOf } from '../../passports/core/state.ts'
import { listPassports } from '../../passports/read/list.ts'
import type { Words } from '../page/words.ts'

/** Taken over from the newest product, where they can be seen and changed. */
const TAKEN_OVER = ['brandName', 'economicOperator']

/** `from` is the product that something was taken over from: the newest of the category, else the newest of all. */
export type Beginning = { data: Data; from?: string }

export async function beginningOf(
  ctx: AccountContext,
  { language }: Words,
  { id, fields }: CompleteCategory,
): Promise<Beginning> {
  const own = { languages: [language], ...wholeShares(fields) }
  const newest = (await newestOf(ctx, id)) ?? (await newestOf(ctx, undefined))
  if (newest === undefined) return { data: own }
  const reading = readingOf(await getState(ctx, newest))
  const { languages, productName } = reading
  const known = Object.entries(reading).filter(
    ([name, value]) => TAKEN_OVER.includes(name) && (typeof value === 'string' || isObject(value)),
  )
  const isRead = Array.isArray(languages) && languages.includes(language)
  const data = { ...own, ...Object.fromEntries(known), ...(isRead ? { languages } : {}) }
  return typeof productName === 'string' && known.length > 0 ? { data, from: productName } : { data }
}

async function newestOf(ctx: AccountContext, category: string | undefined): Promise<string | undefined> {
  const filter = { levels: ['m'] as const, status: 'a' as const, category }
  const { rows } = await listPassports(ctx, filter, { limit: 1, page: 1 })
  return rows[0]?.id
}

/** A list whose shares make a hundred begins as if of one thing. */
function wholeShares(fields: CompleteCategory['fields']): Data {
  const shares = fields.flatMap(({ name, required, sumsTo100 }) =>
    required && sumsTo100 !== undefined ? [[name, [{ [sumsTo100]: 100 }]] as const] : [],
  )
  return Object.fromEntries(shares)
}
