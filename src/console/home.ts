/** The home page after signing in: the account's content and quota, and how programs connect to it. */

import { html } from 'ghtml'
import { listKeys } from '../accounts/keys/keys.ts'
import { getUsage } from '../accounts/limits/quota.ts'
import { listPersonAccounts, switchAccount } from '../accounts/people/sessions.ts'
import { stripDirectionMarks } from '../i18n/direction-marks.ts'
import { idFromUuid } from '../kernel/crypto/ids.ts'
import { notFound } from '../kernel/errors/errors.ts'
import { type Addresses, passportUrl } from '../passports/core/record.ts'
import { listPassports, type PassportSummary } from '../passports/read/list.ts'
import { listWebhooks, type WebhookRecord } from '../webhooks/webhook.ts'
import { apiExample, pageOf } from './developer/parts.ts'
import { isInUse, rowList, section } from './page/parts.ts'
import { BRAND, HOME, KEYS, type Outcome, PRODUCTS, type Visit, type Words } from './page/route.ts'
import { quotaBars } from './settings/quota-bars.ts'
import { confirm } from './sign-in/confirm.ts'

const NEWEST_SHOWN = 10

/** Models only: one index read, however many items an account has. */
const MODELS = { levels: ['m'] } as const

export async function showHome({ ctx, setup, session, words }: Visit): Promise<Outcome> {
  const texts = words.texts.home
  const [usage, keys, newest, accounts, webhooks] = await Promise.all([
    getUsage(ctx),
    listKeys(ctx, ctx.accountId),
    listPassports(ctx, MODELS, { limit: NEWEST_SHOWN, page: 1 }),
    listPersonAccounts(ctx, session.personId),
    listWebhooks(ctx),
  ])
  const keysInUse = keys.filter(key => isInUse(key, setup.clock.now())).length
  const others = accounts.filter(account => account.id !== session.account.id)
  const { name, plan, planHasApi } = session.account
  const mayMake = session.role !== 'viewer' && !session.account.closedAt
  const create = mayMake
    ? html`<a class="button" href="${PRODUCTS}/new">${words.texts.products.newProduct}</a>`
    : ''
  const api = html`!${apiExample(words, setup.addresses)}
<p><a class="alone" href="${KEYS}">${texts.apiKeysLink}</a></p>`
  const body = html`<div class="page-head"><h1>${name}</h1>!${create}</div>!${switchedOffNotice(words, webhooks)}
<dl class="facts"><div><dt>${texts.plan}</dt><dd>${plan}</dd></div>
<div><dt>${texts.role}</dt><dd>${words.texts.roles[session.role]}</dd></div>
<div><dt>${texts.keysInUse}</dt><dd>${words.number(keysInUse)}</dd></div></dl>
!${section('quota', texts.quota, `\n${quotaBars(words, usage)}`)}
<section aria-labelledby="newest"><h2 id="newest">${texts.newest}</h2>
!${newestModels(words, setup.addresses, newest.rows, mayMake)}
<p><a class="alone" href="${BRAND}">${words.texts.brand.link}</a></p></section>
!${section('api', texts.api, planHasApi ? api : html`<p>${texts.apiNotIncluded}</p>`)}
!${others.length === 0 ? '' : otherAccounts(words, others)}`
  return { title: name, body, scripts: ['copy'] }
}

/** Webhooks that were disabled: nobody visits their pages while everything seems to work. */
function switchedOffNotice(words: Words, endpoints: readonly WebhookRecord[]): string {
  const texts = words.texts.developer
  const off = endpoints.filter(({ status }) => status === 'disabled')
  if (off.length === 0) return ''
  const lines = off.map(
    ({ id, url, disabled_reason }) =>
      html`<p>${texts.homeOff({ url })} ${texts.reasons[disabled_reason ?? 'failing']} <a class="alone" href="${pageOf(id)}">${texts.homeOffLink}</a></p>`,
  )
  return html`<div class="reach wrong">!${lines}</div>`
}

function newestModels(
  words: Words,
  addresses: Addresses,
  rows: readonly PassportSummary[],
  mayMake: boolean,
): string {
  const texts = words.texts.page
  if (rows.length === 0)
    return html`<p>${words.texts.home.newestNone}!${mayMake ? html` ${words.texts.home.newestFirst}` : ''}</p>`
  const lines = rows.map(row => {
    const facts = [
      row.brand_name,
      row.sku === null ? null : `${texts.sku} ${row.sku}`,
      texts.version({ n: row.version_no }),
      words.date(row.updated_at.toISOString()),
      row.status === 'x' ? texts.archived : null,
    ]
    return html`<li><a class="row-link" href="${passportUrl(addresses, idFromUuid(row.id))}">${stripDirectionMarks(row.product_name ?? texts.unnamed)}<span class="sight"> (${texts.opensPublic})</span></a>
<span class="quiet">${facts.filter(fact => fact !== null).join(' · ')}</span></li>`
  })
  return rowList(lines)
}

function otherAccounts({ texts }: Words, accounts: readonly { id: number; name: string }[]): string {
  const buttons = accounts.map(
    ({ id, name }) =>
      html`<li><form method="post" action="/console/account"><button class="second" name="account" value="${id}">${texts.home.switchTo({ name })}</button></form></li>`,
  )
  return section('others', texts.home.otherAccounts, html`<ul class="stack">!${buttons}</ul>`)
}

/** Switches the session to another account of the same person. */
export async function submitAccount(visit: Visit): Promise<Outcome> {
  const { setup, form, token } = visit
  const id = form.text('account')
  const accountId = /^[1-9]\d{0,8}$/.test(id) ? Number(id) : 0
  const turned = await switchAccount(setup, { token, accountId })
  if (turned === 'unknown') throw notFound('account')
  if (turned === 'done') return { to: HOME }
  // An owner of that account has ended this person's sessions, so they must prove who they are.
  const proof = await confirm(visit)
  if (!('token' in proof)) return proof
  await switchAccount(setup, { token: proof.token, accountId })
  return { to: HOME, session: proof.token }
}
