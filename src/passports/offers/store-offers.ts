/** Lists, creates, changes and deletes the offers of an account. */

import { lockAccount } from '../../accounts/accounts.ts'
import { type AuditAction, audit } from '../../accounts/audit.ts'
import { announceOfferChange } from '../../accounts/brand/offer-changes.ts'
import { type AccountContext, withTransaction } from '../../accounts/context.ts'
import { AppError, invalidField, notFound } from '../../kernel/errors.ts'
import { idFromUuid, newUuid } from '../../kernel/ids.ts'
import { getPassport } from '../read/find.ts'
import { type CheckedOffer, checkOffer, type SentOffer } from './check-offer.ts'
import { MAX_OFFERS, type Offer } from './offer.ts'
import { offerColumns } from './read-offers.ts'

/** In the order in which pages show them. */
export async function listOffers({
  sql,
  accountId,
}: Pick<AccountContext, 'sql' | 'accountId'>): Promise<Offer[]> {
  return sql<Offer[]>`
    select ${offerColumns(sql)} from offer where account_id = ${accountId} order by position, id`
}

/** Throws `not_found`. */
export async function getOffer({ sql, accountId }: AccountContext, id: string): Promise<Offer> {
  const [offer] = await sql<Offer[]>`
    select ${offerColumns(sql)} from offer where account_id = ${accountId} and id = ${id}`
  if (offer === undefined) throw notFound('offer')
  return offer
}

/** Throws `validation`, and `plan_limit` for one offer too many. */
export async function createOffer(ctx: AccountContext, sent: SentOffer): Promise<Offer> {
  const checked = checkOffer(sent)
  await requireProduct(ctx, checked)
  const now = ctx.clock.now()
  const id = newUuid(now.getTime())
  return change(ctx, 'offer_added', async tx => {
    const offers = await listOffers(tx)
    if (offers.length >= MAX_OFFERS) throw tooManyOffersError()
    const last = Math.max(-1, ...offers.map(({ position }) => position))
    const { kind, category, passportId, countries, title, text, url, position = last + 1 } = checked
    await tx.sql`
      insert into offer (account_id, id, kind, category, passport_id, countries, title, text, url, position,
        created_at, updated_at)
      values (${tx.accountId}, ${id}, ${kind}, ${category}, ${passportId}, ${[...countries]}::text[],
        ${JSON.stringify(title)}::text::json, ${text && JSON.stringify(text)}::text::json, ${url}, ${position},
        ${now}, ${now})`
    return getOffer(tx, id)
  })
}

/** Members that are not sent stay as they are. Throws `not_found` and `validation`. */
export async function changeOffer(ctx: AccountContext, id: string, sent: SentOffer): Promise<Offer> {
  return change(ctx, 'offer_changed', async tx => {
    const before = await getOffer(tx, id)
    const checked = checkOffer({ ...toSentOffer(before), ...removeUnsent(sent) })
    await requireProduct(tx, checked)
    const { kind, category, passportId, countries, title, text, url, position = before.position } = checked
    await tx.sql`
      update offer set kind = ${kind}, category = ${category}, passport_id = ${passportId},
        countries = ${[...countries]}::text[], title = ${JSON.stringify(title)}::text::json,
        text = ${text && JSON.stringify(text)}::text::json, url = ${url}, position = ${position},
        updated_at = ${tx.clock.now()}
      where account_id = ${tx.accountId} and id = ${id}`
    return getOffer(tx, id)
  })
}

/** Returns the offer as it was. Throws `not_found`. */
export async function deleteOffer(ctx: AccountContext, id: string): Promise<Offer> {
  return change(ctx, 'offer_deleted', async tx => {
    const offer = await getOffer(tx, id)
    await tx.sql`delete from offer where account_id = ${tx.accountId} and id = ${id}`
    return offer
  })
}

/** In turns, so that two requests cannot both take the last place, and each change gets its own version. */
const change = (
  ctx: AccountContext,
  action: AuditAction,
  work: (tx: AccountContext) => Promise<Offer>,
): Promise<Offer> =>
  withTransaction(ctx, async tx => {
    await lockAccount(tx)
    const offer = await work(tx)
    await announceOfferChange(tx)
    await audit(tx, action, `${offer.kind}: ${Object.values(offer.title)[0]}`)
    return offer
  })

/** As the API takes it. */
export const toSentOffer = ({ passportId, ...offer }: Omit<Offer, 'createdAt' | 'updatedAt'>): SentOffer => ({
  ...{ kind: offer.kind, category: offer.category, countries: offer.countries, title: offer.title },
  ...{ text: offer.text, url: offer.url, position: offer.position },
  product_id: passportId && idFromUuid(passportId),
})

const removeUnsent = (sent: SentOffer): SentOffer =>
  Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined))

async function requireProduct(ctx: AccountContext, { passportId }: CheckedOffer): Promise<void> {
  if (passportId === null) return
  try {
    await getPassport(ctx, passportId)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error
    throw invalidField(['product_id'], 'not_found', 'product_id names no product of this account.')
  }
}

const tooManyOffersError = () =>
  new AppError(
    'plan_limit',
    `An account can have ${MAX_OFFERS} offers, and this one has that many. Delete some of them.`,
  )
