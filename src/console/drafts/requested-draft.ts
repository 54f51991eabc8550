/** The draft of a page, with the data that its form shows. */
import type { Field } from '../../categories/field.ts'
import { idFromUuid, requireUuid } from '../../kernel/crypto/ids.ts'
import type { DataObject } from '../../kernel/values/data-object.ts'
import { removeNulls, requireCategory } from '../../passports/core/check-data.ts'
import { effectiveData, getState, type PassportState } from '../../passports/core/state.ts'
import type { Draft } from '../../passports/drafts/draft.ts'
import { getDraft } from '../../passports/drafts/store-drafts.ts'
import { DRAFTS, type Visit } from '../page/route.ts'
import { getFormCategory } from '../product-data/form-fields.ts'

/** `product`: the one that is changed; undefined for a new one. `data`: as it would be after publishing. */
export type RequestedDraft = { draft: Draft; product: PassportState | undefined; data: DataObject }

/** Throws `not_found`. */
export async function getRequestedDraft({ ctx, id }: Visit): Promise<RequestedDraft> {
  const draft = await getDraft(ctx, requireUuid(id, 'draft'))
  if (draft.product_id === null) return { draft, product: undefined, data: draft.data }
  const product = await getState(ctx, draft.product_id)
  const own = isUnit(product) ? (product.own ?? {}) : effectiveData(product)
  return { draft, product, data: removeNulls({ ...own, ...draft.data }) }
}

export const isUnit = (product: PassportState | undefined): boolean =>
  product !== undefined && product.row.level !== 'm'

/** A unit has the GTIN of its model. */
export const listDraftFields = ({ draft, product }: RequestedDraft): readonly Field[] => {
  const { fields } = getFormCategory(requireCategory(draft.category))
  return isUnit(product) ? fields.filter(({ name }) => name !== 'gtin') : fields
}

export const getDraftUrl = ({ id }: { id: string }): string => `${DRAFTS}/${idFromUuid(id)}`
