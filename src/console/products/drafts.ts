/**
 * What was typed and not saved is kept by the browser alone, until it is saved or its person signs out: a form names
 * its draft, and a page after a save names the one that is over. `assets/console/drafts.js` does the rest.
 */
import { html } from 'ghtml'
import type { Session } from '../../accounts/people/sessions.ts'
import { PRODUCT_TEXTS } from '../page/product-texts.ts'
import { type Words, wordsOf } from '../page/words.ts'

/** A draft belongs to a person: nobody else who uses the browser is offered it. */
export const draftOfProduct = ({ personId }: Session, id: string) => `${personId}:${id}`
export const draftOfNew = ({ personId, account }: Session, category: string) =>
  `${personId}:${account.id}:new:${category}`

/** Attributes of a form, raw for inside its tag. `isSent`: what stands in it was typed before and is not saved yet. */
export function draftAttributes(words: Words, draft: string, isSent: boolean): string {
  const texts = wordsOf(words, PRODUCT_TEXTS)
  const sent = isSent ? ' data-draft-sent' : ''
  return html` data-draft="${draft}"!${sent} data-draft-found="${texts.draftFound}" data-draft-restore="${texts.draftRestore}" data-draft-discard="${texts.draftDiscard}"`
}

/** An element that ends a draft: of a product those that began before version `n`. */
export const draftSaved = (draft: string, n: number) =>
  html`<span hidden data-draft-saved="${draft}" data-version="${n}"></span>`
