/** Reads the document of a passport that is to be created: its identity, its category and its data. */
import { toGtin14 } from '../../gs1/gtin.ts'
import type { Detail, DetailCode } from '../../kernel/errors/errors.ts'
import { AppError, invalid } from '../../kernel/errors/errors.ts'
import { parseDateTime } from '../../kernel/text/parse-date-time.ts'
import { type DataObject, getOwn, isObject } from '../../kernel/values/data-object.ts'
import { isCategory, removeNulls, requireCategory } from '../../passports/core/check-data.ts'
import { normalizeDppId } from '../../passports/core/dpp-id.ts'
import type { Alias } from '../../passports/write/keep-alias.ts'
import { findSpecifiedCategory, unwrapSections } from '../../standards/en18223/compare-documents.ts'
import {
  ELEMENT_MEMBER,
  HEADER_MEMBER,
  OTHER_SPELLINGS,
  PASSPORT_RECORD,
} from '../../standards/en18223/names.ts'
import { fromEn } from '../../standards/en18223/read-document.ts'
import { parseProductLink } from './find-passport.ts'

type Level = 'model' | 'batch' | 'item'

/** `gtin14`: from its GS1 address; undefined without one. A unit always has one. */
export type NewDpp = {
  level: Level
  category: string
  gtin14: string | undefined
  lot: string | undefined
  serial: string | undefined
  /** An identifier that is to be kept. */
  alias: Alias | undefined
  data: DataObject
}

type Report = (name: string, code: DetailCode, message: string) => void

/** `nsUrl`: where this server's content specifications are. Throws `validation` with every violation. */
export function readNewDpp(sent: DataObject, nsUrl: string): NewDpp {
  const document = unwrapSections(removeNulls(sent), nsUrl)
  const details: Detail[] = []
  const report: Report = (name, code, message) => details.push({ path: [name], code, message })
  const record = readRecord(document, report)
  checkDerivedMembers(document, report)
  const alias = readAlias(document, report)
  const category = readCategory(document, record, nsUrl, report)
  const identity = readIdentity(document, record, report)
  if (category === undefined || details.length > 0) throw invalid(details)
  const data = fromEn(document, requireCategory(category))
  const gtin = getOwn(data, 'gtin')
  if (identity.gtin14 !== undefined && typeof gtin === 'string' && toGtin14(gtin) !== identity.gtin14) {
    report(
      'gtin',
      'immutable',
      `gtin is not the one of ${HEADER_MEMBER.productId}. Send the same, or leave it out.`,
    )
    throw invalid(details)
  }
  return { ...identity, category, alias, data }
}

