/**
 * Reads the data of a passport back from a credential and from an environment of the Asset Administration
 * Shell, by tables of its own, and says which part of the data each of them has.
 */
import type { CompleteCategory } from '../../src/categories/catalogue.ts'
import { type Field, findScalarEntry } from '../../src/categories/field.ts'
import type { DataObject } from '../../src/kernel/values/data-object.ts'
import { fromEn } from '../../src/standards/en18223/read-document.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any

type Fields = Pick<CompleteCategory, 'fields'>

/** The data without lists and objects that are empty, except for lists whose emptiness is an answer. */
export const omitEmpty = ({ fields }: Fields, data: DataObject): Any => omitEmptyMembers(fields, data) ?? {}

function omitEmptyMembers(fields: readonly Field[], data: Any): Any {
  const members = fields.flatMap(field => {
    const value = omitEmptyValue(field, data[field.name])
    return value === undefined ? [] : [[field.name, value]]
  })
  return members.length === 0 ? undefined : Object.fromEntries(members)
}

function omitEmptyValue(field: Field, value: Any): Any {
  if (value === undefined || field.localized) return value
  if (field.type === 'object') return omitEmptyMembers(field.fields ?? [], value)
  if (field.type !== 'list') return value
  if (value.length === 0) return field.emptyMeansNone ? value : undefined
  const entries = findScalarEntry(field)
    ? value
    : value.flatMap((entry: Any) => omitEmptyMembers(field.of ?? [], entry) ?? [])
  return entries.length === 0 ? undefined : entries
}

const omit = (data: Any, ...names: string[]): Any =>
  Object.fromEntries(
    Object.entries(data).filter(([name, value]) => !names.includes(name) && value !== undefined),
  )

export function readCredential({ credentialSubject: subject }: Any, { fields }: Fields): Any {
  const { versionNo: _, versionCommitment: __, ...characteristics } = subject.characteristics
  const rest: Any = fromEn(characteristics, { fields })
  const category = subject.productCategory[0]
  const [party] = subject.relatedParty ?? []
  return omit({
    ...readDimensions(subject.dimensions ?? {}, fields),
    ...readLinks(subject.relatedDocument ?? []),
    ...readProvenance(subject.materialProvenance, fields),
    ...rest,
    productName: subject.name,
    sku: subject.modelNumber,
    commodityCode: category.code === category.name ? undefined : category.code,
    countryOfManufacture: subject.countryOfProduction.countryCode,
    manufacturingDate: subject.productionDate ?? rest.manufacturingDate,
    economicOperator: rest.economicOperator ?? {
      role: party.role,
      legalName: party.party.name,
      ...(party.party.registeredId === undefined ? {} : { operatorId: party.party.registeredId }),
    },
    manufacturingFacility: {
      name: subject.producedAtFacility.name,
      ...(subject.producedAtFacility.registeredId === undefined
        ? { otherId: subject.producedAtFacility.id }
        : { facilityId: subject.producedAtFacility.registeredId }),
      ...rest.manufacturingFacility,
    },
  })
}

function readDimensions({ weight, length, width, height }: Any, fields: readonly Field[]): Any {
  if (fields.some(({ name }) => name === 'dimensions')) {
    const members = {
      width: width?.value,
      depth: length?.value,
      height: height?.value,
      weightKg: weight?.value,
    }
    const dimensions = omit(members)
    return Object.keys(dimensions).length === 0 ? {} : { dimensions }
  }
  if (weight === undefined) return {}
  return weight.unit === 'GRM' ? { weightGrams: weight.value } : { weightKg: weight.value }
}

function readLinks(links: readonly Any[]): Any {
  const named = (term: string) => links.filter(({ linkType }) => linkType.endsWith(`#${term}`))
  const documents = named('complianceDocument').map(({ linkName, linkURL }) => ({
    type: linkName,
    url: linkURL,
  }))
  return omit({
    complianceDocuments: documents.length === 0 ? undefined : documents,
    carbonFootprintStudyUrl: named('carbonFootprintStudyUrl')[0]?.linkURL,
    dueDiligenceUrl: named('dueDiligenceUrl')[0]?.linkURL,
  })
}

