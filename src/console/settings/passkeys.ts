/** One's own passkeys: listed, added with the password at hand, renamed, removed. */
import { addPasskey, createPasskeyOptions } from '../../accounts/people/add-passkey.ts'
import { checkOwnPassword } from '../../accounts/people/change-password.ts'
import { findRelyingParty } from '../../accounts/people/passkey-challenges.ts'
import {
  getPasskey,
  listPasskeys,
  MAX_PASSKEY_NAME_LENGTH,
  MAX_PASSKEYS_PER_PERSON,
  removePasskey,
  renamePasskey,
} from '../../accounts/people/passkeys.ts'
import { isFine, nameProblem, type Problems, problemsOf } from '../page/form.ts'
import type { Outcome, Visit } from '../page/route.ts'
import { requireHome } from '../sign-in/passkey.ts'
import { confirmPage, passkeyPage, passkeysPage, removePasskeyPage } from './passkey-pages.ts'
import { PASSKEYS } from './places.ts'

export const showPasskeys = (visit: Visit): Promise<Outcome> => list(visit, { name: '' })

type Shown = { name: string; problems?: Problems; refusal?: string; status?: number }

async function list(visit: Visit, shown: Shown): Promise<Outcome> {
  const { setup, session } = visit
  const passkeys = await listPasskeys(setup, session)
  const canWork = findRelyingParty(setup.addresses.publicUrl) !== undefined
  return passkeysPage(visit, { passkeys, canWork, problems: {}, refusal: undefined, ...shown })
}

/** First the name and the password; then the page on which the browser asks. */
export async function submitNewPasskey(visit: Visit): Promise<Outcome> {
  const { setup, session, form, network, words } = visit
  const home = requireHome(setup.addresses.publicUrl)
  const name = form.text('name')
  const password = form.raw('password')
  const problems = problemsOf({
    name: nameProblem(words.texts, name, MAX_PASSKEY_NAME_LENGTH),
    password: password === '' ? words.texts.errors.required : undefined,
  })
  if (!isFine(problems)) return list(visit, { name, problems, status: 422 })
  const checked = await checkOwnPassword(setup, session, { password, network })
  if ('token' in checked) {
    const options = await createPasskeyOptions(setup, session, {
      ...home,
      serviceName: words.texts.page.brand,
    })
    return { ...confirmPage(visit, { name, options }), session: checked.token }
  }
  visit.note('proof_refused')
  if (checked.problem === 'wait') {
    const wait = words.texts.signIn.wait({ count: Math.ceil(checked.seconds / 60) })
    return list(visit, { name, problems: { password: wait }, status: 429 })
  }
  const wrong = { password: words.texts.password.wrong }
  return list(visit, { name, problems: wrong, status: 422 })
}

/** What the browser made. Only who got the challenge, after the password, has an answer to it. */
export async function submitMadePasskey(visit: Visit): Promise<Outcome> {
  const { setup, session, form, words } = visit
  const texts = words.texts.passkeys
  const home = requireHome(setup.addresses.publicUrl)
  const name = form.text('name')
  const problems = problemsOf({ name: nameProblem(words.texts, name, MAX_PASSKEY_NAME_LENGTH) })
  if (!isFine(problems)) return list(visit, { name, problems, status: 422 })
  const added = await addPasskey(setup, session, { home, answer: form.raw('answer'), name })
  if ('id' in added) return { to: PASSKEYS }
  const refusal = added.problem === 'full' ? texts.full({ max: MAX_PASSKEYS_PER_PERSON }) : texts.refused
  return list(visit, { name, refusal, status: 422 })
}

export async function showPasskey(visit: Visit): Promise<Outcome> {
  const passkey = await getPasskey(visit.setup, visit.session, visit.id)
  return passkeyPage(visit, passkey, passkey.name, {})
}

export async function submitPasskeyName(visit: Visit): Promise<Outcome> {
  const { setup, session, form, words } = visit
  const passkey = await getPasskey(setup, session, visit.id)
  const name = form.text('name')
  const problems = problemsOf({ name: nameProblem(words.texts, name, MAX_PASSKEY_NAME_LENGTH) })
  if (!isFine(problems)) return passkeyPage(visit, passkey, name, problems)
  await renamePasskey(setup, session, { id: passkey.id, name })
  return { to: PASSKEYS }
}

export async function showRemovePasskey(visit: Visit): Promise<Outcome> {
  return removePasskeyPage(visit, await getPasskey(visit.setup, visit.session, visit.id))
}

export async function submitRemovePasskey({ setup, session, id }: Visit): Promise<Outcome> {
  await removePasskey(setup, session, id)
  return { to: PASSKEYS }
}
