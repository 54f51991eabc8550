/** Unsaved input that the browser keeps: its keys, and what tells the browser's module about them. */
import { html } from 'ghtml'
import type { Session } from '../../accounts/people/sessions.ts'
import type { Words } from '../page/route.ts'

/** The key contains the person, so that nobody else at the same browser is offered the draft. */
export const getProductDraftKey = ({ personId }: Session, id: string) => `${personId}:${id}`
/** For its pictures and documents, which have a form of their own. */
export const getFilesDraftKey = (session: Session, id: string) => `${getProductDraftKey(session, id)}:files`
export const getNewDraftKey = ({ personId, account }: Session, category: string) =>
  `${personId}:${account.id}:new:${category}`

/** Attributes of the form tag, as HTML. `isSent`: the form shows submitted input that is not saved yet. */
export function renderDraftAttributes(words: Words, draft: string, isSent: boolean): string {
  const texts = words.texts.products
  // The module fills in the time.
  const found = texts.draftFound({ time: '{time}' })
  const sent = isSent ? ' data-draft-sent' : ''
  return html` data-draft="${draft}"!${sent} data-draft-found="${found}" data-draft-restore="${texts.draftRestore}" data-draft-discard="${texts.draftDiscard}"`
}

/** A hidden element that deletes the draft if it was begun before version `n`. */
export const renderSavedDraft = (draft: string, n: number) =>
  html`<span hidden data-draft-saved="${draft}" data-version="${n}"></span>`
