/** Offers: what readers of a passport can do, such as having the product repaired. */
import type { OfferLinkType } from '../../gs1/link-type.ts'
import type { Labels } from '../../i18n/catalogue.ts'

export const OFFER_KINDS = [
  'repair',
  'spare_parts',
  'resale',
  'take_back',
  'recycling',
  'instructions',
  'support',
  'registration',
] as const

export type OfferKind = (typeof OFFER_KINDS)[number]

export const isOfferKind = (text: unknown): text is OfferKind => OFFER_KINDS.some(kind => kind === text)

/** GS1 has no own type for what happens after use; its type for sustainability includes recycling. */
export const OFFER_LINK_TYPES: Readonly<Record<OfferKind, OfferLinkType>> = {
  repair: 'serviceInfo',
  spare_parts: 'purchaseSuppliesOrAccessories',
  resale: 'sustainabilityInfo',
  take_back: 'sustainabilityInfo',
  recycling: 'sustainabilityInfo',
  instructions: 'instructions',
  support: 'support',
  registration: 'registerProduct',
}

/** The labels of kinds on public pages. */
export const OFFER_KIND_LABELS = {
  repair: 'section.repair',
  spare_parts: 'actions.spare_parts',
  resale: 'actions.resale',
  take_back: 'actions.take_back',
  recycling: 'actions.recycling',
  instructions: 'actions.instructions',
  support: 'actions.support',
  registration: 'actions.registration',
} as const satisfies Record<OfferKind, keyof Labels['ui']>

/** Texts by language, a canonical BCP-47 tag. */
export type OfferTexts = Readonly<Record<string, string>>

/** What an account writes. An offer is for a category, for a passport and its units, or for all products. */
export type OfferContent = {
  kind: OfferKind
  category: string | null
  /** UUID of a model, batch or item. */
  passportId: string | null
  /** ISO 3166-1 codes; none: everywhere. */
  countries: readonly string[]
  title: OfferTexts
  text: OfferTexts | null
  /** An https address. */
  url: string
}

/** Offers are shown by `position`, then in the order in which they were created. */
export type Offer = OfferContent & { id: string; position: number; createdAt: Date; updatedAt: Date }

export const MAX_OFFERS = 100
export const MAX_OFFER_LANGUAGES = 30
export const MAX_OFFER_TITLE_LENGTH = 100
export const MAX_OFFER_TEXT_LENGTH = 300
export const MAX_OFFER_POSITION = 9_999
