/**
 * The output formats of a passport. Content negotiation, `?format=`, `Link` headers, the page's links, link
 * sets and error responses all read this table: a new format of the site needs a renderer and a row here. The
 * documents of standards follow from their own table.
 */
import type { Brand } from '../../accounts/brand/brand.ts'
import { canDecryptKey } from '../../accounts/issuer/issuer.ts'
import { getQrAddress, getServiceName } from '../../passports/core/record.ts'
import { DOCUMENT_FORMATS, type DocumentFormat } from '../../passports/documents/formats.ts'
import type { PublicPassportRow } from '../../passports/read/find.ts'
import type { PageStory } from '../../passports/story/read-story.ts'
import { renderQrSvg } from '../../qr/svg.ts'
import { isMatchedByWildcard, memoize, negotiateMediaType } from '../http/content-negotiation.ts'
import type { Headers } from '../http/prepared-response.ts'
import type { AnyAccept, SiteSetup } from '../http/setup.ts'
import { renderJsonLd } from '../json-ld/document.ts'
import type { AlternateFormat, PageAccess } from '../page/page-context.ts'
import { renderPassportPage } from '../page/passport-page.ts'
import type { PassportView } from '../page/passport-view.ts'
import { buildPicturePreload } from '../page/pictures.ts'
import { buildHtmlHeaders, buildSecurityHeaders, HTML_MEDIA_TYPES } from '../page/shell.ts'
import type { NegotiatedLanguage } from './languages.ts'

type RenderInput = NegotiatedLanguage & {
  setup: Pick<SiteSetup, 'addresses' | 'nsUrl' | 'secretCipher'>
  view: PassportView
  row: PublicPassportRow
  brand: Brand
  /** Undefined for the public. */
  access: PageAccess | undefined
  isLinkInvalid: boolean
  /** The reader's country, if there are offers for it. */
  country: string | undefined
  /** The account's block “From the brand”; read only for the page. */
  story: PageStory | undefined
}

export type PassportFormat = AlternateFormat & {
  /** True if each language has its own rendering. */
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
    const signature =
      signer !== null && canDecryptKey(setup.secretCipher, row.account_id, signer)
        ? { legalName: signer.legalName, service: getServiceName(addresses) }
        : undefined
    const { svg } = renderQrSvg(getQrAddress(addresses, row, 'passport'), { level: 'M', isInline: true })
    const { html, theme } = renderPassportPage(view, language, {
      ...input,
      signature,
      qr: svg,
      alternates: ALTERNATE_FORMATS,
    })
    const headers = {
      ...buildHtmlHeaders(addresses.publicUrl, theme),
      'content-language': language,
      link: [buildPicturePreload(view) ?? [], buildAlternateLinks(view, signature !== undefined)]
        .flat()
        .join(', '),
    }
    return { headers, body: html }
  },
}

const JSON_LD: PassportFormat = {
  id: 'jsonld',
  name: 'JSON-LD',
  label: 'machineReadable',
  mediaTypes: ['application/ld+json'],
  isPerLanguage: false,
  render: ({ setup, view }) => ({
    headers: { 'content-type': 'application/ld+json', ...buildSecurityHeaders(setup.addresses.publicUrl) },
    body: renderJsonLd(view, setup.nsUrl),
  }),
}

/** The formats to which the page links, in the order of its links. */
export const ALTERNATE_FORMATS: readonly PassportFormat[] = [JSON_LD]

export type AnyFormat = PassportFormat | DocumentFormat

export const isDocument = (format: AnyFormat): format is DocumentFormat => 'build' in format

/** The page first. */
const FORMATS: readonly [PassportFormat, ...AnyFormat[]] = [HTML, ...ALTERNATE_FORMATS, ...DOCUMENT_FORMATS]

const negotiateFormat = memoize(accept => negotiateMediaType<AnyFormat>(accept, FORMATS))

/** The document that `ANY_ACCEPT=json` sends to readers who accept anything. */
const [DEFAULT_DOCUMENT] = DOCUMENT_FORMATS

const negotiatePreferringJson = memoize((accept): AnyFormat => {
  const format = negotiateFormat(accept)
  return format === HTML && isMatchedByWildcard(accept, HTML) ? DEFAULT_DOCUMENT : format
})

const negotiators: Record<AnyAccept, (accept: string | undefined) => AnyFormat> = {
  html: negotiateFormat,
  json: negotiatePreferringJson,
}

/** By `?format=`, else by `Accept`. Undefined if `?format=` names no format. */
export function selectFormat(
  { anyAccept }: Pick<SiteSetup, 'anyAccept'>,
  parameter: unknown,
  accept: string | undefined,
): AnyFormat | undefined {
  if (parameter === undefined) return negotiators[anyAccept](accept)
  return FORMATS.find(({ id }) => id === parameter)
}

export const FORMAT_NAMES = [...FORMATS.slice(1), HTML].map(({ id }) => id).join(', ')

/** Returns true if `?format=` asks for a document: then errors are JSON, also in a browser. */
export const namesDocument = (parameter: unknown): boolean =>
  DOCUMENT_FORMATS.some(({ id }) => id === parameter)

/** Returns true if `Accept` selects HTML, also if it names none of our formats. */
export const acceptsHtml = (accept: string | undefined): boolean => negotiateFormat(accept) === HTML

/** Returns true if `Accept` names and selects HTML, as browsers do. Errors are then sent as a page. */
export const prefersHtml = (accept: string | undefined): boolean =>
  acceptsHtml(accept) && /text\/html|application\/xhtml\+xml/i.test(accept ?? '')

/** The query that selects the negotiated format, without `?`; empty for the page. */
export function getFormatQuery(
  { anyAccept }: Pick<SiteSetup, 'anyAccept'>,
  accept: string | undefined,
): string {
  const format = negotiators[anyAccept](accept)
  return format === HTML ? '' : `format=${format.id}`
}

/** The formats that link sets and `Link` headers name, one for each media type. */
export const getLinkedFormats = (isSigning: boolean): readonly AnyFormat[] => [
  ...ALTERNATE_FORMATS,
  ...DOCUMENT_FORMATS.filter(({ linked }) => linked === 'always' || (linked === 'if_signing' && isSigning)),
]

/** Returns true if a link depends on whether the account signs. */
export const HAS_SIGNED_LINKS = DOCUMENT_FORMATS.some(({ linked }) => linked === 'if_signing')

function buildAlternateLinks({ url, versionNo, isNewestVersion }: PassportView, isSigned: boolean): string {
  const version = isNewestVersion ? '' : `version=${versionNo}&`
  return getLinkedFormats(isSigned)
    .map(({ id, mediaTypes: [type] }) => `<${url}?${version}format=${id}>; rel="alternate"; type="${type}"`)
    .join(', ')
}
