/** Signing in with a passkey: a challenge for the page's module, and the browser's answer as an ordinary form. */
import { findRelyingParty } from '../../accounts/people/passkey-challenges.ts'
import { createSignInOptions, signInWithPasskey } from '../../accounts/people/passkey-sign-in.ts'
import { notFound } from '../../kernel/errors.ts'
import { ownPath } from '../page/addresses.ts'
import type { AnyVisit, Outcome } from '../page/route.ts'
import { signInPage, waitPage } from './sign-in.ts'

export async function submitPasskeyOptions({ setup, network }: AnyVisit): Promise<Outcome> {
  const made = await createSignInOptions(setup, { home: requireHome(setup.addresses.publicUrl), network })
  return 'seconds' in made ? { data: {}, status: 429 } : { data: made.options }
}

export async function submitPasskey(visit: AnyVisit): Promise<Outcome> {
  const { setup, form, network, token, words } = visit
  const next = ownPath(form.raw('next'))
  const home = requireHome(setup.addresses.publicUrl)
  const answer = form.raw('answer')
  const signedIn = await signInWithPasskey(setup, { home, answer, network, replaces: token })
  if ('token' in signedIn) return { to: next, session: signedIn.token, knows: signedIn.email }
  visit.note(signedIn.problem === 'wrong' ? 'sign_in_refused' : 'sign_in_held_back')
  if (signedIn.problem === 'wait') return waitPage(visit, { next, seconds: signedIn.seconds })
  return signInPage(visit, { next, status: 422, refusal: words.texts.signIn.passkeyRefused })
}

/** Throws `not_found` where passkeys cannot work: no page of ours leads here then. */
export function requireHome(publicUrl: string) {
  const home = findRelyingParty(publicUrl)
  if (home === undefined) throw notFound('address')
  return home
}
