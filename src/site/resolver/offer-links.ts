/** Links from a GS1 address to what the account offers for the product, under GS1's link types. */
import type { IncomingHttpHeaders } from 'node:http'
import { GS1_VOC, type OfferLinkType } from '../../gs1/link-type.ts'
import { chooseLanguage } from '../../i18n/choose-language.ts'
import { rankTags } from '../../i18n/negotiate.ts'
import { OFFER_LINK_TYPES, type Offer } from '../../passports/offers/offer.ts'
import { isForPassport } from '../../passports/offers/read-offers.ts'
import type { PublicPassportRow } from '../../passports/read/find.ts'
import { findOfferCountries } from '../page/offers.ts'
import { findReaderCountry } from '../passport/reader-country.ts'
import { shortenTags } from './short-tags.ts'

type OfferLink = { href: string; title: string; hreflang?: string[]; context?: readonly string[] }

/** The members of a level of a link set. An offer has a link for each language of its title. */
export function buildOfferLinks(
  offers: readonly Offer[],
  row: Pick<PublicPassportRow, 'id' | 'parent_id' | 'model_id'>,
): Record<string, OfferLink[]> {
  const byType = Map.groupBy(
    offers.filter(offer => isForPassport(offer, row)),
    ({ kind }) => `${GS1_VOC}${OFFER_LINK_TYPES[kind]}`,
  )
  return Object.fromEntries(Array.from(byType, ([type, some]) => [type, some.flatMap(buildLinks)]))
}

/** Countries are the context of a link: GS1 allows codes of ISO 3166-1 there. */
function buildLinks({ url, title, countries }: Offer): OfferLink[] {
  const { href } = new URL(url)
  const context = countries.length === 0 ? {} : { context: countries }
  return Object.entries(title).map(([tag, text]) => {
    const hreflang = shortenTags([tag])
    return { href, title: text, ...(hreflang.length === 0 ? {} : { hreflang }), ...context }
  })
}

type OfferRequest = { type: OfferLinkType; query: string }

/**
 * The address of the offer of this type that suits the reader best: one for the reader's country before one
 * for everywhere before any other, then one in the language that the reader prefers most, then the first.
 * Undefined for none.
 */
export function findOfferTarget(
  offers: readonly Offer[],
  headers: IncomingHttpHeaders,
  { type, query }: OfferRequest,
): string | undefined {
  const some = offers.filter(({ kind }) => OFFER_LINK_TYPES[kind] === type)
  const asked = parseQuery(query)
  const country = asked.get('country') ?? asked.get('context') ?? undefined
  const here = findReaderCountry(headers, { country }, findOfferCountries(some))
  const rank = ({ countries }: Offer) =>
    here !== undefined && countries.includes(here) ? 2 : countries.length === 0 ? 1 : 0
  const nearest = Math.max(...some.map(rank))
  const best = chooseByLanguage(
    some.filter(offer => rank(offer) === nearest),
    headers['accept-language'],
  )
  return best && addQuery(new URL(best.url), query)
}

function chooseByLanguage(offers: readonly Offer[], acceptLanguage: string | undefined): Offer | undefined {
  const listTags = ({ title }: Offer) => Object.keys(title).map(tag => tag.toLowerCase())
  const chosen = chooseLanguage(new Set(offers.flatMap(listTags)), rankTags(acceptLanguage))
  const found = chosen === undefined ? undefined : offers.find(offer => listTags(offer).includes(chosen))
  return found ?? offers[0]
}

const parseQuery = (query: string) => new URLSearchParams(query.replaceAll(';', '&'))

/** GS1 wants the query of a scan passed on. Access tokens are secrets, and no other site gets one. */
function addQuery(url: URL, query: string): string {
  const passed = query
    .split(/[&;]/)
    .filter(part => part !== '' && !parseQuery(part).has('access'))
    .join('&')
  if (passed !== '') url.search += url.search === '' ? `?${passed}` : `&${passed}`
  return url.href
}
