/**
 * Stores answers of a session for minutes, so that a browser can ask for them again. They are rows of
 * `idempotency_key`, because these are stored responses, too: in no backup, and deleted by age.
 */
import { hash } from 'node:crypto'
import type { AccountContext } from '../account/context.ts'
import { IDEMPOTENCY_KEY_LIFETIME_MS } from './idempotency.ts'

export const ANSWER_LIFETIME_MS = 30 * 60_000
/** A session has so many in an account. One more replaces the oldest. */
export const MAX_ANSWERS_PER_SESSION = 8

/** `token`: what the answer is found by. `body` must be encrypted. */
type SessionAnswer = { sessionId: string; token: string; body: string }

const listKeys = (sessionId: string) =>
  Array.from({ length: MAX_ANSWERS_PER_SESSION }, (_, place) => `console-answer:${sessionId}:${place}`)

const getFingerprint = (token: string) => hash('sha256', token, 'buffer')

/** The rows are dated back, so that they expire with the others, but earlier. */
const getDate = (now: Date) => new Date(now.getTime() + ANSWER_LIFETIME_MS - IDEMPOTENCY_KEY_LIFETIME_MS)

/** Replaces the session's oldest answer if it has too many. */
export async function storeSessionAnswer(
  ctx: AccountContext,
  { sessionId, token, body }: SessionAnswer,
): Promise<void> {
  const key = await findPlace(ctx, sessionId)
  await ctx.sql`
    insert into idempotency_key (created_at, account_id, fingerprint, key, status, headers, body)
    values (${getDate(ctx.clock.now())}, ${ctx.accountId}, ${getFingerprint(token)}, ${key}, 200, '{}', ${body})
    on conflict (account_id, key) do update
      set created_at = excluded.created_at, fingerprint = excluded.fingerprint, body = excluded.body`
}

/** A free key of the session, else that of its oldest answer. */
async function findPlace({ sql, accountId }: AccountContext, sessionId: string): Promise<string> {
  const keys = listKeys(sessionId)
  const rows = await sql<{ key: string }[]>`
    select key from idempotency_key where account_id = ${accountId} and key = any(${keys}::text[])
    order by created_at`
  const taken = new Set(rows.map(row => row.key))
  return keys.find(key => !taken.has(key)) ?? rows[0]?.key ?? `console-answer:${sessionId}:0`
}

/** Undefined if it is over, or belongs to another session. */
export async function findSessionAnswer(
  { sql, clock, accountId }: AccountContext,
  { sessionId, token }: Omit<SessionAnswer, 'body'>,
): Promise<string | undefined> {
  const oldest = new Date(clock.now().getTime() - IDEMPOTENCY_KEY_LIFETIME_MS)
  const [row] = await sql<{ body: string }[]>`
    select body from idempotency_key
    where account_id = ${accountId} and key = any(${listKeys(sessionId)}::text[])
      and fingerprint = ${getFingerprint(token)} and created_at > ${oldest}`
  return row?.body
}

type AnswersToDelete = { sessionId: string; token?: string }

/** Deletes one answer, or all of the session. */
export async function deleteSessionAnswers(
  ctx: AccountContext,
  { sessionId, token }: AnswersToDelete,
): Promise<void> {
  const fingerprint = token === undefined ? null : getFingerprint(token)
  await ctx.sql`
    delete from idempotency_key
    where account_id = ${ctx.accountId} and key = any(${listKeys(sessionId)}::text[])
      and (${fingerprint}::bytea is null or fingerprint = ${fingerprint}::bytea)`
}
