/** The part of `carnet accounts verify` that lists and answers what accounts ask for. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { describeIdentity } from '../../accounts/identity/identity.ts'
import {
  declineVerification,
  listVerificationRequests,
  MAX_REQUEST_NOTE_LENGTH,
} from '../../accounts/identity/verification-request.ts'
import { isLongerThan, isOneLine } from '../../kernel/values/characters.ts'
import { type Arguments, type CommandResult, formatTable, UsageError } from '../command-line/command.ts'
import type { StoreContext } from '../store/with-store.ts'

export const REQUEST_OPTIONS = {
  requests: { about: 'lists what accounts ask for and you have not answered' },
  approve: { hint: 'REQUEST', about: 'approves a request; replaces all that was approved before' },
  decline: { hint: 'REQUEST', about: 'declines a request; the account reads the reason' },
  reason: { hint: 'TEXT', about: `why, in at most ${MAX_REQUEST_NOTE_LENGTH} characters` },
}

export type Answer =
  | { kind: 'approve'; request: string }
  | { kind: 'decline'; request: string; reason: string }

/** Undefined if the command answers no request. */
export function parseAnswer(args: Arguments): Answer | undefined {
  const approved = args.find('approve')
  const declined = args.find('decline')
  const reason = args.find('reason')
  if (approved !== undefined && declined !== undefined)
    throw new UsageError('--approve and --decline exclude each other.')
  if (declined === undefined) {
    if (reason !== undefined) throw new UsageError('--reason belongs to --decline.')
    return approved === undefined ? undefined : { kind: 'approve', request: approved }
  }
  if (reason === undefined || reason.trim() === '') throw new UsageError('--reason is missing.')
  if (isLongerThan(reason, MAX_REQUEST_NOTE_LENGTH) || !isOneLine(reason))
    throw new UsageError(`--reason must be one line of at most ${MAX_REQUEST_NOTE_LENGTH} characters.`)
  return { kind: 'decline', request: declined, reason: reason.trim() }
}

export async function listRequests(ctx: StoreContext): Promise<CommandResult> {
  const all = await listVerificationRequests(ctx)
  const value = all.map(({ account, name, id, identity, note, askedAt }) => ({
    request: id,
    account: String(account),
    name,
    legal_name: identity.legalName,
    identifiers: Object.fromEntries(identity.identifiers.map(({ scheme, value }) => [scheme, value])),
    names: identity.names,
    note,
    asked_at: askedAt.toISOString(),
  }))
  const rows = all.map(({ account, name, id, identity, note, askedAt }) => [
    id,
    String(account),
    name,
    askedAt.toISOString(),
    describeIdentity(identity),
    note,
  ])
  const heads = ['REQUEST', 'ACCOUNT', 'NAME', 'ASKED', 'TO BE VERIFIED AS', 'NOTE']
  return { value, text: formatTable(heads, rows, 'No account asks for verification.') }
}

export async function decline(
  account: AccountContext,
  { request, reason }: { request: string; reason: string },
): Promise<CommandResult> {
  const { legalName } = await declineVerification(account, { request, reason })
  const value = { account: String(account.accountId), request, declined: true, reason }
  const text = `The request of account ${account.accountId} to be verified as ${legalName} is declined: ${reason}`
  return { value, text }
}
