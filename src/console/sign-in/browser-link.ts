/**
 * "This is me": where a sign-in is held back, a link by e-mail makes the browser known, in which only the
 * person's own attempts count. It signs nobody in.
 */

import { html } from 'ghtml'
import { countLinkRequest } from '../../accounts/people/attempt-limits.ts'
import {
  buildBrowserUrl,
  consumeBrowserLink,
  createBrowserLink,
  findBrowserLink,
} from '../../accounts/people/browser-links.ts'
import { parseEmail } from '../../accounts/people/email.ts'
import { findRelyingParty } from '../../accounts/people/passkey-challenges.ts'
import type { Email } from '../../kernel/http-out/smtp.ts'
import { emailProblem, isFine, type Problems, problemsOf } from '../page/form.ts'
import { input, notice, summary } from '../page/parts.ts'
import { type AnyVisit, BROWSER_LINK, type ConsolePage, type Outcome, SIGN_IN } from '../page/route.ts'
import { findLinkToken, linkCookie, wayToCleanAddress } from './cookies.ts'
import { browserLetter } from './emails.ts'
import { linkEnded, waitSentence } from './parts.ts'

export const KNOWN_BROWSER = '/console/known-browser'

/** Offers an unknown browser a link on the sign-in page, whether the e-mail is known here or not. */
export function offerBrowserLink(visit: AnyVisit, email: string): string {
  if (parseEmail(email) === undefined) return ''
  const { texts } = visit.words
  const { title, otherWays, offer, submit } = texts.browserLink
  const { hasServer } = visit.setup.mail
  const way = hasServer
    ? html`<p>${offer({ email })}</p><form method="post" action="${BROWSER_LINK}" class="narrow">
<input type="hidden" name="email" value="${email}"><button class="second">${submit}</button></form>`
    : operatorHint(visit)
  return html`<section><h2>${hasServer ? title : otherWays}</h2>!${way}!${passkeyHint(visit)}</section>`
}

const operatorHint = ({ words: { texts } }: AnyVisit) =>
  html`<p>${texts.browserLink.askOperator}</p><p class="quiet">${texts.forgottenPassword.operatorCommand} <code>carnet users browser-link --email …</code></p>`

const passkeyHint = ({ setup, words: { texts } }: AnyVisit) =>
  findRelyingParty(setup.addresses.publicUrl) === undefined ? '' : html`<p>${texts.browserLink.passkey}</p>`

export async function submitBrowserLinkRequest(visit: AnyVisit): Promise<Outcome> {
  const { form, setup, network, words } = visit
  const { browserLink: texts, forgottenPassword } = words.texts
  if (!setup.mail.hasServer)
    return inform(visit, texts.otherWays, html`!${operatorHint(visit)}!${passkeyHint(visit)}`)
  const typed = form.text('email')
  const email = parseEmail(typed)
  const problems = problemsOf({ email: emailProblem(words.texts, typed) })
  if (!isFine(problems) || email === undefined)
    return requestPage(visit, { email: typed, problems, status: 422 })
  const asked = await countLinkRequest(setup, { purpose: 'browser', email, network })
  if ('problem' in asked) {
    const refusal = `${waitSentence(words, asked)} ${texts.useOlder}`
    const headers = { 'retry-after': String(asked.seconds) }
    return { ...requestPage(visit, { email, refusal, status: 429 }), headers }
  }
  // Sent after the response, whose time would otherwise reveal whether the address is known.
  if (!asked.isFlooded) setup.mail.send(letterTo(visit, email))
  return inform(
    visit,
    forgottenPassword.sent,
    html`<p class="lead">${texts.sentLead({ email })}</p><p>${texts.notReceived}</p>`,
  )
}

const inform = ({ words }: AnyVisit, title: string, content: string): ConsolePage => ({
  title,
  body: html`<h1>${title}</h1>!${content}<p><a class="button second" href="${SIGN_IN}">${words.texts.signIn.title}</a></p>`,
})

async function letterTo({ setup, words }: AnyVisit, email: string): Promise<Email | undefined> {
  const found = await createBrowserLink(setup, email)
  if (found === undefined) return undefined
  const { publicUrl } = setup.addresses
  return browserLetter(words, { to: found.email, publicUrl, link: buildBrowserUrl(publicUrl, found.token) })
}

type Shown = { email: string; problems?: Problems; refusal?: string; status: number }

function requestPage({ words }: AnyVisit, shown: Shown): ConsolePage {
  const { browserLink: texts, signIn } = words.texts
  const { email, problems = {}, refusal, status } = shown
  const field = { name: 'email', label: signIn.email, type: 'email', value: email } as const
  const body = html`<h1>${texts.title}</h1><p class="lead">${texts.lead}</p>
!${summary(words.texts, problems, { email: signIn.email })}!${notice(refusal)}
<form method="post" action="${BROWSER_LINK}" novalidate class="narrow">
!${input({ ...field, autocomplete: 'username' }, problems)}
<button>${texts.submit}</button></form>
<p><a class="alone" href="${SIGN_IN}">${signIn.title}</a></p>`
  return { title: texts.title, body, status }
}

/** Opening the page does not use up the link, because mail scanners follow links. */
export async function showKnownBrowser(visit: AnyVisit): Promise<Outcome> {
  const way = wayToCleanAddress(visit, KNOWN_BROWSER)
  if (way !== undefined) return way
  const token = findLinkToken(visit)
  const email = await findBrowserLink(visit.setup, token)
  if (email === undefined) return ended(visit)
  const { title, confirmLead, confirm } = visit.words.texts.browserLink
  const body = html`<h1>${title}</h1><p class="lead">${confirmLead({ email })}</p>
<form method="post" action="${KNOWN_BROWSER}" class="narrow"><input type="hidden" name="token" value="${token}">
<button>${confirm}</button></form>`
  return { title, body }
}

const ended = (visit: AnyVisit) => linkEnded(visit, visit.words.texts.linkEnded.browser)

export async function submitKnownBrowser(visit: AnyVisit): Promise<Outcome> {
  const email = await consumeBrowserLink(visit.setup, visit.form.raw('token'))
  if (email === undefined) return ended(visit)
  return { to: `${SIGN_IN}?known`, knows: email, cookie: linkCookie(visit, KNOWN_BROWSER, null) }
}
