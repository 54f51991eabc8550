/**
 * Names and codes of EN 18223, as open transcriptions of it give them: built to open readings of EN 18222 and
 * EN 18223. No other file writes them, so that a correction is small.
 */

/** The members of the header, in its order. */
export const HEADER_MEMBER = {
  id: 'digitalProductPassportId',
  productId: 'uniqueProductIdentifier',
  granularity: 'granularity',
  dppSchemaVersion: 'dppSchemaVersion',
  status: 'dppStatus',
  lastUpdated: 'lastUpdated',
  operatorId: 'economicOperatorId',
  facilityId: 'facilityId',
  contentSpecificationIds: 'contentSpecificationIds',
} as const

/** The dictionary of IDTA in which each member of the header has an entry. */
export const HEADER_DICTIONARY = 'https://admin-shell.io/idta/cds/'

/** The entry of each member, which is not always its name. */
export const HEADER_ENTRIES = Object.values(HEADER_MEMBER).map(member => ({
  member,
  entry: `${member === HEADER_MEMBER.lastUpdated ? 'lastUpdate' : member}/1`,
  isList: member === HEADER_MEMBER.contentSpecificationIds,
}))

export const DPP_SCHEMA_VERSION = 'EN18223:v1.0'

/** Members of a data element. */
export const ELEMENT_MEMBER = {
  elementId: 'elementId',
  dictionaryReference: 'dictionaryReference',
  objectType: 'objectType',
  valueDataType: 'valueDataType',
  value: 'value',
  elements: 'elements',
  language: 'language',
  contentType: 'contentType',
  url: 'url',
  resourceTitle: 'resourceTitle',
} as const

export const OBJECT_TYPE = {
  single: 'SingleValuedDataElement',
  multiLanguage: 'MultiLanguageDataElement',
  multiValued: 'MultiValuedDataElement',
  collection: 'DataElementCollection',
  resource: 'RelatedResource',
} as const

export const DATA_TYPE = {
  string: 'xsd:string',
  decimal: 'xsd:decimal',
  boolean: 'xsd:boolean',
  anyUri: 'xsd:anyURI',
  year: 'xsd:gYear',
  yearMonth: 'xsd:gYearMonth',
  date: 'xsd:date',
} as const

/** Members of a document that are not elements: ours, of JSON-LD, and of Data Integrity. */
export const PASSPORT_RECORD = 'passportRecord'
export const CONTEXT_MEMBER = '@context'
export const PROOF_MEMBER = 'proof'

/** Other spellings of members, which are read and never written. */
export const OTHER_SPELLINGS: readonly string[] = ['lastUpdate']

export const DATA_INTEGRITY_CONTEXT = 'https://w3id.org/security/data-integrity/v2'

/** How economic operators are identified without a GLN: the code of the LEI in ISO 6523. */
export const LEI_PREFIX = '0199:'
