/** A person's own passkeys: listed, added after a password check, renamed, removed. */

import { html } from 'ghtml'
import { addPasskey, createPasskeyOptions } from '../../accounts/people/add-passkey.ts'
import { findRelyingParty } from '../../accounts/people/passkey-challenges.ts'
import {
  getPasskey,
  listPasskeys,
  MAX_PASSKEY_NAME_LENGTH,
  MAX_PASSKEYS_PER_PERSON,
  type PasskeyRecord,
  removePasskey,
  renamePasskey,
} from '../../accounts/people/passkeys.ts'
import { isFine, nameProblem, type Problems, problemsOf } from '../page/form.ts'
import { backLink, input, notice, questionPage, rowList, section, summary } from '../page/parts.ts'
import type { ConsolePage, Outcome, Visit, Words } from '../page/route.ts'
import { checkTypedPassword, requireHome } from '../sign-in/parts.ts'
import { PASSKEYS, settingsHead } from './places.ts'

export const showPasskeys = (visit: Visit): Promise<Outcome> => list(visit, { name: '' })

type Shown = { name: string; problems?: Problems; refusal?: string; status?: number }

async function list(visit: Visit, { name, problems = {}, refusal, status = 200 }: Shown): Promise<Outcome> {
  const { words, setup, session } = visit
  const texts = words.texts.passkeys
  const { publicUrl } = setup.addresses
  const rows = (await listPasskeys(setup, session)).map(passkey => row(words, passkey))
  const add =
    findRelyingParty(publicUrl) === undefined
      ? html`<p class="reach">${texts.unavailable({ address: publicUrl })}</p>`
      : addForm(words, name, problems)
  const body = html`!${settingsHead(words, texts)}
!${summary(words.texts, problems, { name: texts.name, password: words.texts.password.current })}!${notice(refusal)}
!${rows.length === 0 ? html`<p>${texts.none}</p>` : rowList(rows)}!${add}`
  return { title: texts.title, body, status }
}

function row(words: Words, passkey: PasskeyRecord): string {
  const texts = words.texts.passkeys
  const { last_used_at: last } = passkey
  const used = last === null ? texts.neverUsed : texts.lastUsed({ time: words.minute(last) })
  return html`<li class="with-act"><div><strong>${passkey.name}</strong>
<span class="quiet line">${texts.added({ date: words.date(passkey.created_at) })} · ${used}</span></div>
<a class="action" href="${PASSKEYS}/${passkey.id}">${words.texts.people.change}<span class="sight"> ${passkey.name}</span></a></li>`
}

const nameField = (words: Words, value: string) => {
  const texts = words.texts.passkeys
  return {
    name: 'name',
    label: texts.name,
    hint: texts.nameHint,
    value,
    maxLength: MAX_PASSKEY_NAME_LENGTH,
  }
}

function addForm(words: Words, name: string, problems: Problems): string {
  const texts = words.texts.passkeys
  const password = {
    name: 'password',
    label: words.texts.password.current,
    hint: texts.passwordHint,
    type: 'password',
  } as const
  const content = html`
<form method="post" action="${PASSKEYS}" novalidate class="narrow">
!${input(nameField(words, name), problems)}!${input(password, problems)}<button>${texts.next}</button></form>`
  return section('add', texts.add, content)
}

/** First the name and the password, then the page on which the browser creates the passkey. */
export async function submitNewPasskey(visit: Visit): Promise<Outcome> {
  const { setup, session, form, words } = visit
  const home = requireHome(visit)
  const name = form.text('name')
  const password = form.raw('password')
  const problems = problemsOf({
    name: nameProblem(words.texts, name, MAX_PASSKEY_NAME_LENGTH),
    password: password === '' ? words.texts.errors.required : undefined,
  })
  if (!isFine(problems)) return list(visit, { name, problems, status: 422 })
  const checked = await checkTypedPassword(visit, password, words.texts.password.wrong)
  if ('token' in checked) {
    const { brand } = words.texts.page
    const options = await createPasskeyOptions(setup, session, { ...home, serviceName: brand })
    return { ...confirmPage(visit, { name, options }), session: checked.token }
  }
  return list(visit, { name, problems: { password: checked.sentence }, status: checked.status })
}

