/** The first page after signing in: what the account has, how much room is left, and how a program reaches it. */
import { html } from 'ghtml'
import { listKeys } from '../accounts/keys/keys.ts'
import { getUsage, type Usage } from '../accounts/limits/usage.ts'
import { listPersonAccounts, switchAccount, toAccountContext } from '../accounts/people/sessions.ts'
import { stripDirectionMarks } from '../i18n/direction-marks.ts'
import { notFound } from '../kernel/errors.ts'
import { idFromUuid } from '../kernel/ids.ts'
import { type Addresses, passportUrl } from '../passports/core/record.ts'
import { listPassports, type Summary } from '../passports/read/list.ts'
import { listWebhooks } from '../webhooks/endpoint.ts'
import { BRAND } from './brand/place.ts'
import { BRAND_TEXTS } from './brand/texts.ts'
import { confirm } from './confirm.ts'
import { switchedOffNotice } from './developer/home-notice.ts'
import { copyable } from './fields.ts'
import { isInUse } from './key-state.ts'
import { HOME } from './own-path.ts'
import { PRODUCTS } from './page/addresses.ts'
import { PRODUCT_TEXTS } from './products/texts.ts'
import type { Outcome, SignedInVisit } from './route.ts'
import { type Words, wordsOf } from './texts.ts'

const NEWEST_SHOWN = 10

/** Models alone: one index read however many items an account has. */
const MODELS = {
  levels: ['m'],
} as const

export async function showHome({ setup, session, words }: SignedInVisit): Promise<Outcome> {
  const ctx = toAccountContext(setup, session)
  const { texts } = words
  const [usage, keys, newest, accounts, webhooks] = await Promise.all([
    getUsage(ctx),
    listKeys(ctx, session.account.id),
    listPassports(ctx, MODELS, { limit: NEWEST_SHOWN, page: 1 }),
    listPersonAccounts(ctx, session.personId),
    listWebhooks(ctx),
  ])
  const keysInUse = keys.filter(key => isInUse(key, setup.clock.now())).length
  const others = accounts.filter(account => account.id !== session.account.id)
  const { name, plan, planHasApi } = session.account
  const mayMake = session.role !== 'viewer' && !session.account.closedAt
  const create = mayMake
    ? html`<a class="button" href="${PRODUCTS}/new">${wordsOf(words, PRODUCT_TEXTS).newProduct}</a>`
    : ''
  const body = html`<div class="page-head"><h1>${name}</h1>!${create}</div>!${switchedOffNotice(words, webhooks)}
<dl class="facts"><div><dt>${texts.plan}</dt><dd>${plan}</dd></div>
<div><dt>${texts.role}</dt><dd>${texts.roles[session.role]}</dd></div>
<div><dt>${texts.keysInUse}</dt><dd>${words.number(keysInUse)}</dd></div></dl>
<section aria-labelledby="quota"><h2 id="quota">${texts.quota}</h2>
!${quotaBars(words, usage)}</section>
<section aria-labelledby="newest"><h2 id="newest">${texts.newest}</h2>
!${newestModels(words, setup.addresses, newest.rows, mayMake)}
<p><a class="alone" href="${BRAND}">${wordsOf(words, BRAND_TEXTS).link}</a></p></section>
<section aria-labelledby="api"><h2 id="api">${texts.api}</h2>!${planHasApi ? api(words, setup.addresses) : html`<p>${texts.apiNotIncluded}</p>`}</section>
!${others.length === 0 ? '' : otherAccounts(words, others)}`
  return { title: name, body, scripts: ['copy'] }
}

/** How much of its plan an account uses, a bar for each level. */
export const quotaBars = (words: Words, usage: readonly Usage[]) =>
  html`<dl class="bars">!${usage.map(one => bar(words, one))}</dl><p class="quiet">${words.texts.quotaNote}</p>`

function bar({ texts, number }: Words, { level, used, quota }: Usage): string {
  const label = html`<dt id="bar-${level}">${texts.levels[level]}</dt>`
  if (quota === null)
    return html`<div>!${label}<dd class="amount">${texts.quotaUnlimited(number(used))}</dd></div>`
  if (quota === 0) return html`<div>!${label}<dd class="amount">${texts.quotaNone(number(used))}</dd></div>`
  return html`<div>!${label}<dd class="amount">${texts.quotaOf(number(used), number(quota))}</dd>
<dd class="bar"><meter aria-labelledby="bar-${level}" min="0" max="${quota}" value="${Math.min(used, quota)}"></meter></dd></div>`
}

function newestModels(
  words: Words,
  addresses: Addresses,
  rows: readonly Summary[],
  mayMake: boolean,
): string {
  const { texts } = words
  if (rows.length === 0) return html`<p>${texts.newestNone}!${mayMake ? html` ${texts.newestFirst}` : ''}</p>`
  const lines = rows.map(row => {
    const facts = [
      row.brand_name,
      row.sku === null ? null : `${texts.sku} ${row.sku}`,
      texts.version(row.version_no),
      words.date(row.updated_at.toISOString()),
      row.status === 'x' ? texts.archived : null,
    ]
    return html`<li><a class="row-link" href="${passportUrl(addresses, idFromUuid(row.id))}">${stripDirectionMarks(row.product_name ?? texts.unnamed)}<span class="sight"> (${texts.opensPublic})</span></a>
<span class="quiet">${facts.filter(fact => fact !== null).join(' · ')}</span></li>`
  })
  return html`<ul class="rows">!${lines}</ul>`
}

function api({ texts }: Words, { apiUrl }: Addresses): string {
  const address = { name: 'api-address', label: texts.apiAddress, value: apiUrl, rows: 1 }
  const value = curl(apiUrl, 'YOUR_KEY')
  const call = { name: 'api-curl', label: texts.apiTry, hint: texts.apiTryHint, value, rows: 2 }
  return html`!${copyable(texts, address)}!${copyable(texts, call)}
<p><a class="alone" href="/console/keys">${texts.apiKeysLink}</a></p>`
}

/** A call that any key may make, ready for a shell. */
export const curl = (apiUrl: string, key: string) =>
  `curl ${apiUrl}/products -H 'Authorization: Bearer ${key}'`

function otherAccounts({ texts }: Words, accounts: readonly { id: number; name: string }[]): string {
  const buttons = accounts.map(
    ({ id, name }) =>
      html`<li><form method="post" action="/console/account"><button class="second" name="account" value="${id}">${texts.switchTo(name)}</button></form></li>`,
  )
  return html`<section aria-labelledby="others"><h2 id="others">${texts.otherAccounts}</h2><ul class="stack">!${buttons}</ul></section>`
}

/** Turns the session to another account of the same person. */
export async function submitAccount(visit: SignedInVisit): Promise<Outcome> {
  const { setup, form, token } = visit
  const id = form.text('account')
  const accountId = /^[1-9]\d{0,8}$/.test(id) ? Number(id) : 0
  const turned = await switchAccount(setup, { token, accountId })
  if (turned === 'unknown') throw notFound('account')
  if (turned === 'done') return { to: HOME }
  // An owner there has ended this person's sessions: they open the account again by a proof.
  const proof = await confirm(visit)
  if (!('token' in proof)) return proof
  await switchAccount(setup, { token: proof.token, accountId })
  return { to: HOME, session: proof.token }
}
