/** The submodels of a battery, named as in IDTA's battery passport (02035). */
import type { Field } from '../../categories/field.ts'
import type { UndatedReading } from '../reading.ts'
import {
  type AasOptions,
  buildCollection,
  buildFieldElements,
  buildOptions,
  buildProperty,
  type SubmodelElement,
} from './elements.ts'
import { findManufacturer } from './nameplate.ts'
import { BATTERY_CHEMISTRY, BATTERY_ELEMENTS, CARBON_FOOTPRINT, TECHNICAL_DATA, VALUE_TYPE } from './names.ts'

type BatterySubmodel =
  | 'TechnicalData'
  | 'CarbonFootprint'
  | 'MaterialComposition'
  | 'Circularity'
  | 'HandoverDocumentation'

/** By the section of the page that a field is shown in. */
const BY_SECTION: ReadonlyMap<string, BatterySubmodel> = new Map([
  ['performance', 'TechnicalData'],
  ['carbon-footprint', 'CarbonFootprint'],
  ['materials', 'MaterialComposition'],
  ['hazardous-substances', 'MaterialComposition'],
  ['safety', 'Circularity'],
  ['repair', 'Circularity'],
  ['end-of-life', 'Circularity'],
  ['documents', 'HandoverDocumentation'],
  ['due-diligence', 'HandoverDocumentation'],
])

/** Fields that IDTA has in another submodel than their section. */
const BY_NAME: ReadonlyMap<string, BatterySubmodel> = new Map([
  ['batteryCategory', 'TechnicalData'],
  ['recycledContent', 'Circularity'],
  ['recycledContentDetails', 'Circularity'],
  ['renewableContentPercentage', 'Circularity'],
])

const findSubmodel = ({ name, section }: Field): BatterySubmodel | undefined =>
  BY_NAME.get(name) ?? BY_SECTION.get(section ?? '')

type BatteryInput = { reading: UndatedReading; fields: readonly Field[]; options: AasOptions }

/** `others`: fields with no place in these submodels. */
export function listBatterySubmodels(reading: UndatedReading, fields: readonly Field[], nsUrl: string) {
  const options = buildOptions(reading, nsUrl)
  const select = (submodel: BatterySubmodel): BatteryInput => ({
    reading,
    fields: fields.filter(field => findSubmodel(field) === submodel),
    options,
  })
  return {
    submodels: [
      { idShort: 'TechnicalData', elements: buildTechnicalData(select('TechnicalData')) },
      { idShort: 'CarbonFootprint', elements: buildCarbonFootprint(select('CarbonFootprint')) },
      { idShort: 'MaterialComposition', elements: buildMaterialComposition(select('MaterialComposition')) },
      { idShort: 'Circularity', elements: buildKnownFields(select('Circularity')) },
      { idShort: 'HandoverDocumentation', elements: buildKnownFields(select('HandoverDocumentation')) },
    ],
    others: fields.filter(field => findSubmodel(field) === undefined),
  }
}

const buildKnownFields = ({ reading, fields, options }: BatteryInput): SubmodelElement[] =>
  buildFieldElements(fields, reading.data, options, BATTERY_ELEMENTS)

/** Those of the fields that are named, in the order of the names. */
const pick = (input: BatteryInput, names: readonly string[]): BatteryInput => ({
  ...input,
  fields: names.flatMap(name => input.fields.filter(field => field.name === name)),
})

const omit = (input: BatteryInput, names: readonly string[]): BatteryInput => ({
  ...input,
  fields: input.fields.filter(({ name }) => !names.includes(name)),
})

const GENERAL = ['batteryCategory', 'weightKg']
const CAPACITY = ['nominalVoltage', 'ratedCapacity', 'energyWh']
const LIFETIME = ['expectedLifetimeCycles']

function buildTechnicalData(input: BatteryInput): SubmodelElement[] {
  const manufacturer = findManufacturer(input.reading)
  const name = { idShort: 'ManufacturerName', semanticId: TECHNICAL_DATA.manufacturerName }
  const general = [
    ...(manufacturer === undefined ? [] : [buildProperty(name, VALUE_TYPE.string, manufacturer)]),
    ...buildKnownFields(pick(input, GENERAL)),
  ]
  const areas = [
    buildCollection(
      { idShort: 'CapacityEnergyVoltage', semanticId: TECHNICAL_DATA.capacityEnergyVoltage },
      buildKnownFields(pick(input, CAPACITY)),
    ),
    buildCollection(
      { idShort: 'Lifetime', semanticId: TECHNICAL_DATA.lifetime },
      buildKnownFields(pick(input, LIFETIME)),
    ),
    ...buildKnownFields(omit(input, [...GENERAL, ...CAPACITY, ...LIFETIME])),
  ]
  return [
    buildCollection(
      { idShort: 'GeneralInformation', semanticId: TECHNICAL_DATA.generalInformation },
      general,
    ),
    buildCollection(
      { idShort: 'TechnicalPropertyAreas', semanticId: TECHNICAL_DATA.technicalPropertyAreas },
      areas,
    ),
  ].filter(element => element !== undefined)
}

/** The figure is for one kilowatt-hour of the energy that the battery provides over its life. */
function buildCarbonFootprint(input: BatteryInput): SubmodelElement[] {
  const footprint = buildKnownFields(pick(input, ['carbonFootprint']))
  const measure = [
    buildProperty(
      {
        idShort: 'ReferenceImpactUnitForCalculation',
        semanticId: CARBON_FOOTPRINT.referenceImpactUnit,
      },
      VALUE_TYPE.string,
      'kWh',
    ),
    buildProperty(
      { idShort: 'QuantityOfMeasureForCalculation', semanticId: CARBON_FOOTPRINT.quantityOfMeasure },
      VALUE_TYPE.double,
      '1',
    ),
  ]
  return [
    ...footprint,
    ...(footprint.length === 0 ? [] : measure),
    ...buildKnownFields(omit(input, ['carbonFootprint'])),
  ]
}

function buildMaterialComposition(input: BatteryInput): SubmodelElement[] {
  const chemistry = buildCollection(
    { idShort: 'BatteryChemistry', semanticId: BATTERY_CHEMISTRY },
    buildKnownFields(pick(input, ['cellChemistry'])),
  )
  return [
    ...(chemistry === undefined ? [] : [chemistry]),
    ...buildKnownFields(omit(input, ['cellChemistry'])),
  ]
}
