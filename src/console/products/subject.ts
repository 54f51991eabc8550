/** The product that a page is about. */
import type { AccountContext } from '../../accounts/context.ts'
import { contextOf } from '../../accounts/sessions.ts'
import { requireUuid } from '../../passports/find.ts'
import { getState, readingOf, type State } from '../../passports/state.ts'
import type { SignedInVisit } from '../route.ts'
import type { Words } from '../texts.ts'

/** Throws `not_found`, for another account's product too. */
export const contextAndState = async (
  visit: SignedInVisit,
): Promise<{ ctx: AccountContext; state: State }> => {
  const ctx = contextOf(visit.setup, visit.session)
  return { ctx, state: await getState(ctx, requireUuid(visit.params.id ?? '')) }
}

export const nameOf = (words: Words, state: State) =>
  String(readingOf(state).productName ?? words.texts.unnamed)

/** The name, and of a unit its lot or serial number: what pages about it are called. */
export const titleOf = (words: Words, state: State) =>
  [nameOf(words, state), state.row.serial ?? state.row.lot].filter(part => part !== null).join(' · ')
