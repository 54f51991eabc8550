/** Tells the browser's module about forms, and which were saved, so that nothing typed is lost. */
import { html } from 'ghtml'
import type { Session } from '../../accounts/people/sessions.ts'
import { DOUBLE_CLICK_MODULE, DRAFTS_MODULE, TYPED_MODULE } from './assets.ts'
import type { ConsolePage, Words } from './route.ts'

/** A form without a draft of its own. */
const PLAIN_FORM = /^(?![^>]*data-draft=)[^>]*method="?post/i
/** The fields whose input is kept, as in assets/console/typed-input.js. */
const TYPED = /<textarea|type="(?:text|url|email|date|datetime-local)"/

/** A form with a draft of its own, or a notice, such as that a form was saved. */
const DRAFT_OR_NOTICE = / data-draft| role="status"/

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
  if (session === undefined) return page
  const isPlain = isAnswer || hasPlainForm(page)
  const modules = [
    ...(/method="?post/i.test(page.body) ? [DOUBLE_CLICK_MODULE] : []),
    ...(isPlain || DRAFT_OR_NOTICE.test(page.body) ? [DRAFTS_MODULE] : []),
    ...(isPlain ? [TYPED_MODULE] : []),
  ]
  const scripts = [...new Set([...(page.scripts ?? []), ...modules])]
  // A page with neither is not the one after a form.
  if (!modules.includes(DRAFTS_MODULE)) return { ...page, scripts }
  const texts = words.texts.products
  const answered = (page.status ?? 200) < 400 ? 'done' : 'refused'
  const answer = isAnswer ? html` data-answered="${answered}"` : ''
  // The module fills in the time.
  const found = texts.draftFound({ time: '{time}' })
  const offered = isPlain
    ? html` data-draft-found="${found}" data-draft-restore="${texts.draftRestore}" data-draft-discard="${texts.draftDiscard}"`
    : ''
  const about = html`<span hidden data-typed="${session.personId}:${session.account.id}"!${answer}!${offered}></span>`
  return { ...page, body: page.body + about, scripts }
}

const SAVED = 'carnet-saved'
const MAX_SAVED = 8
const SAVED_SECONDS = 7 * 86_400

/**
 * The cookie that names the forms which led to another page, until the module has read it: many pages after
 * a form do not load it. A redirect alone says nothing: signing in redirects, too. It holds addresses.
 */
export function savedCookie(publicUrl: string, cookies: string | undefined, url: string): string {
  const before = new RegExp(`(?:^|;)\\s*${SAVED}=([^;]*)`).exec(cookies ?? '')?.[1] ?? ''
  const all = [...new Set([...before.split('|'), encodeURIComponent(url)])].filter(one => one !== '')
  const end = publicUrl.startsWith('https:') ? '; Secure' : ''
  return `${SAVED}=${all.slice(-MAX_SAVED).join('|')}; Path=/console; Max-Age=${SAVED_SECONDS}; SameSite=Strict${end}`
}
