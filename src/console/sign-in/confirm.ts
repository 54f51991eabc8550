/**
 * "Confirm that it is you": what makes keys, secrets and owners, or ends somebody's sessions, is done only by who has
 * lately proven who they are. The form that asked for it comes back with what was typed and goes on by the same click.
 */
import { html } from 'ghtml'
import { checkOwnPassword } from '../../accounts/people/change-password.ts'
import { findRelyingParty } from '../../accounts/people/passkey-challenges.ts'
import { createProofOptions, proveByPasskey } from '../../accounts/people/passkey-sign-in.ts'
import { listPasskeys } from '../../accounts/people/passkeys.ts'
import { ownPath } from '../page/addresses.ts'
import { input, notice, summary } from '../page/fields.ts'
import { isFine, type PostedForm, type Problems } from '../page/form.ts'
import type { ConsolePage, Outcome, Visit } from '../page/route.ts'
import { requireHome } from './passkey.ts'

export const CONFIRM_OPTIONS = '/console/confirm/passkey'
const PASSWORD_FIELD = 'confirm_password'
const PASSKEY_FIELD = 'answer'
const OWN_FIELDS: ReadonlySet<string> = new Set([PASSWORD_FIELD, PASSKEY_FIELD])

export async function submitConfirmOptions({ setup, session }: Visit): Promise<Outcome> {
  const home = requireHome(setup.addresses.publicUrl)
  return { data: await createProofOptions(setup, { personId: session.personId, home }) }
}

/** The session's new token once its person has proven who they are with this form, else the page that asks for it. */
export async function confirm(visit: Visit): Promise<{ token: string } | ConsolePage> {
  const { setup, session, form, network, words } = visit
  const { texts } = words
  const password = form.raw(PASSWORD_FIELD)
  const answer = form.raw(PASSKEY_FIELD)
  if (answer !== '') {
    const home = requireHome(setup.addresses.publicUrl)
    const proven = await proveByPasskey(setup, session, { home, answer, network })
    if ('token' in proven) return proven
    visit.note('proof_refused')
    if (proven.problem === 'wrong') return page(visit, { refusal: texts.signIn.passkeyRefused, status: 422 })
    return page(visit, { refusal: texts.signIn.wait({ count: Math.ceil(proven.seconds / 60) }), status: 429 })
  }
  if (!form.entries().some(([name]) => name === PASSWORD_FIELD)) return page(visit, { status: 403 })
  if (password === '') return page(visit, { problem: texts.errors.required, status: 422 })
  const checked = await checkOwnPassword(setup, session, { password, network })
  if ('token' in checked) return checked
  visit.note('proof_refused')
  if (checked.problem === 'wrong') return page(visit, { problem: texts.confirm.wrong, status: 422 })
  return page(visit, { problem: texts.signIn.wait({ count: Math.ceil(checked.seconds / 60) }), status: 429 })
}

type Shown = { problem?: string; refusal?: string; status: number }

async function page(visit: Visit, { problem, refusal, status }: Shown): Promise<ConsolePage> {
  const { setup, session, words, form, url, referer } = visit
  const texts = words.texts.confirm
  const problems: Problems = problem === undefined ? {} : { [PASSWORD_FIELD]: problem }
  const to = ownPath(url)
  const kept = keptFields(form)
  const hasPasskeys =
    findRelyingParty(setup.addresses.publicUrl) !== undefined &&
    (await listPasskeys(setup, session)).length > 0
  const field = {
    name: PASSWORD_FIELD,
    label: texts.password,
    type: 'password',
    autocomplete: 'current-password',
  } as const
  // For password managers: whose password it is.
  const whose = html`<input type="text" value="${session.email}" autocomplete="username" class="sight" readonly tabindex="-1" aria-hidden="true">`
  const body = html`<h1>${texts.title}</h1><p class="lead">${texts.lead}</p>
!${summary(words.texts, problems, { [PASSWORD_FIELD]: texts.password })}!${notice(refusal)}
<form method="post" action="${to}" novalidate class="narrow">!${kept}!${whose}
!${input(field, problems)}
<div class="choices"><button>${texts.submit}</button> <a class="button second" href="${pageBefore(referer)}">${texts.cancel}</a></div></form>!${hasPasskeys ? passkeyForm(visit, to, kept) : ''}`
  const scripts = hasPasskeys ? { scripts: ['passkeys'] } : {}
  return {
    title: texts.title,
    body,
    status: isFine(problems) ? status : Math.max(status, 422),
    ...scripts,
  }
}

/** Its module shows it where the browser knows passkeys, and fills in the answer. */
function passkeyForm({ words: { texts }, setup }: Visit, to: string, kept: readonly string[]): string {
  const { origin } = new URL(setup.addresses.publicUrl)
  return html`<form method="post" action="${to}" class="narrow" hidden data-passkey="use" data-offer="no" data-options="${CONFIRM_OPTIONS}"
data-cancelled="${texts.signIn.passkeyCancelled}" data-elsewhere="${texts.signIn.passkeyElsewhere({ address: origin })}">!${kept}
<input type="hidden" name="${PASSKEY_FIELD}" value=""><p class="error" role="status" hidden></p>
<button class="second">${texts.confirm.passkey}</button></form>`
}

const keptFields = (form: PostedForm): readonly string[] =>
  form
    .entries()
    .filter(([name]) => !OWN_FIELDS.has(name))
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)

/** Where they were, as far as that is a page of ours. */
export function pageBefore(referer: string | undefined): string {
  if (referer === undefined || !URL.canParse(referer)) return ownPath(null)
  const { pathname, search } = new URL(referer)
  return ownPath(pathname + search)
}
