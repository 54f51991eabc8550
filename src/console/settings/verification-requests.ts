/** Owners of an operator's account see what accounts ask to be verified, and approve or decline it. */
import { html } from 'ghtml'
import { findIdentity } from '../../accounts/identity/identity.ts'
import {
  findOpenRequest,
  type ListedRequest,
  listVerificationRequests,
  MAX_REQUEST_NOTE_LENGTH,
} from '../../accounts/identity/verification-request.ts'
import { approveRequest, declineRequest } from '../../accounts/issuer/answer-request.ts'
import { listTakenNames, type TakenName } from '../../accounts/issuer/verify-account.ts'
import { findErrorCode } from '../../kernel/errors/errors.ts'
import { isLongerThan, isOneLine } from '../../kernel/values/characters.ts'
import { type Conflict, listConflicts } from '../../passports/read/list-conflicts.ts'
import { isFine, type Problems, problemsOf } from '../page/form.ts'
import { backLink, doneNotice, input, linkRow, pointList, rowList, section, summary } from '../page/parts.ts'
import type { Outcome, Visit, Words } from '../page/route.ts'
import { renderFacts } from './identity.ts'
import { REQUESTS, settingsHead } from './places.ts'

export async function showRequests({ setup, words, query }: Visit): Promise<Outcome> {
  const texts = words.texts.verificationRequests
  const all = await listVerificationRequests(setup)
  const done = query.get('done')
  const notice =
    done === 'approved' || done === 'declined' || done === 'gone' ? doneNotice(texts.done[done]) : ''
  const rows = all.map(request =>
    linkRow(`${REQUESTS}/${request.id}`, request.identity.legalName, describeAsker(words, request)),
  )
  const body = html`!${settingsHead(words, texts)}!${notice}
!${section('open', texts.open, rows.length === 0 ? html`<p>${texts.none}</p>` : rowList(rows))}`
  return { title: texts.title, body }
}

const describeAsker = (
  { texts, minute }: Words,
  { account, name, askedAt }: Pick<ListedRequest, 'account' | 'name' | 'askedAt'>,
) => texts.verificationRequests.asker({ account: String(account), name, at: minute(askedAt.toISOString()) })

export async function showRequest(visit: Visit): Promise<Outcome> {
  const request = await findOpenRequest(visit.setup, visit.id)
  return request === undefined ? GONE : renderRequest(visit, request, {})
}

/** It was changed, withdrawn or answered since the list was read. */
const GONE: Outcome = { to: `${REQUESTS}?done=gone` }

type Typed = { reason?: string; problems?: Problems; isRefused?: boolean }

async function renderRequest(
  { setup, words }: Visit,
  request: ListedRequest,
  { reason = '', problems = {}, isRefused = false }: Typed,
): Promise<Outcome> {
  const texts = words.texts.verificationRequests
  const account = { sql: setup.sql, accountId: request.account }
  const { names } = request.identity
  const [before, taken, claims] = await Promise.all([
    findIdentity(setup.sql, request.account),
    listTakenNames(account, names),
    listConflicts(account, names),
  ])
  const title = texts.question({ name: request.identity.legalName })
  const note = request.note === '' ? '' : html`<dt>${texts.note}</dt><dd>${request.note}</dd>`
  const current = before === undefined ? html`<p>${texts.nothing}</p>` : renderFacts(words, before)
  const body = html`!${backLink(REQUESTS, texts.title)}<h1>${title}</h1>
!${summary(words.texts, problems, { reason: texts.reason })}
<p class="lead">${describeAsker(words, request)}</p>
!${section('asked', texts.asked, renderFacts(words, request.identity, note))}
!${section('current', texts.current, current)}
!${section('conflicts', texts.conflicts, renderConflicts(words, taken, claims))}
!${section('approve', texts.approve, taken.length === 0 ? renderApproval(words, request) : html`<p>${texts.cannot}</p>`)}
!${section('decline', texts.decline, renderDecline(words, request, reason, problems))}`
  return { title, body, status: isRefused ? 409 : isFine(problems) ? 200 : 422 }
}

