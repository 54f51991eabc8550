/** Names of drafts, and what they will be. */
import { stripDirectionMarks } from '../../i18n/direction-marks.ts'
import type { Draft } from '../../passports/drafts/draft.ts'
import type { Words } from '../page/route.ts'
import { formatTitle } from '../product-data/product.ts'
import type { RequestedDraft } from './requested-draft.ts'

export function getDraftTitle(words: Words, { draft, product, data }: RequestedDraft): string {
  const name = getDraftName(words, data.productName ?? product?.inherited.productName)
  return product === undefined || draft.product_id === null ? name : formatTitle(words, name, product.row)
}

export const getDraftName = ({ texts }: Words, name: unknown): string =>
  typeof name === 'string' ? stripDirectionMarks(name) : texts.page.unnamed

export const describeKind = ({ texts }: Words, { product_id }: Pick<Draft, 'product_id'>): string =>
  product_id === null ? texts.drafts.newProduct : texts.drafts.changeOfProduct
