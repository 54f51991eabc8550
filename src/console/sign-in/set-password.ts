/** Setting a password by a link, the first one or a new one. */
import { html } from 'ghtml'
import { findPasswordLink } from '../../accounts/people/one-time-links.ts'
import { findPasswordProblem } from '../../accounts/people/password.ts'
import { createSession } from '../../accounts/people/sessions.ts'
import { setPassword } from '../../accounts/people/set-password.ts'
import { AppError } from '../../kernel/errors.ts'
import { HOME, SIGN_IN } from '../page/addresses.ts'
import { input, newPasswordInput, summary } from '../page/fields.ts'
import { isFine, type Problems, problemsOf } from '../page/form.ts'
import type { AnyVisit, ConsolePage, Outcome } from '../page/route.ts'
import { findLinkToken, linkCookie, wayToCleanAddress } from './link-cookie.ts'
import { linkEnded, passwordSentence } from './link-pages.ts'

const PATH = '/console/set-password'

/** Looking at the page uses nothing up: mail scanners follow links too. */
export async function showSetPassword(visit: AnyVisit): Promise<Outcome> {
  const way = wayToCleanAddress(visit, PATH)
  if (way !== undefined) return way
  const token = findLinkToken(visit)
  const link = await findPasswordLink(visit.setup, token)
  return link === undefined ? ended(visit) : page(visit, { token, email: link.email })
}

export async function submitSetPassword(visit: AnyVisit): Promise<Outcome> {
  const { setup, form, words } = visit
  const token = form.raw('token')
  const password = form.raw('password')
  const link = await findPasswordLink(setup, token)
  if (link === undefined) return ended(visit)
  const problem = findPasswordProblem(password, link.email)
  const problems = problemsOf({ password: passwordSentence(words.texts, password, problem) })
  if (!isFine(problems)) return page(visit, { token, email: link.email }, problems)
  try {
    const person = await setPassword(setup, { token, password })
    const session = await createSession(setup, { ...person, replaces: visit.token })
    const cookie = linkCookie(visit, PATH, null)
    return session === undefined
      ? { to: SIGN_IN, cookie }
      : { to: HOME, session: session.token, knows: session.email, cookie }
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return ended(visit)
    throw error
  }
}

function ended({ words: { texts }, note }: AnyVisit) {
  note('link_refused')
  return linkEnded(texts, texts.linkEnded.password)
}

function page(
  { words: { texts } }: AnyVisit,
  link: { token: string; email: string },
  problems: Problems = {},
): ConsolePage {
  // Readonly, not hidden: a password manager stores the password under it.
  const email = {
    name: 'email',
    label: texts.signIn.email,
    type: 'email',
    value: link.email,
    autocomplete: 'username',
    isReadOnly: true,
  } as const
  const body = html`<h1>${texts.setPassword.title}</h1><p class="lead">${texts.setPassword.lead}</p>
!${summary(texts, problems, { password: texts.signIn.newPassword })}
<form method="post" action="/console/set-password" novalidate class="narrow">
<input type="hidden" name="token" value="${link.token}">
!${input(email, problems)}
!${newPasswordInput(texts, texts.signIn.newPassword, problems)}
<button>${texts.setPassword.submit}</button></form>`
  return { title: texts.setPassword.title, body, status: isFine(problems) ? 200 : 422 }
}
