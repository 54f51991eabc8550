/** Initial values of a new product's form, so that what a brand always repeats is typed once. */
import type { AccountContext } from '../../accounts/context.ts'
import type { CompleteCategory } from '../../categories/catalogue.ts'
import { type DataObject, isObject } from '../../kernel/data-object.ts'
import { effectiveData, getState } from '../../passports/core/state.ts'
import { listPassports } from '../../passports/read/list.ts'
import type { Words } from '../page/words.ts'

/** Copied from the newest product; they can be seen and changed in the form. */
const PREFILLED_FIELDS = ['brandName', 'economicOperator']

/** `from`: name of the product copied from, the newest of the category, else the newest of all. */
type Prefill = { data: DataObject; from?: string }

export async function buildPrefill(
  ctx: AccountContext,
  { language }: Words,
  { id, fields }: CompleteCategory,
): Promise<Prefill> {
  const own = { languages: [language], ...buildFullShares(fields) }
  const newest = (await findNewestModel(ctx, id)) ?? (await findNewestModel(ctx, undefined))
  if (newest === undefined) return { data: own }
  const reading = effectiveData(await getState(ctx, newest))
  const { languages, productName } = reading
  const known = Object.entries(reading).filter(
    ([name, value]) => PREFILLED_FIELDS.includes(name) && (typeof value === 'string' || isObject(value)),
  )
  const isRead = Array.isArray(languages) && languages.includes(language)
  const data = { ...own, ...Object.fromEntries(known), ...(isRead ? { languages } : {}) }
  return typeof productName === 'string' && known.length > 0 ? { data, from: productName } : { data }
}

async function findNewestModel(
  ctx: AccountContext,
  category: string | undefined,
): Promise<string | undefined> {
  const filter = { levels: ['m'] as const, status: 'a' as const, category }
  const { rows } = await listPassports(ctx, filter, { limit: 1, page: 1 })
  return rows[0]?.id
}

/** A required list whose shares sum to 100 starts with one entry of 100 %. */
function buildFullShares(fields: CompleteCategory['fields']): DataObject {
  const shares = fields.flatMap(({ name, required, sumsTo100 }) =>
    required && sumsTo100 !== undefined ? [[name, [{ [sumsTo100]: 100 }]] as const] : [],
  )
  return Object.fromEntries(shares)
}
