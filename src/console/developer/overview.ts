/** What programs need of an account, on one page: keys, webhooks, the reference. */
import { html } from 'ghtml'
import { listKeys } from '../../accounts/keys/keys.ts'
import { toAccountContext } from '../../accounts/people/sessions.ts'
import { listWebhooks } from '../../webhooks/endpoint.ts'
import { copyable } from '../fields.ts'
import { curl } from '../home.ts'
import { isInUse } from '../key-state.ts'
import type { Outcome, SignedInVisit } from '../route.ts'
import { wordsOf } from '../texts.ts'
import { DOCS, WEBHOOKS } from './places.ts'
import { DEVELOPER_TEXTS } from './texts.ts'

export async function showDeveloper({ setup, session, words }: SignedInVisit): Promise<Outcome> {
  const texts = wordsOf(words, DEVELOPER_TEXTS)
  const ctx = toAccountContext(setup, session)
  const [keys, webhooks] = await Promise.all([listKeys(setup, session.account.id), listWebhooks(ctx)])
  const inUse = keys.filter(key => isInUse(key, setup.clock.now())).length
  const off = webhooks.filter(({ status }) => status === 'disabled').length
  const { apiUrl } = setup.addresses
  const { planHasApi } = session.account
  const places = [
    ['/console/keys', texts.keysLink, texts.keysWhat(words.number(inUse))],
    [WEBHOOKS, texts.webhooks, texts.webhooksWhat(words.number(webhooks.length), off)],
    [DOCS, texts.docsLink, texts.docsWhat],
  ].map(
    ([to, name, what]) =>
      html`<li><a class="row-link" href="${to}">${name}</a><span class="quiet">${what}</span></li>`,
  )
  const address = { name: 'api-address', label: words.texts.apiAddress, value: apiUrl, rows: 1 }
  const call = {
    name: 'api-curl',
    label: words.texts.apiTry,
    hint: words.texts.apiTryHint,
    value: curl(apiUrl, 'YOUR_KEY'),
    rows: 2,
  }
  const api = planHasApi
    ? html`!${copyable(words.texts, address)}!${copyable(words.texts, call)}`
    : html`<p>${words.texts.apiNotIncluded}</p>`
  const body = html`<h1>${texts.developer}</h1><p class="lead">${texts.lead}</p><ul class="rows">!${places}</ul>
<section aria-labelledby="api"><h2 id="api">${words.texts.api}</h2>!${api}</section>`
  return { title: texts.developer, body, scripts: ['copy'] }
}
