/** Setting a password by a link, the first one or a new one. */

import { html } from 'ghtml'
import { findPasswordLink } from '../../accounts/people/one-time-links.ts'
import { findPasswordProblem } from '../../accounts/people/password.ts'
import { setPassword } from '../../accounts/people/set-password.ts'
import { isFine, type Problems, problemsOf } from '../page/form.ts'
import { input, summary } from '../page/parts.ts'
import type { AnyVisit, ConsolePage, Outcome } from '../page/route.ts'
import { findLinkToken, wayToCleanAddress } from './cookies.ts'
import { linkEnded, newPasswordInput, passwordSentence, signInByLink } from './parts.ts'

const PATH = '/console/set-password'

/** Opening the page does not use up the link, because mail scanners follow links. */
export async function showSetPassword(visit: AnyVisit): Promise<Outcome> {
  const way = wayToCleanAddress(visit, PATH)
  if (way !== undefined) return way
  const token = findLinkToken(visit)
  const link = await findPasswordLink(visit.setup, token)
  return link === undefined ? ended(visit) : page(visit, { token, email: link.email })
}

const ended = (visit: AnyVisit) => linkEnded(visit, visit.words.texts.linkEnded.password)

export async function submitSetPassword(visit: AnyVisit): Promise<Outcome> {
  const { setup, form, words } = visit
  const token = form.raw('token')
  const password = form.raw('password')
  const link = await findPasswordLink(setup, token)
  if (link === undefined) return ended(visit)
  const problem = findPasswordProblem(password, link.email)
  const problems = problemsOf({ password: passwordSentence(words.texts, password, problem) })
  if (!isFine(problems)) return page(visit, { token, email: link.email }, problems)
  const about = { path: PATH, reason: words.texts.linkEnded.password }
  return signInByLink(visit, about, () => setPassword(setup, { token, password }))
}

function page(
  { words: { texts } }: AnyVisit,
  { token, email: value }: { token: string; email: string },
  problems: Problems = {},
): ConsolePage {
  const { title, lead, submit } = texts.setPassword
  const { newPassword, email: label } = texts.signIn
  // Read-only, not hidden: password managers store the password under this e-mail.
  const email = {
    name: 'email',
    label,
    type: 'email',
    value,
    autocomplete: 'username',
    isReadOnly: true,
  } as const
  const body = html`<h1>${title}</h1><p class="lead">${lead}</p>
!${summary(texts, problems, { password: newPassword })}
<form method="post" action="${PATH}" novalidate class="narrow">
<input type="hidden" name="token" value="${token}">
!${input(email, problems)}
!${newPasswordInput(texts, newPassword, problems)}
<button>${submit}</button></form>`
  return { title, body, status: isFine(problems) ? 200 : 422 }
}
