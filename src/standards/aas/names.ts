/**
 * Codes of the Asset Administration Shell (metamodel 3.0) and of the submodel templates of IDTA. No other
 * file writes them.
 */

export const MODEL_TYPE = {
  shell: 'AssetAdministrationShell',
  submodel: 'Submodel',
  property: 'Property',
  texts: 'MultiLanguageProperty',
  collection: 'SubmodelElementCollection',
  list: 'SubmodelElementList',
  file: 'File',
} as const

export const VALUE_TYPE = {
  string: 'xs:string',
  decimal: 'xs:decimal',
  double: 'xs:double',
  float: 'xs:float',
  unsignedInt: 'xs:unsignedInt',
  boolean: 'xs:boolean',
  anyUri: 'xs:anyURI',
  dateTime: 'xs:dateTime',
  year: 'xs:gYear',
  yearMonth: 'xs:gYearMonth',
  date: 'xs:date',
} as const

export type ValueType = (typeof VALUE_TYPE)[keyof typeof VALUE_TYPE]

/** Bounds of the metamodel, in characters. */
export const MAX_TRANSLATION_LENGTH = 1023
export const MAX_ID_SHORT_LENGTH = 128
export const MAX_FILE_ADDRESS_LENGTH = 2000

export const ASSET_KIND = { model: 'Type', batch: 'NotApplicable', item: 'Instance' } as const

/** The ids of the asset, apart from its global id. */
export const ASSET_ID = {
  gtin: { name: 'gtin', semanticId: 'https://ref.gs1.org/voc/gtin' },
  lot: { name: 'batchNumber', semanticId: 'https://ref.gs1.org/voc/hasBatchLotNumber' },
  serial: { name: 'serialNumber', semanticId: 'http://schema.org/serialNumber' },
  sku: { name: 'manufacturerPartId', semanticId: 'http://schema.org/sku' },
} as const

/** IDTA 02099-1, the one template whose elements can all be filled. */
export const DPP_METADATA = 'https://admin-shell.io/idta/cds/dppMetadata/1'
export const DPP_METADATA_VERSION = { version: '1', revision: '0' } as const
export const CONTENT_SPECIFICATION_ID = 'https://admin-shell.io/idta/cds/contentSpecificationId/1'

const NAMEPLATE_TEMPLATE = 'https://admin-shell.io/idta/nameplate/3/0/Nameplate'

/**
 * Templates that our submodels are near to without all of their mandatory elements, by `idShort`. So these
 * are supplemental semantic ids only.
 */
export const NEAR_TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  DppMetadata: [DPP_METADATA],
  // IDTA 02006-3-0-1.
  Nameplate: [NAMEPLATE_TEMPLATE],
}

/** For batteries: IDTA 02035, parts 1 to 7, with the general templates 02006, 02003, 02023 and 02004. */
export const NEAR_BATTERY_TEMPLATES: typeof NEAR_TEMPLATES = {
  ...NEAR_TEMPLATES,
  Nameplate: [
    'https://admin-shell.io/idta/digitalbatterypassport/nameplate/1/0/Nameplate',
    NAMEPLATE_TEMPLATE,
  ],
  TechnicalData: [
    'https://admin-shell.io/idta/digitalbatterypassport/TechnicalData/1/0',
    '0173-1#01-AHX837#002',
  ],
  CarbonFootprint: ['https://admin-shell.io/idta/CarbonFootprint/CarbonFootprint/1/0'],
  MaterialComposition: [
    'urn:samm:io.admin-shell.idta.batterypass.material_composition:1.0.0#MaterialComposition',
  ],
  Circularity: ['urn:samm:io.admin-shell.idta.batterypass.circularity:1.0.0#Circularity'],
  HandoverDocumentation: ['0173-1#01-AHF578#003'],
}

/** Elements of the digital nameplate (IDTA 02006-3). */
export const NAMEPLATE = {
  uriOfTheProduct: '0112/2///61987#ABN590#002',
  manufacturerName: '0112/2///61987#ABA565#009',
  manufacturerProductDesignation: '0112/2///61987#ABA567#009',
  orderCodeOfManufacturer: '0112/2///61987#ABA950#008',
  serialNumber: '0112/2///61987#ABA951#009',
  dateOfManufacture: '0112/2///61987#ABB757#007',
  countryOfOrigin: '0112/2///61987#ABP462#001',
  uniqueFacilityIdentifier: 'https://admin-shell.io/idta/nameplate/3/0/UniqueFacilityIdentifier',
} as const

