/** The way through a list of several pages. */
import { html } from 'ghtml'
import { type Words, wordsOf } from '../texts.ts'
import { PRODUCT_TEXTS } from './texts.ts'

type Place = { page: number; total: number; size: number; address: (page: number) => string }

export function pages(words: Words, { page, total, size, address }: Place): string {
  const last = Math.max(1, Math.ceil(total / size))
  if (last === 1) return ''
  const texts = wordsOf(words, PRODUCT_TEXTS)
  const link = (to: number, text: string, rel: string) =>
    html`<a class="alone" rel="${rel}" href="${address(to)}">${text}</a>`
  return html`<nav class="pages" aria-label="${texts.pages}">!${page > 1 ? link(page - 1, texts.earlier, 'prev') : ''}
<span class="quiet">${texts.pageOf(words.number(page), words.number(last))}</span>
!${page < last ? link(page + 1, texts.later, 'next') : ''}</nav>`
}
