/** The digital nameplate: who made what, when and where. */
import type { Field } from '../../categories/field.ts'
import { asObject, getOwn } from '../../kernel/values/data-object.ts'
import { findDataText, GLN_ADDRESSES, getProductIdentifier } from '../identifiers.ts'
import type { UndatedReading } from '../reading.ts'
import {
  type AasOptions,
  buildFieldElement,
  buildOptions,
  buildProperty,
  buildTranslations,
  type SubmodelElement,
  toList,
} from './elements.ts'
import { ASSET_ID, NAMEPLATE, VALUE_TYPE } from './names.ts'

/** Fields of the nameplate beside those about operators. The GTIN stands outside of submodels. */
const FIELDS: readonly string[] = [
  'productName',
  'sku',
  'brandName',
  'gtin',
  'commodityCode',
  'languages',
  'countryOfManufacture',
  'manufacturingDate',
]

export const isOnNameplate = ({ name, section }: Field): boolean =>
  section === 'operator' || FIELDS.includes(name)

export function buildNameplate(reading: UndatedReading, nsUrl: string): SubmodelElement[] {
  const { category, data, lot, serial } = reading
  const options = buildOptions(reading, nsUrl)
  const field = (name: string) => buildNamedField(reading, name, options)
  const text = (idShort: string, semanticId: string, value: string | null | undefined) =>
    value === undefined || value === null
      ? []
      : [buildProperty({ idShort, semanticId }, VALUE_TYPE.string, value)]
  const others = category.fields.filter(
    ({ name, section }) =>
      section === 'operator' && name !== 'economicOperator' && name !== 'manufacturingFacility',
  )
  return [
    buildProperty(
      { idShort: 'URIOfTheProduct', semanticId: NAMEPLATE.uriOfTheProduct },
      VALUE_TYPE.anyUri,
      getProductIdentifier(reading),
    ),
    ...buildText('ManufacturerName', NAMEPLATE.manufacturerName, findManufacturer(reading), options),
    ...buildText(
      'ManufacturerProductDesignation',
      NAMEPLATE.manufacturerProductDesignation,
      findDataText(reading, 'productName'),
      options,
    ),
    ...text('OrderCodeOfManufacturer', NAMEPLATE.orderCodeOfManufacturer, findDataText(reading, 'sku')),
    ...text('BatchNumber', ASSET_ID.lot.semanticId, lot),
    ...text('SerialNumber', NAMEPLATE.serialNumber, serial),
    ...buildManufacturingDate(reading, options),
    ...text('CountryOfOrigin', NAMEPLATE.countryOfOrigin, findDataText(reading, 'countryOfManufacture')),
    ...text('UniqueFacilityIdentifier', NAMEPLATE.uniqueFacilityIdentifier, findFacilityAddress(reading)),
    ...field('economicOperator'),
    ...(hasMoreOfFacility(getOwn(data, 'manufacturingFacility')) ? field('manufacturingFacility') : []),
    ...field('brandName'),
    ...field('commodityCode'),
    ...field('languages'),
    ...others.flatMap(({ name }) => field(name)),
  ]
}

/** Undefined unless the economic operator is the manufacturer. */
export const findManufacturer = (reading: UndatedReading): string | undefined =>
  findDataText(reading, 'economicOperator', 'role') === 'manufacturer'
    ? findDataText(reading, 'economicOperator', 'legalName')
    : undefined

const buildNamedField = ({ category, data }: UndatedReading, name: string, options: AasOptions) =>
  category.fields
    .filter(field => field.name === name)
    .flatMap(field => toList(buildFieldElement(field, getOwn(data, name), options)))

/** The names of company and product are in no language; the template wants one. */
function buildText(
  idShort: string,
  semanticId: string,
  value: string | undefined,
  { primaryLanguage }: AasOptions,
): SubmodelElement[] {
  return toList(buildTranslations({ idShort, semanticId }, { [primaryLanguage]: value }, primaryLanguage))
}

/** IDTA's element holds a day; a month or a year is our own. */
function buildManufacturingDate(reading: UndatedReading, options: AasOptions): SubmodelElement[] {
  const date = findDataText(reading, 'manufacturingDate')
  if (date?.length !== 'YYYY-MM-DD'.length) return buildNamedField(reading, 'manufacturingDate', options)
  const head = { idShort: 'DateOfManufacture', semanticId: NAMEPLATE.dateOfManufacture }
  return [buildProperty(head, VALUE_TYPE.date, date)]
}

function findFacilityAddress(reading: UndatedReading): string | undefined {
  const gln = findDataText(reading, 'manufacturingFacility', 'facilityId')
  return gln === undefined ? undefined : GLN_ADDRESSES.place + gln
}

/** Returns true if a plant is known by more than its GLN, which has an element of IDTA. */
const hasMoreOfFacility = (facility: unknown): boolean =>
  Object.keys(asObject(facility)).some(name => name !== 'facilityId')
