/** A word after something was done: the way back carries which, one of those that there are, and a number, never a text. */
import { html } from 'ghtml'
import { PRODUCTS } from '../page/addresses.ts'
import { PRODUCT_TEXTS } from '../page/product-texts.ts'
import { type Words, wordsOf } from '../page/words.ts'

type Sentences = (typeof PRODUCT_TEXTS)['en']['done']
export type Done = keyof Sentences

/** The page of a product after something was done to it; `n` is a version's number, or how many units it was. */
export const doneAt = (id: string, done: Done, n: number) => `${PRODUCTS}/${id}?done=${done}&n=${n}`

/** What the address says was done, if it is one of `all`; '' else. */
export function doneNotice(words: Words, query: URLSearchParams, all: readonly Done[]): string {
  const done = all.find(one => one === query.get('done'))
  if (done === undefined) return ''
  const n = Number(/^[1-9]\d{0,8}$/.exec(query.get('n') ?? '')?.[0] ?? 0)
  const sentence = wordsOf(words, PRODUCT_TEXTS).done[done](n, words.number(n))
  return html`<p class="reach" role="status">${sentence}</p>`
}
