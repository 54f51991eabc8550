/** The secrets of webhooks: shown once, to owners, and replaced without a gap. */

import { html } from 'ghtml'
import { activateSecret, rotateSecret } from '../../webhooks/rotate-secret.ts'
import { getWebhook } from '../../webhooks/webhook.ts'
import { copyable, facts, questionPage } from '../page/parts.ts'
import { DOCS, type Outcome, type Visit, WEBHOOKS } from '../page/route.ts'
import { shownOnce } from '../page/secret-cookie.ts'
import { endpointOf, pageOf } from './parts.ts'
import { describeEvents } from './words.ts'

export const SHOWN_SECRET = `${WEBHOOKS}/shown`

export const shownSecret = shownOnce({
  name: 'carnet-webhook',
  path: SHOWN_SECRET,
  pattern: /^([0-9a-z]{26})\.(whsec_[0-9A-Za-z+/=]{44})$/,
})

/** The only page that ever shows a secret, once; reloading it redirects to the list. */
export async function showSecret(visit: Visit): Promise<Outcome> {
  const shown = shownSecret.find(visit)
  if (shown === undefined) return { to: WEBHOOKS }
  const webhook = await getWebhook(visit.ctx, shown.id)
  const { id, url, old_secret_until } = webhook
  const { words } = visit
  const texts = words.texts.developer
  const field = { name: 'secret', label: texts.secret, value: shown.secret, rows: 2 }
  const overlap =
    old_secret_until === null
      ? ''
      : html`<p>${texts.shownRotated({ until: words.minute(old_secret_until) })}</p>`
  const body = html`<h1>${texts.shownTitle}</h1><p class="lead">${texts.shownLead}</p>
<p><code>${url}</code></p>!${facts([[texts.events, describeEvents(words.texts, webhook)]])}!${overlap}!${copyable(words.texts, field)}
<p class="choices"><a class="button" href="${pageOf(id)}">${texts.shownDone}</a></p>
<p><a class="alone" href="${DOCS}#webhooks">${texts.webhooksDocs}</a></p>`
  return { title: texts.shownTitle, body, scripts: ['copy'], headers: shownSecret.endHeaders(visit) }
}

export async function showRotateSecret(visit: Visit): Promise<Outcome> {
  const { id, url, old_secret_until } = await endpointOf(visit)
  const {
    rotateTitle: title,
    rotateLead,
    rotateSubmit: submit,
    rotateAgain,
    cancel,
  } = visit.words.texts.developer
  const again = old_secret_until === null ? '' : html`<p>${rotateAgain}</p>`
  const about = html`<p class="lead"><code>${url}</code></p><p>${rotateLead}</p>!${again}`
  const to = { action: `${pageOf(id)}/rotate`, back: pageOf(id), keep: cancel }
  return questionPage({ title, about, submit, ...to, isHarmless: true })
}

export async function submitRotateSecret(visit: Visit): Promise<Outcome> {
  return shownSecret.redirect(visit, await rotateSecret(visit.ctx, visit.setup, visit.id))
}

export async function submitActivate(visit: Visit): Promise<Outcome> {
  const { id } = await activateSecret(visit.ctx, visit.id)
  return { to: pageOf(id) }
}
