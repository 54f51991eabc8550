/** How the pages about passkeys look. */
import { html } from 'ghtml'
import { MAX_PASSKEY_NAME_LENGTH, type PasskeyRecord } from '../../accounts/people/passkeys.ts'
import { input, notice, summary } from '../page/fields.ts'
import { isFine, type Problems } from '../page/form.ts'
import type { Page, SignedInVisit } from '../page/route.ts'
import { type Words, wordsOf } from '../page/words.ts'
import { PASSKEYS, wayBack } from './places.ts'
import { SETTINGS_TEXTS } from './texts.ts'

type Shown = {
  passkeys: readonly PasskeyRecord[]
  canWork: boolean
  name: string
  problems: Problems
  refusal: string | undefined
  status?: number
}

export function passkeysPage({ words, setup }: SignedInVisit, shown: Shown): Page {
  const texts = wordsOf(words, SETTINGS_TEXTS)
  const { passkeys, canWork, name, problems, refusal, status = 200 } = shown
  const rows = passkeys.map(passkey => row(words, passkey))
  const list = rows.length === 0 ? html`<p>${texts.passkeysNone}</p>` : html`<ul class="rows">!${rows}</ul>`
  const elsewhere = html`<p class="reach">${texts.passkeysElsewhere(setup.addresses.publicUrl)}</p>`
  const body = html`!${wayBack(words)}<h1>${texts.passkeys}</h1><p class="lead">${texts.passkeysLead}</p>
!${summary(words.texts, problems, { name: texts.passkeyName, password: texts.current })}!${notice(refusal)}
!${list}!${canWork ? addForm(words, name, problems) : elsewhere}`
  return { title: texts.passkeys, body, status }
}

function row(words: Words, passkey: PasskeyRecord): string {
  const texts = wordsOf(words, SETTINGS_TEXTS)
  const used =
    passkey.last_used_at === null ? texts.passkeyNever : texts.passkeyUsed(words.minute(passkey.last_used_at))
  return html`<li class="with-act"><div><strong>${passkey.name}</strong>
<span class="quiet line">${texts.passkeyAdded(words.date(passkey.created_at))} · ${used}</span></div>
<a class="action" href="${PASSKEYS}/${passkey.id}">${texts.change}<span class="sight"> ${passkey.name}</span></a></li>`
}

const nameField = (words: Words, value: string) => {
  const texts = wordsOf(words, SETTINGS_TEXTS)
  return {
    name: 'name',
    label: texts.passkeyName,
    hint: texts.passkeyNameHint,
    value,
    autocomplete: 'off',
    maxLength: MAX_PASSKEY_NAME_LENGTH,
  }
}

function addForm(words: Words, name: string, problems: Problems): string {
  const texts = wordsOf(words, SETTINGS_TEXTS)
  const password = {
    name: 'password',
    label: texts.current,
    hint: texts.passkeyPasswordHint,
    type: 'password',
    autocomplete: 'current-password',
  } as const
  return html`<section aria-labelledby="add"><h2 id="add">${texts.passkeyAdd}</h2>
<form method="post" action="${PASSKEYS}" novalidate class="narrow">
!${input(nameField(words, name), problems)}!${input(password, problems)}<button>${texts.passkeyNext}</button></form></section>`
}

/** Its module asks the browser at once, and again by the button. */
export function confirmPage(
  { words, setup }: SignedInVisit,
  { name, options }: { name: string; options: string },
): Page {
  const texts = wordsOf(words, SETTINGS_TEXTS)
  const { origin } = new URL(setup.addresses.publicUrl)
  const body = html`!${toPasskeys(words)}<h1>${texts.passkeyConfirmTitle}</h1><p class="lead">${texts.passkeyConfirmLead}</p>
<form method="post" action="${PASSKEYS}/made" data-passkey="add" data-options="${options}" data-cancelled="${texts.passkeyCancelled}"
data-known="${texts.passkeyKnown}" data-unknown="${texts.passkeyUnknown}" data-elsewhere="${texts.passkeyWrongHost(origin)}">
<input type="hidden" name="name" value="${name}"><input type="hidden" name="answer" value="">
<p class="error" role="status" hidden></p>
<div class="choices"><button>${texts.passkeyAsk}</button> <a class="button second" href="${PASSKEYS}">${texts.keep}</a></div></form>`
  return { title: texts.passkeyConfirmTitle, body, scripts: ['passkeys'] }
}

const toPasskeys = (words: Words) =>
  wayBack(words, { path: PASSKEYS, name: wordsOf(words, SETTINGS_TEXTS).passkeys })

export function passkeyPage(
  { words }: SignedInVisit,
  passkey: PasskeyRecord,
  name: string,
  problems: Problems,
): Page {
  const texts = wordsOf(words, SETTINGS_TEXTS)
  const body = html`!${toPasskeys(words)}<h1>${passkey.name}</h1>
!${summary(words.texts, problems, { name: texts.passkeyName })}
<form method="post" action="${PASSKEYS}/${passkey.id}" novalidate class="narrow">!${input(nameField(words, name), problems)}
<button>${texts.passkeyRename}</button></form>
<p><a class="alone" href="${PASSKEYS}/${passkey.id}/remove">${texts.passkeyRemove}</a></p>`
  return { title: passkey.name, body, status: isFine(problems) ? 200 : 422 }
}

export function removePasskeyPage({ words }: SignedInVisit, passkey: PasskeyRecord): Page {
  const texts = wordsOf(words, SETTINGS_TEXTS)
  const title = texts.passkeyRemoveTitle(passkey.name)
  const body = html`!${toPasskeys(words)}<h1>${title}</h1><p class="lead">${texts.passkeyRemoveLead}</p>
<form method="post" action="${PASSKEYS}/${passkey.id}/remove" class="choices">
<button class="danger">${texts.passkeyRemove}</button> <a class="button second" href="${PASSKEYS}">${texts.keep}</a></form>`
  return { title, body }
}
