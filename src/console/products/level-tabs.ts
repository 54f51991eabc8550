/** The levels above the list of products, each with its count, and the way to hits that a filter hides. */
import { html } from 'ghtml'
import type { AccountContext } from '../../accounts/context.ts'
import { type Count, countLevels, type Level, MOST_COUNTED } from '../../passports/read/list.ts'
import { LIST_TEXTS } from '../page/list-texts.ts'
import { type Words, wordsOf } from '../page/words.ts'
import { addressOf, filterOf, LEVELS, type View } from './list-query.ts'

export type Counts = Readonly<Record<Level, Count>>

const sumOf = (counts: Counts, levels: readonly Level[]): Count => ({
  total: levels.reduce((sum, level) => sum + counts[level].total, 0),
  totalCapped: levels.some(level => counts[level].totalCapped),
})

const countText = (words: Words, { total, totalCapped }: Count) =>
  words.number(total) + (totalCapped ? '+' : '')

/** The levels, each with how many of it match. */
export function levelTabs(words: Words, view: View, counts: Counts): string {
  const { level, levelTabs } = wordsOf(words, LIST_TEXTS)
  const links = (['model', 'batch', 'item', 'all'] as const).map(one => {
    const current = one === view.level ? ' aria-current="page"' : ''
    const count = countText(words, sumOf(counts, LEVELS[one]))
    return html`<a href="${addressOf({ ...view, level: one }, { page: 1 })}"!${current}>${levelTabs[one]} <span class="tab-count">${count}</span></a>`
  })
  return html`<nav class="ranges" aria-label="${level}">!${links}</nav>`
}

/** Where a page is empty: the way to what the level or, if that is not it, the other filters keep from it. */
export async function hiddenHits(
  ctx: AccountContext,
  words: Words,
  view: View,
  counts: Counts,
): Promise<string> {
  const texts = wordsOf(words, LIST_TEXTS)
  const elsewhere = sumOf(counts, LEVELS.all)
  if (elsewhere.total > 0) {
    const named = (['model', 'batch', 'item'] as const).filter(one => sumOf(counts, LEVELS[one]).total > 0)
    const level = named.length === 1 ? (named[0] ?? 'all') : 'all'
    const text = texts.matches[level](elsewhere.total, countText(words, elsewhere))
    return hiddenLink(text, addressOf({ ...view, level }, { page: 1 }))
  }
  const bare: View = { ...view, level: 'all', status: 'all', category: '', outdated: false }
  if (view.q === '' || addressOf(bare, { page: 1 }) === addressOf({ ...view, level: 'all' }, { page: 1 }))
    return ''
  const without = sumOf(await countLevels(ctx, filterOf(bare), MOST_COUNTED), LEVELS.all)
  if (without.total === 0) return ''
  const text = texts.matchesWithoutFilters(without.total, countText(words, without))
  return hiddenLink(text, addressOf(bare, { page: 1 }))
}

const hiddenLink = (text: string, to: string) => html` <a class="alone" href="${to}">${text}</a>`
