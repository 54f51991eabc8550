/** A form that is sent twice, as by a double click, runs once: the second answer is the first one again. */
import { createHash, randomUUID } from 'node:crypto'
import { html } from 'ghtml'
import type { AccountContext } from '../../accounts/account/context.ts'
import { runIdempotent } from '../../accounts/idempotency/idempotency.ts'
import type { ConsolePage, Redirect, Visit } from './route.ts'

const FIELD = 'once'
const NUMBER = /^[0-9a-f-]{36}$/

/** Only answers without secrets, because they are stored for a day. */
type StoredOutcome = ConsolePage | Pick<Redirect, 'to'>

/** A number of the rendered form. */
export const onceInput = () => html`<input type="hidden" name="${FIELD}" value="${randomUUID()}">`

/**
 * Runs `work` in a transaction that stores its answer. The content is part of the key, so that a changed form
 * counts as another one. Forms without a number run each time.
 */
export async function runOnce(
  { ctx, form, url }: Visit,
  work: (ctx: AccountContext) => Promise<StoredOutcome>,
): Promise<StoredOutcome> {
  const number = form.text(FIELD)
  if (!NUMBER.test(number)) return work(ctx)
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([url, form.entries()]))
    .digest()
  const key = `console:${number}:${fingerprint.toString('base64url')}`
  const store = async (inside: AccountContext) => ({
    status: 200,
    headers: {},
    body: JSON.stringify(await work(inside)),
  })
  const { response } = await runIdempotent(ctx, { key, fingerprint }, { work: store })
  return JSON.parse(response.body)
}
