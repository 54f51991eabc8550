/** What the two pages behind one-time links share: the page of a link that has ended, and the sentences about passwords. */
import { html } from 'ghtml'
import {
  MAX_PASSWORD_LENGTH,
  MIN_PASSWORD_LENGTH,
  type PasswordProblem,
} from '../../accounts/people/password.ts'
import { SIGN_IN } from '../page/addresses.ts'
import type { ConsolePage } from '../page/route.ts'
import type { Texts } from '../page/texts.ts'

export const linkEnded = (texts: Texts, reason: string): ConsolePage => ({
  status: 404,
  title: texts.linkEnded.title,
  body: html`<h1>${texts.linkEnded.title}</h1><p class="lead">${reason}</p>
<p><a class="button" href="${SIGN_IN}">${texts.signIn.title}</a></p>`,
})

/** The sentence for what is wrong with a new password, or undefined. */
export function passwordSentence(
  texts: Texts,
  password: string,
  problem: PasswordProblem | undefined,
): string | undefined {
  if (password === '') return texts.errors.required
  if (problem === undefined) return undefined
  const { short, long, common, email } = texts.errors
  return {
    short: short({ min: MIN_PASSWORD_LENGTH }),
    long: long({ max: MAX_PASSWORD_LENGTH }),
    common,
    email,
  }[problem]
}
