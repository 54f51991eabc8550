/** API keys: all members see them, owners create and revoke them, because a key outlives a session. */

import { html } from 'ghtml'
import { type KeyRecord, listKeys, SCOPES } from '../../accounts/keys/keys.ts'
import { createOwnKey, revokeOwnKey, rotateOwnKey } from '../../accounts/keys/own-keys.ts'
import { KEY_OVERLAP_MS } from '../../accounts/keys/rotate-key.ts'
import { AppError, requireById } from '../../kernel/errors/errors.ts'
import { backToDeveloper, curlCommand } from '../developer/parts.ts'
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
import { DOCS, KEYS, type Outcome, type Visit, type Words } from '../page/route.ts'
import { shownOnce } from '../page/secret-cookie.ts'

export const SHOWN_KEY = `${KEYS}/shown`
const shownKey = shownOnce({
  name: 'carnet-key',
  path: SHOWN_KEY,
  pattern: /^([0-9a-z]{26})\.(dpp_live_[0-9A-Za-z]{42})$/,
})
const DAY_MS = 86_400_000
const MAX_NAME_LENGTH = 100
/** Days until a new key expires. */
const KEY_ENDS = ['never', '30', '90', '365'] as const

/** `scope` and `ends` are empty until a person chooses. */
type NewKeyForm = { name: string; scope: string; ends: string }

export const showKeys = (visit: Visit): Promise<Outcome> => list(visit, { name: '', scope: '', ends: '' }, {})

async function list(visit: Visit, typed: NewKeyForm, problems: Problems): Promise<Outcome> {
  const { ctx, setup, session, words } = visit
  const texts = words.texts.keys
  const keys = await listKeys(ctx, ctx.accountId)
  const now = setup.clock.now()
  const isOwner = session.role === 'owner'
  const { planHasApi } = session.account
  const rows = keys.filter(key => isInUse(key, now)).map(key => keyRow(words, key, isOwner))
  const ended = keys.filter(key => !isInUse(key, now))
  const body = html`!${backToDeveloper(words)}<h1>${texts.title}</h1>
<p class="lead">${texts.lead}!${isOwner ? '' : html` ${texts.ownersOnly}`}</p>
!${summary(words.texts, problems, { name: texts.name, scope: texts.scope, ends: texts.ends })}
!${rows.length === 0 ? html`<p>${texts.none}</p>` : rowList(rows)}!${endedList(texts, ended, key => endedRow(words, key))}
!${planHasApi ? '' : html`<p>${words.texts.home.apiNotIncluded}</p>`}
!${isOwner && planHasApi ? newKeyForm(words, typed, problems) : ''}`
  return { title: texts.title, body, status: isFine(problems) ? 200 : 422 }
}

function keyRow(words: Words, key: KeyRecord, canRevoke: boolean): string {
  const texts = words.texts.keys
  const name = html`<span class="sight"> ${key.name}</span>`
  const revoke = html`<a class="action" href="${KEYS}/${key.id}/rotate">${texts.rotate}!${name}</a>
<a class="action" href="${KEYS}/${key.id}/revoke">${texts.revoke}!${name}</a>`
  return html`<li class="key"><div class="key-head"><h2>${key.name}</h2>!${canRevoke ? revoke : ''}</div>
!${keyCode(key)}
<dl class="pairs"><dt>${texts.scope}</dt><dd>${texts.scopes[key.scope]}</dd>
<dt>${texts.state}</dt><dd>${texts.inUse}</dd>
<dt>${texts.lastUsed}</dt><dd>${key.last_used_at === null ? texts.neverUsed : words.minute(key.last_used_at)}</dd>
<dt>${texts.ends}</dt><dd>${key.expires_at === null ? texts.noEnd : words.minute(key.expires_at)}</dd>
<dt>${texts.created}</dt><dd>${texts.createdBy({ date: words.date(key.created_at), by: key.created_by })}</dd></dl></li>`
}

const keyCode = ({ prefix, last4 }: KeyRecord) => html`<code>${prefix}…${last4}</code>`

function endedRow({ texts: { keys: texts }, date }: Words, key: KeyRecord): string {
  const end =
    key.revoked_at === null
      ? texts.expired({ date: date(key.expires_at ?? key.created_at) })
      : texts.revoked({ date: date(key.revoked_at) })
  return html`<li><span>${key.name}</span> !${keyCode(key)}
<span class="quiet">${end}</span></li>`
}

function newKeyForm({ texts: { keys: texts, page } }: Words, typed: NewKeyForm, problems: Problems): string {
  const name = {
    name: 'name',
    label: texts.name,
    hint: texts.nameHint,
    value: typed.name,
    maxLength: MAX_NAME_LENGTH,
  }
  const unchosen = ['', page.choose] as const
  const scopes = [unchosen, ...SCOPES.map(one => [one, texts.scopes[one]] as const)]
  const ends = [unchosen, ...KEY_ENDS.map(one => [one, texts.endsChoices[one]] as const)]
  const scope = { name: 'scope', label: texts.scope, value: typed.scope, options: scopes }
  const end = { name: 'ends', label: texts.ends, value: typed.ends, options: ends }
  const content = html`
<form method="post" action="${KEYS}" novalidate class="narrow">
!${input(name, problems)}!${select(scope, problems)}!${select(end, problems)}
<button>${texts.create}</button></form>`
  return section('new', texts.new, content)
}

