/**
 * Tests the webhook pages by forms, without a script: add, pause, test, resend, remove; rights; and messages.
 */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { AccountContext } from '../../src/accounts/account/context.ts'
import { newUuid } from '../../src/kernel/crypto/ids.ts'
import type { Sql } from '../../src/kernel/db/database.ts'
import { openOutbound } from '../../src/kernel/http-out/outbound-http.ts'
import { listAttempts } from '../../src/webhooks/delivery-log.ts'
import { announceEvents } from '../../src/webhooks/insert-events.ts'
import { addWebhook } from '../../src/webhooks/manage-webhooks.ts'
import { listWebhooks, MAX_WEBHOOKS } from '../../src/webhooks/webhook.ts'
import { DeliveryWorker } from '../../src/worker/deliver.ts'
import { endPools, getTestShard } from '../database.ts'
import { LOG, POLICY, type Receiver, startReceiver } from '../webhooks/stand.ts'
import { type Answer, type Browser, type Stand, startStand } from './stand.ts'

const HOUR = 3_600_000

let stand: Stand
let receiver: Receiver
let queue: Sql
let worker: DeliveryWorker
let ctx: AccountContext
let owner: Browser
let editor: Browser
let viewer: Browser

before(async () => {
  stand = await startStand()
  receiver = await startReceiver()
  const { clock, secretCipher } = stand
  queue = await stand.openPools({ max: 2, forQueue: true, name: 'test queue' })
  worker = new DeliveryWorker({
    sql: getTestShard(queue),
    clock,
    log: LOG,
    secretCipher,
    outbound: openOutbound(POLICY),
  })
  const accountId = await stand.account()
  ctx = { ...stand.ctx, sql: stand.sql, accountId, actorId: 1 }
  owner = await stand.signedIn(accountId, 'owner')
  editor = await stand.signedIn(accountId, 'editor')
  viewer = await stand.signedIn(accountId, 'viewer')
})

after(async () => {
  await worker.stop()
  await endPools(queue)
  await receiver.close()
  await stand.close()
})

afterEach(async () => {
  await stand.sql`delete from webhook_delivery`
  await stand.sql`delete from webhook_attempt`
  await stand.sql`delete from webhook_endpoint`
  receiver.received.length = 0
  receiver.respond = (_, response) => response.writeHead(204).end()
})

const FORM = { url: 'https://erp.example/carnet', description: 'Stock', filter: 'all' }
const shownSecret = ({ text }: Answer) =>
  /whsec_[0-9A-Za-z+/]{43}&?#?6?1?;?=?/.exec(text)?.[0]?.replace('&#61;', '=') ?? ''

/** Adds an endpoint for the receiver. Returns the path of its page. */
async function make(): Promise<string> {
  const { secretCipher } = stand
  const made = await addWebhook(ctx, { secretCipher, policy: POLICY }, { url: receiver.url })
  return `/console/webhooks/${made.id}`
}

function announce(data = {}) {
  const { sql, clock } = stand
  const now = clock.now()
  const rows = sql`
    values (${now}::timestamptz, ${ctx.accountId}::int, ${newUuid(now.getTime())}::uuid, 'product.updated',
      ${JSON.stringify(data)}::text::jsonb)`
  return sql`with ${announceEvents(sql, rows)} select`
}

async function failSixTimes(): Promise<void> {
  receiver.respond = (_, response) => response.writeHead(500).end('<b>no</b>\0')
  for (let i = 0; i < 6; i++) {
    await worker.drain()
    stand.clock.advance(7 * HOUR)
  }
}

