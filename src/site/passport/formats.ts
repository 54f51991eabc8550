/**
 * The output formats of a passport. Content negotiation, `?format=`, `Link` headers, the page's links, link
 * sets and error responses all read this table: a new format needs a renderer and a row here.
 */
import type { Brand } from '../../accounts/brand/brand.ts'
import { canDecryptKey } from '../../accounts/issuer/issuer.ts'
import { getQrAddress } from '../../passports/core/record.ts'
import type { PublicPassportRow } from '../../passports/read/find.ts'
import { renderQrSvg } from '../../qr/svg.ts'
import { memoize, negotiateMediaType } from '../http/content-negotiation.ts'
import type { Headers } from '../http/prepared-response.ts'
import type { SiteSetup } from '../http/setup.ts'
import { JSON_LD_MEDIA_TYPES, renderJsonLd } from '../json-ld/document.ts'
import type { AlternateFormat, PageAccess } from '../page/page-context.ts'
import { renderPassportPage } from '../page/passport-page.ts'
import type { PassportView } from '../page/passport-view.ts'
import { buildHtmlHeaders, buildSecurityHeaders, HTML_MEDIA_TYPES } from '../page/shell.ts'
import { buildTheme } from '../page/theme.ts'
import type { NegotiatedLanguage } from './languages.ts'

type RenderInput = NegotiatedLanguage & {
  setup: SiteSetup
  view: PassportView
  row: PublicPassportRow
  brand: Brand
  /** Undefined for the public. */
  access: PageAccess | undefined
  isLinkInvalid: boolean
}

export type PassportFormat = AlternateFormat & {
  /** Whether each language has its own rendering. */
  isPerLanguage: boolean
  render(input: RenderInput): { headers: Headers; body: string }
}

/** The default: the page. */
export const HTML: PassportFormat = {
  id: 'html',
  name: 'HTML',
  mediaTypes: HTML_MEDIA_TYPES,
  isPerLanguage: true,
  render({ setup, view, row, language, ...input }) {
    const { addresses } = setup
    const { signer } = input.brand
    const isSigned = signer !== null && canDecryptKey(setup.secretCipher, row.account_id, signer)
    const { svg } = renderQrSvg(getQrAddress(addresses, row, 'passport'), { level: 'M', isInline: true })
    const body = renderPassportPage(view, language, {
      ...{ ...input, isSigned, qr: svg, alternates: ALTERNATE_FORMATS },
    })
    const headers = {
      ...buildHtmlHeaders(addresses.publicUrl, buildTheme(input.brand, body)),
      'content-language': language,
      link: buildAlternateLinks(view),
    }
    return { headers, body }
  },
}

const JSON_LD: PassportFormat = {
  id: 'jsonld',
  name: 'JSON-LD',
  label: 'machineReadable',
  mediaTypes: JSON_LD_MEDIA_TYPES,
  isPerLanguage: false,
  render: ({ setup, view }) => ({
    headers: { 'content-type': 'application/ld+json', ...buildSecurityHeaders(setup.addresses.publicUrl) },
    body: renderJsonLd(view, setup.nsUrl),
  }),
}

/** All formats except the page, in the order of its links. */
export const ALTERNATE_FORMATS: readonly PassportFormat[] = [JSON_LD]

/** The page first. */
export const FORMATS: readonly [PassportFormat, ...PassportFormat[]] = [HTML, ...ALTERNATE_FORMATS]

const negotiateFormat = memoize(accept => negotiateMediaType(accept, FORMATS))

/** By `?format=`, else by `Accept`. Undefined if `?format=` names no format. */
export function selectFormat(parameter: unknown, accept: string | undefined): PassportFormat | undefined {
  if (parameter === undefined) return negotiateFormat(accept)
  return FORMATS.find(({ id }) => id === parameter)
}

export const FORMAT_NAMES = [...ALTERNATE_FORMATS, HTML].map(({ id }) => id).join(', ')

/** Whether `Accept` selects HTML, also if it names none of our formats. */
export const acceptsHtml = (accept: string | undefined): boolean => negotiateFormat(accept) === HTML

/** Whether `Accept` names and selects HTML, as browsers do. Errors are then sent as a page. */
export const prefersHtml = (accept: string | undefined): boolean =>
  acceptsHtml(accept) && /text\/html|application\/xhtml\+xml/i.test(accept ?? '')

/** The query that selects the negotiated format, without `?`; empty for the page. */
export function getFormatQuery(accept: string | undefined): string {
  const format = negotiateFormat(accept)
  return format === HTML ? '' : `format=${format.id}`
}

function buildAlternateLinks({ url, versionNo, isNewestVersion }: PassportView): string {
  const version = isNewestVersion ? '' : `version=${versionNo}&`
  return ALTERNATE_FORMATS.map(
    ({ id, mediaTypes: [type] }) => `<${url}?${version}format=${id}>; rel="alternate"; type="${type}"`,
  ).join(', ')
}
