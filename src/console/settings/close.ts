/** Closing the account: what happens is said first, and its name has to be typed. */
import { html } from 'ghtml'
import { closeAccount } from '../../accounts/close-account.ts'
import { ALL_DATA, HOME, SETTINGS } from '../page/addresses.ts'
import { input, summary } from '../page/fields.ts'
import { isFine, type Problems, problemsOf } from '../page/form.ts'
import type { Outcome, Visit } from '../page/route.ts'
import { backToSettings } from './places.ts'

export const showClose = (visit: Visit): Outcome => page(visit, {})

export async function submitClose(visit: Visit): Promise<Outcome> {
  const { ctx, session, form, words } = visit
  const isSame = form.text('name') === session.account.name.trim()
  const problems = problemsOf({ name: isSame ? undefined : words.texts.closeAccount.wrong })
  if (!isFine(problems)) return page(visit, problems)
  await closeAccount(ctx, ctx.accountId)
  return { to: HOME }
}

function page({ session, words }: Visit, problems: Problems): Outcome {
  const texts = words.texts.closeAccount
  const { name } = session.account
  const title = texts.question({ name })
  const field = { name: 'name', label: texts.type({ name }) }
  const body = html`!${backToSettings(words)}<h1>${title}</h1><p class="lead">${texts.lead}</p>
<ul class="points">!${texts.points.map(point => html`<li>${point}</li>`)}</ul>
<p><a class="alone" href="${ALL_DATA}">${texts.data}</a></p>
!${summary(words.texts, problems, { name: words.texts.settings.name })}
<form method="post" action="${SETTINGS}/close" novalidate class="narrow">!${input(field, problems)}
<div class="choices"><button class="danger">${texts.submit}</button> <a class="button second" href="${SETTINGS}">${words.texts.people.keep}</a></div></form>`
  return { title, body, status: isFine(problems) ? 200 : 422 }
}
