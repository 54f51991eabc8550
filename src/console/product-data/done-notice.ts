/** The notice after an action. The redirect carries only the name of the action and a number, never a text. */

import { PRODUCTS } from '../page/addresses.ts'
import { doneNotice } from '../page/parts.ts'
import { findText, type Texts } from '../page/texts.ts'
import type { Words } from '../page/words.ts'

type DoneAction = keyof Texts['products']['done']

/** The product's page after an action; `n`: the new version's number, or how many units. */
export const getDoneUrl = (id: string, done: DoneAction, n: number) => `${PRODUCTS}/${id}?done=${done}&n=${n}`

/** The notice for the action that the query names, if it is one of `all`; else ''. */
export function renderDoneNotice(words: Words, query: URLSearchParams, all: readonly DoneAction[]): string {
  const done = all.find(one => one === query.get('done'))
  if (done === undefined) return ''
  const n = Number(/^[1-9]\d{0,8}$/.exec(query.get('n') ?? '')?.[0] ?? 0)
  const { done: withoutNumber, doneCount: withNumber } = words.texts.products
  const counted = n === 0 ? undefined : findText(withNumber, done)
  const sentence = counted === undefined ? withoutNumber[done] : counted({ count: n })
  return doneNotice(sentence)
}
