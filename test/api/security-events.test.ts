/**
 * Tests what the log says about rejected sign-ins and keys, missing rights and forged forms, and that it
 * contains no secrets.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { MAX_ATTEMPTS_PER_SOURCE } from '../../src/accounts/people/attempt-limits.ts'
import { createPerson } from '../../src/accounts/people/people.ts'
import { setPassword } from '../../src/accounts/people/set-password.ts'
import { createApp } from '../../src/cli/server/app.ts'
import { createSecurityLog } from '../../src/kernel/monitoring/security-events.ts'
import { ADDRESSES, type Harness, startHarness, type TestAccount } from '../harness.ts'

type Line = { event: string; request_id: string; network: string; unlogged_before: number }

let t: Harness
let app: FastifyInstance
let account: TestAccount
const lines: Line[] = []
const counted: string[] = []
before(async () => {
  t = await startHarness()
  account = await t.account()
  const log = pino({ base: null }, { write: line => lines.push(JSON.parse(line)) })
  const security = createSecurityLog({ log, clock: t.clock, count: event => counted.push(event) })
  app = createApp({ ...t.setup, security })
  await app.ready()
})
after(async () => {
  await app.close()
  await t.close()
})

const NETWORK = '192.0.2.77'
const EMAIL = 'ada@nordlicht.example'
const ask = (method: 'GET' | 'POST', url: string, headers: Record<string, string>, payload?: string) =>
  app.inject({ method, url, headers, remoteAddress: NETWORK, ...(payload === undefined ? {} : { payload }) })
const FORM = {
  'content-type': 'application/x-www-form-urlencoded',
  origin: new URL(ADDRESSES.publicUrl).origin,
}
const signIn = (headers = FORM) =>
  ask('POST', '/console/sign-in', headers, `email=${EMAIL}&password=guessed-word`)

test('each kind of security event writes one log line with the request and a hash of the network, and no secret, e-mail or address', async () => {
  const reader = await t.apiKey(account, 'read')
  const answers = [
    await ask('GET', '/api/v1/products', { authorization: 'Bearer dpp_live_guessed' }),
    await ask(
      'POST',
      '/api/v1/products',
      { authorization: `Bearer ${reader}`, 'content-type': 'application/json' },
      '{}',
    ),
    await signIn(),
    await signIn({ ...FORM, origin: 'https://evil.example' }),
    await ask('GET', `/console/set-password?token=${'A'.repeat(43)}`, {}),
  ]
  assert.deepEqual(
    answers.map(answer => answer.statusCode),
    [401, 403, 422, 403, 404],
  )
  assert.deepEqual(
    lines.map(({ event, request_id }) => [event, request_id]),
    ['key_refused', 'right_refused', 'sign_in_refused', 'cross_site_refused', 'link_refused'].map(
      (event, i) => [event, answers[i]?.headers['x-request-id']],
    ),
  )
  assert.equal(new Set(lines.map(line => line.network)).size, 1)
  assert.match(lines[0]?.network ?? '', /^[0-9a-f]{12}$/)
  assert.doesNotMatch(JSON.stringify(lines), /nordlicht|guessed|192\.0\.2|AAAA|dpp_live/)
})

test('a refused proof of identity, and too many tries, are security events', async () => {
  const password = 'eleven herons over the lake'
  const { token } = await createPerson(t.setup, { accountId: account.id, email: EMAIL, role: 'owner' })
  await setPassword(t.setup, { token, password })
  const form = `email=${EMAIL}&password=${encodeURIComponent(password)}`
  const signedIn = await ask('POST', '/console/sign-in', FORM, form)
  const [cookie = ''] = [signedIn.headers['set-cookie']].flat()
  const [before] = [counted.length]
  const wrong = `current=guessed-word&password=${encodeURIComponent('twelve grey herons')}`
  await ask('POST', '/console/settings/password', { ...FORM, cookie: cookie.split(';')[0] ?? '' }, wrong)
  for (let i = 0; i <= MAX_ATTEMPTS_PER_SOURCE; i++) await signIn()
  const events = counted.slice(before)
  assert.equal(events[0], 'proof_refused')
  assert.equal(events.at(-1), 'sign_in_held_back')
  assert.doesNotMatch(JSON.stringify(lines), /nordlicht|guessed|herons|192\.0\.2/)
})

test('a request without a key, a malformed form and an unknown URL are not security events', async () => {
  const before = counted.length
  await ask('GET', '/api/v1/products', {})
  await ask('GET', '/nope', {})
  await ask('POST', '/console/sign-in', FORM, 'email=&password=')
  assert.equal(counted.length, before)
})

test('a flood is counted but hardly logged: one line a minute per network, sixty a minute in all', async () => {
  const before = lines.length
  for (let i = 0; i < 5; i++)
    await ask('GET', '/api/v1/products', { authorization: 'Bearer dpp_live_guessed' })
  assert.equal(lines.length, before)
  t.clock.advance(60_000)
  await ask('GET', '/api/v1/products', { authorization: 'Bearer dpp_live_guessed' })
  assert.equal(lines.at(-1)?.unlogged_before, 5)
  const flood = createSecurityLog({
    log: pino({ base: null }, { write: line => lines.push(JSON.parse(line)) }),
    clock: t.clock,
    count: event => counted.push(event),
  })
  const [logged, all] = [lines.length, counted.length]
  for (let i = 0; i < 3_000; i++) flood.note('key_refused', { requestId: String(i), network: `network ${i}` })
  assert.deepEqual([lines.length - logged, counted.length - all], [60, 3_000])
})
