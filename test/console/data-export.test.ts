/**
 * Tests the account export of owners in the console: the same file as the command's, or a visible failure
 * that leaves nothing behind.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { request as ask } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createPerson, type Role } from '../../src/accounts/people/people.ts'
import { setPassword } from '../../src/accounts/people/set-password.ts'
import { systemClock } from '../../src/kernel/values/clock.ts'
import { exportAccountToFile } from '../../src/transfer/accounts/export-account.ts'
import { openExportDownload } from '../../src/transfer/accounts/export-download.ts'
import { startUnitStand, type UnitStand } from '../api/unit-stand.ts'
import { cloneDatabase, type TestDatabase } from '../database.ts'
import { ADDRESSES, newProduct } from '../harness.ts'
import { type Folder, fill, poolOfOne, temporaryFolder } from '../transfer/stores.ts'

const CHECK = join(import.meta.dirname, '../../docs/check-export.mjs')
const PASSWORD = 'eleven herons over the lake'
const DATA = '/console/settings/data'
const OWN = { origin: ADDRESSES.publicUrl, 'sec-fetch-site': 'same-origin' }
const FORM = { ...OWN, 'content-type': 'application/x-www-form-urlencoded' }

let database: TestDatabase
let s: UnitStand
let folder: Folder
const cookies: Partial<Record<Role, string>> = {}

before(async () => {
  database = await cloneDatabase()
  s = await startUnitStand('enterprise', database)
  folder = await temporaryFolder()
  await fill(s)
  const stranger = await s.t.account({ plan: 'enterprise' })
  const foreign = newProduct({ productName: 'Foreign jacket', sku: 'F-1' })
  assert.equal((await s.t.ask('POST', '/api/v1/products', { key: stranger.key, body: foreign })).status, 201)
  for (const role of ['owner', 'editor', 'viewer'] as const) cookies[role] = await signIn(role)
  await s.t.app.listen({ port: 0, host: '127.0.0.1' })
})
after(async () => {
  await s.close()
  await database.drop()
  await folder.remove()
})

async function signIn(role: Role): Promise<string> {
  const email = `${role}@testmarke.example`
  const { token } = await createPerson(s.t, { accountId: s.account.id, email, role })
  await setPassword(s.t, { token, password: PASSWORD })
  const answer = await post('/console/sign-in', { email, password: PASSWORD })
  return String([answer.headers['set-cookie']].flat()[0]).split(';')[0] ?? ''
}

/** Uses the cookie of a role and keeps its renewed token after each password. */
async function post(path: string, form: Record<string, string>, cookie = '', language = 'en') {
  const answer = await s.t.app.inject({
    method: 'POST',
    url: path,
    headers: { ...FORM, cookie, 'accept-language': language },
    payload: new URLSearchParams(form).toString(),
  })
  keep(cookie, answer.headers['set-cookie'])
  return answer
}

function keep(cookie: string | undefined, lines: string | string[] | undefined): void {
  const line = [lines ?? []].flat().find(one => one.startsWith('__Host-carnet='))
  const role = (['owner', 'editor', 'viewer'] as const).find(one => cookies[one] === cookie)
  if (role !== undefined && line !== undefined) cookies[role] = line.split(';')[0] ?? ''
}

const get = async (path: string, language = 'en') => {
  const headers = { cookie: cookies.owner ?? '', 'accept-language': language }
  return (await s.t.app.inject({ url: path, headers })).body
}

/** With the right password. Returns the unread response from a real socket. */
async function begin() {
  const { port } = s.t.app.server.address() as AddressInfo
  const headers = { ...FORM, cookie: cookies.owner ?? '' }
  const sent = ask({ port, host: '127.0.0.1', method: 'POST', path: DATA, headers })
  sent.on('error', () => undefined)
  sent.end(new URLSearchParams({ password: PASSWORD }).toString())
  const answer = await new Promise<import('node:http').IncomingMessage>(resolve =>
    sent.once('response', resolve),
  )
  answer.on('error', () => undefined)
  keep(headers.cookie, answer.headers['set-cookie'])
  return { sent, answer }
}

const actions = async () =>
  (
    await s.t.sql<{ action: string }[]>`
      select action from audit_entry where account_id = ${s.account.id} and action like 'account_export%' order by id`
  ).map(({ action }) => action)

/** Export locks. */
const leftOver = async () => {
  const [row] = await s.t.setup.sql<{ n: number }[]>`
    select count(*)::int as n from pg_locks where locktype = 'advisory' and classid = ${0x43_41_52_58}::int`
  return row?.n ?? 0
}

const until = async (what: () => Promise<boolean>) => {
  for (let tries = 0; tries < 200; tries++) {
    if (await what()) return
    await pause(25)
  }
  assert.fail('it did not come to that')
}

