/** "Password forgotten?": the same response for every address, and the e-mail sent after it. */

import { html } from 'ghtml'
import { countLinkRequest } from '../../accounts/people/attempt-limits.ts'
import { parseEmail } from '../../accounts/people/email.ts'
import { buildSetPasswordUrl } from '../../accounts/people/one-time-links.ts'
import { createResetLink } from '../../accounts/people/password-reset.ts'
import type { Email } from '../../kernel/http-out/smtp.ts'
import { emailProblem, isFine, type Problems, problemsOf } from '../page/form.ts'
import { input, notice, summary } from '../page/parts.ts'
import { type AnyVisit, type ConsolePage, FORGOTTEN, type Outcome, SIGN_IN } from '../page/route.ts'
import { resetLetter } from './emails.ts'
import { waitSentence } from './parts.ts'

export const showForgotten = (visit: AnyVisit): Outcome =>
  visit.setup.mail.hasServer ? page(visit, { email: '' }) : askOperator(visit)

/** Without a mail server nobody can prove that they own an address, so only the operator gives out links. */
function askOperator({ words }: AnyVisit): ConsolePage {
  const { forgottenPassword: texts, signIn } = words.texts
  const body = html`<h1>${texts.title}</h1><p class="lead">${texts.askOperator}</p>
<p class="quiet">${texts.operatorCommand} <code>carnet users reset-password --email …</code></p>
<p><a class="button second" href="${SIGN_IN}">${signIn.title}</a></p>`
  return { title: texts.title, body }
}

export async function submitForgotten(visit: AnyVisit): Promise<Outcome> {
  const { form, setup, network, words } = visit
  if (!setup.mail.hasServer) return askOperator(visit)
  const texts = words.texts.forgottenPassword
  const typed = form.text('email')
  const email = parseEmail(typed)
  const problems = problemsOf({ email: emailProblem(words.texts, typed) })
  if (!isFine(problems) || email === undefined) return page(visit, { email: typed, problems, status: 422 })
  const asked = await countLinkRequest(setup, { purpose: 'reset', email, network })
  if ('problem' in asked) {
    const refusal = waitSentence(words, asked)
    const headers = { 'retry-after': String(asked.seconds) }
    return { ...page(visit, { email, refusal, status: 429 }), headers }
  }
  // Sent after the response, whose time would otherwise reveal whether the address is known.
  if (!asked.isFlooded) setup.mail.send(letterTo(visit, email))
  const title = texts.sent
  const body = html`<h1>${title}</h1><p class="lead">${texts.sentLead({ email })}</p>
<p>${texts.notReceived}</p><p><a class="button second" href="${SIGN_IN}">${words.texts.signIn.title}</a></p>`
  return { title, body }
}

async function letterTo({ setup, words }: AnyVisit, email: string): Promise<Email | undefined> {
  const found = await createResetLink(setup, email)
  if (found === undefined) return undefined
  const { publicUrl } = setup.addresses
  return resetLetter(words, { to: found.email, publicUrl, link: buildSetPasswordUrl(publicUrl, found.token) })
}

type Shown = { email: string; problems?: Problems; refusal?: string; status?: number }

function page({ words }: AnyVisit, { email, problems = {}, refusal, status = 200 }: Shown): ConsolePage {
  const { forgottenPassword: texts, signIn } = words.texts
  const field = {
    name: 'email',
    label: signIn.email,
    type: 'email',
    value: email,
    autocomplete: 'username',
  } as const
  const body = html`<h1>${texts.title}</h1><p class="lead">${texts.lead}</p>
!${summary(words.texts, problems, { email: signIn.email })}!${notice(refusal)}
<form method="post" action="${FORGOTTEN}" novalidate class="narrow">
!${input(field, problems)}
<button>${texts.submit}</button></form>
<p><a class="alone" href="${SIGN_IN}">${signIn.title}</a></p>`
  return { title: texts.title, body, status }
}
