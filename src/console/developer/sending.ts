/** Having something sent: a test, one event again, all that failed since a time. Each leads back to the page, which says what came of it. */

import { AppError } from '../../kernel/errors.ts'
import { parseDateTime } from '../../kernel/text/parse-date-time.ts'
import { replayFailed, resendDelivery } from '../../webhooks/delivery-log.ts'
import { sendTestEvent } from '../../webhooks/send-test-event.ts'
import { notice } from '../page/fields.ts'
import type { Outcome, Visit } from '../page/route.ts'
import { webhookPage } from './endpoint-page.ts'
import { endpointOf, pageOf } from './parts.ts'

export async function submitTest(visit: Visit): Promise<Outcome> {
  const { id, webhook_id } = await sendTestEvent(visit.ctx, visit.setup, visit.id)
  return { to: `${pageOf(webhook_id)}?tested=${id}` }
}

export async function submitResend(visit: Visit): Promise<Outcome> {
  const { id } = await endpointOf(visit)
  try {
    const { webhook_status } = await resendDelivery(visit.ctx, visit.form.text('attempt'))
    return { to: `${pageOf(id)}?resent=${webhook_status === 'active' ? 'sent' : 'held'}` }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation') throw error
    const sentence = visit.words.texts.developer.nothingToResend
    return webhookPage(visit, { status: 422, html: notice(sentence) })
  }
}

export async function submitReplay(visit: Visit): Promise<Outcome> {
  const { id } = await endpointOf(visit)
  const typed = visit.form.text('since')
  const since = readTime(typed)
  if (since === undefined) {
    const sentence = visit.words.texts.developer.timeWrong
    return webhookPage(visit, { status: 422, html: notice(sentence), replaySince: typed })
  }
  const { replayed, held } = await replayFailed(visit.ctx, { webhookId: id, since })
  return { to: `${pageOf(id)}?replayed=${replayed}${held === 0 ? '' : '&held'}` }
}

/** What browsers send for a day and a time without a zone; it is UTC here, as on every page. */
function readTime(text: string): Date | undefined {
  const [, minute] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(?::\d\d(?:\.\d{1,3})?)?$/.exec(text) ?? []
  return minute === undefined ? undefined : parseDateTime(minute)
}
