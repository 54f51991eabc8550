/** The identifiers of product, operator and plant that documents of several standards have in common. */
import { asObject, getOwn } from '../kernel/values/data-object.ts'
import type { Reading } from './reading.ts'

/** GS1's addresses of a Global Location Number (GLN): of a company (AI 417), of a place (AI 414). */
export const GLN_ADDRESSES = {
  company: 'https://id.gs1.org/417/',
  place: 'https://id.gs1.org/414/',
} as const

/** The id of its documents. */
export const getDppId = ({ dppId, url }: Pick<Reading, 'dppId' | 'url'>): string => dppId ?? url

/** The GS1 Digital Link; without a GTIN, the address of the passport. */
export const getProductIdentifier = ({ gs1Url, url }: Pick<Reading, 'gs1Url' | 'url'>): string =>
  gs1Url ?? url

/** The text at a path of the data such as `economicOperator`, `legalName`; undefined without one. */
export function findDataText(
  { data }: Pick<Reading, 'data'>,
  ...path: readonly string[]
): string | undefined {
  const found = path.reduce<unknown>((value, name) => getOwn(asObject(value), name), data)
  return typeof found === 'string' && found !== '' ? found : undefined
}
