/** Readings of the invented passports of `examples/`, made of their data as one audience may see it. */
import { findCategory } from '../../src/categories/catalogue.ts'
import { disclose } from '../../src/categories/disclose.ts'
import type { Audience } from '../../src/categories/field.ts'
import { asObject, type DataObject, getOwn } from '../../src/kernel/values/data-object.ts'
import type { IssuerIdentity, ParentAddresses, Publisher, Reading } from '../../src/standards/reading.ts'
import passports from './passports.json' with { type: 'json' }

const PUBLIC_URL = 'https://passports.example.org'

export const PUBLISHER: Publisher = {
  publicUrl: PUBLIC_URL,
  nsUrl: `${PUBLIC_URL}/ns/dpp`,
  did: 'did:web:passports.example.org:issuers:k7m2q9x4t6v8',
}

/** The issuer of an account that is verified as the economic operator of the passport. */
export function verifiedIssuer({ data }: Pick<Reading, 'data'>): IssuerIdentity {
  const { legalName, operatorId } = asObject(getOwn(data, 'economicOperator'))
  const identifiers = typeof operatorId === 'string' ? [{ scheme: 'gln' as const, value: operatorId }] : []
  return { name: String(legalName), isVerified: true, identifiers }
}

/** The issuer of an account that is not verified. */
export const UNVERIFIED: IssuerIdentity = {
  name: 'Signed by the service Carnet (passports.example.org) for an account that it has not verified',
  isVerified: false,
  identifiers: [],
}

const addressesOf = (id: string, gs1Path: string | null = null): ParentAddresses => ({
  id,
  url: `${PUBLIC_URL}/p/${id}`,
  gs1Url: gs1Path === null ? null : PUBLIC_URL + gs1Path,
})

type Passport = Omit<Reading, 'category' | 'audience' | 'data' | 'primaryLanguage'> & {
  category: string
  data: DataObject
}

/** Facts of a passport that most tests do not ask for. */
const PLAIN = {
  status: 'active',
  outdated: false,
  lot: null,
  serial: null,
  schemaVersion: 2,
  model: null,
  batch: null,
} as const

const TEXTILE_ITEM: Passport = {
  ...PLAIN,
  ...addressesOf('01m45m2vp0fqh9ek41pvnj0nca', '/01/09506000134352/10/L2026-09/21/A0001'),
  category: 'textile',
  level: 'item',
  gtin: '9506000134352',
  lot: 'L2026-09',
  serial: 'A0001',
  versionNo: 2,
  changedAt: new Date('2026-11-02T09:14:05.120Z'),
  lastUpdated: new Date('2026-11-02T09:14:05.120Z'),
  model: addressesOf('01m45h7a00eec8t0hqdjgxc2t0', '/01/09506000134352'),
  batch: addressesOf('01m45k4b40f2yv49twj73fpc35', '/01/09506000134352/10/L2026-09'),
  data: passports.textileItem,
  versionCommitment: 'ZtC6dq4bm6eas6aoGbQ6oOt_SVplRxEDZOl3sV3ZXyw',
}

const BATTERY_ITEM: Passport = {
  ...PLAIN,
  ...addressesOf('01m45nzwt0ewpa35pb00tpn7ym', '/01/09521234543213/21/BP-000184'),
  category: 'battery',
  level: 'item',
  gtin: '09521234543213',
  serial: 'BP-000184',
  versionNo: 3,
  changedAt: new Date('2026-11-18T16:40:00.000Z'),
  lastUpdated: new Date('2026-11-18T16:40:00.000Z'),
  model: addressesOf('01m45n1c80e83vrwd6vc84aynf', '/01/09521234543213'),
  data: passports.batteryItem,
  versionCommitment: 'YUl4pD9m75pdxH8Gcs1fY1FnEt2E1X7Mto9YXjE_z8Q',
}

const FURNITURE_MODEL: Passport = {
  ...PLAIN,
  ...addressesOf('01m45pydc0fh8rdezg4nd8zh7s', '/01/09521234543220'),
  category: 'furniture',
  level: 'model',
  gtin: '09521234543220',
  versionNo: 1,
  changedAt: new Date('2026-10-21T07:05:33.004Z'),
  lastUpdated: new Date('2026-10-21T07:05:33.004Z'),
  data: passports.furnitureModel,
  versionCommitment: 'vw4j2oTzMI_HtbldpQu7rX5WPZgClI65CtfNezcLRAs',
}

/** The passport as the audience reads it. */
export function readPassport({ data, ...passport }: Passport, audience: Audience = 'public'): Reading {
  const category = findCategory(passport.category, passport.schemaVersion)
  if (category === undefined) throw new Error(`no category ${passport.category}`)
  const languages = asObject(data).languages
  return {
    ...passport,
    category,
    audience,
    primaryLanguage: Array.isArray(languages) ? String(languages[0]) : 'en',
    data: disclose(category, data, audience).data,
  }
}

/** The readings of the examples, by the names of their files. */
export const READINGS = {
  'textile-item': readPassport(TEXTILE_ITEM),
  'battery-item': readPassport(BATTERY_ITEM),
  'battery-item-authority': readPassport(BATTERY_ITEM, 'authority'),
  'furniture-model': readPassport(FURNITURE_MODEL),
} as const

/** The account of the furniture has no GLN for its operator, and another DID. */
export const FURNITURE_PUBLISHER: Publisher = {
  ...PUBLISHER,
  did: 'did:web:passports.example.org:issuers:p3c8n5w2z7r4',
}

/** A reading of any data of a category, as the audience may see it. */
export const readData = (category: string, data: DataObject, audience: Audience = 'public'): Reading =>
  readPassport({ ...FURNITURE_MODEL, category, data }, audience)