describe('POST /console/settings/data', () => {
  test('returns the same file as the command line, line by line, and it is complete', async () => {
    const answer = await post(DATA, { password: PASSWORD }, cookies.owner)
    assert.equal(answer.statusCode, 200)
    assert.match(
      String(answer.headers['content-disposition']),
      /^attachment; filename="Test_\d{4}-\d\d-\d\d\.ndjson"/,
    )
    assert.equal(answer.headers['content-type'], 'application/x-ndjson')
    assert.equal(answer.headers['x-accel-buffering'], 'no')
    const setup = {
      openPool: poolOfOne(database),
      clock: systemClock,
      version: '0.0.0-test',
      publicUrl: ADDRESSES.publicUrl,
    }
    const made = await exportAccountToFile(setup, {
      accountId: s.account.id,
      path: folder.file('by-command'),
    })
    const lines = (text: string) => text.trimEnd().split('\n').slice(1, -1)
    assert.deepEqual(lines(answer.body), lines(await readFile(made.path, 'utf8')))
    const [first = '', ...rest] = answer.body.trimEnd().split('\n')
    const { created_at, ...header } = JSON.parse(first)
    const { created_at: byCommand, ...same } = JSON.parse(
      (await readFile(made.path, 'utf8')).split('\n', 1)[0] ?? '',
    )
    assert.deepEqual(header, same)
    assert.ok(Date.parse(created_at) <= Date.parse(byCommand))
    const path = folder.file('by-console')
    await writeFile(path, answer.rawPayload)
    const { stdout } = await promisify(execFile)(process.execPath, [CHECK, path])
    assert.match(stdout, /9 passports/)
    assert.doesNotMatch(answer.body, /Foreign jacket/)
    const end = JSON.parse(rest.at(-1) ?? '')
    assert.deepEqual(end.counts, made.counts)
    assert.deepEqual(await actions(), ['account_export_started', 'account_exported'])
    assert.ok((await get('/console/settings/audit')).includes(`SHA-256 ${end.sha256}`))
    assert.match(await get('/console/settings/audit', 'de'), /Hat alle Daten heruntergeladen/)
  })

  test('without a password, with a wrong one, and after too many attempts: an error page, and no audit entry', async () => {
    const before = await actions()
    for (const password of ['', 'another password', PASSWORD.slice(1)]) {
      const answer = await post(DATA, { password }, cookies.owner)
      assert.equal(answer.statusCode, 422)
      assert.match(answer.body, /aria-invalid="true"/)
    }
    for (let n = 0; n < 12; n++) await post(DATA, { password: 'another password' }, cookies.owner)
    assert.equal((await post(DATA, { password: PASSWORD }, cookies.owner)).statusCode, 429)
    await s.t.sql`delete from sign_in_attempt`
    assert.deepEqual(await actions(), before)
  })

  test('is for owners only', async () => {
    for (const role of ['editor', 'viewer'] as const) {
      assert.equal((await post(DATA, { password: PASSWORD }, cookies[role])).statusCode, 403)
      const settings = await s.t.app.inject({
        url: '/console/settings',
        headers: { cookie: cookies[role] ?? '' },
      })
      assert.doesNotMatch(settings.body, /settings\/data"/)
    }
    assert.match(await get('/console/settings'), /settings\/data"/)
  })

  describe('of an account that is larger than the buffers between database and client', () => {
    const TEXT = 'Wash at 30 °C. '.repeat(600)

    before(async () => {
      for (let call = 0; call < 12; call++) {
        const items = Array.from({ length: 250 }, (_, n) =>
          newProduct({ sku: `L-${call}-${n}`, careInstructions: { en: TEXT, de: TEXT } }),
        )
        const answer = await s.t.ask('POST', '/api/v1/products/bulk', {
          key: s.account.key,
          body: { match_by: 'sku', items },
        })
        assert.equal(answer.status, 200, answer.text.slice(0, 500))
      }
    })

    test('rejects a second export at the same time, in every process, and the first is complete', async () => {
      const { answer } = await begin()
      assert.equal(answer.statusCode, 200)
      assert.equal(await leftOver(), 1)
      const again = await post(DATA, { password: PASSWORD }, cookies.owner)
      assert.equal(again.statusCode, 503)
      assert.equal(again.headers['retry-after'], '60')
      assert.match(again.body, /A download of this account is already running, or too many/)
      const other = await s.t.beside()
      const setup = { openPool: poolOfOne(database), version: '0', publicUrl: '' }
      const beside = { ...s.account.ctx, sql: other.sql }
      assert.equal(await openExportDownload(beside, setup, 'x'), undefined)
      await other.close()
      let last = ''
      for await (const piece of answer.setEncoding('utf8')) last = (last + piece).slice(-4_096)
      assert.match(last, /\{"type":"end","counts":\{[^\n]*\n$/)
      await until(async () => (await leftOver()) === 0)
    })

    test('an interrupted export leaves no connection, no lock, and no audit entry of completion', async () => {
      const before = await actions()
      const { sent, answer } = await begin()
      answer.once('readable', () => answer.read(100))
      await pause(50)
      sent.destroy()
      await until(async () => (await leftOver()) === 0)
      assert.deepEqual(await actions(), [...before, 'account_export_started'])
      const next = await post(DATA, { password: PASSWORD }, cookies.owner)
      assert.equal(next.statusCode, 200)
      assert.match(next.body.slice(-4_096), /\{"type":"end"/)
    })

    test('a client that stops reading is disconnected without the last line', async () => {
      await until(async () => (await leftOver()) === 0)
      const setup = { openPool: poolOfOne(database), version: '0', publicUrl: '', idleTimeoutMs: 200 }
      const stream = await openExportDownload(s.account.ctx, setup, 'x')
      assert.ok(stream)
      let faults = 0
      stream.on('error', () => faults++)
      stream.once('readable', () => stream.read())
      await until(async () => faults > 0 && stream.destroyed && (await leftOver()) === 0)
      assert.equal(faults, 1)
    })
  })
})
