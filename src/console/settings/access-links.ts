/** Access links: editors create and revoke them, because they see what the links show. */

import { html } from 'ghtml'
import { parseId } from '../../kernel/crypto/ids.ts'
import { AppError, requireById } from '../../kernel/errors/errors.ts'
import { parseDateTime } from '../../kernel/text/parse-date-time.ts'
import {
  type AccessLinkRecord,
  type CreatedAccessLink,
  createAccessLink,
  LINK_AUDIENCES,
  listAccessLinks,
  revokeAccessLink,
} from '../../passports/access/access-links.ts'
import { getState } from '../../passports/core/state.ts'
import { countUnitsUnder } from '../../passports/read/list-units.ts'
import { findTotal } from '../../passports/read/totals.ts'
import { isFine, nameProblem, type Problems, problemsOf } from '../page/form.ts'
import {
  copyable,
  endedList,
  input,
  isInUse,
  questionPage,
  rowList,
  section,
  select,
  summary,
} from '../page/parts.ts'
import { type ConsolePage, type Outcome, PRODUCTS, type Visit, type Words } from '../page/route.ts'
import type { Texts } from '../page/texts.ts'
import { getProductName } from '../product-data/product.ts'
import { parseTypedProduct } from '../product-data/typed-product.ts'
import { LINKS, settingsHead } from './places.ts'

const DAY_MS = 86_400_000
const USUAL_DAYS = 90
const MAX_DAYS = 3_653
const MAX_LABEL_LENGTH = 200
/** Names are looked up one by one. */
const MAX_NAMED = 50

/** `ends` is a day as `YYYY-MM-DD`. `opens` and `audience` are empty until a person chooses. */
type NewLinkForm = { label: string; audience: string; opens: string; product: string; ends: string }

const SCOPES = ['product', 'all'] as const

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)

export function showLinks(visit: Visit): Promise<Outcome> {
  const usual = dayOf(visit.setup.clock.now().getTime() + USUAL_DAYS * DAY_MS)
  const product = visit.query.get('product') ?? ''
  const opens = product === '' ? '' : 'product'
  return list(visit, { label: '', audience: '', opens, product, ends: usual }, {})
}

async function list(visit: Visit, typed: NewLinkForm, problems: Problems): Promise<Outcome> {
  const { ctx, setup, words, session } = visit
  const texts = words.texts.accessLinks
  const now = setup.clock.now()
  const links = await listAccessLinks(ctx)
  const inUse = links.filter(link => isInUse(link, now))
  const ended = links.filter(link => !isInUse(link, now))
  const names = await namesOf(visit, inUse)
  const mayEdit = session.role !== 'viewer'
  const rows = inUse.map(link => row(words, link, names, mayEdit))
  const { label, audience, scope, product, ends } = texts
  const labels = { label, audience, opens: scope, product, ends }
  const form = { typed, problems, today: dayOf(now.getTime()), count: await countProducts(visit) }
  const body = html`!${settingsHead(words, texts)}
!${summary(words.texts, problems, labels)}!${rows.length === 0 ? html`<p>${texts.none}</p>` : rowList(rows)}!${endedList(texts, ended, link => endedRow(words, link))}
!${mayEdit ? newLinkForm(words, form) : ''}`
  return { title: texts.title, body, status: isFine(problems) ? 200 : 422 }
}

/** The models of the account, archived ones too, because a link opens those as well. */
const countProducts = ({ ctx }: Visit): Promise<number> =>
  findTotal(ctx.sql)({
    accountId: ctx.accountId,
    levels: ['m'],
    status: undefined,
    category: undefined,
  })

/** The passports' names by id. */
async function namesOf(
  { ctx, words }: Visit,
  links: readonly AccessLinkRecord[],
): Promise<Map<string, string>> {
  const ids = [...new Set(links.map(link => link.passport_id))].filter(id => id !== null).slice(0, MAX_NAMED)
  const names = await Promise.all(
    ids.map(async id => {
      const state = await getState(ctx, parseId(id) ?? '')
      const unit = state.row.serial ?? state.row.lot
      return [id, getProductName(words, state) + (unit === null ? '' : ` · ${unit}`)] as const
    }),
  )
  return new Map(names)
}

