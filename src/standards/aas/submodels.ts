/**
 * The submodels of a passport. All but DppMetadata lack mandatory elements of IDTA's templates, so they are
 * our own, with the templates as supplemental semantic ids and IDTA's entries on their elements.
 */
import type { Field } from '../../categories/field.ts'
import { type DataObject, getOwn } from '../../kernel/values/data-object.ts'
import { buildHeader, buildRecord, RECORD_FIELD } from '../en18223/header.ts'
import { HEADER_DICTIONARY, HEADER_ENTRIES, HEADER_MEMBER } from '../en18223/names.ts'
import type { Publisher, UndatedReading } from '../reading.ts'
import { buildTermUrn } from '../term-urn.ts'
import { listBatterySubmodels } from './battery-submodels.ts'
import {
  buildFieldElement,
  buildFieldElements,
  buildOptions,
  buildProperty,
  buildPropertyList,
  refer,
  type SubmodelElement,
  toList,
} from './elements.ts'
import { buildNameplate, isOnNameplate } from './nameplate.ts'
import {
  CONTENT_SPECIFICATION_ID,
  DOCUMENT_LISTS,
  DPP_METADATA,
  DPP_METADATA_VERSION,
  MODEL_TYPE,
  NEAR_BATTERY_TEMPLATES,
  NEAR_TEMPLATES,
  VALUE_TYPE,
} from './names.ts'

/** `id`: its address, which the shell refers to. */
export type Submodel = DataObject & { id: string }

/** Those that have an element. */
export function buildSubmodels(reading: UndatedReading, publisher: Publisher): Submodel[] {
  const { nsUrl } = publisher
  const rest = reading.category.fields.filter(field => !isOnNameplate(field))
  const parts = [
    { idShort: 'Nameplate', elements: buildNameplate(reading, nsUrl) },
    ...listProductSubmodels(reading, rest, nsUrl),
  ]
  const record = buildFieldElements(
    RECORD_FIELD.fields ?? [],
    buildRecord(reading, publisher),
    buildOptions(reading, nsUrl),
  )
  return [
    buildMetadata(reading, publisher),
    ...[...parts, { idShort: 'PassportRecord', elements: record }]
      .filter(({ elements }) => elements.length > 0)
      .map(({ idShort, elements }) =>
        buildSubmodel(reading, idShort, identifyOwn(reading, idShort, nsUrl), elements),
      ),
  ]
}

export type SubmodelPart = { idShort: string; elements: SubmodelElement[] }

/** Batteries have the submodels of IDTA's battery passport; what these have no place for is product data. */
function listProductSubmodels(
  reading: UndatedReading,
  fields: readonly Field[],
  nsUrl: string,
): SubmodelPart[] {
  if (reading.category.id !== 'battery') return [buildProductData(reading, fields, nsUrl)]
  const { submodels, others } = listBatterySubmodels(reading, fields, nsUrl)
  return [...submodels, buildProductData(reading, others, nsUrl)]
}

function buildProductData(reading: UndatedReading, fields: readonly Field[], nsUrl: string): SubmodelPart {
  const options = buildOptions(reading, nsUrl)
  const taken = new Set<string>()
  const elements = fields.flatMap(field => {
    const known = DOCUMENT_LISTS[field.name] ?? {}
    return toList(buildFieldElement(field, getOwn(reading.data, field.name), options, known, taken))
  })
  return { idShort: 'ProductData', elements }
}

/** The same semantic id on every server. The templates that are near and the address of before follow. */
function identifyOwn({ category }: UndatedReading, idShort: string, nsUrl: string): DataObject {
  const templates = category.id === 'battery' ? NEAR_BATTERY_TEMPLATES : NEAR_TEMPLATES
  return {
    semanticId: refer(buildTermUrn(`aas/${idShort}/v1`)),
    supplementalSemanticIds: [...(templates[idShort] ?? []), `${nsUrl}/aas/${idShort}/v1`].map(refer),
  }
}

/** `meaning`: its semantic ids. */
const buildSubmodel = (
  reading: UndatedReading,
  idShort: string,
  meaning: DataObject,
  elements: readonly SubmodelElement[],
  administration?: DataObject,
): Submodel => ({
  modelType: MODEL_TYPE.submodel,
  id: `${reading.url}/aas/${idShort}`,
  idShort,
  kind: 'Instance',
  ...meaning,
  ...(administration === undefined ? {} : { administration }),
  submodelElements: elements,
})

/** The header of the passport. It is IDTA's submodel unless one of its elements is unknown. */
function buildMetadata(reading: UndatedReading, publisher: Publisher): Submodel {
  const header = buildHeader(reading, publisher)
  const elements = HEADER_ENTRIES.flatMap(({ member, entry }) => {
    const value = getOwn(header, member)
    return value === undefined ? [] : [buildMetadataElement(member, entry, value)]
  })
  const idShort = 'DppMetadata'
  if (elements.length < HEADER_ENTRIES.length)
    return buildSubmodel(reading, idShort, identifyOwn(reading, idShort, publisher.nsUrl), elements)
  const semanticId = { type: 'ModelReference', keys: [{ type: MODEL_TYPE.submodel, value: DPP_METADATA }] }
  return buildSubmodel(reading, idShort, { semanticId }, elements, DPP_METADATA_VERSION)
}

const TITLE_CASE: readonly string[] = [HEADER_MEMBER.granularity, HEADER_MEMBER.status]

function buildMetadataElement(member: string, entry: string, value: unknown): SubmodelElement {
  const head = { idShort: entry.split('/')[0] ?? member, semanticId: HEADER_DICTIONARY + entry }
  if (Array.isArray(value))
    return buildPropertyList(head, VALUE_TYPE.string, value.map(String), CONTENT_SPECIFICATION_ID)
  const text = String(value)
  const valueType = member === HEADER_MEMBER.lastUpdated ? VALUE_TYPE.dateTime : VALUE_TYPE.string
  return buildProperty(
    head,
    valueType,
    TITLE_CASE.includes(member) ? text.charAt(0).toUpperCase() + text.slice(1) : text,
  )
}
