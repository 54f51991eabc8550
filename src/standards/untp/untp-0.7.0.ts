/** A passport as a UNTP 0.7.0 credential, not signed. Other versions of UNTP get a file of their own. */
import { pickText } from '../../categories/pick-text.ts'
import { isReaderLink } from '../../kernel/http/public-link.ts'
import { asObject, type DataObject, getOwn } from '../../kernel/values/data-object.ts'
import { describeParty } from '../company-identifiers.ts'
import { compressFields } from '../en18223/compress-fields.ts'
import { buildRecordMembers } from '../en18223/document.ts'
import { PASSPORT_RECORD } from '../en18223/names.ts'
import { findDataText, GLN_ADDRESSES, getProductIdentifier } from '../identifiers.ts'
import { guessMediaType } from '../media-types.ts'
import type { IssuerIdentity, Publisher, Reading } from '../reading.ts'
import { buildMaterialProvenance } from './material-provenance-0.7.0.ts'

export const UNTP_CONTEXT = [
  'https://www.w3.org/ns/credentials/v2',
  'https://vocabulary.uncefact.org/untp/0.7.0/context/',
] as const

const GLN_NAME = 'GS1 Global Location Number'
const DIGITAL_LINK_SCHEME = {
  id: 'https://ref.gs1.org/standards/digital-link/',
  name: 'GS1 Digital Link',
}
const COMBINED_NOMENCLATURE = {
  schemeId: 'https://ec.europa.eu/taxation_customs/dds2/taric/',
  schemeName: 'EU Combined Nomenclature',
}
const HARMONIZED_SYSTEM = { schemeId: 'https://www.wcoomd.org/', schemeName: 'Harmonized System' }

/** Fields and members that are a dimension; codes of units by UNECE Recommendation 20. */
const DIMENSIONS: Readonly<Record<string, { dimension: string; unit: string }>> = {
  weightKg: { dimension: 'weight', unit: 'KGM' },
  weightGrams: { dimension: 'weight', unit: 'GRM' },
  depth: { dimension: 'length', unit: 'CMT' },
  width: { dimension: 'width', unit: 'CMT' },
  height: { dimension: 'height', unit: 'CMT' },
}
/** Fields that are the address of one document, with its name. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  carbonFootprintStudyUrl: 'carbon footprint study',
  dueDiligenceUrl: 'due diligence report',
}
/** Fields that always have a member of their own. */
const EXPRESSED = new Set([
  'productName',
  'sku',
  'commodityCode',
  'countryOfManufacture',
  'dimensions',
  'weightKg',
  'weightGrams',
])

export type UntpInput = {
  reading: Reading
  publisher: Pick<Publisher, 'publicUrl' | 'nsUrl'> & { did: string; issuer: IssuerIdentity }
  /** The bit that says whether the credential is revoked; null: it has no status. */
  status: { listUrl: string; index: number } | null
  validUntil: Date
}

/** `missing`: paths of facts that UNTP requires. Never empty. */
export type UntpResult = { credential: DataObject } | { missing: string[] }

/** The required members, read from the passport. */
type Facts = {
  legalName: string
  productName: string
  facilityId: string
  facilityName: string
  countryCode: string
}

export function buildUntpCredential(input: UntpInput): UntpResult {
  const facts = readFacts(input.reading)
  return 'missing' in facts ? facts : { credential: buildCredential(input, facts) }
}

type FactualReading = Pick<Reading, 'data' | 'level' | 'lot' | 'serial'>

/** Paths of what UNTP requires and the passport lacks, as this audience sees it; empty if nothing. */
export function listMissingForUntp(reading: FactualReading): string[] {
  const facts = readFacts(reading)
  return 'missing' in facts ? facts.missing : []
}

function readFacts(reading: FactualReading): Facts | { missing: string[] } {
  const missing: string[] = []
  const readRequired = (...path: readonly string[]): string => {
    const text = findDataText(reading, ...path)
    if (text === undefined) missing.push(path.join('.'))
    return text ?? ''
  }
  const facts = {
    productName: readRequired('productName'),
    legalName: readRequired('economicOperator', 'legalName'),
    countryCode: readRequired('countryOfManufacture'),
    facilityId: findFacilityAddress(reading) ?? readRequired('manufacturingFacility', 'facilityId'),
    facilityName: readRequired('manufacturingFacility', 'name'),
  }
  if (reading.level === 'batch' && reading.lot === null) missing.push('lot')
  if (reading.level === 'item' && reading.serial === null) missing.push('serial')
  return missing.length === 0 ? facts : { missing }
}

