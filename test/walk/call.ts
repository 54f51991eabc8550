/** Makes an API call and compares its response with the model's prediction. */
import assert from 'node:assert/strict'
import type { Answer, Harness } from '../harness.ts'
import { type Account, type Entry, remember } from './world.ts'

export type Caller = 'full' | 'read' | 'revoked' | 'none'

/** From a GTIN-14 to the model that has claimed it, in any account. */
export type Claims = Map<string, Entry>

/** Everything in both accounts. A dry run changes only a copy. */
export type State = { accounts: Account[]; claims: Claims }

/** `check` verifies the response and learns what only the server knows. */
export type Verdict =
  | { refused: string; detail?: string }
  | { status: number; check: (answer: Answer) => void }

export type Call = {
  account: number
  caller: Caller
  method: 'GET' | 'POST' | 'PATCH' | 'PUT'
  path: string
  body?: unknown
  headers?: Record<string, string>
  idempotencyKey?: string | undefined
  isDryRun?: boolean
  /** The path names something that does not exist: another account's passport, or a version. */
  isMissing?: boolean
  /** Changes the state. Called only if the call passes authentication and replay. */
  judge: (state: State, now: number) => Verdict
}

const STATUS: Record<string, number> = {
  unauthorized: 401,
  read_only: 403,
  plan_limit: 403,
  not_found: 404,
  archived: 409,
  gtin_taken: 409,
  version_conflict: 412,
  validation: 422,
}

const DAY_MS = 86_400_000
/** Longer than the lifetime of a cached key. */
const STEP_MS = 2_000

export type Walk = { t: Harness; state: State; now: number }

const API = '/api/v1'

/** Makes the call and compares the whole response. */
export async function perform(walk: Walk, call: Call): Promise<Answer> {
  walk.now += STEP_MS
  walk.t.clock.set(new Date(walk.now))
  const fingerprint = `${call.method} ${call.path} ${JSON.stringify(call.body)}`
  const expected = expect(walk, call, fingerprint)
  const answer = await send(walk, call)
  const told = `${call.method} ${call.path} ${JSON.stringify(call.body)}: ${answer.status} ${answer.text}`
  if ('replays' in expected) assertReplay(answer, expected.replays, told)
  else assertAnswer(answer, expected.verdict, told)
  const isTried = answer.json?.meta?.dry_run === true
  assert.equal(isTried, call.isDryRun === true && answer.status < 300, told)
  assertHeaders(answer, told)
  if ('verdict' in expected && answer.status < 300) keepReceipt(walk, call, fingerprint, answer)
  remember(walk.state.accounts, walk.now)
  return answer
}

type Expected = { verdict: Verdict } | { replays: NonNullable<ReturnType<Account['receipts']['get']>> }

/**
 * In the order of the server's checks: key, scope, product and version, Idempotency-Key, then the call
 * itself.
 */
function expect(walk: Walk, call: Call, fingerprint: string): Expected {
  const { caller, method } = call
  const { receipts } = accountOf(walk, call)
  if (caller === 'revoked' || caller === 'none') return { verdict: { refused: 'unauthorized' } }
  if (caller === 'read' && method !== 'GET') return { verdict: { refused: 'read_only' } }
  if (call.isMissing) return { verdict: { refused: 'not_found' } }
  const receipt = usesKey(call) ? receipts.get(call.idempotencyKey ?? '') : undefined
  if (receipt !== undefined && receipt.at + DAY_MS > walk.now) {
    if (receipt.fingerprint === fingerprint) return { replays: receipt }
    return { verdict: { refused: 'validation', detail: 'idempotency_key_reused' } }
  }
  const state = call.isDryRun ? structuredClone(walk.state) : walk.state
  return { verdict: call.judge(state, walk.now) }
}

export function accountOf({ state }: Pick<Walk, 'state'>, { account }: { account: number }): Account {
  const found = state.accounts[account]
  assert.ok(found)
  return found
}

const usesKey = ({ idempotencyKey, method, isDryRun }: Call) =>
  idempotencyKey !== undefined && method !== 'GET' && isDryRun !== true

function send(walk: Walk, call: Call): Promise<Answer> {
  const { caller, method, path, body, headers, idempotencyKey } = call
  const key = caller === 'none' ? {} : { key: accountOf(walk, call).keys[caller] }
  const once = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
  return walk.t.ask(method, API + path, {
    ...key,
    ...(body === undefined ? {} : { body }),
    headers: { ...headers, ...once },
  })
}

function assertReplay(
  answer: Answer,
  first: { status: number; text: string; etag: string | undefined },
  told: string,
) {
  assert.equal(answer.headers['idempotency-replayed'], 'true', told)
  assert.deepEqual(
    { status: answer.status, text: answer.text, etag: answer.headers.etag },
    { status: first.status, text: first.text, etag: first.etag },
  )
}

function assertAnswer(answer: Answer, verdict: Verdict, told: string): void {
  assert.equal(answer.headers['idempotency-replayed'], undefined, told)
  if ('refused' in verdict) {
    assert.deepEqual([answer.status, answer.json?.code], [STATUS[verdict.refused], verdict.refused], told)
    const codes = answer.json.errors?.map((one: { code: string }) => one.code) ?? []
    if (verdict.detail !== undefined) assert.ok(codes.includes(verdict.detail), told)
    return
  }
  assert.equal(answer.status, verdict.status, told)
  verdict.check(answer)
}

function assertHeaders({ headers, status, json }: Answer, told: string): void {
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
    assert.match(String(headers[name]), /^\d+$/, `${name} of ${told}`)
  }
  assert.ok(headers['x-request-id'], told)
  if (status >= 400) assert.equal(json.request_id, headers['x-request-id'])
}

function keepReceipt(walk: Walk, call: Call, fingerprint: string, { status, text, headers }: Answer): void {
  if (!usesKey(call)) return
  const receipt = { at: walk.now, fingerprint, status, text, etag: headers.etag }
  accountOf(walk, call).receipts.set(call.idempotencyKey ?? '', receipt)
}
