/** What all parts of a passport's page are told, and the fold that its sections share. */
import { html } from 'ghtml'
import type { Brand } from '../accounts/brand.ts'
import { formatDate } from '../i18n/format.ts'
import type { KeyFact } from './key-facts.ts'
import type { Reading } from './reading.ts'
import type { Wording } from './values.ts'

/** Who else than the public the page is for, and until when. */
export type Reader = { audience: 'legitimate_interest' | 'authority'; label: string; expiresAt: Date }

export type Page = Wording & {
  reading: Reading
  reader: Reader | undefined
  /** Whether it is for somebody whose access link opens nothing any more. */
  isEnded: boolean
  qr: string
  brand: Brand
  facts: readonly KeyFact[]
}

/** Models are for search engines, unless their account says no; units, archived passports and what once was are not. */
export const isIndexed = (reading: Reading) =>
  reading.isListed && reading.level === 'model' && reading.status === 'active' && reading.replacedBy === null

export const text = (value: unknown) => (typeof value === 'string' ? value : '')

export const day = (page: Pick<Page, 'language'>, date: Date) => formatDate(page.language, date.toISOString())

/** The query, as ready HTML, of the page in another language or form, on the version that is being read. */
export const queryFor = ({ versionNo, replacedBy }: Reading, parameter: string) =>
  replacedBy === null ? `?${parameter}` : `?version=${versionNo}&amp;${parameter}`

/** The fragment names what is inside, so that a browser that is sent there opens it. On paper `note` stands beside the title. */
export function fold(anchor: string, title: string, body: string, isOpen: boolean, note = ''): string {
  const noted = note === '' ? '' : html` data-of="${note}"`
  return html`<details!${isOpen ? ' open' : ''}><summary!${noted}><h2>${title}</h2></summary><div id="${anchor}">!${body}</div></details>`
}
