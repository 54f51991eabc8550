/** `carnet accounts verify`: who accounts are by the operator's check. */
import { actAsOperator } from '../../accounts/account/accounts.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { IDENTIFIER_SCHEMES } from '../../accounts/identity/company-identifiers.ts'
import {
  type AccountIdentity,
  describeIdentity,
  findIdentity,
  type IdentityInput,
  type IdentityRecord,
  listIdentities,
  parseIdentity,
} from '../../accounts/identity/identity.ts'
import {
  approveVerification,
  verifyAccount,
  withdrawVerification,
} from '../../accounts/issuer/verify-account.ts'
import { type Conflict, listConflicts } from '../../passports/read/list-conflicts.ts'
import { ACCOUNT_OPTION, findAccountId } from '../command-line/account-arguments.ts'
import {
  type Arguments,
  type Command,
  type CommandResult,
  formatTable,
  UsageError,
} from '../command-line/command.ts'
import { onStore, type StoreContext } from '../store/with-store.ts'
import { type Answer, decline, listRequests, parseAnswer, REQUEST_OPTIONS } from './verification-requests.ts'

const DETAILS = ['legal-name', ...IDENTIFIER_SCHEMES, 'host', 'gs1-prefix', 'did'] as const

type Request = {
  accountId: number | undefined
  input: IdentityInput | undefined
  withdraws: boolean
  listsRequests: boolean
  answer: Answer | undefined
}

export const accountsVerify: Command = {
  usage:
    'accounts verify [--account A [--legal-name N [--gln G] [--lei L] [--vat V] [--eori E] [--host H,…] [--gs1-prefix P,…] [--did D,…] | --withdraw | --approve REQUEST | --decline REQUEST --reason TEXT]] [--requests]',
  about:
    'shows who the accounts are, approves it for one, or withdraws that; signed documents name nothing else as their issuer',
  options: {
    ...ACCOUNT_OPTION,
    'legal-name': {
      hint: 'N',
      about: 'the legal name of the company; replaces all that was approved before',
    },
    gln: { hint: 'G', about: 'its GLN' },
    lei: { hint: 'L', about: 'its LEI' },
    vat: { hint: 'V', about: 'its VAT number, such as DE136695976' },
    eori: { hint: 'E', about: 'its EORI number' },
    host: {
      hint: 'H,…',
      about: 'hosts of its own, such as brand.example; hosts below them belong to it, too',
    },
    'gs1-prefix': { hint: 'P,…', about: 'GS1 company prefixes of its own' },
    did: { hint: 'D,…', about: 'DIDs of its own, other than did:web' },
    withdraw: { about: 'withdraws what was approved' },
    ...REQUEST_OPTIONS,
  },
  run: onStore(parseRequest, async (ctx, { accountId, input, withdraws, listsRequests, answer }) => {
    if (listsRequests) return listRequests(ctx)
    if (accountId === undefined) return list(ctx)
    const account = await actAsOperator(ctx, accountId)
    if (withdraws) return describeWithdrawal(accountId, await withdrawVerification(account))
    if (answer?.kind === 'decline') return decline(account, answer)
    if (answer !== undefined)
      return describeApproval(
        account,
        await approveVerification(account, { request: answer.request, approvedBy: APPROVED_BY }),
      )
    if (input === undefined) return describe(accountId, await findIdentity(ctx.sql, accountId))
    return describeApproval(account, await verifyAccount(account, parseIdentity(input), APPROVED_BY))
  }),
}

const APPROVED_BY = 'Operator'