const MAX_SHOWN = 100

function renderConflicts(
  { texts, number }: Words,
  taken: readonly TakenName[],
  claims: readonly Conflict[],
): string {
  const { verificationRequests: own } = texts
  if (taken.length === 0 && claims.length === 0) return html`<p>${own.noConflicts}</p>`
  const takenLines = taken.map(({ wanted, name, account }) =>
    own.taken({ wanted: trimName(wanted), name: trimName(name), account: String(account) }),
  )
  const claimLines = claims.slice(0, MAX_SHOWN).map(({ claim, kind, account_id }) => {
    const command = kind === 'gtin' ? 'gtin' : 'dpp-id'
    return html`<li>${own.claim({ claim, account: account_id })} <code>carnet ${command} release ${claim}</code></li>`
  })
  const more = claims.length > MAX_SHOWN ? own.more({ count: number(claims.length - MAX_SHOWN) }) : ''
  return [
    takenLines.length === 0 ? '' : html`<p>${own.takenLead}</p>!${pointList(takenLines)}`,
    claimLines.length === 0 ? '' : html`<p>${own.claimsLead}</p><ul class="points">!${claimLines}</ul>`,
    more === '' ? '' : html`<p class="quiet">${more}</p>`,
  ].join('')
}

/** As people type them. */
const trimName = (name: string): string => name.replace(/^(?:host|gs1):/, '')

const renderApproval = ({ texts }: Words, { id }: ListedRequest) =>
  html`<p>${texts.verificationRequests.approveMeans}</p>
<form method="post" action="${REQUESTS}/${id}/approve"><button>${texts.verificationRequests.submitApproval}</button></form>`

function renderDecline({ texts }: Words, { id }: ListedRequest, reason: string, problems: Problems): string {
  const { verificationRequests: own } = texts
  const field = { name: 'reason', label: own.reason, hint: own.reasonHint, value: reason }
  return html`<form method="post" action="${REQUESTS}/${id}/decline" novalidate class="narrow">
!${input({ ...field, maxLength: MAX_REQUEST_NOTE_LENGTH }, problems)}
<button class="danger">${own.submitDecline}</button></form>`
}

const getAnswer = ({ setup, ctx }: Visit, { account, id }: ListedRequest) => ({
  ctx: { sql: setup.sql, clock: setup.clock },
  input: { by: { accountId: ctx.accountId, actorId: ctx.actorId }, account, request: id },
})

export async function submitApproval(visit: Visit): Promise<Outcome> {
  const request = await findOpenRequest(visit.setup, visit.id)
  if (request === undefined) return GONE
  const { ctx, input } = getAnswer(visit, request)
  try {
    await approveRequest(ctx, input)
  } catch (error) {
    const code = findErrorCode(error)
    if (code === 'not_found') return GONE
    // Another account has got one of the names meanwhile: the page names it.
    if (code === 'in_use') return renderRequest(visit, request, { isRefused: true })
    throw error
  }
  return { to: `${REQUESTS}?done=approved` }
}

export async function submitDecline(visit: Visit): Promise<Outcome> {
  const request = await findOpenRequest(visit.setup, visit.id)
  if (request === undefined) return GONE
  const reason = visit.form.text('reason')
  const { errors, identity } = visit.words.texts
  const isLong = isLongerThan(reason, MAX_REQUEST_NOTE_LENGTH) || !isOneLine(reason)
  const problem =
    reason === ''
      ? errors.required
      : isLong
        ? identity.noteLong({ most: MAX_REQUEST_NOTE_LENGTH })
        : undefined
  const problems = problemsOf({ reason: problem })
  if (!isFine(problems)) return renderRequest(visit, request, { reason, problems })
  const { ctx, input } = getAnswer(visit, request)
  try {
    await declineRequest(ctx, { ...input, reason })
  } catch (error) {
    if (findErrorCode(error) === 'not_found') return GONE
    throw error
  }
  return { to: `${REQUESTS}?done=declined` }
}