/** Its GLN, else an identifier that is an address by itself, as `scheme:value` is. */
function findFacilityAddress(reading: Pick<Reading, 'data'>): string | undefined {
  const gln = findDataText(reading, 'manufacturingFacility', 'facilityId')
  if (gln !== undefined) return GLN_ADDRESSES.place + gln
  const otherId = findDataText(reading, 'manufacturingFacility', 'otherId')
  return otherId !== undefined && URL.canParse(otherId) ? otherId : undefined
}

function buildCredential({ reading, publisher, status, validUntil }: UntpInput, facts: Facts): DataObject {
  const { did, issuer } = publisher
  return {
    '@context': UNTP_CONTEXT,
    type: ['DigitalProductPassport', 'VerifiableCredential'],
    id: `${reading.url}?version=${reading.versionNo}&format=vc`,
    issuer: {
      type: ['CredentialIssuer'],
      id: did,
      name: issuer.name,
      ...(issuer.identifiers.length === 0
        ? {}
        : { issuerAlsoKnownAs: issuer.identifiers.map(one => describeParty(one, issuer.name)) }),
    },
    validFrom: formatSeconds(reading.changedAt),
    validUntil: formatSeconds(validUntil),
    name: `Digital product passport: ${facts.productName}`,
    ...(status === null ? {} : { credentialStatus: buildStatus(status) }),
    credentialSubject: buildProduct(reading, publisher, facts),
  }
}

const formatSeconds = (time: Date) => time.toISOString().replace(/\.\d+Z$/, 'Z')

/** An integer, as the schema of UNTP 0.7.0 requires. The W3C's list wants a text. */
const buildStatus = ({ listUrl, index }: { listUrl: string; index: number }): DataObject => ({
  type: 'BitstringStatusListEntry',
  id: `${listUrl}#${index}`,
  statusPurpose: 'revocation',
  statusListIndex: index,
  statusListCredential: listUrl,
})

const identifyByGln = (kind: keyof typeof GLN_ADDRESSES, gln: string, name: string): DataObject => ({
  id: GLN_ADDRESSES[kind] + gln,
  name,
  registeredId: gln,
  idScheme: { id: GLN_ADDRESSES[kind], name: GLN_NAME },
})

function buildProduct(reading: Reading, publisher: UntpInput['publisher'], facts: Facts): DataObject {
  const { data, lot, serial } = reading
  const sku = findDataText(reading, 'sku')
  const relatedParty = listManufacturers(reading, publisher)
  const date = findProductionDate(reading)
  const dimensions = { ...buildDimensions(data), ...buildDimensions(asObject(getOwn(data, 'dimensions'))) }
  const [productImage, ...morePictures] = listPictures(reading, publisher.nsUrl)
  const relatedDocument = [...listDocuments(reading, publisher.nsUrl), ...morePictures]
  const provenance = buildMaterialProvenance(data)
  return {
    type: ['Product'],
    id: getProductIdentifier(reading),
    name: facts.productName,
    idScheme:
      reading.gs1Url === null
        ? { id: `${publisher.publicUrl}/p/`, name: 'Address of a digital product passport' }
        : DIGITAL_LINK_SCHEME,
    idGranularity: reading.level,
    ...(sku === undefined ? {} : { modelNumber: sku }),
    ...(lot === null ? {} : { batchNumber: lot }),
    ...(serial === null ? {} : { itemNumber: serial }),
    productCategory: [buildProductCategory(reading, publisher.nsUrl)],
    ...(relatedParty.length === 0 ? {} : { relatedParty }),
    producedAtFacility: buildFacility(reading, facts),
    countryOfProduction: { countryCode: facts.countryCode },
    ...(date === undefined ? {} : { productionDate: date }),
    ...(Object.keys(dimensions).length === 0 ? {} : { dimensions }),
    ...(productImage === undefined ? {} : { productImage }),
    ...(relatedDocument.length === 0 ? {} : { relatedDocument }),
    ...(provenance === undefined ? {} : { materialProvenance: provenance.materials }),
    characteristics: buildCharacteristics(reading, { facts, publisher, composition: provenance?.field }),
  }
}

