/** What programs need of an account, on one page: keys, webhooks, the reference. */
import { html } from 'ghtml'
import { listKeys } from '../../accounts/keys/keys.ts'
import { toAccountContext } from '../../accounts/people/sessions.ts'
import { listWebhooks } from '../../webhooks/endpoint.ts'
import { DOCS, KEYS, WEBHOOKS } from '../page/addresses.ts'
import { isInUse } from '../page/key-state.ts'
import type { Outcome, SignedInVisit } from '../page/route.ts'
import { apiExample } from './api-example.ts'

export async function showDeveloper({ setup, session, words }: SignedInVisit): Promise<Outcome> {
  const { texts } = words
  const ctx = toAccountContext(setup, session)
  const [keys, webhooks] = await Promise.all([listKeys(setup, session.account.id), listWebhooks(ctx)])
  const inUse = keys.filter(key => isInUse(key, setup.clock.now())).length
  const off = webhooks.filter(({ status }) => status === 'disabled').length
  const { planHasApi } = session.account
  const places = [
    [KEYS, texts.developer.keysLink, texts.developer.keysWhat({ count: words.number(inUse) })],
    [
      WEBHOOKS,
      texts.developer.webhooks,
      off === 0
        ? texts.developer.webhookCount({ count: webhooks.length })
        : texts.developer.webhookCountOff({ count: webhooks.length, off }),
    ],
    [DOCS, texts.developer.docsLink, texts.developer.docsWhat],
  ].map(
    ([to, name, what]) =>
      html`<li><a class="row-link" href="${to}">${name}</a><span class="quiet">${what}</span></li>`,
  )
  const api = planHasApi
    ? apiExample(words, setup.addresses)
    : html`<p>${words.texts.home.apiNotIncluded}</p>`
  const body = html`<h1>${texts.developer.developer}</h1><p class="lead">${texts.developer.lead}</p><ul class="rows">!${places}</ul>
<section aria-labelledby="api"><h2 id="api">${words.texts.home.api}</h2>!${api}</section>`
  return { title: texts.developer.developer, body, scripts: ['copy'] }
}
