/** The export of the whole account as a file, for owners who confirm it with their password. */

import { html } from 'ghtml'
import { getUsage } from '../../accounts/limits/quota.ts'
import { openExportDownload } from '../../transfer/accounts/export-download.ts'
import type { Problems } from '../page/form.ts'
import { facts, input, notice, pointList, section, summary } from '../page/parts.ts'
import { ALL_DATA, type ConsolePage, type Outcome, type Visit } from '../page/route.ts'
import { checkTypedPassword } from '../sign-in/parts.ts'
import { settingsHead } from './places.ts'

export const showData = (visit: Visit): Promise<Outcome> => page(visit, {})

/** Seconds: longer than the export of a small account takes. */
const RETRY_AFTER = '60'

type Told = { problems?: Problems; problem?: string; status?: number; session?: string }

export async function submitData(visit: Visit): Promise<Outcome> {
  const { ctx, setup, session, form, words } = visit
  const password = form.raw('password')
  if (password === '') return wrong(visit, words.texts.errors.required)
  const checked = await checkTypedPassword(visit, password, words.texts.password.wrong)
  if (!('token' in checked)) return wrong(visit, checked.sentence, checked.status)
  const name = `${session.account.name} ${setup.clock.now().toISOString().slice(0, 10)}.ndjson`
  const { openPoolOfOne: openPool, version, addresses } = setup
  const content = await openExportDownload(ctx, { openPool, version, publicUrl: addresses.publicUrl }, name)
  const { token } = checked
  if (content === undefined) {
    const busy = await page(visit, { problem: words.texts.dataDownload.busy, status: 503, session: token })
    return { ...busy, headers: { 'retry-after': RETRY_AFTER } }
  }
  return { file: { name, type: 'application/x-ndjson', content }, session: token }
}

const wrong = (visit: Visit, sentence: string, status = 422) =>
  page(visit, { problems: { password: sentence }, status })

async function page(
  { ctx, words }: Visit,
  { problems = {}, problem, status = 200, session: token }: Told,
): Promise<ConsolePage & { session?: string }> {
  const texts = words.texts.dataDownload
  const usage = await getUsage(ctx)
  const counts = usage.map(({ level, used }) => [words.texts.levels[level], words.number(used)] as const)
  const field = {
    name: 'password',
    label: texts.password,
    hint: texts.passwordHint,
    type: 'password',
  } as const
  const body = html`!${settingsHead(words, texts)}
!${notice(problem)}!${summary(words.texts, problems, { password: texts.password })}!${facts(counts)}
<form method="post" action="${ALL_DATA}" novalidate class="narrow">!${input(field, problems)}<button>${texts.submit}</button></form>
!${section('in', texts.inIt, html`!${pointList(texts.inItPoints)}<p>${texts.notInIt}</p>`)}
!${section('whole', texts.whole, html`<p>${texts.wholeLead}</p>!${pointList(texts.wholePoints)}<p class="quiet">${texts.format}</p>`)}`
  return { title: texts.title, body, status, ...(token === undefined ? {} : { session: token }) }
}
