/** How the pages about passkeys look. */
import { html } from 'ghtml'
import { MAX_PASSKEY_NAME_LENGTH, type PasskeyRecord } from '../../accounts/people/passkeys.ts'
import { input, notice, summary } from '../page/fields.ts'
import { isFine, type Problems } from '../page/form.ts'
import { rowList } from '../page/parts.ts'
import type { ConsolePage, Visit } from '../page/route.ts'
import type { Words } from '../page/words.ts'
import { backToSettings, PASSKEYS } from './places.ts'

type Shown = {
  passkeys: readonly PasskeyRecord[]
  canWork: boolean
  name: string
  problems: Problems
  refusal: string | undefined
  status?: number
}

export function passkeysPage({ words, setup }: Visit, shown: Shown): ConsolePage {
  const texts = words.texts.passkeys
  const { passkeys, canWork, name, problems, refusal, status = 200 } = shown
  const rows = passkeys.map(passkey => row(words, passkey))
  const list = rows.length === 0 ? html`<p>${texts.none}</p>` : rowList(rows)
  const elsewhere = html`<p class="reach">${texts.unavailable({ address: setup.addresses.publicUrl })}</p>`
  const body = html`!${backToSettings(words)}<h1>${texts.title}</h1><p class="lead">${texts.lead}</p>
!${summary(words.texts, problems, { name: texts.name, password: words.texts.password.current })}!${notice(refusal)}
!${list}!${canWork ? addForm(words, name, problems) : elsewhere}`
  return { title: texts.title, body, status }
}

function row(words: Words, passkey: PasskeyRecord): string {
  const texts = words.texts.passkeys
  const used =
    passkey.last_used_at === null
      ? texts.neverUsed
      : texts.lastUsed({ time: words.minute(passkey.last_used_at) })
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
    autocomplete: 'off',
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
    autocomplete: 'current-password',
  } as const
  return html`<section aria-labelledby="add"><h2 id="add">${texts.add}</h2>
<form method="post" action="${PASSKEYS}" novalidate class="narrow">
!${input(nameField(words, name), problems)}!${input(password, problems)}<button>${texts.next}</button></form></section>`
}

/** Its module asks the browser at once, and again by the button. */
export function confirmPage(
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

const toPasskeys = (words: Words) =>
  backToSettings(words, { path: PASSKEYS, name: words.texts.passkeys.title })

export function passkeyPage(
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

export function removePasskeyPage({ words }: Visit, passkey: PasskeyRecord): ConsolePage {
  const texts = words.texts.passkeys
  const title = texts.removeTitle({ name: passkey.name })
  const body = html`!${toPasskeys(words)}<h1>${title}</h1><p class="lead">${texts.removeLead}</p>
<form method="post" action="${PASSKEYS}/${passkey.id}/remove" class="choices">
<button class="danger">${texts.remove}</button> <a class="button second" href="${PASSKEYS}">${words.texts.people.keep}</a></form>`
  return { title, body }
}