export async function submitKey(visit: Visit): Promise<Outcome> {
  const { ctx, setup, session, form, words } = visit
  const { errors } = words.texts
  requireApi(visit)
  const typed = { name: form.text('name'), scope: form.text('scope'), ends: form.text('ends') }
  const scope = SCOPES.find(one => one === typed.scope)
  const ends = KEY_ENDS.find(one => one === typed.ends)
  const problems = problemsOf({
    name: nameProblem(words.texts, typed.name, MAX_NAME_LENGTH),
    scope: scope === undefined ? errors.choice : undefined,
    ends: ends === undefined ? errors.choice : undefined,
  })
  if (!isFine(problems) || scope === undefined || ends === undefined) return list(visit, typed, problems)
  const expiresAt =
    ends === 'never' ? undefined : new Date(setup.clock.now().getTime() + Number(ends) * DAY_MS)
  const input = { name: typed.name, scope, expiresAt, createdBy: session.email }
  return showOnce(visit, await createOwnKey(ctx, input))
}

function requireApi({ session, words }: Visit): void {
  if (!session.account.planHasApi) throw new AppError('plan_required', words.texts.home.apiNotIncluded)
}

const showOnce = (visit: Visit, { id, key }: { id: string; key: string }): Outcome =>
  shownKey.redirect(visit, { id, secret: key })

/** The only page that ever shows a key, once; reloading it redirects to the list. */
export async function showKey(visit: Visit): Promise<Outcome> {
  const { ctx, setup, words } = visit
  const texts = words.texts.keys
  const shown = shownKey.find(visit)
  const keys = shown === undefined ? [] : await listKeys(ctx, ctx.accountId)
  const key = keys.find(one => one.id === shown?.id)
  if (shown === undefined || key === undefined) return { to: KEYS }
  const field = { name: 'key', label: texts.shownField, value: shown.secret, rows: 2 }
  const curl = curlCommand(setup.addresses.apiUrl, shown.secret)
  const call = { name: 'key-curl', label: words.texts.home.apiTry, value: curl, rows: 3 }
  const body = html`<h1>${texts.shownTitle}</h1><p class="lead">${texts.shownLead}</p>
<dl class="facts"><div><dt>${texts.name}</dt><dd>${key.name}</dd></div>
<div><dt>${texts.scope}</dt><dd>${texts.opens[key.scope]}</dd></div>
<div><dt>${texts.ends}</dt><dd>${key.expires_at === null ? texts.noEnd : words.minute(key.expires_at)}</dd></div></dl>
!${copyable(words.texts, field)}!${copyable(words.texts, call)}
<p class="choices"><a class="button" href="${KEYS}">${texts.done}</a></p>
<p><a class="alone" href="${DOCS}">${words.texts.developer.docsLink}</a></p>`
  return { title: texts.shownTitle, body, scripts: ['copy'], headers: shownKey.endHeaders(visit) }
}

export function showRotate(visit: Visit): Promise<Outcome> {
  const { rotateTitle: title, rotateLead: lead, rotateSubmit: submit } = visit.words.texts.keys
  return ask(visit, 'rotate', { title, lead, submit, isHarmless: true })
}

/** Replaces an active key. If the form was already sent, or the key has ended, redirects to the list. */
export async function submitRotate(visit: Visit): Promise<Outcome> {
  requireApi(visit)
  const { id } = await getKey(visit)
  const input = { id, overlapMs: KEY_OVERLAP_MS, createdBy: visit.session.email }
  try {
    return showOnce(visit, await rotateOwnKey(visit.ctx, input))
  } catch (error) {
    if (error instanceof AppError && error.code === 'archived') return { to: KEYS }
    throw error
  }
}

export function showRevoke(visit: Visit): Promise<Outcome> {
  const { revokeTitle: title, revokeLead: lead, revokeSubmit: submit } = visit.words.texts.keys
  return ask(visit, 'revoke', { title, lead, submit })
}

type KeyQuestion = {
  title: (values: { name: string }) => string
  lead: string
  submit: string
  isHarmless?: boolean
}

/** Asks for confirmation about an active key; redirects to the list if the key has ended. */
async function ask(
  visit: Visit,
  action: 'rotate' | 'revoke',
  { title, lead, ...rest }: KeyQuestion,
): Promise<Outcome> {
  const key = await getKey(visit)
  if (!isInUse(key, visit.setup.clock.now())) return { to: KEYS }
  const about = html`<p class="lead">!${keyCode(key)}</p><p>${lead}</p>`
  const { keep } = visit.words.texts.keys
  return questionPage({
    ...rest,
    title: title(key),
    about,
    action: `${KEYS}/${key.id}/${action}`,
    back: KEYS,
    keep,
  })
}

export async function submitRevoke({ ctx, id }: Visit): Promise<Outcome> {
  await revokeOwnKey(ctx, id)
  return { to: KEYS }
}

/** The key in the address. Throws `not_found`, also for another account's. */
async function getKey({ ctx, id }: Visit): Promise<KeyRecord> {
  return requireById(await listKeys(ctx, ctx.accountId), id, 'key')
}
