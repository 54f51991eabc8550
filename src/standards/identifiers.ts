/** The identifiers of product, operator and plant that documents of several standards have in common. */
import { asObject, getOwn } from '../kernel/data-object.ts'
import type { Reading } from './reading.ts'

/** GS1's addresses of a Global Location Number (GLN): of a company (AI 417), of a place (AI 414). */
export const GLN_ADDRESSES = {
  company: 'https://id.gs1.org/417/',
  place: 'https://id.gs1.org/414/',
} as const

/** The GS1 Digital Link; without a GTIN, the address of the passport. */
export const getProductIdentifier = ({ gs1Url, url }: Pick<Reading, 'gs1Url' | 'url'>): string =>
  gs1Url ?? url

/** The text at a path of the data such as `economicOperator`, `legalName`; undefined if there is none. */
export function findDataText(
  { data }: Pick<Reading, 'data'>,
  ...path: readonly string[]
): string | undefined {
  const found = path.reduce<unknown>((value, name) => getOwn(asObject(value), name), data)
  return typeof found === 'string' && found !== '' ? found : undefined
}

/**
 * The address of the operator's GLN; else its LEI after the code of that scheme (ISO/IEC 6523); else the DID
 * of the account, which acts for the operator. Undefined without all three.
 */
export function findOperatorIdentifier(
  reading: Pick<Reading, 'data'>,
  did: string | null,
): string | undefined {
  const gln = findDataText(reading, 'economicOperator', 'operatorId')
  if (gln !== undefined) return GLN_ADDRESSES.company + gln
  const isLei = findDataText(reading, 'economicOperator', 'registryId', 'scheme') === 'lei'
  const lei = isLei ? findDataText(reading, 'economicOperator', 'registryId', 'value') : undefined
  return lei === undefined ? (did ?? undefined) : `0199:${lei}`
}

/** The address of the plant's GLN; undefined if it is not known. */
export function findFacilityIdentifier(reading: Pick<Reading, 'data'>): string | undefined {
  const gln = findDataText(reading, 'manufacturingFacility', 'facilityId')
  return gln === undefined ? undefined : GLN_ADDRESSES.place + gln
}