/** Empty without one. */
function readRecord(document: DataObject, report: Report): DataObject {
  const record = getOwn(document, PASSPORT_RECORD)
  if (record === undefined) return {}
  if (isObject(record)) return record
  report(PASSPORT_RECORD, 'type', `${PASSPORT_RECORD} must be an object.`)
  return {}
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

/** Members that this server derives itself: each must have the right form, and is not stored. */
function checkDerivedMembers(document: DataObject, report: Report): void {
  for (const name of [HEADER_MEMBER.dppSchemaVersion, HEADER_MEMBER.operatorId, HEADER_MEMBER.facilityId]) {
    const value = getOwn(document, name)
    if (value !== undefined && !isText(value)) report(name, 'type', `${name} must be a text.`)
  }
  for (const name of [HEADER_MEMBER.lastUpdated, ...OTHER_SPELLINGS]) {
    const value = getOwn(document, name)
    if (value !== undefined && (typeof value !== 'string' || parseDateTime(value) === undefined))
      report(name, 'format', `${name} must be a time such as 2026-11-22T10:00:00Z.`)
  }
  const status = getOwn(document, HEADER_MEMBER.status)
  if (status !== undefined && (typeof status !== 'string' || status.toLowerCase() !== 'active')) {
    report(
      HEADER_MEMBER.status,
      'enum',
      `${HEADER_MEMBER.status} must be active: a passport is archived after it was created.`,
    )
  }
  if (Object.hasOwn(document, ELEMENT_MEMBER.elements)) {
    report(
      ELEMENT_MEMBER.elements,
      'unknown_field',
      `${ELEMENT_MEMBER.elements} belongs to the full form: send the compressed form.`,
    )
  }
}

function readAlias(document: DataObject, report: Report): Alias | undefined {
  const dppId = getOwn(document, HEADER_MEMBER.id)
  if (dppId === undefined) return undefined
  const key = typeof dppId === 'string' ? normalizeDppId(dppId) : undefined
  if (typeof dppId === 'string' && key !== undefined) return { dppId, key }
  report(
    HEADER_MEMBER.id,
    'format',
    `${HEADER_MEMBER.id} must be an address (https, http), urn or did of at most 1000 characters. Leave it out to get a new one.`,
  )
  return undefined
}

/** Content specifications of other systems say nothing here. */
function readCategory(
  document: DataObject,
  record: DataObject,
  nsUrl: string,
  report: Report,
): string | undefined {
  const name = HEADER_MEMBER.contentSpecificationIds
  const specifications = getOwn(document, name) ?? []
  if (!Array.isArray(specifications) || !specifications.every(isText)) {
    report(name, 'type', `${name} must be a list of texts.`)
    return undefined
  }
  const named = [
    ...specifications.flatMap(one => findSpecifiedCategory(one, nsUrl) ?? []),
    ...[getOwn(record, 'category')].filter(one => one !== undefined && one !== null),
  ]
  const [category, ...others] = [...new Set(named)]
  const known = `${nsUrl}/textile/v1`
  if (category === undefined) {
    report(
      name,
      'required',
      `${name} must name the category, such as ${known}; or send ${PASSPORT_RECORD}.category.`,
    )
    return undefined
  }
  if (isCategory(category) && others.length === 0) return category
  report(
    name,
    'enum',
    `${name} and ${PASSPORT_RECORD} must name one category that exists here, such as ${known}.`,
  )
  return undefined
}

type Identity = Pick<NewDpp, 'level' | 'gtin14' | 'lot' | 'serial'>

/** The level, and the keys of the GS1 address, which `passportRecord` may repeat. */
function readIdentity(document: DataObject, record: DataObject, report: Report): Identity {
  const { gtin14, lot, serial } = readLink(document, report)
  const level = serial !== undefined ? 'item' : lot !== undefined ? 'batch' : 'model'
  for (const [key, value] of Object.entries({ lot, serial })) {
    const repeated = getOwn(record, key) ?? undefined
    if (repeated !== undefined && repeated !== value)
      report(
        PASSPORT_RECORD,
        'immutable',
        `${PASSPORT_RECORD}.${key} is not the one of ${HEADER_MEMBER.productId}.`,
      )
  }
  const sent = getOwn(document, HEADER_MEMBER.granularity)
  if (sent !== undefined && (typeof sent !== 'string' || sent.toLowerCase() !== level)) {
    report(
      HEADER_MEMBER.granularity,
      'enum',
      `${HEADER_MEMBER.granularity} must be ${level}, because ${HEADER_MEMBER.productId} names a ${level}: a GTIN (01) is a model, with a lot (10) a batch, with a serial (21) an item.`,
    )
  }
  return { level, gtin14, lot, serial }
}

/** Empty without a GS1 address. A product without a GTIN may have the identifier of its passport. */
function readLink(document: DataObject, report: Report): Partial<Omit<Identity, 'level'>> {
  const text = getOwn(document, HEADER_MEMBER.productId)
  if (text === undefined || text === getOwn(document, HEADER_MEMBER.id)) return {}
  try {
    if (isText(text)) return parseProductLink(text)
    report(HEADER_MEMBER.productId, 'type', `${HEADER_MEMBER.productId} must be a text.`)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    report(HEADER_MEMBER.productId, 'format', `${error.message} Leave it out for a product without a GTIN.`)
  }
  return {}
}
