/** Signing in and out. */
import { html } from 'ghtml'
import { endSession } from '../accounts/sessions.ts'
import { signIn } from '../accounts/sign-in.ts'
import { input, notice, summary } from './fields.ts'
import { isFine, type Problems, problemsOf } from './form.ts'
import { HOME, ownPath, SIGN_IN } from './own-path.ts'
import type { Outcome, Page, Visit } from './route.ts'

export function showSignIn(visit: Visit): Outcome {
  const next = ownPath(visit.query.get('next'))
  return visit.session ? { to: next } : page(visit, { next })
}

export async function submitSignIn(visit: Visit): Promise<Outcome> {
  const { form, setup, network, token, words } = visit
  const { texts } = words
  const next = ownPath(form.raw('next'))
  const email = form.text('email')
  const password = form.raw('password')
  const problems = problemsOf({
    email: email === '' ? texts.errors.required : undefined,
    password: password === '' ? texts.errors.required : undefined,
  })
  if (!isFine(problems)) return page(visit, { next, email, problems, status: 422 })
  const signedIn = await signIn(setup, { email, password, network, replaces: token })
  if ('token' in signedIn) return { to: next, session: signedIn.token }
  if (signedIn.problem === 'wrong') {
    return page(visit, { next, email, status: 422, refusal: texts.signInWrong })
  }
  const refusal = texts.signInWait(Math.ceil(signedIn.seconds / 60))
  const retry = { 'retry-after': String(signedIn.seconds) }
  return { ...page(visit, { next, email, status: 429, refusal }), headers: retry }
}

export async function submitSignOut({ setup, token }: Visit): Promise<Outcome> {
  if (token !== undefined) await endSession(setup, token)
  return { to: SIGN_IN, session: null }
}

type Shown = { next: string; email?: string; problems?: Problems; refusal?: string; status?: number }

function page({ words: { texts } }: Visit, shown: Shown): Page {
  const { next, email = '', problems = {}, refusal, status = 200 } = shown
  const keep = next === HOME ? '' : html`<input type="hidden" name="next" value="${next}">`
  const body = html`<h1>${texts.signIn}</h1>
!${summary(texts, problems, { email: texts.email, password: texts.password })}!${notice(refusal)}
<form method="post" action="${SIGN_IN}" novalidate class="narrow">!${keep}
!${input({ name: 'email', label: texts.email, type: 'email', value: email, autocomplete: 'username' }, problems)}
!${input({ name: 'password', label: texts.password, type: 'password', autocomplete: 'current-password' }, problems)}
<button>${texts.signIn}</button></form>
<p class="quiet">${texts.forgotten}</p>`
  return { title: texts.signIn, body, status }
}
