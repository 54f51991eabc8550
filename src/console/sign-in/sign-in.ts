/** Signing in and out. */
import { html } from 'ghtml'
import { findRelyingParty } from '../../accounts/people/passkey-challenges.ts'
import { endSession } from '../../accounts/people/sessions.ts'
import { normalizeSignInEmail, signIn } from '../../accounts/people/sign-in.ts'
import { FORGOTTEN, HOME, ownPath, SIGN_IN } from '../page/addresses.ts'
import { DRAFTS_MODULE } from '../page/assets.ts'
import { input, notice, summary } from '../page/fields.ts'
import { isFine, type Problems, problemsOf } from '../page/form.ts'
import type { AnyVisit, ConsolePage, Outcome } from '../page/route.ts'
import type { Texts } from '../page/texts.ts'
import { findDevice } from './device-cookie.ts'

export function showSignIn(visit: AnyVisit): Outcome {
  const next = ownPath(visit.query.get('next'))
  if (visit.session) return { to: next }
  const { sessionEnded: signInAgain, first: signInFirst } = visit.words.texts.signIn
  const why = visit.token === undefined ? signInFirst : signInAgain
  const isSignedOut = visit.query.has('signed-out')
  return signInPage(visit, { next, isSignedOut, ...(next === HOME ? {} : { why }) })
}

export async function submitSignIn(visit: AnyVisit): Promise<Outcome> {
  const { form, setup, network, token, words, cookies } = visit
  const { texts } = words
  const next = ownPath(form.raw('next'))
  const email = form.text('email')
  const password = form.raw('password')
  const problems = problemsOf({
    email: email === '' ? texts.errors.required : undefined,
    password: password === '' ? texts.errors.required : undefined,
  })
  if (!isFine(problems)) return signInPage(visit, { next, email, problems, status: 422 })
  const device = findDevice(setup, cookies, normalizeSignInEmail(email))
  const signedIn = await signIn(setup, { email, password, network, device, replaces: token })
  if ('token' in signedIn) return { to: next, session: signedIn.token, knows: signedIn.email }
  visit.note(signedIn.problem === 'wrong' ? 'sign_in_refused' : 'sign_in_held_back')
  if (signedIn.problem === 'wrong') {
    return signInPage(visit, { next, email, status: 422, refusal: texts.signIn.wrong })
  }
  return waitPage(visit, { next, email, seconds: signedIn.seconds })
}

/** The sign-in page for who has tried too often. */
export function waitPage(
  visit: AnyVisit,
  shown: { next: string; email?: string; seconds: number },
): ConsolePage {
  const { seconds, ...rest } = shown
  const refusal = visit.words.texts.signIn.wait({ count: Math.ceil(seconds / 60) })
  const retry = { 'retry-after': String(seconds) }
  return { ...signInPage(visit, { ...rest, status: 429, refusal }), headers: retry }
}

export async function submitSignOut({ setup, token }: AnyVisit): Promise<Outcome> {
  if (token !== undefined) await endSession(setup, token)
  return { to: `${SIGN_IN}?signed-out`, session: null }
}

type Shown = {
  next: string
  /** The browser keeps no drafts of who has just signed out. */
  isSignedOut?: boolean
  why?: string
  email?: string
  problems?: Problems
  refusal?: string
  status?: number
}

export function signInPage({ words: { texts }, setup }: AnyVisit, shown: Shown): ConsolePage {
  const { next, why, email = '', problems = {}, refusal, status = 200, isSignedOut = false } = shown
  const passkeys = findRelyingParty(setup.addresses.publicUrl) !== undefined
  const keep = next === HOME ? '' : html`<input type="hidden" name="next" value="${next}">`
  const forget = isSignedOut ? '<span hidden data-drafts-forget></span>' : ''
  const scripts = [...(passkeys ? ['passkeys'] : []), ...(isSignedOut ? [DRAFTS_MODULE] : [])]
  const body = html`<h1>${texts.signIn.title}</h1>!${forget}!${why === undefined ? '' : html`<p class="lead">${why}</p>`}
!${summary(texts, problems, { email: texts.signIn.email, password: texts.signIn.password })}!${notice(refusal)}
<form method="post" action="${SIGN_IN}" novalidate class="narrow">!${keep}
!${input({ name: 'email', label: texts.signIn.email, type: 'email', value: email, autocomplete: 'username webauthn' }, problems)}
!${input({ name: 'password', label: texts.signIn.password, type: 'password', autocomplete: 'current-password' }, problems)}
<button>${texts.signIn.title}</button></form>!${passkeys ? passkeyForm(texts, { publicUrl: setup.addresses.publicUrl, keep, offer: status === 200 }) : ''}
<p><a class="alone" href="${FORGOTTEN}">${texts.forgottenPassword.title}</a></p>`
  return { title: texts.signIn.title, body, status, scripts }
}

/**
 * Its module shows it where the browser knows passkeys, and fills in the answer. Once something was refused nothing is
 * offered unasked: a browser that answers by itself would be refused again and again.
 */
const passkeyForm = (
  texts: Texts,
  { publicUrl, keep, offer }: { publicUrl: string; keep: string; offer: boolean },
) =>
  html`<form method="post" action="${SIGN_IN}/passkey" class="narrow" hidden data-passkey="use" data-offer="${offer ? 'yes' : 'no'}" data-options="${SIGN_IN}/passkey/options"
data-cancelled="${texts.signIn.passkeyCancelled}" data-elsewhere="${texts.signIn.passkeyElsewhere({ address: new URL(publicUrl).origin })}">!${keep}
<input type="hidden" name="answer" value=""><p class="error" role="status" hidden></p>
<button class="second">${texts.signIn.passkey}</button></form>`
