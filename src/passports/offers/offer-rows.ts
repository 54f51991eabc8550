/** Exports and imports the offers of an account. */
import { announceOfferChange } from '../../accounts/brand/offer-changes.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { newUuid } from '../../kernel/ids.ts'
import { checkOffer, type SentOffer } from './check-offer.ts'
import { listOffers, toSentOffer } from './store-offers.ts'

/** `product_id` is the id in the passport's address; null for all. */
export type OfferLine = SentOffer & { position: number; created_at: string; updated_at: string }

export async function exportOffers(sql: Sql, accountId: number): Promise<OfferLine[]> {
  return (await listOffers({ sql, accountId })).map(({ createdAt, updatedAt, ...offer }) => ({
    ...toSentOffer(offer),
    position: offer.position,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  }))
}

/** Into an account without offers. Throws `validation`. */
export async function importOffers(sql: Sql, accountId: number, lines: readonly OfferLine[]): Promise<void> {
  const rows = lines.map(({ created_at, updated_at, ...line }) => {
    const id = newUuid(Date.parse(created_at))
    return { ...checkOffer(line), id, created_at, updated_at }
  })
  await sql`
    insert into offer (account_id, id, kind, category, passport_id, countries, title, text, url, position,
      created_at, updated_at)
    select ${accountId}, r.id, r.kind, r.category, r."passportId", r.countries, r.title, r.text, r.url, r.position,
      r.created_at, r.updated_at
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as r(id uuid, kind text, category text,
      "passportId" uuid, countries text[], title json, text json, url text, position int, created_at timestamptz,
      updated_at timestamptz)`
  await announceOfferChange({ sql, accountId })
}
