/**
 * Who an account is, as the operator has verified it: legal name, identifiers, and the hosts, GS1 company
 * prefixes and DIDs that are its own.
 */

import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { type Detail, type DetailCode, invalid } from '../../kernel/errors/errors.ts'
import { isLongerThan, isOneLine } from '../../kernel/values/characters.ts'
import type { OperatorContext } from '../account/context.ts'
import { nameGs1Prefix, nameHost, parseDid, parseGs1Prefix, parseHost } from './approved-names.ts'
import {
  type CompanyIdentifier,
  cleanIdentifier,
  findIdentifierError,
  IDENTIFIER_SCHEMES,
} from './company-identifiers.ts'

export type AccountIdentity = {
  legalName: string
  /** One of each scheme at most, in the order of the schemes. */
  identifiers: readonly CompanyIdentifier[]
  /** As `approved-names.ts` writes them, in alphabetical order. */
  names: readonly string[]
}

/** As a person typed it. */
export type IdentityInput = {
  legalName: string
  identifiers: readonly CompanyIdentifier[]
  hosts: readonly string[]
  gs1Prefixes: readonly string[]
  dids: readonly string[]
}

export const MAX_LEGAL_NAME_LENGTH = 200
const MAX_NAMES = 100

/** Throws `validation` with every violation. */
export function parseIdentity(input: IdentityInput): AccountIdentity {
  const details: Detail[] = []
  const report = (name: string, code: DetailCode, message: string) =>
    details.push({ path: [name], code, message })
  const legalName = input.legalName.trim()
  const nameProblem = findLegalNameError(legalName)
  if (nameProblem !== undefined) report('legal_name', ...nameProblem)
  const identifiers = IDENTIFIER_SCHEMES.flatMap(scheme =>
    input.identifiers
      .filter(one => one.scheme === scheme)
      .map(({ value }) => ({ scheme, value: cleanIdentifier(value) })),
  )
  for (const identifier of identifiers) {
    const rule = findIdentifierError(identifier)
    if (rule !== undefined) report(identifier.scheme, 'format', `"${identifier.value}" ${rule}`)
  }
  const names = [
    ...readNames('host', input.hosts, text => mapName(parseHost(text), nameHost), HOST_RULE, report),
    ...readNames(
      'gs1_prefix',
      input.gs1Prefixes,
      text => mapName(parseGs1Prefix(text), nameGs1Prefix),
      PREFIX_RULE,
      report,
    ),
    ...readNames('did', input.dids, parseDid, DID_RULE, report),
  ]
  if (names.length > MAX_NAMES)
    report('host', 'length', `There are more than ${MAX_NAMES} hosts, prefixes and DIDs. Leave some out.`)
  if (details.length > 0) throw invalid(details)
  return { legalName, identifiers, names: [...new Set(names)].sort() }
}

/** A legal name without identifiers. Throws `validation`. */
export const nameOnly = (legalName: string): AccountIdentity =>
  parseIdentity({ legalName, identifiers: [], hosts: [], gs1Prefixes: [], dids: [] })

const HOST_RULE = 'must be a host of this company alone, such as brand.example, without https:// and path.'
const PREFIX_RULE =
  'must be a GS1 company prefix of 4 to 12 digits, none of those for shops, coupons and later use (00000, 02, 04, 05, 2, 951, 980 to 984, 99).'
const DID_RULE =
  'must be a DID such as did:ebsi:zabc. A did:web is approved with its host: give the host instead.'

type Report = (name: string, code: DetailCode, message: string) => void

const mapName = (value: string | undefined, map: (value: string) => string): string | undefined =>
  value === undefined ? undefined : map(value)

function readNames(
  member: string,
  texts: readonly string[],
  parse: (text: string) => string | undefined,
  rule: string,
  report: Report,
): string[] {
  return texts.flatMap(text => {
    const name = parse(text)
    if (name === undefined) report(member, 'format', `"${text}" ${rule}`)
    return name ?? []
  })
}

function findLegalNameError(text: string): [DetailCode, string] | undefined {
  if (text === '') return ['required', 'The legal name is missing.']
  if (isLongerThan(text, MAX_LEGAL_NAME_LENGTH))
    return ['length', `The legal name is longer than ${MAX_LEGAL_NAME_LENGTH} characters.`]
  return isOneLine(text)
    ? undefined
    : ['format', 'The legal name must be one line without control characters.']
}

/** One line for people. */
export const describeIdentity = ({ legalName, identifiers, names }: AccountIdentity): string =>
  [legalName, ...identifiers.map(({ scheme, value }) => `${scheme} ${value}`), ...names].join(', ')

export type IdentityColumn = AccountIdentity | null

/** SQL: the identity of the account with this id as JSON; null if it is not verified. */
export const selectIdentity = (sql: Sql, account: Fragment): Fragment => sql`(
  select jsonb_build_object('legalName', v.legal_name, 'identifiers', v.identifiers, 'names', (
    select coalesce(jsonb_agg(n.name order by n.name collate "C"), '[]') from approved_name n where n.account_id = v.account_id))
  from account_identity v where v.account_id = ${account})`

export type IdentityRecord = AccountIdentity & { approvedAt: Date; approvedBy: string }

/** Undefined if the account is not verified. */
export async function findIdentity(sql: Sql, accountId: number): Promise<IdentityRecord | undefined> {
  const [row] = await sql<{ identity: AccountIdentity; approvedAt: Date; approvedBy: string }[]>`
    select ${selectIdentity(sql, sql`i.account_id`)} as identity, i.approved_at as "approvedAt", i.approved_by as "approvedBy"
    from account_identity i where i.account_id = ${accountId}`
  return row && { ...row.identity, approvedAt: row.approvedAt, approvedBy: row.approvedBy }
}

export type ListedIdentity = { account: string; name: string; identity: IdentityRecord | null }

/** All accounts in order, those that are not verified, too. */
export async function listIdentities({ sql }: OperatorContext): Promise<ListedIdentity[]> {
  const rows = await sql<
    {
      account: string
      name: string
      identity: IdentityColumn
      approvedAt: Date | null
      approvedBy: string | null
    }[]
  >`
    select a.id::text as account, a.name, ${selectIdentity(sql, sql`a.id`)} as identity,
      i.approved_at as "approvedAt", i.approved_by as "approvedBy"
    from account a left join account_identity i on i.account_id = a.id order by a.id`
  return rows.map(({ account, name, identity, approvedAt, approvedBy }) => ({
    account,
    name,
    identity:
      identity === null || approvedAt === null || approvedBy === null
        ? null
        : { ...identity, approvedAt, approvedBy },
  }))
}
