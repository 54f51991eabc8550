/**
 * Creates drafts of new products in bulk, for an import. A row whose SKU or GTIN a draft has makes no second
 * one, and no row changes a draft that somebody may have edited.
 */
import { isDeepStrictEqual } from 'node:util'
import { atHome, atNewModel } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { newPassportUuid } from '../../kernel/db/shards.ts'
import type { AppError } from '../../kernel/errors/errors.ts'
import { type DataObject, getOwn, isObject } from '../../kernel/values/data-object.ts'
import { normaliseSku, type PassportData, removeNulls, requireCategory } from '../core/check-data.ts'
import { findUnknownFiles } from '../core/file-uses.ts'
import type { NewModelDraft } from './draft.ts'
import { countRoomForDrafts, insertDrafts, listDraftFiles } from './store-drafts.ts'

export type RowForDraft = { data: PassportData; note: string }

/**
 * `unchanged`: a draft has all values of the row. `taken`: a draft has the row's SKU or GTIN and other
 * values. `full`: the account has as many drafts as it may have. An error names unknown files.
 */
export type DraftOutcome = 'created' | 'unchanged' | 'taken' | 'full' | AppError

type Request = { category: string; rows: readonly RowForDraft[]; dryRun: boolean }

/**
 * In the order of the rows. Needs a transaction that holds the lock of the account, so that two imports
 * cannot both create a draft. A dry run takes the account as large enough.
 */
export async function createDrafts(
  ctx: AccountContext,
  { category, rows, dryRun }: Request,
): Promise<DraftOutcome[]> {
  if (rows.length === 0) return []
  const tx = atHome(ctx)
  const planned = rows.map(({ data, note }) => ({ note, data: removeNulls(data), key: findKey(data) }))
  const there = await readMatches(tx, requireCategory(category).id, planned)
  const outcomes: DraftOutcome[] = planned.map(row => there.judge(row))
  if (dryRun) return outcomes
  const drafts = planned.map(row => buildDraft(ctx, category, row))
  const isNew = (place: number) => outcomes[place] === 'created'
  const files = drafts.filter((_, place) => isNew(place)).flatMap(draft => listDraftFiles(tx, draft))
  const unknown = await findUnknownFiles(tx.sql, files, { locks: true })
  let room = drafts.length === 0 ? 0 : await countRoomForDrafts(tx)
  const created: NewModelDraft[] = []
  for (const [place, draft] of drafts.entries()) {
    if (!isNew(place)) continue
    const error = unknown.get(draft.id)
    if (error !== undefined) outcomes[place] = error
    else if (room-- < 1) outcomes[place] = 'full'
    else created.push(draft)
  }
  await insertDrafts(tx, created)
  return outcomes
}

function buildDraft(ctx: AccountContext, category: string, { data, note }: RowForDraft): NewModelDraft {
  const now = ctx.clock.now()
  // The id that the passport will have, on the shard where it will be.
  const id = newPassportUuid(atNewModel(ctx).sql, now.getTime())
  const times = { created_at: now, updated_at: now }
  return { id, category, data, note, product_id: null, change_type: null, ...times }
}

/** Tells for each of these whether a draft has its SKU, or without one its GTIN. */
export async function findDrafted(
  ctx: AccountContext,
  category: string,
  products: readonly PassportData[],
): Promise<boolean[]> {
  const keys = products.map(data => ({ data, key: findKey(data) }))
  const found = await readByKey(atHome(ctx), category, keys)
  return keys.map(({ key }) => key !== undefined && found.has(key))
}

/** `sku A-1`, or `gtin 04006381333931` of a row without a SKU. Undefined without both. */
function findKey({ sku, gtin }: PassportData): string | undefined {
  if (typeof sku === 'string' && sku.trim() !== '') return `sku ${normaliseSku(sku)}`
  return typeof gtin === 'string' && gtin !== '' ? `gtin ${gtin.padStart(14, '0')}` : undefined
}

type PlannedRow = { data: PassportData; key: string | undefined }

async function readMatches(ctx: AccountContext, category: string, rows: readonly PlannedRow[]) {
  const byKey = await readByKey(ctx, category, rows)
  const equal = await readEqual(ctx, category, rows)
  return {
    judge({ data, key }: PlannedRow): 'created' | 'unchanged' | 'taken' {
      if (key === undefined) {
        const text = JSON.stringify(data)
        if (equal.has(text)) return 'unchanged'
        equal.add(text)
        return 'created'
      }
      const found = byKey.get(key)
      if (found === undefined) {
        byKey.set(key, [data])
        return 'created'
      }
      return found.some(draft => hasAll(draft, data)) ? 'unchanged' : 'taken'
    },
  }
}

async function readByKey(ctx: AccountContext, category: string, rows: readonly PlannedRow[]) {
  const keys = [...new Set(rows.flatMap(({ key }) => key ?? []))]
  const found = new Map<string, DataObject[]>()
  if (keys.length === 0) return found
  const { sql, accountId } = ctx
  const drafts = await sql<{ data: string }[]>`
    select d.data::text as data from draft d
    where d.account_id = ${accountId} and d.product_id is null and d.category = ${category}
      and ('sku ' || normalize(d.data ->> 'sku') = any(${keys}::text[])
        or 'gtin ' || lpad(d.data ->> 'gtin', 14, '0') = any(${keys}::text[]))
    order by d.id`
  for (const { data: text } of drafts) {
    const data: PassportData = JSON.parse(text)
    const { sku, gtin } = data
    for (const key of [findKey({ sku }), findKey({ gtin })])
      if (key !== undefined) found.set(key, [...(found.get(key) ?? []), data])
  }
  return found
}

/** Rows without SKU and GTIN are compared as a whole: those that a draft equals, as JSON. */
async function readEqual(ctx: AccountContext, category: string, rows: readonly PlannedRow[]) {
  const texts = rows.flatMap(({ key, data }) => (key === undefined ? [JSON.stringify(data)] : []))
  if (texts.length === 0) return new Set<string>()
  const { sql, accountId } = ctx
  const found = await sql<{ text: string }[]>`
    select r.text from unnest(${texts}::text[]) r(text)
    where md5(r.text::jsonb::text) in (
      select md5(d.data::text) from draft d
      where d.account_id = ${accountId} and d.product_id is null and d.category = ${category})`
  return new Set(found.map(({ text }) => text))
}

/** Returns true if a draft has every value of the row; it may have more. */
function hasAll(draft: unknown, row: unknown): boolean {
  if (!isObject(draft) || !isObject(row)) return isDeepStrictEqual(draft, row)
  return Object.entries(row).every(([name, value]) => hasAll(getOwn(draft, name), value))
}
