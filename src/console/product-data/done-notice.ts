/** The notice after an action. The redirect carries only the name of the action and a number, never a text. */
import { html } from 'ghtml'
import { PRODUCTS } from '../page/addresses.ts'
import { PRODUCT_TEXTS } from '../page/product-texts.ts'
import { type Words, wordsOf } from '../page/words.ts'

type Sentences = (typeof PRODUCT_TEXTS)['en']['done']
export type DoneAction = keyof Sentences

/** The product's page after an action; `n`: the new version's number, or how many units. */
export const getDoneUrl = (id: string, done: DoneAction, n: number) => `${PRODUCTS}/${id}?done=${done}&n=${n}`

/** The notice for the action that the query names, if it is one of `all`; else ''. */
export function renderDoneNotice(words: Words, query: URLSearchParams, all: readonly DoneAction[]): string {
  const done = all.find(one => one === query.get('done'))
  if (done === undefined) return ''
  const n = Number(/^[1-9]\d{0,8}$/.exec(query.get('n') ?? '')?.[0] ?? 0)
  const sentence = wordsOf(words, PRODUCT_TEXTS).done[done](n, words.number(n))
  return html`<p class="reach" role="status">${sentence}</p>`
}
