/**
 * A link with a QR code or a badge, and JSON-LD, for a shop's page. They cannot break out of the element into
 * which they are pasted.
 */
import { disclose } from '../../categories/disclose.ts'
import { GS1_VOC } from '../../gs1/link-type.ts'
import { getLabels, LANGUAGES, type Language } from '../../i18n/catalogue.ts'
import { negotiateLanguage } from '../../i18n/negotiate.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import type { RecallInForce } from '../core/recalls.ts'
import { type Addresses, gs1Url, hasGs1Address, type PassportRow, passportUrl } from '../core/record.ts'
import { type DisclosedRow, getDisclosedCategory } from './disclosed-category.ts'

type ShopSnippet = {
  language: Language
  /** The page that the link and the QR code open. */
  passport_url: string
  image_url: string
  badge_url: string
  /** The schema.org description in `html`. */
  json_ld: Record<string, unknown>
  /** Link, image and script, to be pasted. */
  html: string
}

/** `recalls`: the notices that hold for it, the nearest first. */
type Described = DisclosedRow &
  Pick<PassportRow, 'id' | 'gtin' | 'lot' | 'serial' | 'status' | 'data'> & {
    recalls: readonly RecallInForce[]
  }

/** In CSS pixels: enough for a phone to scan from a screen. */
const IMAGE_PX = 120
/** In CSS pixels. The width depends on the language. */
const BADGE_HEIGHT_PX = 48

/** The looks of the link: the QR code beside a text, or the badge, which contains the text. */
export const SNIPPET_IMAGES = ['qr', 'badge'] as const
export type SnippetImage = (typeof SNIPPET_IMAGES)[number]

/** `productId`: the `@id` of the Product on the shop's page; see `isProductId`. */
type SnippetOptions = {
  language?: Language | undefined
  productId?: string | undefined
  image?: SnippetImage | undefined
}

export const SNIPPET_LANGUAGES = LANGUAGES.map(({ code }) => code)

/** In `language`, or in the passport's primary language. Contains only public data. */
export function buildShopSnippet(
  addresses: Addresses,
  row: Described,
  { language, productId, image = 'qr' }: SnippetOptions = {},
): ShopSnippet {
  const { data } = disclose(getDisclosedCategory(row), JSON.parse(row.data), 'public')
  const primary = Array.isArray(data.languages) ? String(data.languages[0]) : undefined
  const spoken = language ?? negotiateLanguage({ primary })
  const { ui } = getLabels(spoken)
  const url = passportUrl(addresses, idFromUuid(row.id))
  const [imageUrl, badgeUrl] = [`${url}/qr.svg`, `${url}/badge.svg?lang=${spoken}`]
  const product =
    productId === undefined
      ? { '@id': gs1Url(addresses, row) ?? `${url}#product`, ...identifiers(row, data) }
      : { '@id': productId }
  const [recall] = row.recalls
  const jsonLd = describePassport(url, ui.passport, {
    ...product,
    ...(recall === undefined ? {} : { additionalProperty: [describeRecall(url, recall)] }),
  })
  if (row.status === 'x') jsonLd.creativeWorkStatus = 'Archived'
  const name = escapeHtml(ui.passport)
  const warning = recall === undefined ? '' : `<strong>${escapeHtml(ui['recall.title'])}</strong>`
  const shown =
    image === 'badge'
      ? `<img src="${escapeHtml(badgeUrl)}" alt="${name}" height="${BADGE_HEIGHT_PX}" loading="lazy">`
      : `<img src="${escapeHtml(imageUrl)}" alt="" width="${IMAGE_PX}" height="${IMAGE_PX}" loading="lazy"><span>${name}</span>`
  const html =
    `<a class="product-passport" href="${escapeHtml(url)}" lang="${spoken}">${shown}${warning}</a>\n` +
    `<script type="application/ld+json">${escapeScriptJson(jsonLd)}</script>\n`
  return {
    language: spoken,
    passport_url: url,
    image_url: imageUrl,
    badge_url: badgeUrl,
    json_ld: jsonLd,
    html,
  }
}

/** By the link type of GS1, because schema.org has no term for recalls. */
const describeRecall = (url: string, { notice }: RecallInForce) => ({
  '@type': 'PropertyValue',
  propertyID: `${GS1_VOC}recallStatus`,
  name: 'Recall',
  value: notice.from,
  url,
})

/**
 * The product has no type: the page already has a Product with a price, and search engines reject a second
 * one without. `DigitalProductPassport` is new in schema.org 30.1, so `@type` is an older one.
 */
const describePassport = (
  url: string,
  name: string,
  product: Record<string, unknown>,
): Record<string, unknown> => ({
  '@context': 'https://schema.org',
  '@type': 'CreativeWork',
  additionalType: 'https://schema.org/DigitalProductPassport',
  '@id': url,
  url,
  name,
  about: { ...product, hasDigitalProductPassport: { '@id': url } },
})

const identifiers = (row: Described, data: Readonly<Record<string, unknown>>) => ({
  name: data.productName,
  sku: data.sku,
  ...(row.gtin !== null && hasGs1Address(row) ? { gtin: row.gtin } : {}),
  ...(row.serial === null ? {} : { serialNumber: row.serial }),
})

const MAX_PRODUCT_ID_LENGTH = 2048

/** Returns true if a text can be an `@id` on the shop's page: an absolute http(s) URL, or `#` and a name. */
export function isProductId(text: string): boolean {
  if (text.length > MAX_PRODUCT_ID_LENGTH || !/^[!-~\u00a1-\u{10ffff}]+$/u.test(text) || !text.isWellFormed())
    return false
  if (text.startsWith('#')) return text.length > 1
  return /^https?:\/\//i.test(text) && URL.canParse(text) && new URL(text).username === ''
}

const ENTITY: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, character => ENTITY[character] ?? '')

/** Escapes JSON, so that it cannot end a script element or a line of script, nor begin a comment. */
const escapeScriptJson = (value: unknown) =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