function row(
  words: Words,
  link: AccessLinkRecord,
  names: ReadonlyMap<string, string>,
  mayRevoke: boolean,
): string {
  const texts = words.texts.accessLinks
  const revoke = html`<a class="action" href="${LINKS}/${link.id}/revoke">${texts.revoke}<span class="sight"> ${link.label}</span></a>`
  const product =
    link.passport_id === null
      ? html`${texts.allProducts}`
      : html`<a href="${PRODUCTS}/${link.passport_id}">${names.get(link.passport_id) ?? link.passport_id}</a>`
  return html`<li class="key"><div class="key-head"><h2>${link.label}</h2>!${mayRevoke ? revoke : ''}</div>
<dl class="pairs"><dt>${texts.audience}</dt><dd>${texts.audiences[link.audience]}</dd>
<dt>${texts.product}</dt><dd>!${product}</dd>
<dt>${texts.until}</dt><dd>${words.minute(link.expires_at)}</dd>
<dt>${texts.uses}</dt><dd>${uses(words, link)}</dd>
<dt>${texts.created}</dt><dd>${texts.createdBy({ date: words.date(link.created_at), who: link.created_by })}</dd></dl></li>`
}

function uses(words: Words, { uses: count, last_used_at: last }: AccessLinkRecord): string {
  const texts = words.texts.accessLinks
  if (count === 0 || last === null) return texts.unused
  return texts.used({ count, time: words.minute(last) })
}

function endedRow(words: Words, link: AccessLinkRecord): string {
  const texts = words.texts.accessLinks
  const end =
    link.revoked_at === null
      ? texts.expired({ date: words.date(link.expires_at) })
      : texts.revoked({ date: words.date(link.revoked_at) })
  return html`<li><span>${link.label}</span> <span class="quiet">${texts.audiences[link.audience]} · ${end} · ${texts.uses}: ${uses(words, link)}</span></li>`
}

type LinkFormState = { typed: NewLinkForm; problems: Problems; today: string; count: number }

function newLinkForm(words: Words, { typed, problems, today, count }: LinkFormState): string {
  const texts = words.texts.accessLinks
  const label = {
    name: 'label',
    label: texts.label,
    hint: texts.labelHint,
    value: typed.label,
    maxLength: MAX_LABEL_LENGTH,
  }
  const unchosen = ['', words.texts.page.choose] as const
  const options = [unchosen, ...LINK_AUDIENCES.map(one => [one, texts.audiences[one]] as const)]
  const { scopes } = texts
  const scope = {
    name: 'opens',
    label: texts.scope,
    value: typed.opens,
    options: [unchosen, ['product', scopes.product], ['all', scopes.all({ count })]] as const,
  }
  const audience = { name: 'audience', label: texts.audience, value: typed.audience, options }
  const product = {
    name: 'product',
    label: texts.product,
    hint: texts.productHint,
    value: typed.product,
    isOptional: true,
  }
  const ends = {
    name: 'ends',
    label: texts.ends,
    hint: texts.endsHint,
    type: 'date',
    value: typed.ends,
    min: today,
  } as const
  const content = html`
<form method="post" action="${LINKS}" novalidate class="narrow">
!${input(label, problems)}!${select(audience, problems)}!${select(scope, problems)}!${input(product, problems)}!${input(ends, problems)}
<button>${texts.create}</button></form>`
  return section('new', texts.new, content)
}

export async function submitLink(visit: Visit): Promise<Outcome> {
  const { ctx, setup, form, words } = visit
  const { texts } = words
  const typed = {
    label: form.text('label'),
    audience: form.text('audience'),
    opens: form.text('opens'),
    product: form.text('product'),
    ends: form.text('ends'),
  }
  const expiresAt = endOf(typed.ends, setup.clock.now())
  const problems = problemsOf({
    label: nameProblem(texts, typed.label, MAX_LABEL_LENGTH),
    audience: LINK_AUDIENCES.some(one => one === typed.audience) ? undefined : texts.errors.choice,
    opens: SCOPES.some(one => one === typed.opens) ? undefined : texts.errors.choice,
    product: findProductProblem(texts.accessLinks, typed),
    ends: expiresAt === undefined ? texts.accessLinks.endsWrong : undefined,
  })
  if (!isFine(problems) || expiresAt === undefined) return list(visit, typed, problems)
  try {
    const link = await createAccessLink(ctx, {
      passportId: parseTypedProduct(typed.product),
      audience: typed.audience,
      label: typed.label,
      expiresAt,
      addresses: setup.addresses,
    })
    return await linkPage(visit, link)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error
    return list(visit, typed, { product: texts.accessLinks.productUnknown })
  }
}

