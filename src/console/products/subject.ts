/** The product that a page is about. */
import type { AccountContext } from '../../accounts/context.ts'
import { contextOf } from '../../accounts/people/sessions.ts'
import { withoutMarks } from '../../i18n/direction.ts'
import { requireUuid } from '../../passports/find.ts'
import { LEVEL_NAME } from '../../passports/record.ts'
import { getState, readingOf, type State } from '../../passports/state.ts'
import type { SignedInVisit } from '../route.ts'
import { type Words, wordsOf } from '../texts.ts'
import { PRODUCT_TEXTS } from './texts.ts'

/** Throws `not_found`, for another account's product too. */
export const contextAndState = async (
  visit: SignedInVisit,
): Promise<{ ctx: AccountContext; state: State }> => {
  const ctx = contextOf(visit.setup, visit.session)
  return { ctx, state: await getState(ctx, requireUuid(visit.params.id ?? '')) }
}

export const nameOf = (words: Words, state: State) =>
  withoutMarks(String(readingOf(state).productName ?? words.texts.unnamed))

/** The name, and of a unit what it is and its lot or serial number: what pages about it are called. */
export const titleOf = (words: Words, state: State) => calledAs(words, nameOf(words, state), state.row)

export function calledAs(
  words: Words,
  name: string,
  { level, serial, lot }: Pick<State['row'], 'level' | 'serial' | 'lot'>,
): string {
  const shown = withoutMarks(name)
  if (level === 'm') return shown
  const { levels } = wordsOf(words, PRODUCT_TEXTS)
  return `${shown} · ${levels[LEVEL_NAME[level]]} ${serial ?? lot ?? ''}`
}
