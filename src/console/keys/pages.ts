/** How the pages about API keys look. */
import { html } from 'ghtml'
import { type KeyRecord, SCOPES } from '../../accounts/keys/keys.ts'
import type { Session } from '../../accounts/people/sessions.ts'
import type { Addresses } from '../../passports/core/record.ts'
import { curlCommand } from '../developer/api-example.ts'
import { backToDeveloper } from '../developer/places.ts'
import { DOCS } from '../page/addresses.ts'
import { copyable, input, select, summary } from '../page/fields.ts'
import { isFine, type Problems } from '../page/form.ts'
import { isInUse } from '../page/key-state.ts'
import type { ConsolePage } from '../page/route.ts'
import type { Words } from '../page/words.ts'

export const KEY_NAME_LENGTH_MAX = 100
/** When a new key ends: in so many days. */
export const KEY_ENDS = ['never', '30', '90', '365'] as const
/** An account that changes its keys every week has these in half a year. */
const MAX_ENDED_SHOWN = 25

export type NewKeyForm = { name: string; scope: string; ends: string }

type Shown = {
  words: Words
  keys: readonly KeyRecord[]
  now: Date
  session: Session
  typed: NewKeyForm
  problems: Problems
}

export function keysPage({ words, keys, now, session, typed, problems }: Shown): ConsolePage {
  const texts = words.texts.keys
  const isOwner = session.role === 'owner'
  const inUse = keys.filter(key => isInUse(key, now))
  const ended = keys.filter(key => !isInUse(key, now))
  const rows = inUse.map(key => keyRow(words, key, isOwner))
  const list = rows.length === 0 ? html`<p>${texts.none}</p>` : html`<ul class="rows">!${rows}</ul>`
  const body = html`!${backToDeveloper(words)}<h1>${texts.title}</h1>
<p class="lead">${texts.lead}!${isOwner ? '' : html` ${texts.ownersOnly}`}</p>
!${summary(words.texts, problems, { name: texts.name, scope: texts.scope, ends: texts.ends })}
!${list}!${ended.length === 0 ? '' : endedKeys(words, ended)}
!${session.account.planHasApi ? '' : html`<p>${words.texts.home.apiNotIncluded}</p>`}
!${isOwner && session.account.planHasApi ? newKeyForm(words, typed, problems) : ''}`
  return { title: texts.title, body, status: isFine(problems) ? 200 : 422 }
}

function keyRow(words: Words, key: KeyRecord, canRevoke: boolean): string {
  const texts = words.texts.keys
  const name = html`<span class="sight"> ${key.name}</span>`
  const revoke = html`<a class="action" href="/console/keys/${key.id}/rotate">${texts.rotate}!${name}</a>
<a class="action" href="/console/keys/${key.id}/revoke">${texts.revoke}!${name}</a>`
  return html`<li class="key"><div class="key-head"><h2>${key.name}</h2>!${canRevoke ? revoke : ''}</div>
<code>${key.prefix}…${key.last4}</code>
<dl class="pairs"><dt>${texts.scope}</dt><dd>${texts.scopes[key.scope]}</dd>
<dt>${texts.state}</dt><dd>${texts.inUse}</dd>
<dt>${texts.lastUsed}</dt><dd>${key.last_used_at === null ? texts.neverUsed : words.minute(key.last_used_at)}</dd>
!${ends(words, key)}
<dt>${texts.created}</dt><dd>${texts.createdBy({ date: words.date(key.created_at), by: key.created_by })}</dd></dl></li>`
}

const ends = ({ texts, minute }: Words, key: KeyRecord) =>
  html`<dt>${texts.keys.ends}</dt><dd>${key.expires_at === null ? texts.keys.noEnd : minute(key.expires_at)}</dd>`

function endedKeys(words: Words, ended: readonly KeyRecord[]): string {
  const {
    texts: { keys: texts },
    number,
    date,
  } = words
  const shown = ended.slice(0, MAX_ENDED_SHOWN)
  const rows = shown.map(
    key => html`<li><span>${key.name}</span> <code>${key.prefix}…${key.last4}</code>
<span class="quiet">${key.revoked_at === null ? texts.expired({ date: date(key.expires_at ?? key.created_at) }) : texts.revoked({ date: date(key.revoked_at) })}</span></li>`,
  )
  const more = texts.endedMore({ shown: number(shown.length), all: number(ended.length) })
  return html`<details><summary>${texts.ended({ count: number(ended.length) })}</summary><ul class="rows">!${rows}</ul>
!${shown.length === ended.length ? '' : html`<p class="quiet">${more}</p>`}</details>`
}

function newKeyForm({ texts: { keys: texts } }: Words, typed: NewKeyForm, problems: Problems): string {
  const name = {
    name: 'name',
    label: texts.name,
    hint: texts.nameHint,
    value: typed.name,
    autocomplete: 'off',
    maxLength: KEY_NAME_LENGTH_MAX,
  }
  const scopes = SCOPES.map(one => [one, texts.scopes[one]] as const)
  const ends = KEY_ENDS.map(one => [one, texts.endsChoices[one]] as const)
  const scope = { name: 'scope', label: texts.scope, value: typed.scope, options: scopes }
  const end = { name: 'ends', label: texts.ends, value: typed.ends, options: ends }
  return html`<section aria-labelledby="new"><h2 id="new">${texts.new}</h2>
<form method="post" action="/console/keys" novalidate class="narrow">
!${input(name, problems)}!${select(scope, problems)}!${select(end, problems)}
<button>${texts.create}</button></form></section>`
}

/** The only page that ever shows a key. */
export function keyPage(words: Words, { apiUrl }: Addresses, key: KeyRecord & { key: string }): ConsolePage {
  const texts = words.texts.keys
  const field = { name: 'key', label: texts.shownField, value: key.key, rows: 2 }
  const call = {
    name: 'key-curl',
    label: words.texts.home.apiTry,
    value: curlCommand(apiUrl, key.key),
    rows: 3,
  }
  const body = html`<h1>${texts.shownTitle}</h1><p class="lead">${texts.shownLead}</p>
<dl class="facts"><div><dt>${texts.name}</dt><dd>${key.name}</dd></div>
<div><dt>${texts.scope}</dt><dd>${texts.scopes[key.scope]}</dd></div></dl>
!${copyable(words.texts, field)}!${copyable(words.texts, call)}
<p class="choices"><a class="button" href="/console/keys">${texts.done}</a></p>
<p><a class="alone" href="${DOCS}">${words.texts.developer.docsLink}</a></p>`
  return { title: texts.shownTitle, body, scripts: ['copy'] }
}

export function rotatePage({ texts: { keys: texts } }: Words, key: KeyRecord): ConsolePage {
  const title = texts.rotateTitle({ name: key.name })
  const body = html`<h1>${title}</h1><p class="lead"><code>${key.prefix}…${key.last4}</code></p><p>${texts.rotateLead}</p>
<form method="post" action="/console/keys/${key.id}/rotate" class="choices">
<button>${texts.rotateSubmit}</button> <a class="button second" href="/console/keys">${texts.keep}</a></form>`
  return { title, body }
}

export function revokePage({ texts: { keys: texts } }: Words, key: KeyRecord): ConsolePage {
  const title = texts.revokeTitle({ name: key.name })
  const body = html`<h1>${title}</h1><p class="lead"><code>${key.prefix}…${key.last4}</code></p><p>${texts.revokeLead}</p>
<form method="post" action="/console/keys/${key.id}/revoke" class="choices">
<button class="danger">${texts.revokeSubmit}</button> <a class="button second" href="/console/keys">${texts.keep}</a></form>`
  return { title, body }
}
