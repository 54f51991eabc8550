/** Tells the browser's module about the forms of a page, so that nothing typed is lost. */
import { html } from 'ghtml'
import type { Session } from '../../accounts/people/sessions.ts'
import { DRAFTS_MODULE, TYPED_MODULE } from './assets.ts'
import type { ConsolePage, Words } from './route.ts'

/** A form without a draft of its own. */
const PLAIN_FORM = /^(?![^>]*data-draft=)[^>]*method="?post/i
/** The fields whose input is kept, as in assets/console/typed-input.js. */
const TYPED = /<textarea|type="(?:text|url|email|date|datetime-local)"/

const hasPlainForm = ({ body }: ConsolePage): boolean =>
  body
    .split('<form')
    .slice(1)
    .some(part => PLAIN_FORM.test(part) && TYPED.test(part.slice(0, part.indexOf('</form>'))))

/**
 * Adds the module to a page of a signed-in person: a form or the page after it, which says whether the form
 * was saved. The key contains person and account, so that nobody else is offered the input.
 */
export function keepTypedInput(
  page: ConsolePage,
  { session, words, isAnswer }: { session: Session | undefined; words: Words; isAnswer: boolean },
): ConsolePage {
  const isPlain = isAnswer || hasPlainForm(page)
  // A page without forms is hardly the one after a form.
  if (session === undefined || !(isPlain || page.body.includes(' data-draft'))) return page
  const texts = words.texts.products
  const answered = (page.status ?? 200) < 400 ? 'done' : 'refused'
  const answer = isAnswer ? html` data-answered="${answered}"` : ''
  // The module fills in the time.
  const found = texts.draftFound({ time: '{time}' })
  const offered = isPlain
    ? html` data-draft-found="${found}" data-draft-restore="${texts.draftRestore}" data-draft-discard="${texts.draftDiscard}"`
    : ''
  const about = html`<span hidden data-typed="${session.personId}:${session.account.id}"!${answer}!${offered}></span>`
  const modules = isPlain ? [DRAFTS_MODULE, TYPED_MODULE] : [DRAFTS_MODULE]
  const scripts = [...new Set([...(page.scripts ?? []), ...modules])]
  return { ...page, body: page.body + about, scripts }
}