function readProvenance(materials: readonly Any[] | undefined, fields: readonly Field[]): Any {
  const field = fields.find(({ figure }) => figure === 'composition')
  if (materials === undefined || field === undefined) return {}
  const member = field.of?.[0]?.name ?? ''
  return {
    [field.name]: materials.map(({ name, massFraction }) => ({
      [member]: name,
      percentage: Number((massFraction * 100).toPrecision(15)),
    })),
  }
}

/** Collections that group fields and are none themselves. */
const GROUPS = [
  'GeneralInformation',
  'TechnicalPropertyAreas',
  'CapacityEnergyVoltage',
  'Lifetime',
  'BatteryChemistry',
]

/** Elements with another name than their field, by the field's path. */
const ELEMENTS: Readonly<Record<string, string>> = {
  productName: 'ManufacturerProductDesignation',
  sku: 'OrderCodeOfManufacturer',
  countryOfManufacture: 'CountryOfOrigin',
  manufacturingDate: 'DateOfManufacture',
  weightKg: 'BatteryMass',
  expectedLifetimeCycles: 'ExpectedNumberOfCycles',
  carbonFootprint: 'PcfCO2eq',
  carbonFootprintClass: 'PerformanceClass',
  carbonFootprintStudyUrl: 'WebLinkToPublicCarbonFootprintStudy',
  cellChemistry: 'ShortName',
  complianceDocuments: 'Documents',
  'complianceDocuments.type': 'DocumentType',
  'complianceDocuments.url': 'DocumentFile',
  documents: 'OtherDocuments',
  'documents.type': 'DocumentType',
  'documents.url': 'DocumentFile',
  'hazardousSubstances.name': 'HazardousSubstanceName',
  'hazardousSubstances.casNumber': 'HazardousSubstanceIdentifier',
  'recycledContent.material': 'RecycledMaterial',
}

export function readAas({ assetAdministrationShells: [shell], submodels }: Any, { fields }: Fields): Any {
  const ungroup = (elements: readonly Any[]): Any[] =>
    elements.flatMap(element => (GROUPS.includes(element.idShort) ? ungroup(element.value) : [element]))
  const elements = submodels
    .filter(({ idShort }: Any) => idShort !== 'DppMetadata' && idShort !== 'PassportRecord')
    .flatMap(({ submodelElements }: Any) => ungroup(submodelElements))
  const data = readElements(fields, elements, '')
  const plant = elements.find(({ idShort }: Any) => idShort === 'UniqueFacilityIdentifier')
  const gtin = shell.assetInformation.specificAssetIds.find(({ name }: Any) => name === 'gtin')
  return omit({
    ...data,
    gtin: gtin?.value,
    manufacturingFacility:
      data.manufacturingFacility ??
      (plant === undefined ? undefined : { facilityId: plant.value.split('/').pop() }),
  })
}

function readElements(fields: readonly Field[], elements: readonly Any[], parent: string): Any {
  return Object.fromEntries(
    fields.flatMap(field => {
      const path = parent + field.name
      const own = field.name.charAt(0).toUpperCase() + field.name.slice(1)
      const element =
        elements.find(({ idShort }) => idShort === ELEMENTS[path]) ??
        elements.find(({ idShort }) => idShort === own && !Object.values(ELEMENTS).includes(own))
      return element === undefined ? [] : [[field.name, readElement(field, element, path)]]
    }),
  )
}

function readElement(field: Field, { modelType, value = [] }: Any, path: string): Any {
  if (modelType === 'MultiLanguageProperty') {
    const texts = value.map(({ language, text }: Any) => [language, text])
    return field.localized ? Object.fromEntries(texts) : texts[0][1]
  }
  if (field.type === 'object') return readElements(field.fields ?? [], value, `${path}.`)
  if (field.type === 'number') return Number(value)
  if (field.type === 'boolean') return value === 'true'
  if (field.type !== 'list') return value
  const scalar = findScalarEntry(field)
  return value.map((entry: Any) =>
    scalar === undefined
      ? readElements(field.of ?? [], entry.value, `${path}.`)
      : readElement(scalar, entry, path),
  )
}
