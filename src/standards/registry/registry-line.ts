/**
 * Lines for the EU registry in our own format `carnet-registry/1`, from which the payload of each registry is
 * made. Its machine interface is not published: Implementing Regulation (EU) 2026/1778.
 */
import { findDataText, getDppId, getProductIdentifier } from '../identifiers.ts'
import type { Publisher, Reading, UndatedReading } from '../reading.ts'

export type RegistryAction = 'register' | 'update' | 'deactivate'

type RegistryScheme = 'lei' | 'vat' | 'ntr' | 'eid'

/** Members that are null do not apply or are not known; none of them is required. */
export type RegistryLine = {
  format: 'carnet-registry/1'
  action: RegistryAction
  passportId: string
  versionNo: number
  uniqueProductIdentifier: string
  digitalProductPassportId: string
  granularity: Reading['level']
  modelUniqueProductIdentifier: string | null
  batchUniqueProductIdentifier: string | null
  operator: {
    registryId: { scheme: RegistryScheme; value: string }
    gln: string | null
    legalName: string
    country: string
  }
  backupOperator: { url: string | null }
  facilities: { scheme: 'gln'; value: string }[]
  commodityCode: string
  liveUrl: string
  backupUrl: string
  dppApiEndpoint: string
  contentHash: { alg: 'sha-256'; value: string }
  versionCommitment?: string
  /** Who sends the line; absent for an account that does not sign. */
  issuer?: { did: string; name: string; verified: boolean }
  /** ISO 8601 in UTC, with milliseconds. */
  dataLastUpdated: string
}

export type RegistryInput = {
  /** The data that the public may see. */
  reading: UndatedReading
  publisher: Pick<Publisher, 'publicUrl' | 'did' | 'issuer'>
  action: RegistryAction
  /** SHA-256 of the public document, 64 hexadecimal digits. */
  contentHash: string
  /** Where copies of the passports are published, without a slash at the end; null without copies. */
  backupBaseUrl: string | null
  /** The address of the company that publishes the copies, if there is one. */
  backupOperatorUrl?: string | null
}

/** `missing`: the paths of the fields that the registry requires, and `backupUrl`. Never empty. */
export type RegistryResult = { line: RegistryLine } | { missing: string[] }

/** The length of the value alone; with the prefix of its scheme, 50 characters. */
const MAX_REGISTRY_ID_LENGTH = 46
const SCHEMES: readonly RegistryScheme[] = ['lei', 'vat', 'ntr', 'eid']
const COMMODITY_CODE = /^[0-9]{4,10}$/

/** A passport without a required fact has no line; nothing is made up for it. */
export function buildRegistryLine(input: RegistryInput): RegistryResult {
  const { reading, publisher, action, contentHash, backupOperatorUrl = null } = input
  const facts = readFacts(input)
  const { registryId, legalName, country, facility, commodityCode, backupUrl } = facts
  if (
    registryId === undefined ||
    legalName === undefined ||
    country === undefined ||
    facility === undefined ||
    commodityCode === undefined ||
    backupUrl === undefined
  )
    return { missing: listMissing(facts) }
  const { model, batch, versionCommitment } = reading
  return {
    line: {
      format: 'carnet-registry/1',
      action,
      passportId: reading.id,
      versionNo: reading.versionNo,
      uniqueProductIdentifier: getProductIdentifier(reading),
      digitalProductPassportId: getDppId(reading),
      granularity: reading.level,
      modelUniqueProductIdentifier: model === null ? null : getProductIdentifier(model),
      batchUniqueProductIdentifier: batch === null ? null : getProductIdentifier(batch),
      operator: {
        registryId,
        gln: findDataText(reading, 'economicOperator', 'operatorId') ?? null,
        legalName,
        country,
      },
      backupOperator: { url: backupOperatorUrl },
      facilities: [{ scheme: 'gln', value: facility }],
      commodityCode,
      liveUrl: getProductIdentifier(reading),
      backupUrl,
      dppApiEndpoint: `${publisher.publicUrl}/dpp`,
      contentHash: { alg: 'sha-256', value: contentHash },
      ...(versionCommitment === null ? {} : { versionCommitment }),
      ...describeIssuer(publisher),
      dataLastUpdated: reading.lastUpdated.toISOString(),
    },
  }
}

const describeIssuer = ({ did, issuer }: RegistryInput['publisher']): Pick<RegistryLine, 'issuer'> =>
  did === null || issuer === undefined
    ? {}
    : { issuer: { did, name: issuer.name, verified: issuer.isVerified } }

type Facts = {
  registryId: RegistryLine['operator']['registryId'] | undefined
  legalName: string | undefined
  country: string | undefined
  facility: string | undefined
  commodityCode: string | undefined
  backupUrl: string | undefined
}

/** In the order in which the missing ones are reported. */
const FIELDS: readonly (readonly [keyof Facts, string])[] = [
  ['registryId', 'economicOperator.registryId'],
  ['legalName', 'economicOperator.legalName'],
  ['country', 'economicOperator.country'],
  ['facility', 'manufacturingFacility.facilityId'],
  ['commodityCode', 'commodityCode'],
  ['backupUrl', 'backupUrl'],
]

const listMissing = (facts: Facts): string[] =>
  FIELDS.flatMap(([fact, field]) => (facts[fact] === undefined ? [field] : []))

function readFacts({ reading, backupBaseUrl }: RegistryInput): Facts {
  const code = findDataText(reading, 'commodityCode')
  const backupUrl = backupBaseUrl === null ? undefined : `${backupBaseUrl}/p/${reading.id}`
  return {
    registryId: findRegistryId(reading),
    legalName: findDataText(reading, 'economicOperator', 'legalName'),
    country: findDataText(reading, 'economicOperator', 'country'),
    facility: findDataText(reading, 'manufacturingFacility', 'facilityId'),
    commodityCode: code !== undefined && COMMODITY_CODE.test(code) ? code : undefined,
    // A copy at the same address is none.
    backupUrl: backupUrl === getProductIdentifier(reading) ? undefined : backupUrl,
  }
}

function findRegistryId(reading: UndatedReading): Facts['registryId'] {
  const name = findDataText(reading, 'economicOperator', 'registryId', 'scheme')
  const scheme = SCHEMES.find(one => one === name)
  const value = findDataText(reading, 'economicOperator', 'registryId', 'value')
  if (scheme === undefined || value === undefined || value.length > MAX_REGISTRY_ID_LENGTH) return undefined
  return { scheme, value }
}

const RANKS: Readonly<Record<Reading['level'], number>> = { model: 0, batch: 1, item: 2 }

/** Models, then batches, then items, because a unit names the passports above it; each by passport id. */
export const sortRegistryLines = (lines: readonly RegistryLine[]): RegistryLine[] =>
  lines.toSorted(
    (one, other) =>
      RANKS[one.granularity] - RANKS[other.granularity] ||
      (one.passportId < other.passportId ? -1 : one.passportId > other.passportId ? 1 : 0),
  )

/** One JSON object on each line, in the order of sending. */
export const formatRegistryLines = (lines: readonly RegistryLine[]): string =>
  sortRegistryLines(lines)
    .map(line => `${JSON.stringify(line)}\n`)
    .join('')
