/** The store of the offers of an account: `accounts/records/store-records.ts` reads and writes it. */
import { announceOfferChange } from '../../accounts/brand/offer-changes.ts'
import { AppError, invalidField } from '../../kernel/errors/errors.ts'
import type { RecordStore } from '../core/store-records.ts'
import { getPassport } from '../read/find.ts'
import { OFFER, type Offer } from './offer.ts'

export const OFFER_STORE: RecordStore<Offer> = {
  type: OFFER,
  columns: { product_id: 'passport_id' },
  async check(ctx, { product_id }) {
    if (typeof product_id !== 'string') return
    try {
      await getPassport(ctx, product_id)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'not_found') throw error
      throw invalidField(['product_id'], 'not_found', 'product_id names no product of this account.')
    }
  },
  announce: announceOfferChange,
  describe: ({ kind, title }) => `${kind}: ${Object.values(title)[0]}`,
}
