/** The list of a passport's documents: those that Carnet stores, and links to other sites. */
import { html } from 'ghtml'
import type { Field } from '../../categories/field.ts'
import { fillPlaceholders } from '../../i18n/catalogue.ts'
import { formatDate, formatFileSize, formatLanguage } from '../../i18n/format.ts'
import type { DataObject } from '../../kernel/values/data-object.ts'
import {
  findLink,
  findLocalizedText,
  type PageLocale,
  renderAccountText,
  renderExternalLink,
  renderFieldLabel,
  renderFieldValue,
  renderLabelled,
  renderName,
  renderSmallLanguageNote,
  renderUntranslated,
} from './values.ts'

/** Members with a place of their own; the others follow as pairs. */
const PLACED = ['title', 'type', 'language', 'sha256']

export function renderDocuments(
  locale: PageLocale,
  list: Field,
  path: string,
  entries: readonly DataObject[],
): string {
  const items = entries.map(entry => html`<li>!${renderEntry(locale, list, path, entry)}</li>`)
  return html`<ul class="plain">!${items}</ul>`
}

/** By its title, else by its type or the name that the account chose, with its links and what it is. */
function renderEntry(locale: PageLocale, list: Field, path: string, entry: DataObject): string {
  const { of: members = [] } = list
  const findMember = (format: Field['format']) => members.find(member => member.format === format)?.name ?? ''
  const [{ name: firstName } = { name: '' }] = members
  const title = findLocalizedText(locale, entry.title)
  const type = typeof entry.type === 'string' ? renderDocumentName(locale, entry.type) : ''
  const name =
    title === undefined
      ? type || renderDocumentName(locale, String(entry[firstName] ?? ''))
      : renderAccountText(title)
  const id = entry[findMember('document_id')]
  const facts = [
    title === undefined ? '' : type,
    typeof entry.language === 'string' ? html`${formatLanguage(locale.language, entry.language)}` : '',
    typeof id === 'string' ? describeFile(locale, id) : '',
    isEntryRestricted(list, entry) ? html`<b>${locale.labels.ui.restricted}</b>` : '',
  ]
  const others = members
    .filter(
      member =>
        !PLACED.includes(member.name) &&
        member.name !== list.audienceMember &&
        member.format !== 'document_id' &&
        member.format !== 'url' &&
        member.name !== firstName &&
        entry[member.name] !== undefined,
    )
    .map(member => {
      const memberPath = `${path}.${member.name}`
      const value = renderFieldValue(locale, member, memberPath, entry[member.name])
      return renderLabelled(locale, renderFieldLabel(locale, memberPath), value)
    })
  return [
    renderLinks(locale, name, id, entry[findMember('url')]),
    renderWithdrawal(locale, id),
    renderSmallLanguageNote(locale, title),
    renderLine(facts),
    renderLine(others),
    renderDigest(id ?? entry.sha256),
  ].join('')
}

/** The file here, by an address below that of the page, and the address elsewhere. */
function renderLinks(locale: PageLocale, name: string, id: unknown, address: unknown): string {
  const url = String(address ?? '')
  const link = findLink(locale, url)
  if (typeof id !== 'string') {
    return link === undefined ? html`!${name} !${renderName(url)}` : renderExternalLink(locale, link, name)
  }
  const elsewhere =
    link === undefined || link.pathname.endsWith(`/d/${id}`) ? '' : ` · ${renderExternalLink(locale, link)}`
  const here = locale.withdrawn?.has(id) ? name : html`<a href="../d/${id}">!${name}</a>`
  return html`!${here}!${elsewhere}`
}

/** When and why the operator has withdrawn the file; empty for any other. */
export function renderWithdrawal({ language, labels, withdrawn }: PageLocale, id: unknown): string {
  const withdrawal = typeof id === 'string' ? withdrawn?.get(id) : undefined
  if (withdrawal === undefined) return ''
  const date = formatDate(language, withdrawal.withdrawnAt.toISOString().slice(0, 10))
  const [before = '', after = ''] = fillPlaceholders(labels.ui['withdrawn.line'], { date }).split('{reason}')
  return html`<small class="doc"><b>${before}<bdi>${withdrawal.reason}</bdi>${after}</b></small>`
}

function describeFile({ language, documentBytes }: PageLocale, id: string): string {
  const bytes = documentBytes?.get(id)
  return bytes === undefined ? 'PDF' : html`PDF, ${formatFileSize(language, bytes)}`
}

/** `parts` are ready HTML. */
function renderLine(parts: readonly string[]): string {
  const filled = parts.filter(part => part !== '')
  return filled.length === 0 ? '' : html`<small class="doc">!${filled.join(' · ')}</small>`
}

/** Cut off by the style sheet, so that a reader selects and copies the whole digest. */
export const renderDigest = (digest: unknown): string =>
  typeof digest === 'string'
    ? html`<small class="doc">SHA-256 <code title="${digest}">${digest}</code></small>`
    : ''

const isEntryRestricted = ({ audienceMember }: Field, entry: DataObject): boolean =>
  audienceMember !== undefined && (entry[audienceMember] ?? 'public') !== 'public'

function renderDocumentName(locale: PageLocale, type: string): string {
  const known: Readonly<Record<string, string>> = locale.labels.documents
  const key = type
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
  return Object.hasOwn(known, key) ? html`${known[key]}` : renderUntranslated(locale, type)
}
