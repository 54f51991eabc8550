/** Loads the product or unit that the requested path names. */
import type { AccountContext } from '../../accounts/context.ts'
import { toAccountContext } from '../../accounts/people/sessions.ts'
import { getState, type PassportState } from '../../passports/core/state.ts'
import { requireProductUuid } from '../../passports/read/find.ts'
import type { SignedInVisit } from '../page/route.ts'

/** Throws `not_found`, for another account's product too. */
export async function getRequestedProduct(
  visit: SignedInVisit,
): Promise<{ ctx: AccountContext; state: PassportState }> {
  const ctx = toAccountContext(visit.setup, visit.session)
  return { ctx, state: await getState(ctx, requireProductUuid(visit.params.id ?? '')) }
}
