/** The settings overview: the account, its usage of the plan, and links to all settings. */

import { html } from 'ghtml'
import { MAX_ACCOUNT_NAME_LENGTH, renameAccount } from '../../accounts/account/accounts.ts'
import { closeAccount } from '../../accounts/account/close-account.ts'
import { isIndexable, setIndexing } from '../../accounts/account/indexing.ts'
import { getUsage } from '../../accounts/limits/quota.ts'
import { isFine, nameProblem, type Problems, problemsOf } from '../page/form.ts'
import { input, linkRow, pointList, rowList, section, summary } from '../page/parts.ts'
import { ALL_DATA, HOME, type Outcome, SETTINGS, type Visit, type Words } from '../page/route.ts'
import type { Texts } from '../page/texts.ts'
import { backToSettings, OF_ACCOUNT, OF_OPERATOR, OF_PERSON } from './places.ts'
import { quotaBars } from './quota-bars.ts'

export const showSettings = (visit: Visit): Promise<Outcome> => page(visit, visit.session.account.name, {})

async function page(visit: Visit, name: string, problems: Problems): Promise<Outcome> {
  const { ctx, session, words } = visit
  const texts = words.texts.settings
  const [usage, indexable] = await Promise.all([getUsage(ctx), isIndexable(ctx)])
  const isOwner = session.role === 'owner'
  const facts = html`<dl class="facts"><div><dt>${texts.name}</dt><dd>${session.account.name}</dd></div>
<div><dt>${words.texts.home.plan}</dt><dd>${session.account.plan}</dd></div>
<div><dt>${words.texts.home.role}</dt><dd>${words.texts.roles[session.role]}</dd></div></dl>`
  const body = html`<h1>${texts.title}</h1>!${summary(words.texts, problems, { name: texts.name })}!${facts}
!${section('account', texts.account, places(words.texts, isOwner ? OF_ACCOUNT : OF_ACCOUNT.filter(place => !('isForOwners' in place))))}
!${isOwner && session.account.isOperator ? section('operator', texts.operator, places(words.texts, OF_OPERATOR)) : ''}
!${section('you', texts.you, html`<p class="quiet">${words.texts.password.signedInWith({ email: session.email })}</p>!${places(words.texts, OF_PERSON)}`)}
!${section('quota', words.texts.home.quota, quotaBars(words, usage))}
!${engines(words.texts, indexable, isOwner)}!${isOwner ? nameForm(words, name, problems) : ''}!${isOwner ? closing(words.texts) : ''}`
  return { title: texts.title, body, status: isFine(problems) ? 200 : 422 }
}

type SettingsPlace = { path: string; key: keyof Texts['settings']['places'] }

function places(texts: Texts, all: readonly SettingsPlace[]): string {
  const lines = all.map(({ path, key }) => {
    const { name, hint } = texts.settings.places[key]
    return linkRow(path, name, hint)
  })
  return rowList(lines)
}

function engines({ settings: texts }: Texts, indexable: boolean, isOwner: boolean): string {
  const button = indexable ? texts.enginesTurnOff : texts.enginesTurnOn
  const form = html`<form method="post" action="${SETTINGS}/indexing"><button class="second" name="to" value="${indexable ? 'no' : 'yes'}">${button}</button></form>`
  const content = html`
<p>${indexable ? texts.enginesOn : texts.enginesOff}</p>!${isOwner ? form : html`<p class="quiet">${texts.ownersOnly}</p>`}`
  return section('engines', texts.engines, content)
}

function nameForm(words: Words, value: string, problems: Problems): string {
  const texts = words.texts.settings
  const field = {
    name: 'name',
    label: texts.name,
    hint: texts.nameHint,
    value,
    autocomplete: 'organization',
    maxLength: MAX_ACCOUNT_NAME_LENGTH,
  }
  return html`<section aria-label="${texts.name}">
<form method="post" action="${SETTINGS}/name" novalidate class="narrow">!${input(field, problems)}
<button>${texts.rename}</button></form></section>`
}

const closing = ({ closeAccount: { title, hint } }: Texts) =>
  html`<section>!${rowList([linkRow(`${SETTINGS}/close`, title, hint)])}</section>`

export async function submitName(visit: Visit): Promise<Outcome> {
  const { ctx, form, words } = visit
  const name = form.text('name')
  const problems = problemsOf({ name: nameProblem(words.texts, name, MAX_ACCOUNT_NAME_LENGTH) })
  if (!isFine(problems)) return page(visit, name, problems)
  await renameAccount(ctx, name)
  return { to: SETTINGS }
}

export async function submitIndexing({ ctx, form }: Visit): Promise<Outcome> {
  const to = form.text('to')
  if (to === 'yes' || to === 'no') {
    await setIndexing(ctx, { accountId: ctx.accountId, indexable: to === 'yes' })
  }
  return { to: SETTINGS }
}

export const showClose = (visit: Visit): Outcome => closePage(visit, {})

export async function submitClose(visit: Visit): Promise<Outcome> {
  const { ctx, session, form, words } = visit
  const isSame = form.text('name') === session.account.name.trim()
  const problems = problemsOf({ name: isSame ? undefined : words.texts.closeAccount.wrong })
  if (!isFine(problems)) return closePage(visit, problems)
  await closeAccount(ctx, ctx.accountId)
  return { to: HOME }
}

function closePage({ session, words }: Visit, problems: Problems): Outcome {
  const texts = words.texts.closeAccount
  const { name } = session.account
  const title = texts.question({ name })
  const field = { name: 'name', label: texts.type({ name }) }
  const body = html`!${backToSettings(words)}<h1>${title}</h1><p class="lead">${texts.lead}</p>
!${pointList(texts.points)}
<p><a class="alone" href="${ALL_DATA}">${texts.data}</a></p>
!${summary(words.texts, problems, { name: words.texts.settings.name })}
<form method="post" action="${SETTINGS}/close" novalidate class="narrow">!${input(field, problems)}
<div class="choices"><button class="danger">${texts.submit}</button> <a class="button second" href="${SETTINGS}">${words.texts.people.keep}</a></div></form>`
  return { title, body, status: isFine(problems) ? 200 : 422 }
}
