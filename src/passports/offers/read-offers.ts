/** Reads the offers that the page and the link set of a passport show. */

import type { Sql } from '../../kernel/db/database.ts'
import type { PassportRow } from '../core/record.ts'
import { listOrder, selectMembers } from '../core/store-records.ts'
import type { Offer } from './offer.ts'
import { OFFER_STORE } from './store-offers.ts'

/** Returns true if an offer for the passport's category is for the passport, or its batch or model. */
export const isForPassport = ({ product_id: product }: Pick<Offer, 'product_id'>, row: Place): boolean =>
  product === null || [row.id, row.parent_id, row.model_id].includes(product)

type Place = Pick<PassportRow, 'id' | 'parent_id' | 'model_id'>

/** From what is said of the passport itself to what is said of all products. */
export function sortByNearness(offers: readonly Offer[], row: Place): Offer[] {
  const above = [row.id, row.parent_id, row.model_id]
  const distance = ({ product_id: product, category }: Offer) =>
    product !== null ? above.indexOf(product) : above.length + (category === null ? 1 : 0)
  return offers.toSorted((a, b) => distance(a) - distance(b))
}

/** For a unit, also those of its batch and its model. By position, then by age. */
export async function readOffersOf(
  sql: Sql,
  row: Pick<PassportRow, 'id' | 'account_id' | 'parent_id' | 'model_id' | 'category'>,
): Promise<Offer[]> {
  const ids = [...new Set([row.id, row.parent_id ?? row.id, row.model_id])]
  return sql<Offer[]>`
    select ${selectMembers(OFFER_STORE, sql)} from offer
    where account_id = ${row.account_id} and (category is null or category = ${row.category})
      and (passport_id is null or passport_id = any(${ids}::text[]::uuid[]))
    order by ${listOrder(OFFER_STORE, sql)}`
}