function parseRequest(args: Arguments): Request {
  const accountId = findAccountId(args, 'account')
  const withdraws = args.has('withdraw')
  const listsRequests = args.has('requests')
  const answer = parseAnswer(args)
  const given = DETAILS.filter(name => args.find(name) !== undefined)
  const acts = [
    ...(listsRequests ? ['requests'] : []),
    ...(withdraws ? ['withdraw'] : []),
    ...(answer === undefined ? [] : [answer.kind]),
    ...given.slice(0, 1),
  ]
  if (acts.length > 1) throw new UsageError(`--${acts[0]} and --${acts[1]} exclude each other.`)
  if (listsRequests && accountId !== undefined)
    throw new UsageError('--requests and --account exclude each other.')
  if (accountId === undefined && acts.length > 0 && !listsRequests)
    throw new UsageError('--account is missing.')
  const request = { accountId, withdraws, listsRequests, answer }
  return { ...request, input: given.length === 0 ? undefined : readInput(args) }
}

function readInput(args: Arguments): IdentityInput {
  return {
    legalName: args.get('legal-name'),
    identifiers: IDENTIFIER_SCHEMES.flatMap(scheme => {
      const value = args.find(scheme)
      return value === undefined ? [] : [{ scheme, value }]
    }),
    hosts: readList(args, 'host'),
    gs1Prefixes: readList(args, 'gs1-prefix'),
    dids: readList(args, 'did'),
  }
}

const readList = (args: Arguments, name: string): string[] =>
  (args.find(name) ?? '').split(',').flatMap(one => one.trim() || [])

async function list(ctx: StoreContext): Promise<CommandResult> {
  const all = await listIdentities(ctx)
  const value = all.map(({ account, name, identity }) => ({ account, name, ...formatIdentity(identity) }))
  const rows = all.map(({ account, name, identity }) => [
    account,
    name,
    identity === null ? 'not verified' : describeIdentity(identity),
    identity?.approvedAt.toISOString() ?? '',
  ])
  return { value, text: formatTable(['ID', 'NAME', 'VERIFIED AS', 'SINCE'], rows, 'There are no accounts.') }
}

function formatIdentity(identity: IdentityRecord | null) {
  if (identity === null) return { verified: false }
  return {
    verified: true,
    legal_name: identity.legalName,
    identifiers: Object.fromEntries(identity.identifiers.map(({ scheme, value }) => [scheme, value])),
    names: identity.names,
    approved_at: identity.approvedAt.toISOString(),
    approved_by: identity.approvedBy,
  }
}

function describe(accountId: number, identity: IdentityRecord | undefined): CommandResult {
  const value = { account: String(accountId), ...formatIdentity(identity ?? null) }
  if (identity === undefined) {
    const text = `Account ${accountId} is not verified: its signed documents say so, and name the service.`
    return { value, text }
  }
  const text = `Account ${accountId} is verified as ${describeIdentity(identity)}, since ${value.approved_at} by ${identity.approvedBy}.`
  return { value, text }
}

const describeApproval = async (account: AccountContext, identity: IdentityRecord): Promise<CommandResult> =>
  withConflicts(describe(account.accountId, identity), await listConflicts(account, identity.names))

/** Claims from before stay until they are released, because codes with them are printed. */
function withConflicts(shown: CommandResult, conflicts: readonly Conflict[]): CommandResult {
  if (conflicts.length === 0) return shown
  const lines = conflicts.map(({ claim, kind, account_id }) => {
    const command = kind === 'gtin' ? 'gtin' : 'dpp-id'
    return `  ${claim} (account ${account_id}): "carnet ${command} release ${claim}"`
  })
  const text = ['Other accounts have these from before. Whom they belong to, you decide:', ...lines]
  return {
    value: { ...Object(shown.value), conflicts },
    text: [shown.text, ...text].join('\n'),
  }
}

function describeWithdrawal(accountId: number, before: AccountIdentity | undefined): CommandResult {
  const value = { account: String(accountId), ...formatIdentity(null) }
  if (before === undefined) return { value, text: `Account ${accountId} was not verified.` }
  const lines = [
    `Account ${accountId} is not verified any more. The next signature does not name ${before.legalName}.`,
    'What was signed before still does. If that is wrong, too, run "carnet accounts signing revoke".',
  ]
  return { value, text: lines.join('\n') }
}