/** The page's module asks the browser at once, and again when the button is pressed. */
function confirmPage(
  { words, setup }: Visit,
  { name, options }: { name: string; options: string },
): ConsolePage {
  const texts = words.texts.passkeys
  const { origin } = new URL(setup.addresses.publicUrl)
  const body = html`!${toPasskeys(words)}<h1>${texts.confirmTitle}</h1><p class="lead">${texts.confirmLead}</p>
<form method="post" action="${PASSKEYS}/made" data-passkey="add" data-options="${options}" data-cancelled="${texts.cancelled}"
data-known="${texts.known}" data-unknown="${texts.unsupported}" data-elsewhere="${texts.wrongHost({ address: origin })}">
<input type="hidden" name="name" value="${name}"><input type="hidden" name="answer" value="">
<p class="error" role="status" hidden></p>
<div class="choices"><button>${texts.askAgain}</button> <a class="button second" href="${PASSKEYS}">${words.texts.people.keep}</a></div></form>`
  return { title: texts.confirmTitle, body, scripts: ['passkeys'] }
}

/**
 * Stores the browser's passkey. Only a person who got the challenge, after the password, can send a valid
 * one.
 */
export async function submitMadePasskey(visit: Visit): Promise<Outcome> {
  const { setup, session, form, words } = visit
  const texts = words.texts.passkeys
  const home = requireHome(visit)
  const name = form.text('name')
  const problems = problemsOf({ name: nameProblem(words.texts, name, MAX_PASSKEY_NAME_LENGTH) })
  if (!isFine(problems)) return list(visit, { name, problems, status: 422 })
  const added = await addPasskey(setup, session, { home, answer: form.raw('answer'), name })
  if ('id' in added) return { to: PASSKEYS }
  const refusal = added.problem === 'full' ? texts.full({ max: MAX_PASSKEYS_PER_PERSON }) : texts.refused
  return list(visit, { name, refusal, status: 422 })
}

const passkeyOf = ({ setup, session, id }: Visit): Promise<PasskeyRecord> => getPasskey(setup, session, id)

export async function showPasskey(visit: Visit): Promise<Outcome> {
  const passkey = await passkeyOf(visit)
  return passkeyPage(visit, passkey, passkey.name, {})
}

const toPasskeys = ({ texts }: Words) => backLink(PASSKEYS, texts.passkeys.title)

function passkeyPage(
  { words }: Visit,
  passkey: PasskeyRecord,
  name: string,
  problems: Problems,
): ConsolePage {
  const texts = words.texts.passkeys
  const body = html`!${toPasskeys(words)}<h1>${passkey.name}</h1>
!${summary(words.texts, problems, { name: texts.name })}
<form method="post" action="${PASSKEYS}/${passkey.id}" novalidate class="narrow">!${input(nameField(words, name), problems)}
<button>${texts.rename}</button></form>
<p><a class="alone" href="${PASSKEYS}/${passkey.id}/remove">${texts.remove}</a></p>`
  return { title: passkey.name, body, status: isFine(problems) ? 200 : 422 }
}

export async function submitPasskeyName(visit: Visit): Promise<Outcome> {
  const { setup, session, form, words } = visit
  const passkey = await passkeyOf(visit)
  const name = form.text('name')
  const problems = problemsOf({ name: nameProblem(words.texts, name, MAX_PASSKEY_NAME_LENGTH) })
  if (!isFine(problems)) return passkeyPage(visit, passkey, name, problems)
  await renamePasskey(setup, session, { id: passkey.id, name })
  return { to: PASSKEYS }
}

export async function showRemovePasskey(visit: Visit): Promise<Outcome> {
  const { id, name } = await passkeyOf(visit)
  const { passkeys: texts, people } = visit.words.texts
  return questionPage({
    way: toPasskeys(visit.words),
    title: texts.removeTitle({ name }),
    about: html`<p class="lead">${texts.removeLead}</p>`,
    action: `${PASSKEYS}/${id}/remove`,
    submit: texts.remove,
    back: PASSKEYS,
    keep: people.keep,
  })
}

export async function submitRemovePasskey({ setup, session, id }: Visit): Promise<Outcome> {
  await removePasskey(setup, session, id)
  return { to: PASSKEYS }
}
