/** What all parts of a passport's page are told, and the fold that its sections share. */
import { html } from 'ghtml'
import type { Brand } from '../../accounts/brand/brand.ts'
import type { Labels } from '../../i18n/catalogue.ts'
import { formatDate } from '../../i18n/format.ts'
import type { KeyFact } from './key-facts.ts'
import type { PassportView } from './passport-view.ts'
import { renderLangAttribute, type Wording } from './values.ts'

type RestrictedAudience = 'legitimate_interest' | 'authority'

/** Who else than the public the page is for, and until when; or a preview of that for the account itself. */
export type Reader =
  | { audience: RestrictedAudience; label: string; expiresAt: Date }
  | { audience: RestrictedAudience; isPreview: true }

/** A format other than the page, as the page links to it. */
export type AlternateFormat = {
  /** The value of `?format=`. */
  id: string
  name: string
  /** The label of its link; without one, the name. */
  label?: keyof Labels['ui']
  /** The most exact one first. */
  mediaTypes: readonly [string, ...string[]]
}

export type PageContext = Wording & {
  reading: PassportView
  alternates: readonly AlternateFormat[]
  reader: Reader | undefined
  /** The reader's access link has ended. */
  isAccessEnded: boolean
  qr: string
  brand: Brand
  facts: readonly KeyFact[]
}

/** Models are for search engines, unless their account says no; units, archived passports and what once was are not. */
export const isIndexed = (reading: PassportView) =>
  reading.isListed && reading.level === 'model' && reading.status === 'active' && reading.replacedBy === null

export const asText = (value: unknown) => (typeof value === 'string' ? value : '')

export const formatPageDate = (page: Pick<PageContext, 'language'>, date: Date) =>
  formatDate(page.language, date.toISOString())

/** What of the query goes along, as ready HTML, to the page in another language or form. */
export const renderKeptQuery = (
  { versionNo, replacedBy }: Pick<PassportView, 'versionNo' | 'replacedBy'>,
  reader: Reader | undefined,
): string => {
  const version = replacedBy === null ? '' : `version=${versionNo}&amp;`
  return (reader !== undefined && 'isPreview' in reader ? `preview=${reader.audience}&amp;` : '') + version
}

/** The fragment names what is inside, so that a browser that is sent there opens it. On paper `note` stands beside the title. */
export function renderFold(
  anchor: string,
  title: string,
  body: string,
  isOpen: boolean,
  note = '',
  language?: string | undefined,
): string {
  const noted = note === '' ? '' : html` data-of="${note}"`
  return html`<details!${isOpen ? ' open' : ''}><summary!${noted}><h2!${renderLangAttribute(language)}>${title}</h2></summary><div id="${anchor}">!${body}</div></details>`
}
