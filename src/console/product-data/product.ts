/** The product or unit of a page: loaded by its address, with its title, links and notices. */
import { html } from 'ghtml'
import { stripDirectionMarks } from '../../i18n/direction-marks.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { LEVEL_NAME } from '../../passports/core/record.ts'
import { effectiveData, getState, type PassportState } from '../../passports/core/state.ts'
import { getPrimaryLanguage } from '../../passports/read/build-reading.ts'
import { requireProductUuid } from '../../passports/read/find.ts'
import type { PassportSummary } from '../../passports/read/list.ts'
import { doneNotice } from '../page/parts.ts'
import { PRODUCTS, type Visit, type Words } from '../page/route.ts'
import { findText, type Texts } from '../page/texts.ts'
import { renderLanguage } from './view.ts'

/** Throws `not_found`, also for another account's product. */
export const getRequestedProduct = ({ ctx, id }: Visit): Promise<PassportState> =>
  getState(ctx, requireProductUuid(id))

export const getProductUrl = ({ id }: { id: string }) => `${PRODUCTS}/${idFromUuid(id)}`

export const getProductName = (words: Words, state: PassportState): string =>
  stripDirectionMarks(String(effectiveData(state).productName ?? words.texts.page.unnamed))

/** The heading of pages about a product or unit: "Jumper · Item 4711". */
export const getProductTitle = (words: Words, state: PassportState): string =>
  formatTitle(words, getProductName(words, state), state.row)

/** The same as HTML: the name is in the product's primary language. */
export function renderProductTitle(words: Words, state: PassportState): string {
  const name = getProductName(words, state)
  const language = renderLanguage(words, getPrimaryLanguage(effectiveData(state)))
  const title = getProductTitle(words, state)
  return language === ''
    ? html`${title}`
    : html`<span dir="auto"!${language}>${name}</span>${title.slice(name.length)}`
}

export const backToProduct = (words: Words, state: PassportState): string =>
  html`<p class="way"><a class="alone" href="${getProductUrl(state.row)}">!${renderProductTitle(words, state)}</a></p>`

/** Without direction marks; a unit with its lot or serial number. */
export function formatTitle(
  { texts }: Words,
  name: string | null,
  { level, serial, lot }: Pick<PassportState['row'], 'level' | 'serial' | 'lot'>,
): string {
  const shown = stripDirectionMarks(name ?? texts.page.unnamed)
  return level === 'm'
    ? shown
    : `${shown} · ${texts.products.levels[LEVEL_NAME[level]]} ${serial ?? lot ?? ''}`
}

/** The title in a list, which names the level in a separate column: "Jumper · 4711". */
export function getShortTitle({ texts }: Words, { product_name, serial, lot }: PassportSummary): string {
  const unit = serial ?? lot
  return stripDirectionMarks(product_name ?? texts.page.unnamed) + (unit === null ? '' : ` · ${unit}`)
}

type DoneAction = keyof Texts['products']['done']

/** The product's address after an action. `n`: the new version's number, or how many units; never a text. */
export const getDoneUrl = (row: { id: string }, done: DoneAction, n: number) =>
  `${getProductUrl(row)}?done=${done}&n=${n}`

/** The notice for the action that the query names, if it is one of `all`; else ''. */
export function renderDoneNotice(words: Words, query: URLSearchParams, all: readonly DoneAction[]): string {
  const done = all.find(one => one === query.get('done'))
  if (done === undefined) return ''
  const count = Number(/^[1-9]\d{0,8}$/.exec(query.get('n') ?? '')?.[0] ?? 0)
  const { done: withoutNumber, doneCount: withNumber } = words.texts.products
  const counted = count === 0 ? undefined : findText(withNumber, done)
  return doneNotice(counted === undefined ? withoutNumber[done] : counted({ count }))
}
