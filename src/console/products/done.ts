/** A word after something was done: the way back carries which, one of those that there are, and never a text. */
import { html } from 'ghtml'
import { type Words, wordsOf } from '../texts.ts'
import { PRODUCT_TEXTS } from './texts.ts'

export type Done = keyof (typeof PRODUCT_TEXTS)['en']['done']

/** What the address says was done, if it is one of `all`; '' else. */
export function doneNotice(words: Words, query: URLSearchParams, all: readonly Done[]): string {
  const done = all.find(one => one === query.get('done'))
  if (done === undefined) return ''
  return html`<p class="reach" role="status">${wordsOf(words, PRODUCT_TEXTS).done[done]}</p>`
}
