/** Who the account is, as the operator has verified it, and what its owners have asked to be verified. */
import { html } from 'ghtml'
import { type AccountIdentity, findIdentity, type IdentityRecord } from '../../accounts/identity/identity.ts'
import {
  findVerificationRequest,
  type VerificationRequest,
} from '../../accounts/identity/verification-request.ts'
import { getIssuerIdentity } from '../../passports/documents/issuer-identity.ts'
import { doneNotice, hiddenInputs, section } from '../page/parts.ts'
import type { Outcome, Visit, Words } from '../page/route.ts'
import { IDENTITY, settingsHead } from './places.ts'

export async function showIdentity(visit: Visit): Promise<Outcome> {
  const { ctx, words, query } = visit
  const texts = words.texts.identity
  const [identity, request] = await Promise.all([
    findIdentity(ctx.sql, ctx.accountId),
    findVerificationRequest(ctx),
  ])
  const body = html`!${settingsHead(words, texts)}!${renderNotice(words, query.get('done'), request)}
!${section('verified', texts.verified, identity === undefined ? renderUnverified(visit) : renderVerified(words, identity))}
!${section('request', texts.request, renderRequest(visit, identity, request))}`
  return { title: texts.title, body }
}

function renderNotice(
  { texts }: Words,
  done: string | null,
  request: VerificationRequest | undefined,
): string {
  const isOpen = request !== undefined && request.declined === undefined
  if (done === 'asked') return isOpen ? doneNotice(texts.identity.done) : ''
  return done === 'withdrawn' && !isOpen ? doneNotice(texts.identity.withdrawn) : ''
}

function renderUnverified({ setup, words }: Visit): string {
  const texts = words.texts.identity
  const { name } = getIssuerIdentity(setup.addresses, { identity: null })
  return html`<p><strong>${texts.isNot}</strong></p><p>${texts.isNotMeans}</p>
<blockquote lang="en"><p>${name}</p></blockquote><p>${texts.isNotFor}</p>`
}

function renderVerified(words: Words, identity: IdentityRecord): string {
  const texts = words.texts.identity
  const more = html`<dt>${texts.since}</dt><dd>${words.minute(identity.approvedAt.toISOString())}</dd>
<dt>${texts.by}</dt><dd>${identity.approvedBy}</dd>`
  return html`<p><strong>${texts.is}</strong></p>!${renderFacts(words, identity, more)}`
}

/** `more` is HTML: further terms with their descriptions. */
export function renderFacts({ texts }: Words, identity: AccountIdentity, more = ''): string {
  const { fields } = texts.identity
  const { hosts, gs1Prefixes, dids } = splitNames(identity.names)
  const lines: (readonly [string, readonly string[]])[] = [
    [fields.legal_name, [identity.legalName]],
    ...identity.identifiers.map(({ scheme, value }) => [fields[scheme], [value]] as const),
    [fields.gs1_prefix, gs1Prefixes],
    [fields.host, hosts],
    [fields.did, dids],
  ]
  const shown = lines
    .filter(([, values]) => values.length > 0)
    .map(([term, values]) => html`<dt>${term}</dt>!${values.map(value => html`<dd>${value}</dd>`)}`)
  return html`<dl class="pairs">!${shown}!${more}</dl>`
}

/** As people type them. */
export function splitNames(names: readonly string[]) {
  const cut = (prefix: string) =>
    names.flatMap(name => (name.startsWith(prefix) ? name.slice(prefix.length) : []))
  return {
    hosts: cut('host:'),
    gs1Prefixes: cut('gs1:'),
    dids: names.filter(name => name.startsWith('did:')),
  }
}

function renderRequest(
  visit: Visit,
  identity: IdentityRecord | undefined,
  request: VerificationRequest | undefined,
): string {
  const { words, session } = visit
  const texts = words.texts.identity
  const isOpen = request !== undefined && request.declined === undefined
  const ask = isOpen ? texts.replace : identity === undefined ? texts.ask : texts.askForChange
  const withdraw = isOpen
    ? html`<form method="post" action="${IDENTITY}/withdraw">!${hiddenInputs([['request', request.id]])}<button class="danger">${texts.withdraw}</button></form>`
    : ''
  const act =
    session.role === 'owner'
      ? html`<div class="choices after"><a class="button!${isOpen ? ' second' : ''}" href="${IDENTITY}/request">${ask}</a>!${withdraw}</div>`
      : html`<p class="quiet">${texts.ownersAsk}</p>`
  return describeRequest(words, request) + act
}

function describeRequest(words: Words, request: VerificationRequest | undefined): string {
  const texts = words.texts.identity
  if (request === undefined) return html`<p>${texts.none}</p>`
  const { declined, note } = request
  const state =
    declined === undefined
      ? texts.open({ at: words.minute(request.askedAt.toISOString()) })
      : texts.declined({ at: words.minute(declined.at.toISOString()), reason: declined.reason })
  const noted = note === '' ? '' : html`<dt>${texts.note}</dt><dd>${note}</dd>`
  return html`<p><strong>${state}</strong></p>!${renderFacts(words, request.identity, noted)}`
}
