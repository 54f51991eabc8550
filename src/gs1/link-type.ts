/** The link types that our resolver knows, in every spelling in use. */

/** The namespace of the GS1 Web Vocabulary. Link sets use this spelling. */
export const GS1_VOC = 'https://ref.gs1.org/voc/'

/** The types of links to what an account offers beside the passport. */
const OFFER_TYPES = [
  'serviceInfo',
  'purchaseSuppliesOrAccessories',
  'sustainabilityInfo',
  'instructions',
  'support',
  'registerProduct',
] as const

export type OfferLinkType = (typeof OFFER_TYPES)[number]

export type LinkType = 'defaultLink' | 'pip' | 'dpp' | 'recallStatus' | 'linkset' | OfferLinkType

const VOCABULARY_TYPES = ['defaultLink', 'pip', 'dpp', 'recallStatus', ...OFFER_TYPES] as const
/** `gs1:`, or the vocabulary under one of its three hosts. */
const PREFIX = /^(?:gs1:|https?:\/\/(?:ref\.|www\.)?gs1\.org\/voc\/)/

/** Parses a decoded `linkType`. `all` is the old name of `linkset`. */
export function parseLinkType(text: string): LinkType | undefined {
  if (text === 'linkset' || text === 'all') return 'linkset'
  const name = text.replace(PREFIX, '')
  return name === text ? undefined : VOCABULARY_TYPES.find(type => type === name)
}

export const isOfferLinkType = (type: string): type is OfferLinkType => OFFER_TYPES.some(one => one === type)