/** The only page that ever shows the token. */
async function linkPage(visit: Visit, link: CreatedAccessLink): Promise<ConsolePage> {
  const { words } = visit
  const texts = words.texts.accessLinks
  const field =
    link.url === null
      ? {
          name: 'token',
          label: texts.token,
          hint: texts.tokenHint,
          value: link.token,
          rows: 2,
        }
      : { name: 'token', label: texts.link, value: link.url, rows: 3 }
  const body = html`<h1>${texts.shownTitle}</h1><p class="lead">${texts.shownLead}</p>
<dl class="facts"><div><dt>${texts.label}</dt><dd>${link.label}</dd></div>
<div><dt>${texts.audience}</dt><dd>${texts.audiences[link.audience]}</dd></div>
<div><dt>${texts.scope}</dt><dd>${await describeScope(visit, link)}</dd></div>
<div><dt>${texts.until}</dt><dd>${words.minute(link.expires_at)}</dd></div></dl>
!${copyable(words.texts, field)}<p><a class="button" href="${LINKS}">${texts.done}</a></p>`
  return { title: texts.shownTitle, body, scripts: ['copy'] }
}

const MAX_COUNTED_UNITS = 1_000

/** Says what the link opens, with numbers. */
async function describeScope(visit: Visit, { passport_id: id }: CreatedAccessLink): Promise<string> {
  const { ctx, words } = visit
  const texts = words.texts.accessLinks
  if (id === null) return `${texts.allProducts}: ${texts.scopeNow({ count: await countProducts(visit) })}`
  const state = await getState(ctx, parseId(id) ?? '')
  const name = [getProductName(words, state), state.row.serial ?? state.row.lot]
    .filter(one => one !== null)
    .join(' · ')
  if (state.row.level === 'i') return name
  const { batches, items } = await countUnitsUnder(ctx, state.row, MAX_COUNTED_UNITS)
  const shown = (n: number) =>
    n > MAX_COUNTED_UNITS ? `> ${words.number(MAX_COUNTED_UNITS)}` : words.number(n)
  return `${name}, ${texts.scopeUnits({ batches: shown(batches), items: shown(items) })}`
}

/** An empty field never widens the scope, and neither does a typed one narrow it. */
function findProductProblem(
  texts: Texts['accessLinks'],
  { opens, product }: NewLinkForm,
): string | undefined {
  if (opens === 'all') return product === '' ? undefined : texts.productTooMuch
  if (product === '') return opens === 'product' ? texts.productMissing : undefined
  return isProduct(product) ? undefined : texts.productUnknown
}

function isProduct(typed: string): boolean {
  const id = parseTypedProduct(typed)
  return id === undefined || parseId(id) !== undefined
}

/** Midnight UTC at the end of a day; undefined for an invalid, past or too distant day. */
function endOf(day: string, now: Date): Date | undefined {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(day) ? parseDateTime(day) : undefined
  if (start === undefined) return undefined
  const end = start.getTime() + DAY_MS
  return end > now.getTime() && end <= now.getTime() + MAX_DAYS * DAY_MS ? new Date(end) : undefined
}

export async function showRevokeLink(visit: Visit): Promise<Outcome> {
  const link = await getLink(visit)
  if (!isInUse(link, visit.setup.clock.now())) return { to: LINKS }
  const { accessLinks: texts, people } = visit.words.texts
  return questionPage({
    title: texts.revokeTitle({ label: link.label }),
    about: html`<p class="lead">${texts.revokeLead}</p>`,
    action: `${LINKS}/${link.id}/revoke`,
    submit: texts.revoke,
    back: LINKS,
    keep: people.keep,
  })
}

export async function submitRevokeLink({ ctx, id }: Visit): Promise<Outcome> {
  await revokeAccessLink(ctx, id)
  return { to: LINKS }
}

/** Throws `not_found`, also for another account's. */
async function getLink({ ctx, id }: Visit): Promise<AccessLinkRecord> {
  return requireById(await listAccessLinks(ctx), id, 'access link')
}
