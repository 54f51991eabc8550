/** Tests the events of batches and items: what is stored, refused and corrected, their hash chain, state and webhooks. */
import assert from 'node:assert/strict'
import { hash, randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { HTTPMethods } from 'fastify'
import { listAuditEntries } from '../../src/accounts/account/audit.ts'
import { newUuid, parseId } from '../../src/kernel/crypto/ids.ts'
import { inTransaction } from '../../src/kernel/db/transaction.ts'
import { IS_SHARDED } from '../database.ts'
import { type Ask, newProduct, type TestAccount } from '../harness.ts'
import { type Receiver, type Stand, startReceiver, startStand } from '../webhooks/stand.ts'

let stand: Stand
let receiver: Receiver
let account: TestAccount
let model: string
before(async () => {
  stand = await startStand()
  receiver = await startReceiver()
  account = await stand.account({ plan: 'enterprise' })
  model = await create(newProduct({}, 'battery'))
})
after(async () => {
  await receiver.close()
  await stand.close()
})

type Sent = Ask & { as?: TestAccount }

const send = (method: HTTPMethods, path: string, { as = account, ...ask }: Sent = {}) =>
  stand.ask(method, `/api/v1${path}`, { key: as.key, ...ask })

async function create(body: object, sent: Sent = {}): Promise<string> {
  const { json, text } = await send('POST', '/products', { ...sent, body })
  assert.ok(json.data, text)
  return json.data.id
}

let issued = 0

async function item(sent: Sent & { parent?: string; unit?: object } = {}): Promise<string> {
  const { parent = model, unit = { level: 'item', serial: `S-${++issued}` }, ...ask } = sent
  const { json, text } = await send('POST', `/products/${parent}/children`, { ...ask, body: unit })
  assert.ok(json.data, text)
  return json.data.id
}

const add = (id: string, body: object, sent: Sent = {}) =>
  send('POST', `/products/${id}/events`, { ...sent, body })

async function stored(id: string, body: object, sent: Sent = {}) {
  const { status, json, text } = await add(id, body, sent)
  assert.equal(status, 201, text)
  return json.data
}

const list = async (id: string, query = '', sent: Sent = {}) =>
  (await send('GET', `/products/${id}/events${query}`, sent)).json

const at = '2026-01-04'
const REPAIR = {
  kind: 'repair',
  at,
  note: { de: 'Modul 4 getauscht.', en: 'Replaced module 4.' },
  reference: 'W-2213',
  parts: [{ name: 'Module 4', partNumber: 'M-48-4', serial: '8841' }],
  by: { name: 'Werkstatt Kiel', country: 'DE' },
}

describe('an event', () => {
  test('gets the next number of its unit and is read as it was stored', async () => {
    const id = await item()
    const first = await stored(id, { kind: 'put_into_service', at: '2026-01-02T10:00:00+01:00' })
    assert.deepEqual(
      [first.number, first.at, first.audience],
      [1, '2026-01-02T09:00:00.000Z', ['legitimate_interest']],
    )
    const repair = await stored(id, REPAIR)
    const { number, stored_at, recorded_by, audience, hash: own, ...rest } = repair
    assert.deepEqual(rest, { ...REPAIR, corrects: null, event: null, corrected_by: null })
    assert.deepEqual([number, audience], [2, ['public', 'legitimate_interest', 'authority']])
    assert.match(own, /^[0-9a-f]{64}$/)
    assert.ok(Math.abs(Date.parse(stored_at) - stand.clock.now().getTime()) < 60_000)
    assert.notEqual(recorded_by, '')
    const { data, meta } = await list(id)
    assert.deepEqual(data, [repair, first])
    assert.deepEqual(meta, { limit: 25, has_more: false, next_cursor: null })
    const read = (await send('GET', `/products/${id}`)).json.data
    assert.equal(read.version_no, 1)
  })

  test('is hidden from the public on request, which no event that ends a passport can be', async () => {
    const id = await item()
    assert.deepEqual((await stored(id, { kind: 'repair', at, public: false })).audience, [
      'legitimate_interest',
      'authority',
    ])
    for (const [body, code] of [
      [{ kind: 'repair', at, public: true }, 'enum'],
      [{ kind: 'recycled', at, public: false }, 'enum'],
    ] as const) {
      const { status, json } = await add(id, body)
      assert.deepEqual([status, json.errors[0].field, json.errors[0].code], [422, 'public', code])
    }
  })

  test('is refused with everything that is wrong', async () => {
    const id = await item()
    const ahead = new Date(stand.clock.now().getTime() + 6 * 60_000).toISOString()
    const many = Array.from({ length: 21 }, () => ({ name: 'x' }))
    const wrong: [object, string, string][] = [
      [{}, 'kind', 'required'],
      [{ kind: 'repaired', at }, 'kind', 'enum'],
      [{ kind: 'handed_over', at }, 'kind', 'enum'],
      [{ kind: 'repair' }, 'at', 'required'],
      [{ kind: 'repair', at: '2026-02-30' }, 'at', 'format'],
      [{ kind: 'repair', at: 5 }, 'at', 'type'],
      [{ kind: 'repair', at: '2026-01-01T10:00:00' }, 'at', 'format'],
      [{ kind: 'repair', at: ahead }, 'at', 'max'],
      [{ kind: 'repair', at: '1815-06-18' }, 'at', 'min'],
      [{ kind: 'repair', at, note: 'text' }, 'note', 'type'],
      [{ kind: 'repair', at, note: { xx_: 'x' } }, 'note.xx_', 'language_code'],
      [{ kind: 'repair', at, note: { de: 'x'.repeat(2_001) } }, 'note.de', 'length'],
      [{ kind: 'repair', at, reference: 'x'.repeat(101) }, 'reference', 'length'],
      [{ kind: 'repair', at, reference: 'a\u0000' }, 'reference', 'pattern'],
      [{ kind: 'repair', at, parts: many }, 'parts', 'length'],
      [{ kind: 'repair', at, parts: [{ serial: '1' }] }, 'parts[0].name', 'required'],
      [{ kind: 'accident', at, parts: [{ name: 'x' }] }, 'parts', 'unknown_field'],
      [{ kind: 'repair', at, by: { name: 'x', country: 'XX' } }, 'by.country', 'country_code'],
      [{ kind: 'repair', at, colour: 'red' }, 'colour', 'unknown_field'],
      [{ kind: 'repair', at, corrects: 1 }, 'corrects', 'unknown_field'],
    ]
    for (const [body, field, code] of wrong) {
      const { status, json, text } = await add(id, body)
      assert.equal(status, 422, text)
      const found = json.errors.map((one: { field: string; code: string }) => `${one.field} ${one.code}`)
      assert.ok(found.includes(`${field} ${code}`), `${field} ${code} in ${found}`)
    }
    const meant = await add(id, { kind: 'repiar', at })
    assert.match(meant.text, /Did you mean repair\?/)
    const several = await add(id, { kind: 'x', at: 'y', note: 3 })
    assert.deepEqual(
      several.json.errors.map((one: { field: string }) => one.field),
      ['kind', 'at', 'note'],
    )
    assert.deepEqual((await list(id)).data, [])
  })

  test('is of batches and items alone, and of nobody else’s', async () => {
    const other = await stand.account()
    const id = await item()
    const of = await add(model, REPAIR)
    assert.deepEqual([of.status, of.json.errors[0].code], [422, 'enum'])
    assert.deepEqual((await list(model)).data, [])
    assert.equal((await add(id, REPAIR, { as: other })).status, 404)
    assert.equal((await send('GET', `/products/${id}/events`, { as: other })).status, 404)
    const reader = { ...account, key: await stand.apiKey(account, 'read') }
    assert.equal((await add(id, REPAIR, { as: reader })).status, 403)
    const batch = await item({ unit: { level: 'batch', lot: 'L-1' } })
    assert.equal((await stored(batch, { kind: 'inspection', at })).number, 1)
    await send('POST', `/products/${id}/archive`)
    assert.equal((await stored(id, REPAIR)).number, 1)
  })

  test('is stored once for a key, and not at all by a dry run', async () => {
    const id = await item()
    const tried = await send('POST', `/products/${id}/events?dry_run=true`, { body: REPAIR })
    assert.deepEqual([tried.status, tried.json.meta, tried.json.data.number], [201, { dry_run: true }, 1])
    assert.deepEqual((await list(id)).data, [])
    const headers = { 'idempotency-key': randomUUID() }
    const sent = await Promise.all([add(id, REPAIR, { headers }), add(id, REPAIR, { headers })])
    assert.deepEqual(
      sent.map(({ status }) => status),
      [201, 201],
    )
    assert.equal(sent[0]?.text, sent[1]?.text)
    assert.equal((await list(id)).data.length, 1)
  })

  test('has texts of common kinds in categories without a table, which everybody sees', async () => {
    const id = await item({ parent: await create(newProduct({}, 'furniture')) })
    const { audience } = await stored(id, { kind: 'refurbished', at })
    assert.deepEqual(audience, ['public', 'legitimate_interest', 'authority'])
    assert.equal((await add(id, { kind: 'accident', at })).status, 422)
  })
})

describe('a unit that is read', () => {
  test('has its state and the length of its log, in its ETag too, which a change does not compare', async () => {
    const id = await item()
    const before = await send('GET', `/products/${id}`)
    assert.deepEqual([before.json.data.in_use, before.headers.etag], [undefined, '"v1"'])
    await stored(id, { kind: 'put_into_service', at })
    await stored(id, REPAIR)
    const read = await send('GET', `/products/${id}`)
    const { last_event_at, ...inUse } = read.json.data.in_use
    const expected = { life: 'in_use', events: 2, responsible: null, successors: [], ended: null }
    assert.deepEqual([inUse, read.headers.etag], [expected, '"v1-e2"'])
    assert.equal(last_event_at, (await list(id)).data[0].stored_at)
    assert.equal(
      (await send('GET', `/products/${id}`, { headers: { 'if-none-match': '"v1-e2"' } })).status,
      304,
    )
    assert.equal((await send('GET', `/products/${id}`, { headers: { 'if-none-match': '"v1"' } })).status, 200)
    await stored(id, { kind: 'inspection', at })
    const change = { headers: { 'if-match': '"v1-e2"' }, body: { data: { weightKg: 3 } } }
    assert.equal((await send('PATCH', `/products/${id}`, change)).status, 200)
    assert.equal((await send('PATCH', `/products/${id}`, change)).status, 412)
    const own = await send('GET', `/products/${id}`)
    assert.deepEqual([own.json.data.in_use.events, own.headers.etag], [3, '"v2-e3"'])
    await stored(id, { kind: 'destroyed', at: '2026-01-09' })
    const { life, ended } = (await send('GET', `/products/${id}`)).json.data.in_use
    assert.deepEqual([life, ended], ['destroyed', '2026-01-09T00:00:00.000Z'])
  })
})

describe('a list of events', () => {
  test('is in pages, by kind and by time', async () => {
    const id = await item()
    for (let n = 1; n <= 7; n++)
      await stored(id, { kind: n % 2 ? 'inspection' : 'repair', at: `2026-01-${10 + (n % 4)}` })
    const all = (await list(id)).data
    const order = all.map((one: { at: string; number: number }) => [one.at, one.number])
    assert.deepEqual(
      order,
      order.toSorted(([a, m]: [string, number], [b, n]: [string, number]) =>
        a === b ? n - m : a < b ? 1 : -1,
      ),
    )
    const paged: unknown[] = []
    for (let cursor = ''; ; ) {
      const { data, meta } = await list(id, `?limit=3${cursor}`)
      paged.push(...data)
      assert.equal(meta.has_more, meta.next_cursor !== null)
      if (meta.next_cursor === null) break
      cursor = `&cursor=${meta.next_cursor}`
    }
    assert.deepEqual(paged, all)
    const kinds = (await list(id, '?kind=repair')).data
    assert.deepEqual([kinds.length, new Set(kinds.map((one: { kind: string }) => one.kind)).size], [3, 1])
    const span = (await list(id, '?from=2026-01-11&to=2026-01-12')).data
    assert.deepEqual([...new Set(span.map((one: { at: string }) => one.at))], ['2026-01-12', '2026-01-11'])
    assert.equal((await send('GET', `/products/${id}/events?cursor=x`)).status, 422)
  })
})

describe('a correction', () => {
  const wrong = { kind: 'correction', note: { en: 'It was another battery.' } }

  test('withdraws an event or puts another in its place; the last one counts', async () => {
    const id = await item()
    await stored(id, { kind: 'accident', at })
    const first = await stored(id, { ...wrong, corrects: 1 })
    assert.deepEqual([first.number, first.corrects, first.audience], [2, 1, ['legitimate_interest']])
    const second = await stored(id, {
      ...wrong,
      corrects: 1,
      event: { kind: 'repair', at, note: { en: 'Cleaned.' } },
    })
    assert.deepEqual(second.event, { kind: 'repair', at, note: { en: 'Cleaned.' } })
    assert.deepEqual(second.audience, ['public', 'legitimate_interest', 'authority'])
    const { data } = await list(id)
    assert.equal(data.find((one: { number: number }) => one.number === 1).corrected_by, 3)
    const { entries } = await listAuditEntries(account.ctx, { before: '', limit: 100 })
    assert.equal(entries.filter(one => one.action === 'event_corrected' && one.subject === id).length, 2)
  })

  test('is refused without a reason, of no event, of another correction, and with a wrong event in its place', async () => {
    const id = await item()
    await stored(id, REPAIR)
    await stored(id, { ...wrong, corrects: 1 })
    const cases: [object, string, string][] = [
      [{ kind: 'correction', corrects: 1 }, 'note', 'required'],
      [wrong, 'corrects', 'required'],
      [{ ...wrong, corrects: '1' }, 'corrects', 'type'],
      [{ ...wrong, corrects: 9 }, 'corrects', 'not_found'],
      [{ ...wrong, corrects: 2 }, 'corrects', 'enum'],
      [{ ...wrong, corrects: 1, event: { kind: 'x', at } }, 'event.kind', 'enum'],
      [{ ...wrong, corrects: 1, event: { kind: 'correction', at } }, 'event.kind', 'enum'],
      [{ ...wrong, corrects: 1, event: [] }, 'event', 'type'],
      [{ ...wrong, corrects: 1, parts: [] }, 'parts', 'unknown_field'],
    ]
    for (const [body, field, code] of cases) {
      const { status, json, text } = await add(id, body)
      assert.equal(status, 422, text)
      assert.deepEqual([json.errors[0].field, json.errors[0].code], [field, code], text)
    }
    assert.equal((await list(id)).data.length, 2)
  })

  test('opens a log that has ended', async () => {
    const id = await item()
    await stored(id, { kind: 'recycled', at })
    const refused = await add(id, REPAIR)
    assert.deepEqual([refused.status, refused.json.code], [409, 'ended'])
    await stored(id, { ...wrong, corrects: 1 })
    assert.equal((await stored(id, REPAIR)).number, 3)
  })
})

/** The rows of a log, and its head. */
async function readLog(id: string) {
  const uuid = parseId(id) ?? ''
  const rows = await stand.sql<
    {
      number: number
      kind: string
      at: Date
      is_day: boolean
      stored_at: Date
      actor: number
      is_public: boolean
      data: string
      hash: string
    }[]
  >`select number, kind, at, is_day, stored_at, actor, is_public, data::text as data, encode(hash, 'hex') as hash
    from life_event where passport_id = ${uuid} order by number`
  const [head] = await stand.sql<
    { events: number; public_events: number; hash: string; life: object | null; ended: string | null }[]
  >`
    select events, public_events, encode(hash, 'hex') as hash, life, ended from unit_life where passport_id = ${uuid}`
  const [unit] = await stand.sql<Record<string, string | null>[]>`
    select id, level, category, model_id, parent_id, lot, serial from passport where id = ${uuid}`
  return { rows, head, unit: Object.values(unit ?? {}) }
}

const sha256 = (lines: readonly unknown[]) => hash('sha256', lines.map(line => line ?? '').join('\n'), 'hex')

describe('the chain of hashes', () => {
  test('is that of the recipe, whatever the events are', async () => {
    const id = await item()
    await stored(id, REPAIR)
    await stored(id, {
      kind: 'accident',
      at: '2026-01-05T23:59:59.9+02:00',
      note: { fr: 'Chute « grave »\n\t\u202e🔋' },
    })
    await stored(id, { kind: 'correction', corrects: 2, note: { en: 'Wrong.' } })
    stand.clock.advance(1_234)
    await stored(id, { kind: 'none_so_far', at })
    const { rows, head, unit } = await readLog(id)
    let before = sha256(['events', sha256(unit)])
    for (const row of rows) {
      const moment = row.at.toISOString()
      const time = row.is_day ? moment.slice(0, 10) : moment
      before = sha256([
        before,
        row.number,
        row.kind,
        time,
        row.stored_at.toISOString(),
        row.actor,
        '',
        row.is_public ? 'public' : '',
        row.data,
      ])
      assert.equal(row.hash, before, `event ${row.number}`)
    }
    assert.deepEqual([head?.events, head?.public_events, head?.hash], [4, 1, before])
  })

  test('has no gap and no fork after writers that meet', async () => {
    const id = await item()
    const kinds = Array.from({ length: 40 }, (_, n) => (n % 3 ? 'inspection' : 'repair'))
    const added = await Promise.all(kinds.map(kind => stored(id, { kind, at })))
    assert.deepEqual(
      added.map(({ number }) => number).sort((a, b) => a - b),
      kinds.map((_, n) => n + 1),
    )
    const { rows, head } = await readLog(id)
    assert.deepEqual([head?.events, head?.hash], [40, rows.at(-1)?.hash])
  })

  test('is never changed, deleted or emptied', async () => {
    const id = await item()
    await stored(id, REPAIR)
    for (const statement of [
      'update life_event set number = 9',
      'delete from life_event',
      'truncate life_event',
    ])
      await assert.rejects(stand.sql.unsafe(statement), /never changed and never deleted/)
  })
})

describe('the state of a unit', () => {
  const lifeOf = async (id: string) => (await readLog(id)).head?.life

  test('follows from the newest event that stands, for each audience', async () => {
    const id = await item()
    await stored(id, { kind: 'inspection', at })
    assert.equal(await lifeOf(id), null)
    await stored(id, { kind: 'put_into_service', at: '2026-01-10' })
    assert.deepEqual(await lifeOf(id), { own: 'in_use', legitimate_interest: 'in_use' })
    await stored(id, { kind: 'stolen', at: '2026-01-08' })
    assert.deepEqual(await lifeOf(id), { own: 'in_use', legitimate_interest: 'in_use' })
    await stored(id, { kind: 'taken_back', at: '2026-01-10' })
    assert.deepEqual(await lifeOf(id), { own: 'taken_back', legitimate_interest: 'taken_back' })
    await stored(id, {
      kind: 'correction',
      corrects: 4,
      note: { en: 'No.' },
      event: { kind: 'lost', at: '2026-01-09' },
    })
    assert.deepEqual(await lifeOf(id), { own: 'in_use', legitimate_interest: 'in_use' })
    await stored(id, { kind: 'recycled', at: '2026-01-11' })
    const ended = {
      own: 'recycled',
      public: 'recycled',
      legitimate_interest: 'recycled',
      authority: 'recycled',
    }
    assert.deepEqual([await lifeOf(id), (await readLog(id)).head?.ended], [ended, 'e'])
    await stored(id, { kind: 'correction', corrects: 6, note: { en: 'A wrong scan.' } })
    assert.deepEqual(
      [await lifeOf(id), (await readLog(id)).head?.ended],
      [{ own: 'in_use', legitimate_interest: 'in_use' }, null],
    )
  })
})

describe('events of many units', () => {
  test('are stored row by row, also several of one unit, and rejected rows are reported', async () => {
    const parent = await create(newProduct({}, 'battery'))
    const serials = ['A', 'B', 'C']
    const ids: string[] = []
    for (const serial of serials) ids.push(await item({ parent, unit: { level: 'item', serial } }))
    const lot = await item({ parent, unit: { level: 'batch', lot: 'A' } })
    const foreign = await item()
    const row = { kind: 'inspection', at }
    const items = [
      { serial: 'C', ...row },
      { serial: 'A', kind: 'repair', at },
      { serial: 'A', ...row },
      { lot: 'A', ...row },
      { id: ids[1], ...row },
      { serial: 'Z', ...row },
      { serial: 'A', lot: 'A', ...row },
      { serial: 'A', kind: 'x', at },
      { id: foreign, ...row },
      row,
      { serial: 'A', kind: 'correction', corrects: 7, note: { en: 'x' } },
      { serial: 'B', kind: 'recycled', at },
      { serial: 'B', ...row },
      5,
    ]
    const path = `/products/${parent}/children/events`
    const tried = await send('POST', `${path}?dry_run=true`, { body: { items } })
    const { status, json, text } = await send('POST', path, { body: { items } })
    assert.equal(status, 200, text)
    assert.deepEqual(
      json.data.stored.map((one: Record<string, unknown>) => [one.index, one.product_id, one.number]),
      [
        [0, ids[2], 1],
        [1, ids[0], 1],
        [2, ids[0], 2],
        [3, lot, 1],
        [4, ids[1], 1],
        [11, ids[1], 2],
      ],
    )
    const rejected = json.data.errors.map((one: Record<string, unknown>) => [one.index, one.code])
    assert.deepEqual(rejected, [
      [5, 'not_found'],
      [6, 'validation'],
      [7, 'validation'],
      [8, 'not_found'],
      [9, 'validation'],
      [10, 'validation'],
      [12, 'ended'],
      [13, 'validation'],
    ])
    assert.deepEqual(json.data.summary, { requested: 14, stored: 6, failed: 8 })
    assert.equal(json.data.errors[2].errors[0].pointer, '/items/7/kind')
    assert.deepEqual([tried.json.data.summary, tried.json.meta], [json.data.summary, { dry_run: true }])
    const none = await send('POST', path, { body: { items: [{ serial: 'Z', ...row }] } })
    assert.equal(none.status, 422)
  })
})

describe('the webhook of an event', () => {
  const bodies = () => receiver.received.splice(0).map(one => JSON.parse(one.text))

  test('goes to endpoints that name it, once, without a text that a person wrote', async () => {
    const own = await stand.account({ plan: 'enterprise' })
    await stand.endpoint(own, { url: `${receiver.url}/named`, events: ['product.event_added'] })
    await stand.endpoint(own, { url: `${receiver.url}/all` })
    const id = await item({ as: own, parent: await create(newProduct({}, 'battery'), { as: own }) })
    const worker = stand.worker()
    await worker.drain()
    bodies()
    await stored(id, REPAIR, { as: own })
    await send('POST', `/products/${id}/events?dry_run=true`, { as: own, body: REPAIR })
    await add(id, { kind: 'x' }, { as: own })
    await worker.drain()
    assert.deepEqual([...new Set(receiver.received.map(({ path }) => path))], ['/hook/named'])
    assert.deepEqual(
      bodies().map(one => [one.event, one.data]),
      [['product.event_added', { id, level: 'item', kind: 'repair', number: 1, at }]],
    )
  })

  test('does not go to endpoints for all events by sessions that leave deliveries to the database', async () => {
    const own = await stand.account()
    await stand.endpoint(own, { url: receiver.url })
    await inTransaction(own.ctx.sql, async sql => {
      await sql`set local carnet.announces_events = ''`
      await sql`
        insert into event (created_at, account_id, id, type, data)
        values (now(), ${own.id}, ${newUuid(stand.clock.now().getTime())}, 'product.event_added', '{}')`
    })
    const rows = await stand.sql`select endpoint_id from webhook_delivery where account_id = ${own.id}`
    assert.deepEqual(IS_SHARDED ? [] : [...rows], [])
  })
})
