/**
 * "Confirm that it is you": creating keys, secrets and owners, or ending another person's sessions, needs a
 * recent proof of identity. The requested form is repeated with its input and continues after the same click.
 */

import { html } from 'ghtml'
import { findRelyingParty } from '../../accounts/people/passkey-challenges.ts'
import { createProofOptions, proveByPasskey } from '../../accounts/people/passkey-sign-in.ts'
import { listPasskeys } from '../../accounts/people/passkeys.ts'
import type { Problems } from '../page/form.ts'
import { pageBefore } from '../page/page-before.ts'
import { hiddenInputs, input, notice, summary } from '../page/parts.ts'
import { type ConsolePage, type Outcome, ownPath, type Visit } from '../page/route.ts'
import { checkTypedPassword, passkeyForm, refuseProof, requireHome, usernameInput } from './parts.ts'

export const CONFIRM_OPTIONS = '/console/confirm/passkey'
const PASSWORD_FIELD = 'confirm_password'
const OWN_FIELDS: ReadonlySet<string> = new Set([PASSWORD_FIELD, 'answer'])

export async function submitConfirmOptions(visit: Visit): Promise<Outcome> {
  const { personId } = visit.session
  return { data: await createProofOptions(visit.setup, { personId, home: requireHome(visit) }) }
}

/** The session's new token if this form contains a proof of identity, else the page that asks for one. */
export async function confirm(visit: Visit): Promise<{ token: string } | ConsolePage> {
  const { setup, session, form, network, words } = visit
  const { texts } = words
  const password = form.raw(PASSWORD_FIELD)
  const answer = form.raw('answer')
  if (answer !== '') {
    const proven = await proveByPasskey(setup, session, { home: requireHome(visit), answer, network })
    if ('token' in proven) return proven
    const { sentence, status } = refuseProof(visit, proven, texts.signIn.passkeyRefused)
    return page(visit, { refusal: sentence, status })
  }
  if (!form.entries().some(([name]) => name === PASSWORD_FIELD)) return page(visit, { status: 403 })
  if (password === '') return page(visit, { problem: texts.errors.required, status: 422 })
  const checked = await checkTypedPassword(visit, password, texts.confirm.wrong)
  return 'token' in checked ? checked : page(visit, { problem: checked.sentence, status: checked.status })
}

type Shown = { problem?: string; refusal?: string; status: number }

async function page(visit: Visit, { problem, refusal, status }: Shown): Promise<ConsolePage> {
  const { setup, session, words, form, url, referer } = visit
  const texts = words.texts.confirm
  const problems: Problems = problem === undefined ? {} : { [PASSWORD_FIELD]: problem }
  const to = ownPath(url)
  const kept = hiddenInputs(form.entries().filter(([name]) => !OWN_FIELDS.has(name)))
  const hasPasskeys =
    findRelyingParty(setup.addresses.publicUrl) !== undefined &&
    (await listPasskeys(setup, session)).length > 0
  const field = {
    name: PASSWORD_FIELD,
    label: texts.password,
    type: 'password',
  } as const
  const body = html`<h1>${texts.title}</h1><p class="lead">${texts.lead}</p>
!${summary(words.texts, problems, { [PASSWORD_FIELD]: texts.password })}!${notice(refusal)}
<form method="post" action="${to}" novalidate class="narrow">!${kept}!${usernameInput(session.email)}
!${input(field, problems)}
<div class="choices"><button>${texts.submit}</button> <a class="button second" href="${pageBefore(referer)}">${texts.cancel}</a></div></form>!${hasPasskeys ? passkeyForm(visit, { to, options: CONFIRM_OPTIONS, kept, text: texts.passkey, offer: false }) : ''}`
  return { title: texts.title, body, status, scripts: hasPasskeys ? ['passkeys'] : [] }
}
