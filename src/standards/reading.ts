/** The source of the documents of this folder: one version of a passport, as one audience may see it. */
import type { CompleteCategory } from '../categories/catalogue.ts'
import type { Audience } from '../categories/field.ts'
import type { DataObject } from '../kernel/values/data-object.ts'

export type Reading = {
  /** The public id, 26 characters. */
  id: string
  /** The address of its page. */
  url: string
  /** The id of its documents, if it is not `url`: under a pinned base, or kept from another system. */
  dppId?: string
  /** Its GS1 Digital Link; null without a GTIN that is unique in the world. */
  gs1Url: string | null
  category: CompleteCategory
  level: 'model' | 'batch' | 'item'
  status: 'active' | 'archived'
  /** True if a correction was made that this unit does not include. */
  outdated: boolean
  gtin: string | null
  lot: string | null
  serial: string | null
  versionNo: number
  schemaVersion: number
  /** When this version was created. */
  changedAt: Date
  /** The later of `changedAt` and the last time it was archived or restored. */
  lastUpdated: Date
  /** Null on a model. */
  model: ParentAddresses | null
  /** Null unless it was issued under a batch. */
  batch: ParentAddresses | null
  /** The first of the passport's languages, a BCP-47 tag. */
  primaryLanguage: string
  /** `owner`: the account itself, which sees every field of the category. */
  audience: Audience | 'owner'
  /** Only the fields that the audience may see, in the order of the category. */
  data: DataObject
  /** Commits to the version without revealing its hash, base64url; null for an account without a key. */
  versionCommitment: string | null
  /** The recall notices that hold now, the nearest first. */
  recalls?: readonly RecallInReading[]
  /** The number of the current version, if this is an earlier one. */
  supersededByVersion?: number | null
  /** Where its status stands, if its account signs. */
  signedStatus?: SignedStatus
}

/** The lists with the status of a signed document, and its place in both, from 0. */
export type SignedStatus = { index: number; revocationUrl: string; messageUrl: string }

/** A notice of the product, its batch or its model. `passportId`: of the documents of that one. */
export type RecallInReading = {
  passportId: string
  level: 'model' | 'batch' | 'item'
  /** The day of the recall, YYYY-MM-DD. */
  from: string
  /** Texts by language. */
  hazard: DataObject
  action: DataObject
  url: string | null
  contact: string | null
}

/** The part of it for documents that do not say when their version was created. */
export type UndatedReading = Omit<Reading, 'changedAt'>

export type ParentAddresses = Pick<Reading, 'id' | 'url' | 'dppId' | 'gs1Url'>

export type PartyIdentifier = { scheme: 'gln' | 'lei' | 'vat' | 'eori'; value: string }

/** Who signs, as documents name it: nothing that an account only asserts. */
export type IssuerIdentity = {
  /** The verified legal name; else that the service signs for an account that it has not verified. */
  name: string
  isVerified: boolean
  /** Empty unless verified. */
  identifiers: readonly PartyIdentifier[]
}

/** Where the documents are published, and by whom. Addresses have no slash at the end. */
export type Publisher = {
  publicUrl: string
  /** The namespace of Carnet's own terms, such as `https://passports.example.org/ns/dpp`. */
  nsUrl: string
  /** The DID of the account; null without a signing key. */
  did: string | null
  /** True if the DID names the economic operator even if it has another identifier. */
  prefersDid?: boolean
  /** Undefined without a signing key. */
  issuer?: IssuerIdentity | undefined
}
