/** Tests large passports on the public site: how much of them is read, and how much stays in memory. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parseId } from '../../src/kernel/crypto/ids.ts'
import { createAccessLink } from '../../src/passports/access/access-links.ts'
import { findPublicPassport } from '../../src/passports/read/find.ts'
import { findCachedMetadata, readPublicPassport } from '../../src/passports/read/public-passport.ts'
import { ADDRESSES, type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'

/** A single character outside Latin-1 makes a text take two bytes per character in memory. */
const FREE_FORM = `${'x'.repeat(900_000)}ł`
const ITEMS = 80
const HEAP_MIB = 100
const AT_ONCE = 24
const FACILITY = 'Hidden Mill Ltd'

let t: Harness
let account: TestAccount
let model: string
let items: string[]

before(async () => {
  t = await startHarness()
  account = await t.account({ plan: 'enterprise' })
  const stage = { stage: 'spinning', country: 'TR', facilityName: FACILITY }
  const body = newProduct({ notes: FREE_FORM, supplyChainStages: [stage] })
  const { json } = await t.ask('POST', '/api/v1/products', { key: account.key, body })
  model = json.data.id
  const units = Array.from({ length: ITEMS }, (_, n) => ({
    serial: `S${n}`,
    data: { weightGrams: n + 1, remark: 'ours' },
  }))
  const issued = await t.ask('POST', `/api/v1/products/${model}/children`, {
    key: account.key,
    body: { level: 'item', items: units },
  })
  assert.equal(issued.status, 201, issued.text)
  items = issued.json.data.created.map((one: { id: string }) => one.id)
  assert.equal(items.length, ITEMS)
})
after(() => t.close())

const uuidOf = (id: string) => parseId(id) ?? assert.fail(`${id} is an id`)

describe('items of a model with a large free-form text', () => {
  test('do not exhaust the memory of a server with a small heap', async () => {
    const server = spawn(
      process.execPath,
      [
        `--max-old-space-size=${HEAP_MIB}`,
        join(import.meta.dirname, '../cli/api-process.ts'),
        JSON.stringify(t.database),
      ],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    )
    const ended = once(server, 'close')
    try {
      const [port] = await once(server.stdout.setEncoding('utf8'), 'data')
      const waiting = [...items]
      const read = async () => {
        for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
          const answer = await fetch(`http://127.0.0.1:${Number(port)}/p/${id}`)
          assert.equal(answer.status, 200)
          await answer.text()
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, read))
      assert.equal(server.exitCode, null)
    } finally {
      server.kill()
      await ended
    }
  })

  test('are read without the text, but with all known fields and their origin', async () => {
    const row = await findPublicPassport(t.sql, uuidOf(items[6] ?? ''))
    assert.ok(row)
    const { notes: _, remark: __, ...known } = JSON.parse(row.data)
    const { data } = (await t.ask('GET', `/api/v1/products/${items[6]}`, { key: account.key })).json.data
    const { notes, remark, ...wanted } = data
    assert.deepEqual(known, wanted)
    assert.equal(known.weightGrams, 7)
    assert.deepEqual([notes, remark], [FREE_FORM, 'ours'])
    assert.ok(row.data.length < 5_000)
    assert.deepEqual(row.unit_fields, ['weightGrams'])
  })

  test('show the protected fields to a reader with an access link, also in an earlier version', async () => {
    const link = await createAccessLink(account.ctx, {
      passportId: model,
      audience: 'authority',
      label: 'Test',
      expiresAt: new Date(Date.now() + 3_600_000),
      addresses: ADDRESSES,
    })
    await t.ask('PATCH', `/api/v1/products/${model}`, {
      key: account.key,
      body: { data: { productName: 'Second' } },
    })
    for (const address of [`/p/${items[0]}`, `/p/${model}`, `/p/${model}?version=1`]) {
      const shown = await t.ask('GET', address, { headers: { authorization: `Bearer ${link.token}` } })
      assert.ok(shown.text.includes(FACILITY), address)
      const open = await t.ask('GET', address)
      assert.equal(open.status, 200)
      assert.ok(!open.text.includes(FACILITY), address)
      assert.ok(!open.text.includes('xxxx'))
    }
  })
})

describe('the cached head of a passport', () => {
  test('does not contain its data', async () => {
    const now = t.clock.now()
    const { json } = await t.ask('POST', '/api/v1/products', {
      key: account.key,
      body: newProduct({ remark: 'only ours', productName: 'Seen by all' }),
    })
    assert.ok(await readPublicPassport(t.sql, json.data.id, now))
    const head = findCachedMetadata(t.sql, json.data.id, now)
    assert.ok(head)
    assert.doesNotMatch(JSON.stringify(head), /only ours|Seen by all|remark/)
  })

  test('is dropped ten minutes after it was read', async () => {
    const now = t.clock.now()
    const later = new Date(now.getTime() + 600_000)
    const [first = '', second = ''] = items
    await readPublicPassport(t.sql, first, now)
    await readPublicPassport(t.sql, second, later)
    assert.equal(findCachedMetadata(t.sql, first, now), undefined)
    assert.ok(findCachedMetadata(t.sql, second, later))
  })
})
