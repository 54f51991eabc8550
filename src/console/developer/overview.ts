/** The overview for developers: keys, webhooks, the API reference. */

import { html } from 'ghtml'
import { listKeys } from '../../accounts/keys/keys.ts'
import { listWebhooks } from '../../webhooks/webhook.ts'
import { isInUse, linkRow, rowList, section } from '../page/parts.ts'
import { DOCS, KEYS, type Outcome, type Visit, WEBHOOKS } from '../page/route.ts'
import { apiExample } from './parts.ts'

export async function showDeveloper({ ctx, setup, session, words }: Visit): Promise<Outcome> {
  const texts = words.texts.developer
  const [keys, webhooks] = await Promise.all([listKeys(setup, session.account.id), listWebhooks(ctx)])
  const inUse = keys.filter(key => isInUse(key, setup.clock.now())).length
  const off = webhooks.filter(({ status }) => status === 'disabled').length
  const { planHasApi } = session.account
  const count = webhooks.length
  const webhookHint = off === 0 ? texts.webhookCount({ count }) : texts.webhookCountOff({ count, off })
  const places = [
    linkRow(KEYS, texts.keysLink, texts.keysWhat({ count: inUse })),
    linkRow(WEBHOOKS, texts.webhooks, webhookHint),
    linkRow(DOCS, texts.docsLink, texts.docsWhat),
  ]
  const api = planHasApi
    ? apiExample(words, setup.addresses)
    : html`<p>${words.texts.home.apiNotIncluded}</p>`
  const body = html`<h1>${texts.developer}</h1><p class="lead">${texts.lead}</p>!${rowList(places)}
!${section('api', words.texts.home.api, api)}`
  return { title: texts.developer, body, scripts: ['copy'] }
}
