/** Finds drafts by what people see of them: name, SKU, GTIN and note; also by the product that is changed. */
import { atHome } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { buildSearchText, listSearchWords } from '../../kernel/text/search-text.ts'
import { findSummaries } from '../read/list.ts'
import type { Draft } from './draft.ts'
import { countDrafts, getDrafts, listDrafts } from './store-drafts.ts'

/** `q`: '' finds all; `page`: from 1. */
export type DraftSearch = { q: string; page: number; limit: number }

/** Newest first. An account has few drafts, so their names are read and compared here. */
export async function searchDrafts(
  ctx: AccountContext,
  { q, page, limit }: DraftSearch,
): Promise<{ drafts: Draft[]; total: number }> {
  const offset = (page - 1) * limit
  if (q === '') {
    const [drafts, total] = await Promise.all([listDrafts(ctx, { limit, offset }), countDrafts(ctx)])
    return { drafts, total }
  }
  const words = listSearchWords(q)
  const names = await listNames(ctx)
  const isHit = ({ text }: { text: string }) => {
    const searched = buildSearchText([text])
    return words.some(word => searched.includes(word))
  }
  const hits = names.filter(isHit).map(({ id }) => id)
  return { drafts: await getDrafts(ctx, hits.slice(offset, offset + limit)), total: hits.length }
}

async function listNames(ctx: AccountContext): Promise<{ id: string; text: string }[]> {
  const { sql, accountId } = atHome(ctx)
  const rows = await sql<{ id: string; product_id: string | null; text: string }[]>`
    select id, product_id, concat_ws(' ', data ->> 'productName', data ->> 'sku', data ->> 'gtin', note) as text
    from draft where account_id = ${accountId} order by id desc`
  const products = await findSummaries(ctx, [...new Set(rows.flatMap(row => row.product_id ?? []))])
  const byId = new Map(products.map(one => [one.id, one]))
  return rows.map(({ id, product_id, text }) => {
    const product = product_id === null ? undefined : byId.get(product_id)
    const { product_name, sku, gtin, lot, serial } = product ?? {}
    return { id, text: [text, product_name, sku, gtin, lot, serial].join(' ') }
  })
}
