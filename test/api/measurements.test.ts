/** Tests measurements of items: stored, corrected, refused, listed, summed, and the latest values. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { newProduct } from '../harness.ts'
import { startUnitStand, type UnitStand } from './unit-stand.ts'

let stand: UnitStand
let model: string
let count = 0
before(async () => {
  stand = await startUnitStand('enterprise')
  model = await stand.model()
})
after(() => stand.close())

const newItem = () => stand.item(model, `M-${++count}`)
const measure = (id: string, body: unknown, query = '') =>
  stand.ask('POST', `/${id}/measurements${query}`, body)
const list = (id: string, query = '') => stand.call('GET', `/${id}/measurements${query}`)
const latest = async (id: string) => (await stand.call('GET', `/${id}/measurements/latest`)).metrics
const ROW = { at: '2026-02-03T10:00:00+01:00', values: { stateOfCertifiedEnergy: 96.5 } }
const codeOf = (answer: { json: { errors: { code: string; field: string }[] } }) =>
  answer.json.errors.map(({ code, field }) => `${field} ${code}`)

describe('201 and 200', () => {
  test('a measurement is stored once, in UTC, and changes nothing of the passport', async () => {
    const id = await newItem()
    const before = await stand.ask('GET', `/${id}`)
    const made = await measure(id, ROW)
    assert.equal(made.status, 201, made.text)
    const { stored_at, ...data } = made.json.data
    assert.ok(Date.parse(stored_at))
    assert.deepEqual(data, {
      product_id: id,
      at: '2026-02-03T09:00:00Z',
      revision: 0,
      values: { stateOfCertifiedEnergy: 96.5 },
      source: 'bms',
      occasion: null,
    })
    const again = await measure(id, { ...ROW, at: '2026-02-03T09:00:00.900Z' })
    assert.deepEqual([again.status, again.json.meta], [200, { unchanged: true }])
    assert.deepEqual(again.json.data, made.json.data)
    assert.deepEqual(await list(id), [
      { ...ROW, at: '2026-02-03T09:00:00Z', revision: 0, source: 'bms', occasion: null, stored_at },
    ])
    const unchanged = await stand.ask('GET', `/${id}`)
    assert.deepEqual([unchanged.text, unchanged.headers.etag], [before.text, before.headers.etag])
  })

  test('another value of the second is refused with the stored one, unless it corrects', async () => {
    const id = await newItem()
    await measure(id, ROW)
    const other = { ...ROW, values: { stateOfCertifiedEnergy: 96 } }
    const refused = await measure(id, other)
    assert.deepEqual([refused.status, codeOf(refused)], [422, ['at duplicate']])
    assert.match(refused.text, /stateOfCertifiedEnergy.{1,5}96\.5/)
    for (let n = 1; n <= 20; n++) {
      const corrected = await measure(id, {
        ...ROW,
        values: { stateOfCertifiedEnergy: 90 - n },
        corrects: true,
      })
      assert.deepEqual([corrected.status, corrected.json.data?.revision], [201, n], corrected.text)
    }
    const tooMany = await measure(id, { ...other, corrects: true })
    assert.deepEqual([tooMany.status, codeOf(tooMany)], [422, ['corrects max']])
    assert.deepEqual((await list(id)).length, 1)
    assert.equal((await list(id, '?revisions=true')).length, 21)
    assert.equal((await latest(id)).stateOfCertifiedEnergy.value, 70)
  })

  test('a correction without a metric gives the latest value of it back to an earlier row', async () => {
    const id = await newItem()
    await measure(id, { at: '2026-01-01T00:00:00Z', values: { capacity: 100, power: 5 } })
    await measure(id, { at: '2026-01-02T00:00:00Z', values: { capacity: 90, temperature: 20 } })
    await measure(id, { at: '2026-01-02T00:00:00Z', values: { power: 4 }, corrects: true })
    assert.deepEqual(await latest(id), {
      capacity: { value: 100, unit: 'Ah', at: '2026-01-01T00:00:00Z' },
      power: { value: 4, unit: 'W', at: '2026-01-02T00:00:00Z' },
    })
    const [row] = await stand.t.sql<{ bits: string }[]>`
      select bits::text from measurement_latest where seconds[3] = 820627200`
    assert.equal(row?.bits, '5')
  })

  test('an older row moves only metrics that nobody measured since; a counter that falls is a warning', async () => {
    const id = await newItem()
    await measure(id, { at: '2026-01-02T00:00:00Z', values: { capacity: 90, chargeDischargeCycles: 200 } })
    const older = await measure(id, {
      at: '2026-01-01T00:00:00Z',
      values: { capacity: 95, power: 5, chargeDischargeCycles: 100 },
    })
    assert.deepEqual([older.status, older.json.warnings], [201, undefined])
    const fallen = await measure(id, { at: '2026-01-03T00:00:00Z', values: { chargeDischargeCycles: 150 } })
    assert.equal(fallen.status, 201)
    assert.deepEqual(
      fallen.json.warnings.map(({ code, field }: Record<string, string>) => [code, field]),
      [['counter_falls', 'values.chargeDischargeCycles']],
    )
    assert.deepEqual(await latest(id), {
      capacity: { value: 90, unit: 'Ah', at: '2026-01-02T00:00:00Z' },
      power: { value: 5, unit: 'W', at: '2026-01-01T00:00:00Z' },
      chargeDischargeCycles: { value: 150, unit: 'cycles', at: '2026-01-03T00:00:00Z' },
    })
  })

  test('dry_run answers as the call would, and stores nothing', async () => {
    const id = await newItem()
    const tried = await measure(id, ROW, '?dry_run=true')
    assert.deepEqual([tried.status, tried.json.meta], [201, { dry_run: true }])
    assert.deepEqual([await list(id), await latest(id)], [[], {}])
  })

  test('an item that has ended is not measured', async () => {
    const id = await newItem()
    await stand.call('POST', `/${id}/events`, {
      kind: 'recycled',
      at: '2026-02-01',
      note: { en: 'Recycled.' },
    })
    const refused = await measure(id, ROW)
    assert.deepEqual([refused.status, refused.json.code], [409, 'ended'], refused.text)
    const bulk = await stand.ask('POST', `/${model}/children/measurements`, { items: [{ id, ...ROW }] })
    assert.equal(bulk.status, 422, bulk.text)
  })

  test('an Idempotency-Key replays the answer', async () => {
    const id = await newItem()
    const headers = { 'idempotency-key': `measure-${id}` }
    const path = `/${id}/measurements`
    const first = await stand.ask('POST', path, ROW, { headers })
    const second = await stand.ask('POST', path, ROW, { headers })
    assert.deepEqual([second.status, second.text], [201, first.text])
    assert.equal(second.headers['idempotency-replayed'], 'true')
  })

  test('archived items are measured, as they are changed', async () => {
    const id = await newItem()
    await stand.call('POST', `/${id}/archive`)
    assert.equal((await measure(id, ROW)).status, 201)
  })
})

describe('422 and 404', () => {
  test('what is wrong is named, all of it at once', async () => {
    const id = await newItem()
    const soon = new Date(stand.t.clock.now().getTime() + 6 * 60_000).toISOString()
    const cases: [object, string[]][] = [
      [{}, ['at required', 'values required']],
      [{ ...ROW, at: '2026-02-03' }, ['at format']],
      [{ ...ROW, at: soon }, ['at max']],
      [{ ...ROW, at: '1999-12-31T23:59:59Z' }, ['at min']],
      [{ ...ROW, at: 5, more: 1 }, ['more unknown_field', 'at type']],
      [{ ...ROW, values: {} }, ['values length']],
      [{ ...ROW, values: { capacity: null } }, ['values.capacity type']],
      [{ ...ROW, values: { capacity: -1 } }, ['values.capacity min']],
      [{ ...ROW, values: { stateOfCharge: 101 } }, ['values.stateOfCharge max']],
      [{ ...ROW, values: { capacty: 1 } }, ['values.capacty unknown_field']],
      [{ ...ROW, source: 'me', occasion: 'none' }, ['source enum', 'occasion enum']],
      [{ ...ROW, corrects: 1 }, ['corrects type']],
    ]
    for (const [body, expected] of cases) {
      const answer = await measure(id, body)
      assert.deepEqual([answer.status, codeOf(answer)], [422, expected], answer.text)
    }
    const digits = await stand.t.ask('POST', `/api/v1/products/${id}/measurements`, {
      key: stand.account.key,
      text: JSON.stringify({ ...ROW, values: { capacity: 1 } }).replace(
        '"capacity":1',
        '"capacity":1.23456789012345678',
      ),
    })
    assert.equal(digits.status, 422, digits.text)
    assert.match((await measure(id, { ...ROW, values: { capacty: 1 } })).text, /Do you mean capacity\?/)
    assert.deepEqual(await list(id), [])
  })

  test('an item has 96 rows of a day', async () => {
    const id = await newItem()
    const rows = Array.from({ length: 97 }, (_, i) => ({
      id,
      at: new Date(Date.UTC(2026, 0, 5) + i * 60_000).toISOString(),
      values: { temperature: i },
    }))
    const many = await stand.call('POST', `/${model}/children/measurements`, { items: rows })
    assert.deepEqual(many.summary, { requested: 97, stored: 96, unchanged: 0, failed: 1 })
    assert.deepEqual([many.errors[0].index, many.errors[0].errors[0].code], [96, 'max'])
    const more = await measure(id, { at: '2026-01-05T23:59:59Z', values: { temperature: 1 } })
    assert.deepEqual([more.status, codeOf(more)], [422, ['at max']])
    assert.equal((await measure(id, { at: '2026-01-06T00:00:00Z', values: { temperature: 1 } })).status, 201)
  })

  test('only items with metrics are measured, and only one’s own', async () => {
    const refused = await measure(model, ROW)
    assert.deepEqual([refused.status, codeOf(refused)], [422, ['level enum']])
    const sofa = await stand.call('POST', '', newProduct({}, 'furniture'))
    const chair = await stand.item(sofa.id, 'S-1')
    assert.deepEqual(codeOf(await measure(chair, ROW)), ['category enum'])
    const other = await stand.t.account()
    const id = await newItem()
    for (const path of [`/${id}/measurements`, `/${id}/measurements/latest`])
      assert.equal((await stand.ask('GET', path, undefined, { key: other.key })).status, 404)
    assert.equal((await stand.ask('POST', `/${id}/measurements`, ROW, { key: other.key })).status, 404)
  })

  test('parameters are checked', async () => {
    const id = await newItem()
    const cases = [
      ['metric=colour', 'metric enum'],
      ['from=2026-02-01&to=2026-01-01', 'to min'],
      ['resolution=day&from=2020-01-01&to=2026-01-01', 'from max'],
      ['cursor=!', 'cursor format'],
      ['format=csv&resolution=day', 'format enum'],
      ['limit=501', 'limit max'],
    ]
    for (const [query, expected] of cases) {
      const answer = await stand.ask('GET', `/${id}/measurements?${query}`)
      assert.deepEqual([answer.status, codeOf(answer)], [422, [expected]], answer.text)
    }
  })
})

describe('bulk', () => {
  test('rows are independent, and named by serial or id', async () => {
    const [one, two] = [await newItem(), await newItem()]
    const serial = `M-${count}`
    const answer = await stand.ask('POST', `/${model}/children/measurements`, {
      items: [
        { id: one, ...ROW },
        { serial, ...ROW },
        { serial: 'none', ...ROW },
        { serial, ...ROW },
        { serial, ...ROW, values: { stateOfCertifiedEnergy: 1 } },
        { serial, ...ROW, values: { stateOfCertifiedEnergy: 2 }, corrects: true },
        7,
        { ...ROW },
      ],
    })
    assert.equal(answer.status, 200, answer.text)
    const { stored, unchanged, errors, summary } = answer.json.data
    assert.deepEqual(summary, { requested: 8, stored: 3, unchanged: 1, failed: 4 })
    assert.deepEqual(
      stored.map((row: Record<string, unknown>) => [row.index, row.product_id, row.revision]),
      [
        [0, one, 0],
        [1, two, 0],
        [5, two, 1],
      ],
    )
    assert.deepEqual(
      unchanged.map((row: { index: number }) => row.index),
      [3],
    )
    assert.deepEqual(
      errors.map((row: { index: number; code: string }) => [row.index, row.code]),
      [
        [2, 'not_found'],
        [4, 'validation'],
        [6, 'validation'],
        [7, 'validation'],
      ],
    )
    const failed = await stand.ask('POST', `/${model}/children/measurements`, {
      items: [{ serial: 'none', ...ROW }],
    })
    assert.equal(failed.status, 422)
  })

  test('64 writers of one item and second store one row; of different seconds 64', async () => {
    const id = await newItem()
    const equal = await Promise.all(Array.from({ length: 64 }, () => measure(id, ROW)))
    assert.equal(equal.filter(({ status }) => status === 201).length, 1)
    assert.equal(equal.filter(({ json }) => json.meta?.unchanged === true).length, 63)
    const different = await Promise.all(
      Array.from({ length: 64 }, (_, i) =>
        measure(id, { at: `2026-03-01T00:00:${String(i % 60).padStart(2, '0')}Z`, values: { power: i } }),
      ),
    )
    assert.equal(different.filter(({ status }) => status === 201).length, 60)
    const corrected = await Promise.all(
      Array.from({ length: 64 }, (_, i) => measure(id, { ...ROW, values: { power: i }, corrects: true })),
    )
    const revisions = corrected.flatMap(({ json }) => json.data?.revision ?? [])
    assert.deepEqual(
      revisions.toSorted((a, b) => a - b),
      Array.from({ length: 20 }, (_, i) => i + 1),
    )
  })
})

describe('lists', () => {
  test('pages follow the cursor, and sums are of UTC days and months', async () => {
    const id = await newItem()
    const items = Array.from({ length: 60 }, (_, i) => ({
      id,
      at: new Date(Date.UTC(2026, 0, 1, 12) + i * 86_400_000).toISOString(),
      values: {
        chargeDischargeCycles: 100 + i,
        ...(i % 2 === 0 ? { stateOfCertifiedEnergy: 99 - i / 10 } : {}),
      },
    }))
    await stand.call('POST', `/${model}/children/measurements`, { items })
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const { json } = await stand.ask(
        'GET',
        `/${id}/measurements?limit=25&cursor=${cursor}`.replace(/&cursor=$/, ''),
      )
      seen.push(...json.data.map((row: { at: string }) => row.at))
      cursor = json.meta.next_cursor
      if (!json.meta.has_more) break
    }
    assert.deepEqual(seen, items.map(({ at }) => `${at.slice(0, 19)}Z`).reverse())
    const months = await list(
      id,
      '?resolution=month&metric=chargeDischargeCycles&metric=stateOfCertifiedEnergy',
    )
    assert.deepEqual(
      months,
      [
        {
          from: '2026-03-01',
          rows: 1,
          values: { stateOfCertifiedEnergy: undefined, chargeDischargeCycles: { last: 159, growth: 1 } },
        },
        {
          from: '2026-02-01',
          rows: 28,
          values: {
            stateOfCertifiedEnergy: { last: 93.2, min: 93.2, max: 95.8 },
            chargeDischargeCycles: { last: 158, growth: 28 },
          },
        },
        {
          from: '2026-01-01',
          rows: 31,
          values: {
            stateOfCertifiedEnergy: { last: 96, min: 96, max: 99 },
            chargeDischargeCycles: { last: 130, growth: null },
          },
        },
      ].map(row => JSON.parse(JSON.stringify(row))),
    )
    const days = await list(id, '?resolution=day&from=2026-01-03&to=2026-01-05')
    assert.deepEqual(
      days.map(({ from }: { from: string }) => from),
      ['2026-01-04', '2026-01-03'],
    )
    const csv = await stand.ask(
      'GET',
      `/${id}/measurements?format=csv&metric=chargeDischargeCycles&to=2026-01-03`,
    )
    assert.equal(
      csv.text,
      'at,revision,source,occasion,chargeDischargeCycles (cycles)\r\n2026-01-02T12:00:00Z,0,bms,,101\r\n2026-01-01T12:00:00Z,0,bms,,100\r\n',
    )
  })

  test('random rows agree with a model in memory', async () => {
    const value = fc.integer({ min: 0, max: 50 })
    const row = fc.record({
      minute: fc.integer({ min: 0, max: 7 }),
      values: fc.record(
        { capacity: value, power: value, chargeDischargeCycles: value },
        { requiredKeys: ['capacity'] },
      ),
      corrects: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), fc.boolean(), async (rows, isBulk) => {
        const id = await newItem()
        const sent = rows.map(({ minute, values, corrects }) => {
          const at = `2026-01-0${1 + (minute % 3)}T00:0${minute}:00Z`
          return { id, at, values, corrects }
        })
        const expected = [...replay(sent)].toSorted(([a], [b]) => (a < b ? 1 : -1))
        if (isBulk) await stand.call('POST', `/${model}/children/measurements`, { items: sent })
        else for (const { id: _, ...one } of sent) await measure(id, one)
        const found = await list(id)
        assert.deepEqual(
          found.map((one: { at: string; revision: number; values: object }) => [
            one.at,
            one.revision,
            sortKeys(one.values),
          ]),
          expected.map(([at, revisions]) => [at, revisions.length - 1, sortKeys(revisions.at(-1) ?? {})]),
        )
        const newest: Record<string, [number, string]> = {}
        for (const [at, revisions] of expected.toReversed())
          for (const [name, one] of Object.entries(revisions.at(-1) ?? {})) newest[name] = [one, at]
        const got = Object.entries(await latest(id)).map(([name, one]) => {
          const { value, at } = one as { value: number; at: string }
          return [name, [value, at]]
        })
        assert.deepEqual(Object.fromEntries(got), newest)
      }),
      { numRuns: 25 },
    )
  })
})

type SentRow = { at: string; values: Record<string, number>; corrects: boolean }

/** The revisions by time. */
function replay(rows: readonly SentRow[]): Map<string, SentRow['values'][]> {
  const revisions = new Map<string, SentRow['values'][]>()
  for (const { at, values, corrects } of rows) {
    const known = revisions.get(at) ?? []
    const isSame = JSON.stringify(sortKeys(known.at(-1) ?? {})) === JSON.stringify(sortKeys(values))
    if (known.length === 0 || (corrects && !isSame && known.length < 21))
      revisions.set(at, [...known, values])
  }
  return revisions
}

const sortKeys = (values: object) =>
  Object.fromEntries(Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1)))
