/** The audit log, newest first, a page at a time. */

import { html } from 'ghtml'
import { type AuditAction, type AuditEntry, listAuditEntries } from '../../accounts/account/audit.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { idFromUuid, parseId } from '../../kernel/crypto/ids.ts'
import { shorten } from '../../kernel/errors/detail-json.ts'
import { findSummaries } from '../../passports/read/list.ts'
import type { ImportAuditSubject } from '../../transfer/spreadsheets/import/write-chunk.ts'
import { listWebhooks } from '../../webhooks/webhook.ts'
import { rowList } from '../page/parts.ts'
import { type Outcome, PRODUCTS, type Visit, WEBHOOKS, type Words } from '../page/route.ts'
import { formatTitle } from '../product-data/product.ts'
import { AUDIT, settingsHead } from './places.ts'

const A_PAGE = 50
/** Fifty names of 500 characters would fill most of the page. */
const MAX_NAME_LENGTH = 100

export async function showAudit({ ctx, query, words }: Visit): Promise<Outcome> {
  const texts = words.texts.audit
  const before = query.get('before') ?? ''
  const { entries, next } = await listAuditEntries(ctx, { before, limit: A_PAGE })
  const named = await linksIn(words, ctx, entries)
  const list = rowList(entries.map(entry => line(words, entry, named)))
  const ways = [
    before === '' ? '' : html`<a class="button second" href="${AUDIT}">${texts.newest}</a>`,
    next === undefined
      ? ''
      : html`<a class="button second" href="${AUDIT}?before=${next}" rel="next">${texts.older}</a>`,
  ]
  const body = html`!${settingsHead(words, texts)}
!${entries.length === 0 ? html`<p class="empty">${texts.none}</p>` : list}<div class="choices after">!${ways}</div>`
  return { title: texts.title, body }
}

/** From the id of an entry's subject to its HTML: a name with a link. */
type Named = ReadonlyMap<string, string>

const PRODUCT_ACTIONS: readonly AuditAction[] = [
  'product_archived',
  'product_restored',
  'product_recalled',
  'recall_changed',
  'recall_ended',
  'event_corrected',
]
const isAboutProduct = ({ action }: AuditEntry) => PRODUCT_ACTIONS.includes(action)
const isAboutWebhook = ({ action }: AuditEntry) => action.startsWith('webhook_')

/** Names and links of products and webhooks by id; without an entry if the thing no longer exists. */
async function linksIn(words: Words, ctx: AccountContext, entries: readonly AuditEntry[]): Promise<Named> {
  const products = new Set(entries.filter(isAboutProduct).flatMap(one => parseId(one.subject) ?? []))
  const [summaries, webhooks] = await Promise.all([
    findSummaries(ctx, [...products]),
    entries.some(isAboutWebhook) ? listWebhooks(ctx) : [],
  ])
  const link = (to: string, name: string) => html`<a href="${to}">${shorten(name, MAX_NAME_LENGTH)}</a>`
  return new Map([
    ...summaries.map(row => {
      const id = idFromUuid(row.id)
      return [id, link(`${PRODUCTS}/${id}`, formatTitle(words, row.product_name, row))] as const
    }),
    ...webhooks.map(
      ({ id, url, description }) => [id, link(`${WEBHOOKS}/${id}`, description || url)] as const,
    ),
  ])
}

function line(words: Words, { at, who, kind, action, subject }: AuditEntry, named: Named): string {
  const texts = words.texts.audit
  const auditActions: Readonly<Record<AuditAction, string>> = words.texts.auditActions
  const name = kind === 'operator' ? texts.operator : who
  const badge = texts.kinds[kind] === '' ? '' : html` <span class="badge">${texts.kinds[kind]}</span>`
  return html`<li><strong>${auditActions[action]}</strong> !${subject === who ? '' : (named.get(subject) ?? about(words, action, subject))}
<span class="quiet"><time datetime="${at}">${words.minute(at)}</time> · ${name}!${badge}</span></li>`
}

/** A spreadsheet's file name, with the outcome of its import. */
function about(words: Words, action: AuditEntry['action'], subject: string): string {
  if (action !== 'import_started' && action !== 'import_done' && action !== 'import_stopped')
    return html`${subject}`
  const { file, rows, ...counts }: ImportAuditSubject = JSON.parse(subject)
  const texts = words.texts.spreadsheets
  const outcomes: Readonly<Record<string, string>> = texts.outcomes.has
  const said = Object.entries(counts).flatMap(([one, n]) =>
    n === 0 ? [] : `${outcomes[one]}: ${words.number(n)}`,
  )
  if (rows !== undefined) said.unshift(texts.rows({ count: rows }))
  return html`${file}${said.length === 0 ? '' : ` (${said.join(', ')})`}`
}
