/** Changing one's password while signed in. */

import { html } from 'ghtml'
import { changePassword } from '../../accounts/people/change-password.ts'
import { findPasswordProblem } from '../../accounts/people/password.ts'
import { isFine, type Problems, problemsOf } from '../page/form.ts'
import { doneNotice, input, summary } from '../page/parts.ts'
import type { ConsolePage, Outcome, Visit } from '../page/route.ts'
import { newPasswordInput, passwordSentence, refuseProof, usernameInput } from '../sign-in/parts.ts'
import { backToSettings, PASSWORD } from './places.ts'

export const showPassword = (visit: Visit): Outcome => page(visit, {})

export async function submitPassword(visit: Visit): Promise<Outcome> {
  const { setup, session, form, network, words } = visit
  const { texts } = words
  const current = form.raw('current')
  const password = form.raw('password')
  const problems = problemsOf({
    current: current === '' ? texts.errors.required : undefined,
    password: passwordSentence(texts, password, findPasswordProblem(password, session.email)),
  })
  if (!isFine(problems)) return page(visit, problems)
  const changed = await changePassword(setup, session, { current, password, network })
  if ('token' in changed) return { to: `${PASSWORD}?done=yes`, session: changed.token }
  const { sentence, status } = refuseProof(visit, changed, texts.password.wrong)
  return { ...page(visit, { current: sentence }), status }
}

function page({ session, query, words }: Visit, problems: Problems): ConsolePage {
  const texts = words.texts.password
  const labels = { current: texts.current, password: texts.new }
  const done = query.has('done') ? doneNotice(texts.done) : ''
  const old = {
    name: 'current',
    label: texts.current,
    type: 'password',
  } as const
  const body = html`!${backToSettings(words)}<h1>${texts.title}</h1><p class="lead">${texts.signedInWith({ email: session.email })} ${texts.lead}</p>!${done}
!${summary(words.texts, problems, labels)}
<form method="post" action="${PASSWORD}" novalidate class="narrow">!${usernameInput(session.email, ' name="email"')}
!${input(old, problems)}!${newPasswordInput(words.texts, texts.new, problems)}
<button>${texts.submit}</button></form>`
  return { title: texts.title, body, status: isFine(problems) ? 200 : 422 }
}
