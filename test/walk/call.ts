/** A call of the API with what the model says must come of it: who may ask, what was sent before, what is done. */
import assert from 'node:assert/strict'
import type { Answer, Harness } from '../harness.ts'
import { type Account, type Entry, remember } from './world.ts'

export type Caller = 'full' | 'read' | 'revoked' | 'none'

/** `check` is given the answer and takes from it what only the server knows. */
export type Verdict = { refused: string; detail?: string } | { status: number; check: (answer: Answer) => void }

export type Call = {
  account: Account
  caller: Caller
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  body?: unknown
  headers?: Record<string, string>
  idempotencyKey?: string | undefined
  isDryRun?: boolean
  /** The passport in its path. */
  target?: Entry
  /** Changes the model; only asked when the call gets as far as its verb. */
  judge: (now: number) => Verdict
}

const STATUS: Record<string, number> = {
  ...{ unauthorized: 401, read_only: 403, plan_limit: 403, not_found: 404, archived: 409, gtin_taken: 409 },
  ...{ version_conflict: 412, validation: 422 },
}

const DAY_MS = 86_400_000
/** More than a key is believed without looking. */
const STEP_MS = 2_000

export type Walk = { t: Harness; accounts: readonly Account[]; now: number }

const API = '/api/v1'

/** Makes the call and compares everything that comes back. */
export async function perform(walk: Walk, call: Call): Promise<Answer> {
  walk.now += STEP_MS
  walk.t.clock.set(new Date(walk.now))
  const fingerprint = `${call.method} ${call.path} ${JSON.stringify(call.body)}`
  const expected = expect(walk, call, fingerprint)
  const answer = await send(walk.t, call)
  const told = `${call.method} ${call.path} ${JSON.stringify(call.body)}: ${answer.status} ${answer.text}`
  if ('replays' in expected) assertReplay(answer, expected.replays, told)
  else assertAnswer(answer, expected.verdict, told)
  assertHeaders(answer, told)
  if ('verdict' in expected && answer.status < 300) keepReceipt(walk, call, fingerprint, answer)
  remember(walk.accounts, walk.now)
  return answer
}

type Expected = { verdict: Verdict } | { replays: NonNullable<ReturnType<Account['receipts']['get']>> }

/** In the order of refusals: the key, its scope, the product, the Idempotency-Key, then the call itself. */
function expect(walk: Walk, call: Call, fingerprint: string): Expected {
  const { account, caller, method, target } = call
  if (caller === 'revoked' || caller === 'none') return { verdict: { refused: 'unauthorized' } }
  if (caller === 'read' && method !== 'GET') return { verdict: { refused: 'read_only' } }
  if (target !== undefined && target.account !== account) return { verdict: { refused: 'not_found' } }
  const receipt = usesKey(call) ? account.receipts.get(call.idempotencyKey ?? '') : undefined
  if (receipt !== undefined && receipt.at + DAY_MS > walk.now) {
    if (receipt.fingerprint === fingerprint) return { replays: receipt }
    return { verdict: { refused: 'validation', detail: 'idempotency_key_reused' } }
  }
  return { verdict: call.judge(walk.now) }
}

const usesKey = ({ idempotencyKey, method, isDryRun }: Call) =>
  idempotencyKey !== undefined && method !== 'GET' && isDryRun !== true

function send(t: Harness, { account, caller, method, path, body, headers, idempotencyKey }: Call): Promise<Answer> {
  const key = caller === 'none' ? {} : { key: account.keys[caller] }
  const once = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
  return t.ask(method, API + path, {
    ...key,
    ...(body === undefined ? {} : { body }),
    headers: { ...headers, ...once },
  })
}

function assertReplay(answer: Answer, first: { status: number; text: string; etag: string | undefined }, told: string) {
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

function keepReceipt({ now }: Walk, call: Call, fingerprint: string, { status, text, headers }: Answer): void {
  if (!usesKey(call)) return
  const receipt = { at: now, fingerprint, status, text, etag: headers.etag }
  call.account.receipts.set(call.idempotencyKey ?? '', receipt)
}
