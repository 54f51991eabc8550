/**
 * Signing in and out. With a passkey, the page's module gets a challenge, and the answer is sent as an
 * ordinary form.
 */

import { html } from 'ghtml'
import type { Throttled } from '../../accounts/people/network-attempts.ts'
import { findRelyingParty } from '../../accounts/people/passkey-challenges.ts'
import { createSignInOptions, signInWithPasskey } from '../../accounts/people/passkey-sign-in.ts'
import { endSession } from '../../accounts/people/sessions.ts'
import { normalizeSignInEmail, signIn } from '../../accounts/people/sign-in.ts'
import { DRAFTS_MODULE } from '../page/assets.ts'
import { isFine, type Problems, problemsOf } from '../page/form.ts'
import { forgetAnswers } from '../page/kept-answer.ts'
import { hiddenInputs, input, notice, summary } from '../page/parts.ts'
import {
  type AnyVisit,
  type ConsolePage,
  FORGOTTEN,
  HOME,
  type Outcome,
  ownPath,
  SIGN_IN,
} from '../page/route.ts'
import { offerBrowserLink } from './browser-link.ts'
import { findDevice } from './cookies.ts'
import { getThrottledStatus, passkeyForm, requireHome, waitSentence } from './parts.ts'

export function showSignIn(visit: AnyVisit): Outcome {
  const next = ownPath(visit.query.get('next'))
  if (visit.session) return { to: next }
  const { sessionEnded, first, known } = visit.words.texts.signIn
  if (visit.query.has('known')) return page(visit, { next, why: known })
  const why = visit.token === undefined ? first : sessionEnded
  const isSignedOut = visit.query.has('signed-out')
  return page(visit, { next, isSignedOut, ...(next === HOME ? {} : { why }) })
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
  if (!isFine(problems)) return page(visit, { next, email, problems, status: 422 })
  const device = findDevice(setup, cookies, normalizeSignInEmail(email))
  const signedIn = await signIn(setup, { email, password, network, device, replaces: token })
  const isHeldBack = 'problem' in signedIn && signedIn.problem === 'wait' && device === undefined
  return answer(visit, signedIn, { next, email, refusal: texts.signIn.wrong, isHeldBack })
}

export async function submitPasskeyOptions(visit: AnyVisit): Promise<Outcome> {
  const made = await createSignInOptions(visit.setup, { home: requireHome(visit), network: visit.network })
  return 'seconds' in made ? { data: {}, status: 429 } : { data: made.options }
}

export async function submitPasskey(visit: AnyVisit): Promise<Outcome> {
  const { setup, form, network, token, words } = visit
  const next = ownPath(form.raw('next'))
  const sent = { home: requireHome(visit), answer: form.raw('answer'), network, replaces: token }
  const signedIn = await signInWithPasskey(setup, sent)
  return answer(visit, signedIn, { next, refusal: words.texts.signIn.passkeyRefused })
}

type SignInResult = { token: string; email: string } | { problem: 'wrong' } | Throttled

function answer(visit: AnyVisit, result: SignInResult, { refusal, ...shown }: Shown): Outcome {
  if ('token' in result) return { to: shown.next, session: result.token, knows: result.email }
  visit.note(result.problem === 'wrong' ? 'sign_in_refused' : 'sign_in_held_back')
  if (result.problem === 'wrong') return page(visit, { ...shown, status: 422, refusal })
  const status = getThrottledStatus(result)
  const waiting = page(visit, { ...shown, status, refusal: waitSentence(visit.words, result) })
  return { ...waiting, headers: { 'retry-after': String(result.seconds) } }
}

export async function submitSignOut({ setup, token, session }: AnyVisit): Promise<Outcome> {
  if (session !== undefined) await forgetAnswers({ setup, session })
  if (token !== undefined) await endSession(setup, token)
  return { to: `${SIGN_IN}?signed-out`, session: null }
}

type Shown = {
  next: string
  /** The browser deletes the drafts of a person who has just signed out. */
  isSignedOut?: boolean
  why?: string
  email?: string
  problems?: Problems
  refusal?: string | undefined
  /** Others may hold this sign-in back; a known browser would end that. */
  isHeldBack?: boolean
  status?: number
}

function page(visit: AnyVisit, shown: Shown): ConsolePage {
  const { signIn: texts, forgottenPassword } = visit.words.texts
  const {
    next,
    why,
    email = '',
    problems = {},
    refusal,
    status = 200,
    isSignedOut = false,
    isHeldBack = false,
  } = shown
  const passkeys = findRelyingParty(visit.setup.addresses.publicUrl) !== undefined
  const kept = next === HOME ? [] : hiddenInputs([['next', next]])
  const forget = isSignedOut ? '<span hidden data-drafts-forget></span>' : ''
  const scripts = [...(passkeys ? ['passkeys'] : []), ...(isSignedOut ? [DRAFTS_MODULE] : [])]
  // After a refusal no passkey is offered automatically: a browser that answers by itself would be refused
  // again and again.
  const passkey = {
    to: `${SIGN_IN}/passkey`,
    options: `${SIGN_IN}/passkey/options`,
    kept,
    text: texts.passkey,
    offer: status === 200,
  }
  const body = html`<h1>${texts.title}</h1>!${forget}!${why === undefined ? '' : html`<p class="lead">${why}</p>`}
!${summary(visit.words.texts, problems, { email: texts.email, password: texts.password })}!${notice(refusal)}!${isHeldBack ? offerBrowserLink(visit, email) : ''}
<form method="post" action="${SIGN_IN}" novalidate class="narrow">!${kept}
!${input({ name: 'email', label: texts.email, type: 'email', value: email, autocomplete: 'username webauthn' }, problems)}
!${input({ name: 'password', label: texts.password, type: 'password' }, problems)}
<button>${texts.title}</button></form>!${passkeys ? passkeyForm(visit, passkey) : ''}
<p><a class="alone" href="${FORGOTTEN}">${forgottenPassword.title}</a></p>`
  return { title: texts.title, body, status, scripts }
}
