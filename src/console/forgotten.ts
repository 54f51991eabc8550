/** "Password forgotten?": one answer for every address, and the letter behind it. */
import { html } from 'ghtml'
import { findEmail } from '../accounts/email.ts'
import { setPasswordUrl } from '../accounts/one-time-links.ts'
import { askForReset, findResetLink } from '../accounts/password-reset.ts'
import type { Letter } from '../kernel/smtp.ts'
import { input, notice, summary } from './fields.ts'
import { isFine, type Problems, problemsOf } from './form.ts'
import { resetLetter } from './letters.ts'
import { FORGOTTEN, SIGN_IN } from './own-path.ts'
import type { Outcome, Page, Visit } from './route.ts'

export const showForgotten = (visit: Visit): Outcome => page(visit, { email: '' })

export async function submitForgotten(visit: Visit): Promise<Outcome> {
  const { form, setup, network, words } = visit
  const { texts } = words
  const typed = form.text('email')
  const email = findEmail(typed)
  const problems = problemsOf({
    email: typed === '' ? texts.errors.required : email === undefined ? texts.errors.emailFormat : undefined,
  })
  if (!isFine(problems) || email === undefined) return page(visit, { email: typed, problems, status: 422 })
  const seconds = await askForReset(setup, { email, network })
  if (seconds !== undefined) {
    const refusal = texts.signInWait(Math.ceil(seconds / 60))
    const headers = { 'retry-after': String(seconds) }
    return { ...page(visit, { email, refusal, status: 429 }), headers }
  }
  // Behind the answer: how long it takes would tell whether the address is known.
  setup.mail.post(letterTo(visit, email))
  const { hasServer } = setup.mail
  const title = hasServer ? texts.forgottenSent : texts.forgottenMade
  const lead = hasServer ? texts.forgottenSentLead(email) : texts.forgottenMadeLead(email)
  const none = hasServer ? html`<p>${texts.forgottenNone}</p>` : ''
  const body = html`<h1>${title}</h1><p class="lead">${lead}</p>
!${none}<p><a class="button second" href="${SIGN_IN}">${texts.signIn}</a></p>`
  return { title, body }
}

async function letterTo({ setup, words }: Visit, email: string): Promise<Letter | undefined> {
  const found = await findResetLink(setup, email)
  if (found === undefined) return undefined
  const { publicUrl } = setup.addresses
  return resetLetter(words, { to: found.email, publicUrl, link: setPasswordUrl(publicUrl, found.token) })
}

type Shown = { email: string; problems?: Problems; refusal?: string; status?: number }

function page(
  { setup, words: { texts } }: Visit,
  { email, problems = {}, refusal, status = 200 }: Shown,
): Page {
  const field = {
    name: 'email',
    label: texts.email,
    type: 'email',
    value: email,
    autocomplete: 'username',
  } as const
  const body = html`<h1>${texts.forgotten}</h1><p class="lead">${setup.mail.hasServer ? texts.forgottenLead : texts.forgottenLeadLog}</p>
!${summary(texts, problems, { email: texts.email })}!${notice(refusal)}
<form method="post" action="${FORGOTTEN}" novalidate class="narrow">
!${input(field, problems)}
<button>${setup.mail.hasServer ? texts.forgottenSubmit : texts.forgottenSubmitLog}</button></form>
<p><a class="alone" href="${SIGN_IN}">${texts.signIn}</a></p>`
  return { title: texts.forgotten, body, status }
}
