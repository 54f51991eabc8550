/** How the pages about passkeys look. */
import { html } from 'ghtml'
import { MAX_PASSKEY_NAME_LENGTH, type PasskeyRecord } from '../../accounts/people/passkeys.ts'
import { input, notice, summary } from '../page/fields.ts'
import { isFine, type Problems } from '../page/form.ts'
import type { ConsolePage, SignedInVisit } from '../page/route.ts'
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

export function passkeysPage({ words, setup }: SignedInVisit, shown: Shown): ConsolePage {
  const { texts } = words
  const { passkeys, canWork, name, problems, refusal, status = 200 } = shown
  const rows = passkeys.map(passkey => row(words, passkey))
  const list = rows.length === 0 ? html`<p>${texts.passkeys.none}</p>` : html`<ul class="rows">!${rows}</ul>`
  const elsewhere = html`<p class="reach">${texts.passkeys.unavailable({ address: setup.addresses.publicUrl })}</p>`
  const body = html`!${backToSettings(words)}<h1>${texts.passkeys.title}</h1><p class="lead">${texts.passkeys.lead}</p>
!${summary(words.texts, problems, { name: texts.passkeys.name, password: texts.password.current })}!${notice(refusal)}
!${list}!${canWork ? addForm(words, name, problems) : elsewhere}`
  return { title: texts.passkeys.title, body, status }
}

function row(words: Words, passkey: PasskeyRecord): string {
  const { texts } = words
  const used =
    passkey.last_used_at === null
      ? texts.passkeys.neverUsed
      : texts.passkeys.lastUsed({ time: words.minute(passkey.last_used_at) })
  return html`<li class="with-act"><div><strong>${passkey.name}</strong>
<span class="quiet line">${texts.passkeys.added({ date: words.date(passkey.created_at) })} · ${used}</span></div>
<a class="action" href="${PASSKEYS}/${passkey.id}">${texts.people.change}<span class="sight"> ${passkey.name}</span></a></li>`
}

const nameField = (words: Words, value: string) => {
  const { texts } = words
  return {
    name: 'name',
    label: texts.passkeys.name,
    hint: texts.passkeys.nameHint,
    value,
    autocomplete: 'off',
    maxLength: MAX_PASSKEY_NAME_LENGTH,
  }
}

function addForm(words: Words, name: string, problems: Problems): string {
  const { texts } = words
  const password = {
    name: 'password',
    label: texts.password.current,
    hint: texts.passkeys.passwordHint,
    type: 'password',
    autocomplete: 'current-password',
  } as const
  return html`<section aria-labelledby="add"><h2 id="add">${texts.passkeys.add}</h2>
<form method="post" action="${PASSKEYS}" novalidate class="narrow">
!${input(nameField(words, name), problems)}!${input(password, problems)}<button>${texts.passkeys.next}</button></form></section>`
}

/** Its module asks the browser at once, and again by the button. */
export function confirmPage(
  { words, setup }: SignedInVisit,
  { name, options }: { name: string; options: string },
): ConsolePage {
  const { texts } = words
  const { origin } = new URL(setup.addresses.publicUrl)
  const body = html`!${toPasskeys(words)}<h1>${texts.passkeys.confirmTitle}</h1><p class="lead">${texts.passkeys.confirmLead}</p>
<form method="post" action="${PASSKEYS}/made" data-passkey="add" data-options="${options}" data-cancelled="${texts.passkeys.cancelled}"
data-known="${texts.passkeys.known}" data-unknown="${texts.passkeys.unsupported}" data-elsewhere="${texts.passkeys.wrongHost({ address: origin })}">
<input type="hidden" name="name" value="${name}"><input type="hidden" name="answer" value="">
<p class="error" role="status" hidden></p>
<div class="choices"><button>${texts.passkeys.askAgain}</button> <a class="button second" href="${PASSKEYS}">${texts.people.keep}</a></div></form>`
  return { title: texts.passkeys.confirmTitle, body, scripts: ['passkeys'] }
}

const toPasskeys = (words: Words) =>
  backToSettings(words, { path: PASSKEYS, name: words.texts.passkeys.title })

export function passkeyPage(
  { words }: SignedInVisit,
  passkey: PasskeyRecord,
  name: string,
  problems: Problems,
): ConsolePage {
  const { texts } = words
  const body = html`!${toPasskeys(words)}<h1>${passkey.name}</h1>
!${summary(words.texts, problems, { name: texts.passkeys.name })}
<form method="post" action="${PASSKEYS}/${passkey.id}" novalidate class="narrow">!${input(nameField(words, name), problems)}
<button>${texts.passkeys.rename}</button></form>
<p><a class="alone" href="${PASSKEYS}/${passkey.id}/remove">${texts.passkeys.remove}</a></p>`
  return { title: passkey.name, body, status: isFine(problems) ? 200 : 422 }
}

export function removePasskeyPage({ words }: SignedInVisit, passkey: PasskeyRecord): ConsolePage {
  const { texts } = words
  const title = texts.passkeys.removeTitle({ name: passkey.name })
  const body = html`!${toPasskeys(words)}<h1>${title}</h1><p class="lead">${texts.passkeys.removeLead}</p>
<form method="post" action="${PASSKEYS}/${passkey.id}/remove" class="choices">
<button class="danger">${texts.passkeys.remove}</button> <a class="button second" href="${PASSKEYS}">${texts.people.keep}</a></form>`
  return { title, body }
}
