/** The audit log, newest first, a page at a time. */
import { html } from 'ghtml'
import { type AuditEntry, readAuditLog } from '../../accounts/audit-log.ts'
import { contextOf } from '../../accounts/sessions.ts'
import type { ImportSubject } from '../../transfer/import-job.ts'
import { PRODUCTS } from '../products/list.ts'
import type { Outcome, SignedInVisit } from '../route.ts'
import { SHEET_TEXTS } from '../sheets/texts.ts'
import { type Words, wordsOf } from '../texts.ts'
import { AUDIT_TEXTS } from './audit-texts.ts'
import { AUDIT, wayBack } from './places.ts'
import { SETTINGS_TEXTS } from './texts.ts'

const A_PAGE = 50

export async function showAudit({ setup, session, query, words }: SignedInVisit): Promise<Outcome> {
  const texts = wordsOf(words, SETTINGS_TEXTS)
  const before = query.get('before') ?? ''
  const { entries, next } = await readAuditLog(contextOf(setup, session), { before, limit: A_PAGE })
  const list = html`<ul class="rows">!${entries.map(entry => line(words, entry))}</ul>`
  const ways = [
    before === '' ? '' : html`<a class="button second" href="${AUDIT}">${texts.newest}</a>`,
    next === undefined
      ? ''
      : html`<a class="button second" href="${AUDIT}?before=${next}" rel="next">${texts.older}</a>`,
  ]
  const body = html`!${wayBack(words)}<h1>${texts.audit}</h1><p class="lead">${texts.auditLead}</p>
!${entries.length === 0 ? html`<p class="empty">${texts.auditNone}</p>` : list}<div class="choices after">!${ways}</div>`
  return { title: texts.audit, body }
}

function line(words: Words, { at, who, kind, action, subject }: AuditEntry): string {
  const texts = wordsOf(words, SETTINGS_TEXTS)
  const name = kind === 'operator' ? texts.operator : who
  const badge = texts.kinds[kind] === '' ? '' : html` <span class="badge">${texts.kinds[kind]}</span>`
  return html`<li><strong>${wordsOf(words, AUDIT_TEXTS)[action]}</strong> !${subject === who ? '' : about(words, action, subject)}
<span class="quiet"><time datetime="${at}">${words.minute(at)}</time> · ${name}!${badge}</span></li>`
}

/** A product is named by its id, which leads to it; a sheet by its file, with what came of it. */
function about(words: Words, action: AuditEntry['action'], subject: string): string {
  if (action === 'product_archived' || action === 'product_restored')
    return html`<a href="${PRODUCTS}/${subject}">${subject}</a>`
  if (action !== 'import_started' && action !== 'import_done' && action !== 'import_stopped')
    return html`${subject}`
  const { file, rows, ...counts } = JSON.parse(subject) as ImportSubject
  const texts = wordsOf(words, SHEET_TEXTS)
  const said = Object.entries(counts).flatMap(([one, n]) =>
    n === 0 ? [] : `${texts.outcomes.has[one as keyof typeof counts]}: ${words.number(n)}`,
  )
  if (rows !== undefined) said.unshift(texts.rows(rows, words.number(rows)))
  return html`${file}${said.length === 0 ? '' : ` (${said.join(', ')})`}`
}
