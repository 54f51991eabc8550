/**
 * Records: what an account keeps beside its passports, such as its offers. One table of members describes a
 * record for all that reads it: the check of a body, the API's schemas, the store, the console's form, the
 * export.
 */
import type { RecordId } from '../accounts/account/audit.ts'

type Described = {
  /** A sentence for integrators, in Markdown. */
  description: string
  /** Must have a value. Without it, the value may be null, or an empty list of countries. */
  required?: true
}

/** Lengths are in code points. */
export type MemberOfRecord = Described &
  (
    | { type: 'line'; max: number }
    /** A text of several lines. */
    | { type: 'text'; max: number }
    /** A text for each language, of one line. `max`: of each. */
    | { type: 'texts'; max: number }
    /** `meaning` follows "must be", instead of the list of values. */
    | { type: 'choice'; values: readonly string[]; meaning?: string }
    /** An https address that everybody can open. */
    | { type: 'link' }
    /** ISO 3166-1 codes, sorted; none: everywhere. */
    | { type: 'countries' }
    | { type: 'whole'; min: number; max: number }
    | { type: 'flag' }
    /** `YYYY-MM-DD`. */
    | { type: 'day' }
    /** A model, batch or item of the account: its id, as a UUID where it is stored. */
    | { type: 'product' }
    /** The place in the list of records, from 0. One without it comes last. At most one member. */
    | { type: 'position' }
  )

export type MemberType = MemberOfRecord['type']
export type RecordMembers = Readonly<Record<string, MemberOfRecord>>

type Plain<M extends MemberOfRecord> = M extends { type: 'choice'; values: readonly (infer Value)[] }
  ? Value
  : M extends { type: 'texts' }
    ? LocalizedTexts
    : M extends { type: 'countries' }
      ? readonly string[]
      : M extends { type: 'whole' | 'position' }
        ? number
        : M extends { type: 'flag' }
          ? boolean
          : string

/** LocalizedTexts by language, a canonical BCP-47 tag. */
export type LocalizedTexts = Readonly<Record<string, string>>

/** The members of a record by name, without knowing which record. */
export type RecordValues = Readonly<Record<string, unknown>>

export type RecordType = {
  /** Names its table, its actions in the audit log (`offer_added`), and its lines in an export. */
  id: RecordId
  /** In sentences. Its API address is `/` and `many`, which is its tag in the documentation, too. */
  names: { article: 'a' | 'an'; one: string; many: 'offers' }
  /** How many an account can have. */
  max: number
  members: RecordMembers
  /** Pairs of which one at most has a value. `reason` ends the error. */
  exclusive?: readonly { members: readonly [string, string]; reason: string }[]
  /** A new one, for the documentation. Its texts also stand in errors. */
  example: RecordValues
  documentation: RecordDocumentation
}

type Example = { name: string; summary: string }

/** Sentences for the API's documentation, in Markdown. */
export type RecordDocumentation = {
  /** In the names of its schemas and operations: `Offer`, `createOffer`. */
  name: string
  /** Each sentence follows the summary of the endpoint. */
  list: string
  create: string
  change: string
  newExample: Example
  changeExample: Example & { value: RecordValues }
  maxBytes: number
}

/** Changes nothing: it gives the members their types. */
export const defineRecord = <const M extends RecordMembers>(type: RecordType & { members: M }) => type

/** A record as it is stored. `id` is a UUID. */
export type StoredRecord = RecordValues & {
  readonly id: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** A stored record of the type `T`, with the types of its members. */
export type Stored<T extends { members: RecordMembers }> = StoredRecord & {
  readonly [Name in keyof T['members']]: ValueOf<T['members'][Name]>
}

type ValueOf<M extends MemberOfRecord> = M extends { required: true } | { type: 'countries' | 'position' }
  ? Plain<M>
  : Plain<M> | null

export const MAX_TEXT_LANGUAGES = 30
export const MAX_POSITION = 9_999

export const listRecordMembers = (members: RecordMembers): [name: string, member: MemberOfRecord][] =>
  Object.entries(members)
