/** Reads the offers that the page and the link set of a passport show. */
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import type { PassportRow } from '../core/record.ts'
import type { Offer } from './offer.ts'

export const offerColumns = (sql: Sql): Fragment => sql`
  id, kind, category, passport_id as "passportId", countries, title, text, url, position,
  created_at as "createdAt", updated_at as "updatedAt"`

/** Whether an offer for the category of a passport is for the passport itself, or for what is above it. */
export const isForPassport = ({ passportId }: Pick<Offer, 'passportId'>, row: Place): boolean =>
  passportId === null || [row.id, row.parent_id, row.model_id].includes(passportId)

type Place = Pick<PassportRow, 'id' | 'parent_id' | 'model_id'>

/** From what is said of the passport itself to what is said of all products. */
export function sortByNearness(offers: readonly Offer[], row: Place): Offer[] {
  const above = [row.id, row.parent_id, row.model_id]
  const distance = ({ passportId, category }: Offer) =>
    passportId !== null ? above.indexOf(passportId) : above.length + (category === null ? 1 : 0)
  return offers.toSorted((a, b) => distance(a) - distance(b))
}

/** For a unit, also those of its batch and its model. By position, then by age. */
export async function readOffersOf(
  sql: Sql,
  row: Pick<PassportRow, 'id' | 'account_id' | 'parent_id' | 'model_id' | 'category'>,
): Promise<Offer[]> {
  const ids = [...new Set([row.id, row.parent_id ?? row.id, row.model_id])]
  return sql<Offer[]>`
    select ${offerColumns(sql)} from offer
    where account_id = ${row.account_id} and (category is null or category = ${row.category})
      and (passport_id is null or passport_id = any(${ids}::text[]::uuid[]))
    order by position, id`
}
