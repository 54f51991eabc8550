/** The types and functions that all parts of a passport's page share. */
import { html } from 'ghtml'
import type { Brand } from '../../accounts/brand/brand.ts'
import { fillPlaceholders, type Labels } from '../../i18n/catalogue.ts'
import { formatDate } from '../../i18n/format.ts'
import { asObject } from '../../kernel/values/data-object.ts'
import type { KeyFact } from './key-facts.ts'
import type { PassportView } from './passport-view.ts'
import { type PageLocale, renderLangAttribute } from './values.ts'

type RestrictedAudience = 'legitimate_interest' | 'authority'

/**
 * The reason that a reader sees more than the public: an access link, or a preview by a member of the
 * account.
 */
export type PageAccess =
  | { audience: RestrictedAudience; label: string; expiresAt: Date }
  | { audience: RestrictedAudience; isPreview: true }

/** A format to which the page links. */
export type AlternateFormat = {
  /** The value of `?format=`. */
  id: string
  name: string
  /** The label of its link; if undefined, its name. */
  label?: keyof Labels['ui']
  /** The most exact one first. */
  mediaTypes: readonly [string, ...string[]]
}

export type PageContext = PageLocale & {
  view: PassportView
  alternates: readonly AlternateFormat[]
  access: PageAccess | undefined
  /** True if the request's access link is malformed, expired or revoked. */
  isLinkInvalid: boolean
  qr: string
  brand: Brand
  facts: readonly KeyFact[]
  /** The reader's country, if there are offers for it. */
  country: string | undefined
  /** Undefined unless its public data is signed when somebody reads it. */
  signature: PageSignature | undefined
}

/** `legalName`: of a verified account, else null. `service`: the name of this server with its host. */
export type PageSignature = { legalName: string | null; service: string }

/** Search engines may list current versions of active models, unless the account forbids it. */
export const canBeIndexed = (view: PassportView) =>
  view.isIndexingAllowed && view.level === 'model' && view.status === 'active' && view.isNewestVersion

export const asText = (value: unknown) => (typeof value === 'string' ? value : '')

/** The economic operator by the data, which nobody has checked. */
export const getOperatorName = ({ data, url }: Pick<PassportView, 'data' | 'url'>): string =>
  asText(asObject(data.economicOperator).legalName) || new URL(url).host

/** Says who signs. The economic operator of the data is no answer: nobody has verified it. */
export const describeSigner = (ui: Labels['ui'], { legalName, service }: PageSignature): string =>
  legalName === null
    ? fillPlaceholders(ui['signature.notVerified'], { service })
    : fillPlaceholders(ui['signature.signedFor'], { operator: legalName })

export const formatPageDate = (page: Pick<PageContext, 'language'>, date: Date) =>
  formatDate(page.language, date.toISOString())

/** The part of the query that links to other languages and formats keep, as ready HTML. */
export const renderKeptQuery = (
  { versionNo, isNewestVersion }: PassportView,
  { access, country }: Partial<Pick<PageContext, 'access' | 'country'>>,
): string =>
  renderPreviewQuery(access) +
  (isNewestVersion ? '' : `version=${versionNo}&amp;`) +
  (country === undefined ? '' : html`country=${country}&amp;`)

/** The part of the query that links to other versions keep. */
export const renderPreviewQuery = (access: PageAccess | undefined): string =>
  access !== undefined && 'isPreview' in access ? `preview=${access.audience}&amp;` : ''

/**
 * Browsers open the element when they follow a link to an anchor inside. Print shows `note` beside the title.
 */
export function renderCollapsible(
  anchor: string,
  title: string,
  body: string,
  { isOpen, note, language }: { isOpen: boolean; note?: string | undefined; language?: string | undefined },
): string {
  const noteAttribute = note === undefined ? '' : html` data-of="${note}"`
  return html`<details!${isOpen ? ' open' : ''}><summary!${noteAttribute}><h2!${renderLangAttribute(language)}>${title}</h2></summary><div id="${anchor}">!${body}</div></details>`
}

/** A section that cannot be closed. */
export const renderOpenSection = (anchor: string, title: string, body: string): string =>
  html`<section><h2>${title}</h2><div id="${anchor}">!${body}</div></section>`