const BATTERY_PASS = 'urn:samm:io.admin-shell.idta.batterypass.'
const TECHNICAL = `${BATTERY_PASS}technical_data:1.0.0#`
const CARBON = `${BATTERY_PASS}carbon_footprint:1.0.0#`
const MATERIAL = `${BATTERY_PASS}material_composition:1.0.1#`
const CIRCULARITY = `${BATTERY_PASS}circularity:1.0.0#`

/** Elements of technical data (IDTA 02003-2, for batteries 02035-4). */
export const TECHNICAL_DATA = {
  generalInformation: '0173-1#02-ABK161#002/0173-1#01-AHX838#002',
  manufacturerName: '0173-1#02-AAO677#004',
  technicalPropertyAreas: '0173-1#02-ABK163#002',
  capacityEnergyVoltage: `${TECHNICAL}capacityEnergyVoltage`,
  lifetime: `${TECHNICAL}lifetime`,
} as const

/** Elements of the carbon footprint (IDTA 02023-1) that no field has. */
export const CARBON_FOOTPRINT = {
  referenceImpactUnit: '0173-1#02-ABG856#003',
  quantityOfMeasure: '0173-1#02-ABG857#003',
} as const

export const BATTERY_CHEMISTRY = `${MATERIAL}batteryChemistry`

/** How an element differs from the one that the field table gives. */
export type IdtaElement = {
  idShort?: string
  semanticId?: string
  valueType?: ValueType
  /** For each entry of a list. */
  entrySemanticId?: string
  /** For members, by their names. */
  members?: Readonly<Record<string, IdtaElement>>
}

/** In documents of any category. */
const DOCUMENT_ELEMENTS: IdtaElement = {
  idShort: 'Documents',
  members: { type: { idShort: 'DocumentType' }, url: { idShort: 'DocumentFile' } },
}

/** Lists of documents, by the names of their fields. */
export const DOCUMENT_LISTS: Readonly<Record<string, IdtaElement>> = {
  complianceDocuments: DOCUMENT_ELEMENTS,
  documents: { ...DOCUMENT_ELEMENTS, idShort: 'OtherDocuments' },
  pictures: { idShort: 'Pictures', members: { url: { idShort: 'PictureFile' } } },
}

/** Fields of batteries that have an entry of IDTA, by their names. */
export const BATTERY_ELEMENTS: Readonly<Record<string, IdtaElement>> = {
  batteryCategory: { semanticId: `${TECHNICAL}batteryCategory` },
  weightKg: { idShort: 'BatteryMass', semanticId: `${TECHNICAL}batteryMass`, valueType: VALUE_TYPE.float },
  nominalVoltage: { semanticId: '0173-1#02-ABL588#001', valueType: VALUE_TYPE.float },
  ratedCapacity: { semanticId: '0173-1#02-ABL869#002', valueType: VALUE_TYPE.float },
  expectedLifetimeCycles: {
    idShort: 'ExpectedNumberOfCycles',
    semanticId: `${TECHNICAL}expectedNumberOfCycles`,
    valueType: VALUE_TYPE.unsignedInt,
  },
  carbonFootprint: { idShort: 'PcfCO2eq', semanticId: '0173-1#02-ABG855#003' },
  carbonFootprintClass: { idShort: 'PerformanceClass', semanticId: `${CARBON}performanceClass` },
  carbonFootprintStudyUrl: {
    idShort: 'WebLinkToPublicCarbonFootprintStudy',
    semanticId: `${CARBON}webLinkToPublicCarbonFootprintStudy`,
  },
  cellChemistry: { idShort: 'ShortName', semanticId: `${MATERIAL}shortName` },
  hazardousSubstances: {
    semanticId: `${MATERIAL}hazardousSubstances`,
    entrySemanticId: `${MATERIAL}HazardousSubstance`,
    members: {
      name: { idShort: 'HazardousSubstanceName', semanticId: `${MATERIAL}hazardousSubstanceName` },
      casNumber: {
        idShort: 'HazardousSubstanceIdentifier',
        semanticId: `${MATERIAL}hazardousSubstanceIdentifier`,
      },
    },
  },
  recycledContent: {
    entrySemanticId: `${CIRCULARITY}RecycledContent`,
    members: { material: { idShort: 'RecycledMaterial', semanticId: `${CIRCULARITY}recycledMaterial` } },
  },
  ...DOCUMENT_LISTS,
}

/** Relationships of a package, and the types of its parts. */
export const AASX = {
  originRelationship: 'http://admin-shell.io/aasx/relationships/aasx-origin',
  specRelationship: 'http://admin-shell.io/aasx/relationships/aas-spec',
} as const
