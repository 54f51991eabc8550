/**
 * The first page of a new installation: whoever has the one-time link names the account and becomes its
 * owner.
 */

import { html } from 'ghtml'
import { parseEmail } from '../../accounts/people/email.ts'
import { isSetUpLink } from '../../accounts/people/one-time-links.ts'
import { findPasswordProblem } from '../../accounts/people/password.ts'
import { setUpOwner } from '../../accounts/people/set-password.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { emailProblem, isFine, nameProblem, type Problems, problemsOf } from '../page/form.ts'
import { input, summary } from '../page/parts.ts'
import type { AnyVisit, ConsolePage, Outcome } from '../page/route.ts'
import { findLinkToken, wayToCleanAddress } from './cookies.ts'
import { linkEnded, newPasswordInput, passwordSentence, signInByLink } from './parts.ts'

const MAX_NAME_LENGTH = 200
const PATH = '/console/set-up'

export async function showSetUp(visit: AnyVisit): Promise<Outcome> {
  const way = wayToCleanAddress(visit, PATH)
  if (way !== undefined) return way
  const token = findLinkToken(visit)
  return (await isSetUpLink(visit.setup, token))
    ? page(visit, { token, name: '', legalName: '', email: '' })
    : ended(visit)
}

export async function submitSetUp(visit: AnyVisit): Promise<Outcome> {
  const { setup, form, words } = visit
  const { errors } = words.texts
  const typed = {
    token: form.raw('token'),
    name: form.text('name'),
    legalName: form.text('legal_name'),
    email: form.text('email'),
  }
  if (!(await isSetUpLink(setup, typed.token))) return ended(visit)
  const password = form.raw('password')
  const email = parseEmail(typed.email)
  const problems = problemsOf({
    name: nameProblem(words.texts, typed.name, MAX_NAME_LENGTH),
    ...(typed.legalName === ''
      ? {}
      : { legal_name: nameProblem(words.texts, typed.legalName, MAX_NAME_LENGTH) }),
    email: emailProblem(words.texts, typed.email),
    password: passwordSentence(words.texts, password, findPasswordProblem(password, email ?? '')),
  })
  if (!isFine(problems) || email === undefined) return page(visit, typed, problems)
  const about = { path: PATH, reason: words.texts.linkEnded.setUp }
  try {
    return await signInByLink(visit, about, () =>
      setUpOwner(setup, {
        token: typed.token,
        accountName: typed.name,
        email,
        password,
        legalName: typed.legalName || typed.name,
      }),
    )
  } catch (error) {
    const isTaken = error instanceof AppError && error.details?.some(detail => detail.code === 'duplicate')
    if (isTaken) return page(visit, typed, { email: errors.emailTaken })
    throw error
  }
}

const ended = (visit: AnyVisit) => linkEnded(visit, visit.words.texts.linkEnded.setUp)

type Typed = { token: string; name: string; legalName: string; email: string }

function page({ words }: AnyVisit, typed: Typed, problems: Problems = {}): ConsolePage {
  const { setUp: texts, signIn } = words.texts
  const name = {
    name: 'name',
    label: texts.accountName,
    hint: texts.accountNameHint,
    value: typed.name,
    autocomplete: 'organization',
    maxLength: MAX_NAME_LENGTH,
  }
  const legalName = {
    name: 'legal_name',
    label: texts.legalName,
    hint: texts.legalNameHint,
    value: typed.legalName,
    autocomplete: 'organization',
    maxLength: MAX_NAME_LENGTH,
  }
  const body = html`<h1>${texts.title}</h1><p class="lead">${texts.lead}</p>
!${summary(words.texts, problems, { name: texts.accountName, legal_name: texts.legalName, email: signIn.email, password: signIn.password })}
<form method="post" action="${PATH}" novalidate class="narrow">
<input type="hidden" name="token" value="${typed.token}">
!${input(name, problems)}
!${input(legalName, problems)}
!${input({ name: 'email', label: signIn.email, type: 'email', value: typed.email, autocomplete: 'username' }, problems)}
!${newPasswordInput(words.texts, signIn.password, problems)}
<button>${texts.submit}</button></form>`
  return { title: texts.title, body, status: isFine(problems) ? 200 : 422 }
}