describe('adding a webhook', () => {
  test('the secret is shown once after a redirect; reloading creates nothing and shows nothing', async () => {
    const sent = await owner.post('/console/webhooks', {
      form: new URLSearchParams([
        ['url', FORM.url],
        ['description', 'Stock & <more>'],
        ['filter', 'chosen'],
        ['event', 'product.created'],
        ['event', 'scan.milestone'],
      ]).toString(),
    })
    assert.deepEqual([sent.status, sent.headers.location], [303, '/console/webhooks/shown'])
    assert.match(
      String(sent.headers['set-cookie']),
      /^__Secure-carnet-webhook=[\w-]{100,}; Path=\/console\/webhooks\/shown; HttpOnly; SameSite=Strict; Secure$/,
    )
    const shown = await owner.get('/console/webhooks/shown')
    assert.equal(shown.status, 200)
    assert.match(shown.text, /<dt>Events<\/dt><dd>product\.created, scan\.milestone<\/dd>/)
    assert.match(shownSecret(shown), /^whsec_[0-9A-Za-z+/]{43}=$/)
    assert.equal((await owner.get('/console/webhooks/shown')).headers.location, '/console/webhooks')
    const [made, ...others] = await listWebhooks(ctx)
    assert.deepEqual(others, [])
    assert.deepEqual(made?.events, ['product.created', 'scan.milestone'])
    const list = await viewer.get('/console/webhooks')
    assert.match(list.text, /Stock &#38; &#60;more&#62;/)
    assert.match(list.text, /Only owners can add/)
    assert.equal(shownSecret(list), '')
  })

  test('all events are sent only if somebody chooses that, and the page of the secret says so', async () => {
    assert.doesNotMatch((await owner.get('/console/webhooks/new')).text, / checked/)
    await owner.post('/console/webhooks', { form: FORM })
    assert.deepEqual((await listWebhooks(ctx))[0]?.events, ['*'])
    assert.match((await owner.get('/console/webhooks/shown')).text, /<dd>all events except recalls/)
    assert.match((await owner.get('/console/webhooks')).text, /all events/)
  })

  test('errors are shown at their fields, in both languages, and nothing is created', async () => {
    const wrong: [Record<string, string>, RegExp, RegExp][] = [
      [{ ...FORM, url: '' }, /Fill this in/, /Bitte ausfüllen/],
      [{ ...FORM, url: 'http://erp.example' }, /begin with https/, /mit https:\/\/ beginnen/],
      [
        { ...FORM, url: 'https://10.0.0.1/' },
        /10\.0\.0\.1 is not a public/,
        /10\.0\.0\.1 ist keine öffentliche/,
      ],
      [{ ...FORM, url: 'https://localhost/' }, /machine that Carnet runs on/, /auf dem Carnet läuft/],
      [{ ...FORM, url: 'https://a:b@erp.example/' }, /user name or password/, /Benutzername/],
      [{ ...FORM, url: 'https://erp.example/#a' }, /fragment/, /Fragment/],
      [{ ...FORM, url: `https://erp.example/${'a'.repeat(2_100)}` }, /too long/, /zu lang/],
      [{ ...FORM, url: 'https://0x7f.1/' }, /usual notation/, /üblicher Schreibweise/],
      [{ ...FORM, url: 'https://erp .example' }, /spaces/, /Leerzeichen/],
      [{ ...FORM, url: 'https://' }, /not a valid address/, /keine gültige Adresse/],
      [{ ...FORM, description: 'x'.repeat(501) }, /At most 500/, /Höchstens 500/],
      [{ ...FORM, description: 'a\u0007' }, /cannot be displayed/, /nicht anzeigen lassen/],
      [{ ...FORM, event: 'product.eaten' }, /Choose one/, /aus der Liste/],
      [{ ...FORM, filter: '' }, /Choose one/, /aus der Liste/],
      [{ ...FORM, filter: '', event: 'product.created' }, /Choose one/, /aus der Liste/],
      [{ ...FORM, filter: 'chosen' }, /Tick at least one/, /mindestens ein Ereignis/],
      [{ ...FORM, event: 'product.created' }, /Untick them/, /Entfernen Sie die Kreuze/],
    ]
    for (const [form, en, de] of wrong) {
      const answer = await owner.post('/console/webhooks', { form })
      assert.equal(answer.status, 422, JSON.stringify(form).slice(0, 80))
      assert.match(answer.text, en)
      assert.match(answer.text, /aria-invalid="true"/)
      const headers = { 'accept-language': 'de', 'sec-fetch-site': 'same-origin' }
      assert.match((await owner.post('/console/webhooks', { form, headers })).text, de)
    }
    assert.deepEqual(await listWebhooks(ctx), [])
  })

  test('the twenty-first webhook is rejected with instructions', async () => {
    for (let i = 0; i < MAX_WEBHOOKS; i++) await make()
    const answer = await owner.post('/console/webhooks', { form: FORM })
    assert.equal(answer.status, 422)
    assert.match(answer.text, /at most 20 webhooks. Remove one/)
    assert.match(answer.text, /value="https:\/\/erp\.example\/carnet"/)
  })
})

test('the page names the actual number of attempts, in both languages', async () => {
  assert.match(
    (await viewer.get('/console/webhooks')).text,
    /up to 6 times within about 8\.5 hours; after that/,
  )
  const german = await viewer.get('/console/webhooks', { headers: { 'accept-language': 'de' } })
  assert.match(german.text, /bis zu 6-mal in etwa 8,5 Stunden/)
  assert.doesNotMatch(german.text, /bis sie ankommt/)
})

describe('managing a webhook', () => {
  test('a webhook can be changed, paused, resumed, and removed after a confirmation', async () => {
    const at = await make()
    const form = await owner.get(`${at}/edit`)
    assert.match(form.text, /value="all" checked/)
    assert.doesNotMatch(form.text, /name="event"[^>]* checked/)
    const some = { ...FORM, filter: 'chosen', event: 'product.archived' }
    const changed = await owner.post(at, { form: some })
    assert.equal(changed.headers.location, at)
    assert.match((await owner.get(`${at}/edit`)).text, /value="product\.archived" checked/)
    const [now] = await listWebhooks(ctx)
    assert.deepEqual([now?.url, now?.description, now?.events], [FORM.url, 'Stock', ['product.archived']])

    await editor.post(`${at}/state`, { form: { to: 'pause' } })
    assert.match((await viewer.get(at)).text, /This webhook is paused\./)
    await editor.post(`${at}/state`, { form: { to: 'nothing' } })
    assert.equal((await listWebhooks(ctx))[0]?.status, 'paused')
    await editor.post(`${at}/state`, { form: { to: 'resume' } })
    assert.equal((await listWebhooks(ctx))[0]?.status, 'active')

    assert.match((await owner.get(`${at}/remove`)).text, /Remove this webhook\?/)
    assert.equal((await owner.post(`${at}/remove`)).headers.location, '/console/webhooks')
    assert.equal((await owner.get(at)).status, 404)
    assert.equal((await owner.post(`${at}/remove`)).status, 404)
  })

  test('shows each role only the actions that it may take', async () => {
    const at = await make()
    const actions = async (browser: Browser) =>
      Array.from((await browser.get(at)).text.matchAll(/(?:action|href)="[^"]+\/(\w+)"/g), ([, name]) => name)
        .filter(name => ['test', 'state', 'edit', 'remove', 'rotate', 'replay'].includes(name ?? ''))
        .sort()
    assert.deepEqual(await actions(viewer), [])
    assert.deepEqual(await actions(editor), ['replay', 'state', 'test'])
    assert.deepEqual(await actions(owner), ['edit', 'remove', 'replay', 'rotate', 'state', 'test'])
  })

  test('a test event is sent at once, and its result is shown with the response as text', async () => {
    const at = await make()
    receiver.respond = (_, response) =>
      response.writeHead(418).end(`<script>alert(1)</script>${'x'.repeat(2_000)}`)
    const sent = await editor.post(`${at}/test`)
    assert.equal(sent.status, 303)
    const page = await editor.get(String(sent.headers.location))
    assert.match(page.text, /Test event: answered 418 \(/)
    assert.match(page.text, /&#60;script&#62;alert\(1\)/)
    assert.doesNotMatch(page.text, /<script>|x{1025}/)
    assert.equal(receiver.received[0]?.headers['x-service-event'], 'webhook.test')
    assert.doesNotMatch(page.text, /name="attempt"/)

    receiver.respond = (_, response) => response.writeHead(204).end()
    const again = await editor.get(String((await editor.post(`${at}/test`)).headers.location))
    assert.match(again.text, /Test event: delivered, 204/)
    const refused = await editor.post(`${at}/resend`, {
      form: { attempt: (await listAttempts(ctx, { limit: 1 }))[0]?.id ?? '' },
    })
    assert.equal(refused.status, 422)
    assert.match(refused.text, /there is nothing to send again/)
    assert.equal((await editor.post(`${at}/resend`, { form: { attempt: 'x' } })).status, 404)
  })

  test('the log shows failures and the next attempt; one delivery can be resent, then all since a time', async () => {
    const at = await make()
    const began = stand.clock.now()
    await announce()
    receiver.respond = (_, response) => response.writeHead(503).end('later')
    await worker.drain()
    const waiting = await viewer.get(at)
    assert.match(waiting.text, /answered 503/)
    assert.match(waiting.text, /attempt 1 · [\d,]+ ms · next attempt 2\d Nov 2026/)
    assert.match(waiting.text, /<pre [^>]*>later<\/pre>/)
    assert.match(waiting.text, />failing</)
    assert.match(waiting.text, /Every delivery has failed since/)

    await failSixTimes()
    const failed = await editor.get(at)
    assert.match(failed.text, /attempt 6 · [\d,]+ ms · given up/)
    receiver.respond = (_, response) => response.writeHead(204).end()
    const attempt = /name="attempt" value="([0-9a-z]{26})"/.exec(failed.text)?.[1] ?? ''
    const resent = await editor.post(`${at}/resend`, { form: { attempt } })
    assert.match(
      (await editor.get(String(resent.headers.location))).text,
      /The event is being sent again\..*Show the result/,
    )
    receiver.received.length = 0
    await worker.drain()
    assert.equal(receiver.received.length, 1)
    assert.match((await viewer.get(at)).text, /delivered, 204/)

    await announce()
    await announce()
    await failSixTimes()
    const replay = async (since: string) => editor.post(`${at}/replay`, { form: { since } })
    for (const since of [
      '',
      'yesterday',
      '2026-02-30T10:00',
      '2026-11-21',
      '0000-01-01T00:00',
      '99999-01-01T00:00',
    ]) {
      const answer = await replay(since)
      assert.equal(answer.status, 422, since)
      assert.match(answer.text, /Enter a day and a time/)
    }
    const later = await replay(stand.clock.now().toISOString().slice(0, 16))
    assert.match((await editor.get(String(later.headers.location))).text, /nothing to send again/)
    const all = await replay(began.toISOString().slice(0, 16))
    assert.match((await editor.get(String(all.headers.location))).text, /2 events are being sent again/)
    receiver.respond = (_, response) => response.writeHead(204).end()
    receiver.received.length = 0
    await worker.drain()
    assert.equal(receiver.received.length, 2)
  })

  test('says that events wait while the webhook is paused, and shows the next attempt while the endpoint hangs', async () => {
    const at = await make()
    await announce()
    await failSixTimes()
    const attempt = /name="attempt" value="([0-9a-z]{26})"/.exec((await editor.get(at)).text)?.[1] ?? ''
    await stand.sql`
      update webhook_endpoint set failures = 20, wait_until = ${new Date(stand.clock.now().getTime() + 60_000)}`
    assert.match((await viewer.get(at)).text, /nothing is sent until \d+ \w+ \d{4}, \d\d:\d\d UTC/)
    const headers = { 'accept-language': 'de' }
    assert.match((await viewer.get(at, { headers })).text, /bis [^<]+ UTC nichts gesendet/)

    await editor.post(`${at}/state`, { form: { to: 'pause' } })
    assert.doesNotMatch((await viewer.get(at)).text, /nothing is sent until/)
    const all = await editor.post(`${at}/replay`, { form: { since: '2020-01-01T00:00' } })
    assert.match(
      (await editor.get(String(all.headers.location))).text,
      /One event is waiting\. It is sent when/,
    )
    const resent = await editor.post(`${at}/resend`, { form: { attempt } })
    assert.match((await editor.get(String(resent.headers.location))).text, /The event waits and is sent when/)
    receiver.received.length = 0
    await worker.drain()
    assert.equal(receiver.received.length, 0)
  })

  test('each page of the log continues after the last entry of the page before', async () => {
    const at = await make()
    for (let i = 0; i < 25; i++) await announce({ i })
    await worker.drain()
    const ids = (text: string) => Array.from(text.matchAll(/<li id="a-([0-9a-z]{26})"/g), ([, id]) => id)
    const first = (await viewer.get(at)).text
    const older = /href="([^"]+)#log"/.exec(first)?.[1]?.replace('&#61;', '=') ?? ''
    const second = (await viewer.get(older)).text
    assert.deepEqual([ids(first).length, ids(second).length], [20, 5])
    assert.equal(new Set([...ids(first), ...ids(second)]).size, 25)
    assert.equal((await viewer.get(`${at}?before=x`)).status, 404)
  })

  test('a disabled webhook is on the overview until somebody enables it', async () => {
    const at = await make()
    assert.doesNotMatch((await viewer.get('/console')).text, /was switched off/)
    await announce()
    receiver.respond = (_, response) => response.writeHead(410).end()
    await worker.drain()
    const home = await viewer.get('/console')
    assert.match(home.text, /hook was switched off\. The endpoint answered 410 Gone/)
    assert.ok(home.text.includes(`href="${at}"`))
    assert.match((await editor.get(at)).text, /Switch on again/)
    await editor.post(`${at}/state`, { form: { to: 'resume' } })
    assert.doesNotMatch((await viewer.get('/console')).text, /was switched off/)
  })
})
