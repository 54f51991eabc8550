/**
 * What a shop puts on a product's page so that the passport is found before anybody buys: a link, its QR code, and the
 * same for machines. It is copied into pages we do not know, so nothing in it can end the place it stands in.
 */
import { findCategory } from '../categories/catalogue.ts'
import { disclose } from '../categories/disclose.ts'
import { type Language, labelsFor } from '../i18n/catalogue.ts'
import { negotiateLanguage } from '../i18n/negotiate.ts'
import { assert } from '../kernel/errors.ts'
import { idFromUuid } from '../kernel/ids.ts'
import { type Addresses, gs1Url, LEVEL_NAME, type PassportRow, passportUrl } from './record.ts'

export type ShopSnippet = {
  language: Language
  /** Address of the page that the link leads to and the QR code holds. */
  passport_url: string
  /** Address of the QR code as an image; needs no key. */
  image_url: string
  /** The schema.org description, as it stands in `html`. */
  json_ld: Record<string, unknown>
  /** All of it, to be pasted. */
  html: string
}

type Described = Pick<PassportRow, 'id' | 'category' | 'level' | 'gtin' | 'lot' | 'serial' | 'data'>

/** Side of the image in CSS pixels: a phone reads it off a screen. */
const IMAGE_PX = 120

/** The snippet of a passport, its words in `language`, or in the passport's primary language. Only what is public is in it. */
export function shopSnippet(addresses: Addresses, row: Described, language?: Language): ShopSnippet {
  const category = findCategory(row.category)
  assert(category, `the category ${row.category} of a stored passport is known`)
  const { data } = disclose(category, JSON.parse(row.data) as Record<string, unknown>, 'public')
  const primary = Array.isArray(data.languages) ? String(data.languages[0]) : undefined
  const spoken = language ?? negotiateLanguage({ primary })
  const url = passportUrl(addresses, idFromUuid(row.id))
  const image = `${url}/qr.svg`
  const jsonLd = describedForMachines(addresses, row, data, url)
  const { ui } = labelsFor(spoken)
  const html =
    `<a class="product-passport" href="${escaped(url)}" lang="${spoken}">` +
    `<img src="${escaped(image)}" alt="" width="${IMAGE_PX}" height="${IMAGE_PX}" loading="lazy">` +
    `<span>${escaped(ui.passport)}</span></a>\n` +
    `<script type="application/ld+json">${scriptJson(jsonLd)}</script>\n`
  return { language: spoken, passport_url: url, image_url: image, json_ld: jsonLd, html }
}

/** schema.org 30.1: a Product, and where its digital product passport is. */
function describedForMachines(
  addresses: Addresses,
  row: Described,
  data: Readonly<Record<string, unknown>>,
  url: string,
): Record<string, unknown> {
  return {
    '@context': 'https://schema.org',
    '@type': TYPES[LEVEL_NAME[row.level]],
    '@id': gs1Url(addresses, row) ?? `${url}#product`,
    name: data.productName,
    sku: data.sku,
    ...(row.gtin === null ? {} : { gtin: row.gtin }),
    ...(row.serial === null ? {} : { serialNumber: row.serial }),
    brand: { '@type': 'Brand', name: data.brandName },
    hasDigitalProductPassport: { '@type': 'DigitalProductPassport', '@id': url, url },
  }
}

const TYPES = {
  model: ['Product', 'ProductModel'],
  batch: ['Product', 'SomeProducts'],
  item: ['Product', 'IndividualProduct'],
} as const

const ENTITY: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string) => text.replace(/[&<>"']/g, letter => ENTITY[letter] ?? '')

/** JSON that cannot end a script element or begin a comment in it, nor break where scripts end their lines. */
const scriptJson = (value: unknown) =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
