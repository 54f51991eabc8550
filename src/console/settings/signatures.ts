/** Signatures of an account: what signing means, whether it is on, and the keys it signs with. */
import { html } from 'ghtml'
import {
  findIssuer,
  findSecretIssuer,
  type Issuer,
  rotateSigningKey,
  type SecretIssuer,
  setSigning,
} from '../../accounts/issuer/issuer.ts'
import { getIssuerDid, getIssuerUrl } from '../../passports/documents/issuer-document.ts'
import { revokeKeyAndSignatures } from '../../passports/signed/revoke-key.ts'
import { alertBox, backLink, doneNotice, pointList, questionPage, rowList, section } from '../page/parts.ts'
import type { Outcome, Visit, Words } from '../page/route.ts'
import { SIGNATURES, settingsHead } from './places.ts'

type StoredKey = Issuer['keys'][number]

export async function showSignatures(visit: Visit): Promise<Outcome> {
  const { ctx, setup, words, query } = visit
  const texts = words.texts.signatures
  const issuer = await findSecretIssuer(ctx.sql, setup.secretCipher, ctx.accountId)
  const done = findDone(query.get('done'))
  const unreadable = issuer?.isSigning === true && issuer.signingKey === undefined
  const body = html`!${settingsHead(words, texts)}!${done === undefined ? '' : doneNotice(texts.done[done])}
!${unreadable ? alertBox(html`<p>${texts.unreadable}</p>`) : ''}
!${section('signing', texts.signing, renderSwitch(words, issuer?.isSigning ?? false))}
!${issuer === undefined ? '' : renderIssuer(visit, issuer)}`
  return { title: texts.title, body }
}

const DONE = ['on', 'off', 'rotated', 'revoked'] as const

const findDone = (text: string | null) => DONE.find(one => one === text)

function renderSwitch({ texts: { signatures: texts } }: Words, isOn: boolean): string {
  const state = isOn ? texts.isOn : texts.isOff
  return html`<p><strong>${state}</strong></p>!${pointList(isOn ? texts.pointsOn : texts.pointsOff)}
<form method="post" action="${SIGNATURES}"><button!${isOn ? ' class="second"' : ''} name="to" value="${isOn ? 'off' : 'on'}">${isOn ? texts.switchOff : texts.switchOn}</button></form>`
}

function renderIssuer({ words, setup }: Visit, issuer: SecretIssuer): string {
  const texts = words.texts.signatures
  const address = getIssuerUrl(setup.addresses, issuer.name)
  const identity = html`<p>${texts.identityLead}</p><dl class="pairs"><dt>${texts.did}</dt><dd><code>${getIssuerDid(setup.addresses, issuer.name)}</code></dd>
<dt>${texts.document}</dt><dd><a href="${address}">${address}</a></dd></dl>`
  const keys = issuer.keys.toReversed().map(key => renderKey(words, issuer, key))
  const rotate = html`<p class="choices after"><a class="button second" href="${SIGNATURES}/rotate">${texts.rotate}</a></p>`
  return html`!${section('identity', texts.identity, identity)}!${section('keys', texts.keys, rowList(keys) + rotate)}`
}

function renderKey(words: Words, issuer: Issuer, key: StoredKey): string {
  const texts = words.texts.signatures
  const name = formatKey(key)
  const revoke =
    key.revokedAt === null
      ? html`<a class="action" href="${SIGNATURES}/keys/${key.number}/revoke">${texts.revoke}<span class="sight"> ${name}</span></a>`
      : ''
  return html`<li class="key"><div class="key-head"><h3>${name}</h3>!${revoke}</div>
<dl class="pairs"><dt>${texts.state}</dt><dd>${describeState(words, issuer, key)}</dd>
<dt>${texts.made}</dt><dd>${words.minute(key.createdAt.toISOString())}</dd></dl></li>`
}

const formatKey = ({ number }: StoredKey) => `key-${number}`

function describeState(words: Words, { keys, isSigning }: Issuer, { number, revokedAt }: StoredKey): string {
  const { states } = words.texts.signatures
  if (revokedAt !== null) return states.revoked({ date: words.minute(revokedAt.toISOString()) })
  if (number !== keys.length) return states.old
  return isSigning ? states.signing : states.waiting
}

export async function submitSignatures(visit: Visit): Promise<Outcome> {
  const to = visit.form.text('to')
  if (to !== 'on' && to !== 'off') return { to: SIGNATURES }
  await setSigning(openIssuer(visit), to === 'on')
  return { to: `${SIGNATURES}?done=${to}` }
}

const openIssuer = ({ ctx, setup }: Visit) => ({ ...ctx, secretCipher: setup.secretCipher })

export async function showRotateSigningKey({ ctx, words }: Visit): Promise<Outcome> {
  const { rotateTitle: title, rotatePoints, rotate: submit, keep } = words.texts.signatures
  if ((await findIssuer(ctx.sql, ctx.accountId)) === undefined) return { to: SIGNATURES }
  return questionPage({
    title,
    way: backToSignatures(words),
    about: pointList(rotatePoints),
    submit,
    keep,
    isHarmless: true,
    action: `${SIGNATURES}/rotate`,
    back: SIGNATURES,
  })
}

const backToSignatures = ({ texts }: Words) => backLink(SIGNATURES, texts.signatures.title)

export async function submitRotateSigningKey(visit: Visit): Promise<Outcome> {
  await rotateSigningKey(openIssuer(visit))
  return { to: `${SIGNATURES}?done=rotated` }
}

export async function showRevokeSigningKey(visit: Visit): Promise<Outcome> {
  const { words } = visit
  const { revokeTitle, revokeLead, revokePoints, revokeSubmit: submit, keep } = words.texts.signatures
  const key = await findUsableKey(visit)
  if (key === undefined) return { to: SIGNATURES }
  const about = html`<p class="lead">${revokeLead}</p>!${pointList(revokePoints)}`
  return questionPage({
    title: revokeTitle({ name: formatKey(key) }),
    way: backToSignatures(words),
    about,
    submit,
    keep,
    action: `${SIGNATURES}/keys/${key.number}/revoke`,
    back: SIGNATURES,
  })
}

/** The key in the address. Undefined if there is none, or if it is revoked. */
async function findUsableKey({ ctx, n }: Visit): Promise<StoredKey | undefined> {
  const issuer = await findIssuer(ctx.sql, ctx.accountId)
  return issuer?.keys.find(key => String(key.number) === n && key.revokedAt === null)
}

export async function submitRevokeSigningKey(visit: Visit): Promise<Outcome> {
  const key = await findUsableKey(visit)
  if (key === undefined) return { to: SIGNATURES }
  await revokeKeyAndSignatures(openIssuer(visit), key.number)
  return { to: `${SIGNATURES}?done=revoked` }
}
