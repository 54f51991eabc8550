/** The overview for developers: keys, webhooks, the API reference. */

import { html } from 'ghtml'
import { listKeys } from '../../accounts/keys/keys.ts'
import { listWebhooks } from '../../webhooks/webhook.ts'
import { DOCS, KEYS, WEBHOOKS } from '../page/addresses.ts'
import { isInUse, rowList, section } from '../page/parts.ts'
import type { Outcome, Visit } from '../page/route.ts'
import { apiExample } from './parts.ts'

export async function showDeveloper({ ctx, setup, session, words }: Visit): Promise<Outcome> {
  const texts = words.texts.developer
  const [keys, webhooks] = await Promise.all([listKeys(setup, session.account.id), listWebhooks(ctx)])
  const inUse = keys.filter(key => isInUse(key, setup.clock.now())).length
  const off = webhooks.filter(({ status }) => status === 'disabled').length
  const { planHasApi } = session.account
  const places = [
    [KEYS, texts.keysLink, texts.keysWhat({ count: inUse })],
    [
      WEBHOOKS,
      texts.webhooks,
      off === 0
        ? texts.webhookCount({ count: webhooks.length })
        : texts.webhookCountOff({ count: webhooks.length, off }),
    ],
    [DOCS, texts.docsLink, texts.docsWhat],
  ].map(
    ([to, name, what]) =>
      html`<li><a class="row-link" href="${to}">${name}</a><span class="quiet">${what}</span></li>`,
  )
  const api = planHasApi
    ? apiExample(words, setup.addresses)
    : html`<p>${words.texts.home.apiNotIncluded}</p>`
  const body = html`<h1>${texts.developer}</h1><p class="lead">${texts.lead}</p>!${rowList(places)}
!${section('api', words.texts.home.api, api)}`
  return { title: texts.developer, body, scripts: ['copy'] }
}
