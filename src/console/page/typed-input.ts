/** What tells the browser's module about the forms of a page, so that what people type is not lost. */
import { html } from 'ghtml'
import type { Session } from '../../accounts/people/sessions.ts'
import { DRAFTS_MODULE } from './assets.ts'
import type { ConsolePage, Words } from './route.ts'

/**
 * Adds the module to a page of a signed-in person: a form or the page after it, which says whether the form
 * was saved. The key contains person and account, so that nobody else is offered the input.
 */
export function keepTypedInput(
  page: ConsolePage,
  { session, words, isAnswer }: { session: Session | undefined; words: Words; isAnswer: boolean },
): ConsolePage {
  if (session === undefined) return page
  const texts = words.texts.products
  const answered = (page.status ?? 200) < 400 ? 'done' : 'refused'
  const answer = isAnswer ? html` data-answered="${answered}"` : ''
  // The module fills in the time.
  const found = texts.draftFound({ time: '{time}' })
  const about = html`<span hidden data-typed="${session.personId}:${session.account.id}"!${answer} data-draft-found="${found}" data-draft-restore="${texts.draftRestore}" data-draft-discard="${texts.draftDiscard}"></span>`
  const scripts = [...new Set([...(page.scripts ?? []), DRAFTS_MODULE])]
  return { ...page, body: page.body + about, scripts }
}
