/** Tabs for the levels above the product list, with counts, and a link to hits that a filter hides. */

import { html } from 'ghtml'
import type { AccountContext } from '../../accounts/account/context.ts'
import { type CappedCount, countLevels, MAX_COUNTED } from '../../passports/read/list.ts'
import type { Level } from '../../passports/read/list-filter.ts'
import type { Words } from '../page/route.ts'
import { renderText } from '../page/texts.ts'
import { getListUrl, LIST_LEVELS, type ListQuery, toListFilter } from './list-query.ts'

type LevelCounts = Readonly<Record<Level, CappedCount>>

const sumCounts = (counts: LevelCounts, levels: readonly Level[]): CappedCount => ({
  total: levels.reduce((sum, level) => sum + counts[level].total, 0),
  totalCapped: levels.some(level => counts[level].totalCapped),
})

const formatCount = (words: Words, { total, totalCapped }: CappedCount) =>
  words.number(total) + (totalCapped ? '+' : '')

export function renderLevelTabs(words: Words, view: ListQuery, counts: LevelCounts): string {
  const { level } = words.texts.products,
    { levelTabs } = words.texts.productList
  const links = (['model', 'batch', 'item', 'all'] as const).map(one => {
    const current = one === view.level ? ' aria-current="page"' : ''
    const count = formatCount(words, sumCounts(counts, LIST_LEVELS[one]))
    return html`<a href="${getListUrl({ ...view, level: one }, { page: 1 })}"!${current}>${levelTabs[one]} <span class="tab-count">${count}</span></a>`
  })
  return html`<nav class="ranges" aria-label="${level}">!${links}</nav>`
}

/** For an empty page: links to hits on other levels or, if there are none, to hits without filters. */
export async function renderHiddenHits(
  ctx: AccountContext,
  words: Words,
  view: ListQuery,
  counts: LevelCounts,
): Promise<string> {
  const texts = words.texts.productList
  const elsewhere = sumCounts(counts, LIST_LEVELS.all)
  if (elsewhere.total > 0) {
    const named = (['model', 'batch', 'item'] as const).filter(
      one => sumCounts(counts, LIST_LEVELS[one]).total > 0,
    )
    const level = named.length === 1 ? (named[0] ?? 'all') : 'all'
    const text = renderText(texts.matches[level], { count: elsewhere.total })
    return renderHiddenLink(text, getListUrl({ ...view, level }, { page: 1 }))
  }
  const bare: ListQuery = {
    ...view,
    level: 'all',
    status: 'all',
    category: '',
    outdated: false,
    readiness: undefined,
  }
  if (view.q === '' || getListUrl(bare, { page: 1 }) === getListUrl({ ...view, level: 'all' }, { page: 1 }))
    return ''
  const without = sumCounts(await countLevels(ctx, toListFilter(bare), MAX_COUNTED), LIST_LEVELS.all)
  if (without.total === 0) return ''
  const text = texts.matchesWithoutFilters({ count: without.total })
  return renderHiddenLink(text, getListUrl(bare, { page: 1 }))
}

const renderHiddenLink = (text: string, to: string) => html` <a class="alone" href="${to}">${text}</a>`
