/** Offers: what readers of a passport can do, such as having the product repaired. */
import { allCategories } from '../../categories/catalogue.ts'
import type { OfferLinkType } from '../../gs1/link-type.ts'
import type { Labels } from '../../i18n/catalogue.ts'
import { defineRecord, type Stored } from '../../records/record.ts'

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

/** An offer is for a category, for a passport and its units, or for all products. */
export const OFFER = defineRecord({
  id: 'offer',
  names: { article: 'an', one: 'offer', many: 'offers' },
  max: 100,
  members: {
    kind: {
      type: 'choice',
      values: OFFER_KINDS,
      required: true,
      description: 'What the reader can do. It decides the GS1 link type of the link.',
    },
    category: {
      type: 'choice',
      values: allCategories().map(({ id }) => id),
      meaning: 'a category of GET /categories, or null for all',
      description: 'Only products of this category; null for all.',
    },
    product_id: {
      type: 'product',
      description: 'Only this model with its units, this batch with its items, or this item; null for all.',
    },
    countries: {
      type: 'countries',
      description: 'ISO 3166-1 codes of the countries where it holds; empty for everywhere.',
    },
    title: { type: 'texts', max: 100, required: true, description: 'The words of the link, by language.' },
    text: { type: 'texts', max: 300, description: 'A sentence beside it, by language.' },
    url: { type: 'link', required: true, description: 'Where the link leads.' },
    position: {
      type: 'position',
      description: 'Offers are shown by position, then by age. By default an offer comes last.',
    },
  },
  exclusive: [{ members: ['category', 'product_id'], reason: 'an offer is for a category or for a product' }],
  example: {
    kind: 'repair',
    category: 'textile',
    countries: ['AT', 'DE'],
    title: { en: 'Free repair service', de: 'Kostenlose Reparatur' },
    text: {
      en: 'Send it to us; we mend seams and zips.',
      de: 'Einschicken; wir richten Nähte und Reißverschlüsse.',
    },
    url: 'https://www.example.com/repair',
  },
  documentation: {
    name: 'Offer',
    list: 'All of the account, in the order in which pages show them.',
    create:
      'The public pages of the products that it is for show it under “What you can do”, and the link sets of their GS1 addresses have it under its GS1 link type. Readers see the offers for their country and for everywhere first.',
    change:
      'Each member that you send replaces the whole member; the others stay. `null` empties `category`, `product_id` and `text`.',
    newExample: { name: 'repair', summary: 'Repair in two countries' },
    changeExample: {
      name: 'countries',
      summary: 'One more country',
      value: { countries: ['AT', 'CH', 'DE'] },
    },
    maxBytes: 256 * 1024,
  },
})

/** Shown by `position`, then in the order in which they were created. */
export type Offer = Stored<typeof OFFER>
