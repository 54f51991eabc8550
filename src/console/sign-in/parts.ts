/** Parts that the pages for signing in and proving one's identity share. */
import { html } from 'ghtml'
import { checkOwnPassword } from '../../accounts/people/change-password.ts'
import type { Throttled } from '../../accounts/people/network-attempts.ts'
import { findRelyingParty } from '../../accounts/people/passkey-challenges.ts'
import {
  MAX_PASSWORD_LENGTH,
  MIN_PASSWORD_LENGTH,
  type PasswordProblem,
} from '../../accounts/people/password.ts'
import { createSession } from '../../accounts/people/sessions.ts'
import { AppError, notFound } from '../../kernel/errors/errors.ts'
import type { Problems } from '../page/form.ts'
import { input } from '../page/parts.ts'
import {
  type AnyVisit,
  type ConsolePage,
  HOME,
  type Outcome,
  SIGN_IN,
  type Visit,
  type Words,
} from '../page/route.ts'
import type { Texts } from '../page/texts.ts'
import { linkCookie } from './cookies.ts'

export function passwordSentence(
  { errors: { required, short, long, common, email } }: Texts,
  password: string,
  problem: PasswordProblem | undefined,
): string | undefined {
  if (password === '') return required
  if (problem === undefined) return undefined
  return {
    short: short({ min: MIN_PASSWORD_LENGTH }),
    long: long({ max: MAX_PASSWORD_LENGTH }),
    common,
    email,
  }[problem]
}

export function newPasswordInput({ signIn }: Texts, label: string, problems: Problems): string {
  const hint = signIn.passwordHint({ min: MIN_PASSWORD_LENGTH, max: MAX_PASSWORD_LENGTH })
  return input({ name: 'password', label, type: 'password', hint, autocomplete: 'new-password' }, problems)
}

/** Tells password managers whose password this is. `name`: the attribute of that name, or ''. */
export const usernameInput = (email: string, name = '') =>
  html`<input type="text"!${name} value="${email}" autocomplete="username" class="sight" readonly tabindex="-1" aria-hidden="true">`

export const waitSentence = ({ texts: { signIn } }: Words, { seconds, isOverload }: Throttled) =>
  isOverload ? signIn.busy({ seconds }) : signIn.wait({ count: Math.ceil(seconds / 60) })

/** 429 only for a limit that this source has reached itself. */
export const getThrottledStatus = ({ isOverload }: Throttled) => (isOverload ? 503 : 429)

/**
 * Records a refused proof. Returns the sentence to show, with 429 after too many attempts and 503 under
 * overload.
 */
export function refuseProof(
  { words, note }: AnyVisit,
  refused: { problem: 'wrong' } | Throttled,
  wrong: string,
): { sentence: string; status: 422 | 429 | 503 } {
  note('proof_refused')
  if (refused.problem === 'wrong') return { sentence: wrong, status: 422 }
  return { sentence: waitSentence(words, refused), status: getThrottledStatus(refused) }
}

/** The session's new token if the password is right, else the sentence to show. */
export async function checkTypedPassword(visit: Visit, password: string, wrong: string) {
  const { setup, session, network } = visit
  const checked = await checkOwnPassword(setup, session, { password, network })
  return 'token' in checked ? checked : refuseProof(visit, checked, wrong)
}

/** Throws `not_found` where passkeys cannot work; no page links here then. */
export function requireHome({ setup }: AnyVisit) {
  const home = findRelyingParty(setup.addresses.publicUrl)
  if (home === undefined) throw notFound('address')
  return home
}

/** `kept`: hidden inputs. `offer`: the browser may offer a passkey before the button is pressed. */
type PasskeyForm = { to: string; options: string; kept: readonly string[]; text: string; offer: boolean }

/** The page's module shows the form if the browser supports passkeys, and fills in the answer. */
export function passkeyForm({ words, setup }: AnyVisit, form: PasskeyForm): string {
  const { signIn } = words.texts
  const { origin } = new URL(setup.addresses.publicUrl)
  return html`<form method="post" action="${form.to}" class="narrow" hidden data-passkey="use" data-offer="${form.offer ? 'yes' : 'no'}" data-options="${form.options}"
data-cancelled="${signIn.passkeyCancelled}" data-elsewhere="${signIn.passkeyElsewhere({ address: origin })}">!${form.kept}
<input type="hidden" name="answer" value=""><p class="error" role="status" hidden></p>
<button class="second">${form.text}</button></form>`
}

export function linkEnded({ words: { texts }, note }: AnyVisit, reason: string): ConsolePage {
  note('link_refused')
  const { title } = texts.linkEnded
  const body = html`<h1>${title}</h1><p class="lead">${reason}</p>
<p><a class="button" href="${SIGN_IN}">${texts.signIn.title}</a></p>`
  return { status: 404, title, body }
}

/**
 * Signs in a person who has just set a password by the link at `path`; shows `reason` if the link has ended
 * meanwhile.
 */
export async function signInByLink(
  visit: AnyVisit,
  { path, reason }: { path: string; reason: string },
  setPerson: () => Promise<{ personId: string; passwordHash: string }>,
): Promise<Outcome> {
  try {
    const session = await createSession(visit.setup, { ...(await setPerson()), replaces: visit.token })
    const cookie = linkCookie(visit, path, null)
    return session === undefined
      ? { to: SIGN_IN, cookie }
      : { to: HOME, session: session.token, knows: session.email, cookie }
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return linkEnded(visit, reason)
    throw error
  }
}
