/** Owners ask the operator to withdraw a file that must not be public. */
import { html } from 'ghtml'
import { isLongerThan, isOneLine } from '../../kernel/values/characters.ts'
import { getMedia, type MediaFile, requireMediaId } from '../../media/files/media-file.ts'
import {
  askForWithdrawal,
  findWithdrawalRequest,
  MAX_REASON_LENGTH,
} from '../../media/upkeep/withdrawal-requests.ts'
import type { Problems } from '../page/form.ts'
import { backLink, input, summary } from '../page/parts.ts'
import type { Outcome, Visit } from '../page/route.ts'
import { getFileUrl } from '../page/thumbnails.ts'
import { describeFile } from './parts.ts'

/** For owners, at a file that is used: what they asked for, or the link to ask. */
export async function renderWithdrawalLink({ ctx, words, session }: Visit, file: MediaFile): Promise<string> {
  if (session.role !== 'owner') return ''
  const texts = words.texts.media.withdrawal
  const asked = await findWithdrawalRequest(ctx, file.id)
  const at = asked && words.minute(asked.askedAt.toISOString())
  const state = asked === undefined ? '' : html`<p>${texts.asked({ at: at ?? '', reason: asked.reason })}</p>`
  return html`!${state}<p class="choices"><a class="button second" href="${getFileUrl(file.id)}/withdrawal">${texts.ask}</a></p>`
}

const getRequestedFile = ({ ctx, id }: Visit): Promise<MediaFile> => getMedia(ctx, requireMediaId(id))

export const showWithdrawal = async (visit: Visit): Promise<Outcome> =>
  renderForm(visit, await getRequestedFile(visit), '', {})

function renderForm({ words }: Visit, file: MediaFile, reason: string, problems: Problems): Outcome {
  const texts = words.texts.media.withdrawal
  const at = getFileUrl(file.id)
  const field = { name: 'reason', label: texts.reason, hint: texts.reasonHint, value: reason }
  const body = html`!${backLink(at, describeFile(words, file))}<h1>${texts.question}</h1>!${summary(words.texts, problems, { reason: texts.reason })}
<p class="lead">${texts.lead}</p>
<form method="post" action="${at}/withdrawal">!${input({ ...field, maxLength: MAX_REASON_LENGTH }, problems)}
<p class="choices"><button>${texts.submit}</button> <a class="button second" href="${at}">${words.texts.media.keep}</a></p></form>`
  return { title: texts.question, body, status: Object.keys(problems).length === 0 ? 200 : 422 }
}

export async function submitWithdrawal(visit: Visit): Promise<Outcome> {
  const { ctx, words, form } = visit
  const file = await getRequestedFile(visit)
  const texts = words.texts.media.withdrawal
  const reason = form.text('reason').trim()
  const isLong = isLongerThan(reason, MAX_REASON_LENGTH) || !isOneLine(reason)
  const problem =
    reason === '' ? texts.required : isLong ? texts.long({ most: MAX_REASON_LENGTH }) : undefined
  if (problem !== undefined) return renderForm(visit, file, reason, { reason: problem })
  await askForWithdrawal(ctx, { id: file.id, reason })
  return { to: getFileUrl(file.id) }
}
