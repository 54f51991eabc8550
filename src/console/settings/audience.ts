/** The audience profile: what a switch shows to whom and hides from whom, before an owner confirms it. */

import { html } from 'ghtml'
import {
  AUDIENCE_PROFILES,
  type AudienceProfile,
  readAudienceProfile,
  setAudienceProfile,
} from '../../accounts/account/audience-profile.ts'
import { allCategories, listSwitchedFields } from '../../categories/catalogue.ts'
import { AUDIENCES, type Audience, PROTECTED } from '../../categories/field.ts'
import { countWithField, MAX_COUNTED_WITH_FIELD } from '../../passports/read/count-with-field.ts'
import { doneNotice, pointList, section, wideTable } from '../page/parts.ts'
import type { Outcome, Visit, Words } from '../page/route.ts'
import { getCategoryName, getFieldLabel } from '../product-data/labels.ts'
import { AUDIENCE, settingsHead } from './places.ts'

export async function showAudience({ ctx, query, words }: Visit): Promise<Outcome> {
  const texts = words.texts.audience
  const profile = await readAudienceProfile(ctx)
  const to = profile === 'law' ? 'contract' : 'law'
  const changes = listChanges(to)
  const counts = await Promise.all(changes.map(change => countWithField(ctx, change)))
  const lines = changes.map((change, i) => renderChange(words, change, counts[i]))
  const heads = [texts.field, texts.shownTo, texts.hiddenFrom, texts.passports]
  const done = query.get('done') === 'yes' ? doneNotice(texts.done) : ''
  const preview = html`!${wideTable({ label: texts.title, kind: 'figures', heads }, lines)}!${pointList(texts.points)}
<form method="post" action="${AUDIENCE}"><button name="to" value="${to}">${texts.submit[to]}</button></form>`
  const body = html`!${settingsHead(words, texts)}!${done}<p>${texts.now[profile]}</p>
!${section('switch', texts.switchTo[to], preview)}`
  return { title: texts.title, body }
}

export async function submitAudience({ ctx, form }: Visit): Promise<Outcome> {
  const to = AUDIENCE_PROFILES.find(profile => profile === form.text('to'))
  if (to === undefined) return { to: AUDIENCE }
  await setAudienceProfile(ctx, { accountId: ctx.accountId, profile: to })
  return { to: `${AUDIENCE}?done=yes` }
}

const listChanges = (to: AudienceProfile) =>
  allCategories().flatMap(category =>
    listSwitchedFields(category).map(({ path, audience, lawAudience }) => {
      const [before, after] = to === 'law' ? [audience, lawAudience] : [lawAudience, audience]
      const shownTo = AUDIENCES.filter(one => after.includes(one) && !before.includes(one))
      const hiddenFrom = AUDIENCES.filter(one => before.includes(one) && !after.includes(one))
      return { category, path, shownTo, hiddenFrom }
    }),
  )

type Change = ReturnType<typeof listChanges>[number]

function renderChange(words: Words, change: Change, count: number | undefined): string {
  const texts = words.texts.audience
  const { category, path, shownTo, hiddenFrom } = change
  const field = texts.fieldOf({
    field: getFieldLabel(words, path),
    category: getCategoryName(words, category.id),
  })
  return html`<tr><th scope="row">${field}</th><td>${nameAudiences(words, shownTo)}</td><td>${nameAudiences(words, hiddenFrom)}</td><td>${formatCount(words, count)}</td></tr>`
}

/** The public includes the others. */
function nameAudiences(words: Words, audiences: readonly Audience[]): string {
  const { nobody, readers } = words.texts.audience
  const named = audiences.includes('public')
    ? (['public'] as const)
    : PROTECTED.filter(one => audiences.includes(one))
  return named.length === 0 ? nobody : named.map(one => readers[one]).join(', ')
}

function formatCount({ texts, number }: Words, count: number | undefined): string {
  if (count === undefined) return texts.audience.uncounted
  return count > MAX_COUNTED_WITH_FIELD
    ? texts.audience.moreThan({ count: MAX_COUNTED_WITH_FIELD })
    : number(count)
}
