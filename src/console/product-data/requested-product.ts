/** Loads the product or unit that the requested path names. */
import { getState, type PassportState } from '../../passports/core/state.ts'
import { requireProductUuid } from '../../passports/read/find.ts'
import type { Visit } from '../page/route.ts'

/** Throws `not_found`, for another account's product too. */
export const getRequestedProduct = ({ ctx, id }: Visit): Promise<PassportState> =>
  getState(ctx, requireProductUuid(id))
