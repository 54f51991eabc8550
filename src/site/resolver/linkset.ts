/** The link set of a GS1 address (RFC 9264), with the members of the GS1-Conformant Resolver Standard. */
import { disclose } from '../../categories/disclose.ts'
import { buildGs1Path, type DigitalLink } from '../../gs1/digital-link.ts'
import { GS1_VOC } from '../../gs1/link-type.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { isReaderLink } from '../../kernel/http/public-link.ts'
import { type Addresses, LEVEL_NAME, passportUrl } from '../../passports/core/record.ts'
import type { Offer } from '../../passports/offers/offer.ts'
import { type DisclosedRow, getDisclosedCategory } from '../../passports/read/disclosed-category.ts'
import type { PublicPassportRow } from '../../passports/read/find.ts'
import { type AnyFormat, HTML, isDocument } from '../passport/formats.ts'

import { buildOfferLinks } from './offer-links.ts'
import { shortenTags } from './short-tags.ts'

/** `rawPath` is the path as requested, without a slash at its end. */
type LinksetRequest = { link: DigitalLink; rawPath: string }

/**
 * `formats`: those of passports besides the page; `offers`: those of the lowest level; `backupBaseUrl`: where
 * copies are published, or null.
 */
type LinksetOptions = {
  formats: readonly AnyFormat[]
  offers: readonly Offer[]
  backupBaseUrl: string | null
}

/** `levels` begins with the lowest existing one. */
export function renderLinkset(
  addresses: Addresses,
  request: LinksetRequest,
  levels: readonly (DisclosedRow &
    Pick<
      PublicPassportRow,
      'id' | 'parent_id' | 'model_id' | 'level' | 'data' | 'lot' | 'serial' | 'recalls'
    >)[],
  { formats, offers, backupBaseUrl }: LinksetOptions,
): string {
  const ownHost = new URL(addresses.publicUrl).host
  const linkset = levels.map(row => {
    const { name, languages } = getNameAndLanguages(row)
    const href = passportUrl(addresses, idFromUuid(row.id))
    return {
      anchor: addresses.publicUrl + getAnchorPath(request, row),
      itemDescription: describeLevel(name, row),
      [`${GS1_VOC}defaultLink`]: [{ href, title: describeLevel(name, row) }],
      [`${GS1_VOC}pip`]: [{ ...buildLink(HTML, href, languages), title: name }],
      [`${GS1_VOC}dpp`]: [HTML, ...formats].map(format => buildLink(format, href, languages)),
      ...(row.recalls === null
        ? {}
        : { [`${GS1_VOC}recallStatus`]: [{ ...buildLink(HTML, href, languages), title: 'Recall notice' }] }),
      ...buildOfferLinks(offers, row),
      ...(isReaderLink(backupBaseUrl, ownHost) ? { alternate: [buildCopyLink(backupBaseUrl, row)] } : {}),
    }
  })
  return JSON.stringify({ linkset })
}

function buildLink(format: AnyFormat, href: string, languages: readonly string[]) {
  const { id, name, mediaTypes } = format
  return {
    href: format === HTML ? href : `${href}?format=${id}`,
    title: format === HTML ? 'Digital product passport' : `Digital product passport (${name})`,
    type: mediaTypes[0],
    ...(!isDocument(format) && format.isPerLanguage && languages.length > 0 ? { hreflang: languages } : {}),
  }
}

const buildCopyLink = (backupBaseUrl: string, { id }: Pick<PublicPassportRow, 'id'>) => ({
  href: `${backupBaseUrl}/p/${idFromUuid(id)}`,
  title: 'Back-up copy of the digital product passport',
  type: HTML.mediaTypes[0],
})

type Level = Pick<PublicPassportRow, 'level' | 'lot' | 'serial'>

function describeLevel(name: string, { lot, serial }: Level): string {
  return name + (lot === null ? '' : `, batch ${lot}`) + (serial === null ? '' : `, serial ${serial}`)
}

/**
 * The requested path, cut after this level, because clients compare it with prefixes of their address. For
 * other levels, a path built from the row.
 */
function getAnchorPath({ link, rawPath }: LinksetRequest, row: Level): string {
  const { gtin14 } = link
  const level = LEVEL_NAME[row.level]
  if (level === 'item' && link.serial !== undefined) return rawPath
  if (level === 'batch' && row.lot !== null) {
    if (link.lot !== row.lot) return buildGs1Path(gtin14, { lot: row.lot })
    return link.serial === undefined ? rawPath : rawPath.split('/').slice(0, -2).join('/')
  }
  return buildGs1Path(gtin14)
}

/** Returns only values that the public may see, as on the page of the level. */
function getNameAndLanguages(row: DisclosedRow & Pick<PublicPassportRow, 'data'>): {
  name: string
  languages: string[]
} {
  const { data } = disclose(getDisclosedCategory(row), JSON.parse(row.data), 'public')
  const languages = Array.isArray(data.languages) ? data.languages.map(String) : []
  return {
    name: typeof data.productName === 'string' ? data.productName : '',
    languages: shortenTags(languages),
  }
}