function buildProductCategory(reading: Reading, nsUrl: string): DataObject {
  const { id } = reading.category
  const code = findDataText(reading, 'commodityCode')
  if (code === undefined)
    return { code: id, name: id, schemeId: nsUrl, schemeName: 'Categories of digital product passports' }
  return { code, name: id, ...(code.length === 6 ? HARMONIZED_SYSTEM : COMBINED_NOMENCLATURE) }
}

/**
 * Other roles stay among the characteristics. The JSON Schema of UNTP 0.7.0 has one more of ours, the
 * recycler, and its vocabulary also importer and distributor.
 */
const isManufacturer = (operator: DataObject): boolean => getOwn(operator, 'role') === 'manufacturer'

/**
 * The DID of the account, if the economic operator is who the account is by its verification. Otherwise the
 * credential would give the DID the name of a company that only the data names.
 */
const findDidOf = (operator: DataObject, { did, issuer }: UntpInput['publisher']): string | undefined =>
  issuer.isVerified && getOwn(operator, 'legalName') === issuer.name ? did : undefined

/** The economic operator, by its GLN or as the verified account, and other companies with a GLN. */
function listManufacturers({ data }: Reading, publisher: UntpInput['publisher']): DataObject[] {
  const listed = getOwn(data, 'operators')
  const others = Array.isArray(listed) ? listed.map(asObject) : []
  const economicOperator = asObject(getOwn(data, 'economicOperator'))
  const parties = [
    { operator: economicOperator, otherId: findDidOf(economicOperator, publisher) },
    ...others.map(operator => ({ operator, otherId: undefined })),
  ]
  return parties.flatMap(({ operator, otherId }) => {
    const name = getOwn(operator, 'legalName')
    const gln = getOwn(operator, 'operatorId')
    if (!isManufacturer(operator) || typeof name !== 'string') return []
    if (typeof gln === 'string') return [buildManufacturer(identifyByGln('company', gln, name))]
    return otherId === undefined ? [] : [buildManufacturer({ id: otherId, name })]
  })
}

/** Returns true if the economic operator stands among the related parties. */
const isRelatedParty = (operator: DataObject, publisher: UntpInput['publisher']): boolean =>
  isManufacturer(operator) &&
  (typeof getOwn(operator, 'operatorId') === 'string' || findDidOf(operator, publisher) !== undefined)

/** Without a type, the terms of a nested party are lost in JSON-LD. */
const buildManufacturer = (party: DataObject): DataObject => ({
  role: 'manufacturer',
  party: { type: ['Party'], ...party },
})

function buildFacility(reading: Reading, { facilityId, facilityName }: Facts): DataObject {
  const gln = findDataText(reading, 'manufacturingFacility', 'facilityId')
  return {
    type: ['Facility'],
    ...(gln === undefined
      ? { id: facilityId, name: facilityName }
      : identifyByGln('place', gln, facilityName)),
  }
}

/** Undefined unless the day is known. */
function findProductionDate(reading: Reading): string | undefined {
  const date = findDataText(reading, 'manufacturingDate')
  return date?.length === 'YYYY-MM-DD'.length ? date : undefined
}

const buildDimensions = (data: DataObject): DataObject =>
  Object.fromEntries(
    Object.entries(DIMENSIONS).flatMap(([name, { dimension, unit }]) => {
      const value = getOwn(data, name)
      return typeof value === 'number' ? [[dimension, { value, unit }]] : []
    }),
  )

const getOwnHost = ({ url }: Reading): string => new URL(url).host

