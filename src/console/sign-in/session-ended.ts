/**
 * Answers a form that was sent after its session ended: the sender gets the input back and sends it again
 * after signing in. Only our own pages' forms get here, because the door refuses all others.
 */
import { html } from 'ghtml'
import { pageBefore } from '../page/page-before.ts'
import { hiddenInputs } from '../page/parts.ts'
import { type AnyVisit, type ConsolePage, ownPath, signInFor } from '../page/route.ts'

/** Fields that must be entered again: passwords, and a passkey's answer. */
const SECRETS: ReadonlySet<string> = new Set(['password', 'confirm_password', 'current', 'answer'])

/** `withFiles`: the form had files. */
export function sessionEndedPage({ words, form, url, referer }: AnyVisit, withFiles: boolean): ConsolePage {
  const texts = words.texts.sessionEnded
  const kept = form.entries().filter(([name]) => !SECRETS.has(name))
  const isWhole = !withFiles && kept.length === form.entries().length
  const way = html`<a class="button" href="${signInFor(pageBefore(referer))}" target="_blank" rel="noopener">${texts.signIn}</a>`
  const steps = withFiles
    ? html`<p class="lead">${texts.filesLead}</p><p>!${way}</p>`
    : html`<p class="lead">${texts.lead}</p><ol class="steps"><li><p>${texts.first}</p><p>!${way}</p></li>
<li><p>${texts.second}!${isWhole ? '' : html` ${texts.notSecrets}`}</p><form method="post" action="${ownPath(url)}">!${hiddenInputs(kept)}<button class="second">${texts.again}</button></form></li></ol>`
  return { title: texts.title, body: html`<h1>${texts.title}</h1>!${steps}`, status: 403 }
}