/** Those with an address that readers get as a link. */
function listDocuments(reading: Reading, nsUrl: string): DataObject[] {
  const { data } = reading
  const ownHost = getOwnHost(reading)
  const documents = getOwn(data, 'complianceDocuments')
  const links = Array.isArray(documents) ? documents.map(asObject) : []
  const others = Object.entries(DOCUMENTS).map(([name, title]) => ({
    url: getOwn(data, name),
    title,
    term: name,
  }))
  return [
    ...links.map(({ url, title, type }) => ({ url, title: title ?? type, term: 'complianceDocument' })),
    ...others,
  ].flatMap(({ url, title, term }) =>
    isReaderLink(url, ownHost)
      ? [
          {
            linkURL: url,
            linkName: title ?? term,
            mediaType: guessMediaType(url),
            linkType: `${nsUrl}#${term}`,
          },
        ]
      : [],
  )
}

/** In the order of the account. The name of a link is what the picture shows, in the primary language. */
function listPictures({ data, primaryLanguage }: Reading, nsUrl: string): DataObject[] {
  const pictures = getOwn(data, 'pictures')
  return (Array.isArray(pictures) ? pictures.map(asObject) : []).flatMap(({ url, alt }) =>
    typeof url === 'string'
      ? [
          {
            linkURL: url,
            linkName: pickText(alt, [], primaryLanguage)?.text ?? 'picture',
            mediaType: guessMediaType(url),
            linkType: `${nsUrl}#picture`,
          },
        ]
      : [],
  )
}

/** `composition`: the field that is expressed as the provenance of materials. */
type CharacteristicContext = {
  facts: Facts
  publisher: UntpInput['publisher']
  composition: string | undefined
}

/**
 * The values without a member of their own, as documents of EN 18223 have it: with all translations, in the
 * order of the category. Then the record of the passport.
 */
function buildCharacteristics(reading: Reading, context: CharacteristicContext): DataObject {
  const rest = reading.category.fields.flatMap(({ name }) => {
    if (isExpressed(name, reading) || name === context.composition) return []
    const value = selectRest(name, getOwn(reading.data, name), reading, context)
    return value === undefined ? [] : [[name, value]]
  })
  const { versionNo, versionCommitment, ...record } = buildRecordMembers(reading, context.publisher)
  return {
    ...compressFields(reading.category.fields, Object.fromEntries(rest), reading),
    versionNo,
    ...(versionCommitment === undefined ? {} : { versionCommitment }),
    [PASSPORT_RECORD]: { status: reading.status, ...record },
  }
}

/** An address that is no link stays among the characteristics. */
const isExpressed = (name: string, reading: Reading): boolean =>
  EXPRESSED.has(name) ||
  (Object.hasOwn(DOCUMENTS, name) && isReaderLink(getOwn(reading.data, name), getOwnHost(reading)))

/** The part of a field's value that has no other place; undefined if all of it has. */
function selectRest(
  name: string,
  value: unknown,
  reading: Reading,
  { facts, publisher }: CharacteristicContext,
): unknown {
  switch (name) {
    case 'manufacturingDate':
      return findProductionDate(reading) === undefined ? value : undefined
    case 'economicOperator':
      return isRelatedParty(asObject(value), publisher) && isInParty(asObject(value)) ? undefined : value
    case 'manufacturingFacility': {
      const { facilityId, otherId, name: _, country, ...rest } = asObject(value)
      return {
        ...(otherId === facts.facilityId ? {} : { otherId }),
        ...rest,
        ...(country === facts.countryCode ? {} : { country }),
      }
    }
    case 'complianceDocuments':
      return hasDetails(value) || hasOtherAddresses(value, getOwnHost(reading)) ? value : undefined
    default:
      return value
  }
}

const IN_PARTY: readonly string[] = ['role', 'legalName', 'operatorId']

/** Returns true if a related party says all of an operator. UNTP's address has parts that ours has not. */
const isInParty = (operator: DataObject): boolean =>
  Object.keys(operator).every(name => IN_PARTY.includes(name))

/** Returns true if a document has more than the link says. */
const hasDetails = (documents: unknown): boolean =>
  Array.isArray(documents) && documents.some(one => Object.keys(asObject(one)).length > 2)

/** Returns true if an address is no link, so that it is not among the related documents. */
const hasOtherAddresses = (documents: unknown, ownHost: string): boolean =>
  Array.isArray(documents) && documents.some(one => !isReaderLink(getOwn(asObject(one), 'url'), ownHost))
