import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { nextGtin } from '../harness.ts'
import { startUnitStand, type UnitStand } from './unit-stand.ts'

let s: UnitStand
before(async () => {
  s = await startUnitStand()
})
after(() => s.close())

const patch = (id: string, body: object, headers: Record<string, string> = {}) =>
  s.ask('PATCH', `/${id}`, body, { headers })

/** All stored rows of an account, to check that nothing was written. */
async function everything(): Promise<string> {
  const rows = await s.t.sql`
    select (select count(*) from content) as contents, (select count(*) from passport_version) as versions,
      (select count(*) from event) as events, (select count(*) from gtin_claim) as claims,
      (select md5(string_agg(p::text, ',' order by id)) from passport p) as passports`
  return JSON.stringify(rows)
}

describe('PATCH /products/{id} of a unit', () => {
  test('200: own fields override inherited ones; null removes one; the answer equals a later GET', async () => {
    const model = await s.model({ weightKg: 3, nominalVoltage: 36 })
    const id = await s.item(model, '1', { weightKg: 4 })
    for (const [data, expected] of [
      [{ stateOfHealth: 97 }, [4, 36, 97]],
      [{ weightKg: null }, [3, 36, 97]],
      [{ nominalVoltage: 35, stateOfHealth: null }, [3, 35, undefined]],
      [{ nominalVoltage: null, energyWh: null }, [3, 36, undefined]],
      [{}, [3, 36, undefined]],
    ] as const) {
      const answer = await patch(id, { data })
      assert.equal(answer.status, 200)
      const { data: now } = answer.json.data
      assert.deepEqual([now.weightKg, now.nominalVoltage, now.stateOfHealth], expected)
      assert.deepEqual(await s.call('GET', `/${id}`), answer.json.data)
    }
    const changed = (await s.call('GET', `/${id}/versions`)).map((one: { changed: string[] }) => one.changed)
    assert.deepEqual(changed, [
      [],
      ['nominalVoltage'],
      ['nominalVoltage', 'stateOfHealth'],
      ['weightKg'],
      ['stateOfHealth'],
      [],
    ])
  })

  test('422: a GTIN, a lot or a serial, and a value that contradicts what is inherited', async () => {
    const model = await s.model()
    const batch = await s.batch(model, 'L')
    const item = await s.item(batch, '1')
    for (const id of [batch, item]) {
      for (const gtin of [nextGtin(), null]) {
        const { status, json } = await patch(id, { data: { gtin } })
        assert.deepEqual(
          [status, json.errors[0].pointer, json.errors[0].code],
          [422, '/data/gtin', 'immutable'],
        )
      }
      for (const member of [{ lot: 'M' }, { serial: '2' }, { level: 'item' }, { parent_id: model }])
        assert.equal((await patch(id, { data: {}, ...member })).status, 422)
      assert.equal((await patch(id, { data: { languages: ['fr'] } })).status, 422)
      assert.equal((await s.call('GET', `/${id}`)).version_no, 1)
    }
  })

  test('If-Match compares only the version; If-None-Match also sees that a unit is outdated or archived', async () => {
    const model = await s.model()
    const id = await s.item(model, '1')
    const fresh = await s.ask('GET', `/${id}`)
    assert.equal(fresh.headers.etag, '"v1"')
    await s.correct(model, { weightKg: 7 })
    const old = await s.ask('GET', `/${id}`, undefined, { headers: { 'if-none-match': '"v1"' } })
    assert.deepEqual([old.status, old.headers.etag], [200, '"v1.outdated"'])
    const same = await s.ask('GET', `/${id}`, undefined, { headers: { 'if-none-match': '"v1.outdated"' } })
    assert.equal(same.status, 304)
    const stale = await patch(id, { data: {} }, { 'if-match': '"v2"' })
    assert.deepEqual([stale.status, stale.json.code], [412, 'version_conflict'])
    const done = await patch(id, { data: {} }, { 'if-match': '"v1"' })
    assert.deepEqual([done.status, done.headers.etag, done.json.data.outdated], [200, '"v2.outdated"', true])
    await s.call('POST', `/${id}/archive`)
    assert.equal((await patch(id, { data: {} }, { 'if-match': '"v2.outdated"' })).status, 200)
    assert.equal((await patch(id, { data: {} }, { 'if-match': '"v2"' })).status, 412)
    await s.call('POST', `/${id}/refresh`)
    assert.equal((await s.ask('GET', `/${id}`)).headers.etag, '"v4.archived"')
  })

  test('64 concurrent PATCHes give 64 versions, and no field is lost', async () => {
    const id = await s.item(await s.model(), '1')
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, i) => patch(id, { data: { [`note${i}`]: i } })),
    )
    assert.ok(answers.every(one => one.status === 200))
    const numbers = answers.map(one => one.json.data.version_no).sort((a, b) => a - b)
    assert.deepEqual(
      numbers,
      Array.from({ length: 64 }, (_, i) => i + 2),
    )
    const { data, version_no } = await s.call('GET', `/${id}`)
    assert.equal(version_no, 65)
    for (let i = 0; i < 64; i++) assert.equal(data[`note${i}`], i)
    const events = await s.t.sql`
      select data->'version_no' as n from event where data->>'id' = ${id} order by (data->>'version_no')::int`
    assert.deepEqual(
      events.map(one => one.n),
      Array.from({ length: 65 }, (_, i) => i + 1),
    )
  })

  test('while a batch is changed concurrently, its items always read as one of its versions', async () => {
    const batch = await s.batch(await s.model(), 'L')
    const work = Array.from({ length: 20 }, async (_, i) => {
      const [, issued] = await Promise.all([
        patch(batch, { data: { [`note${i}`]: i } }),
        s.call('POST', `/${batch}/children`, { level: 'item', serial: `i${i}` }),
      ])
      assert.deepEqual(await s.call('GET', `/${issued.id}`), issued)
    })
    await Promise.all(work)
    const { data } = (await s.ask('GET', `/${batch}/children?limit=100`)).json
    assert.equal(data.length, 20)
    const last = await s.call('GET', `/${await s.item(batch, 'last')}`)
    for (let i = 0; i < 20; i++) assert.equal(last.data[`note${i}`], i)
  })
})

describe('PATCH ?dry_run=true', () => {
  test('of a correction lists the fields, the units, and those that keep their own values; writes nothing', async () => {
    const model = await s.model({ weightKg: 3, nominalVoltage: 36 })
    const batch = await s.batch(model, 'L', { weightKg: 5 })
    await s.items(batch, 'b', 3)
    await s.item(model, '1', { nominalVoltage: 35, weightKg: 4 })
    await s.item(model, '2')
    const before = await everything()
    const body = {
      change_type: 'correction',
      data: { weightKg: 3.5, nominalVoltage: 37, sku: 'T-1', energyWh: 1 },
    }
    const { status, json } = await s.ask('PATCH', `/${model}?dry_run=true`, body)
    assert.equal(status, 200)
    assert.deepEqual(json.meta, {
      dry_run: true,
      correction: {
        fields: ['energyWh', 'nominalVoltage', 'weightKg'],
        units: 6,
        own_values: { nominalVoltage: 1, weightKg: 2 },
      },
    })
    assert.deepEqual([json.data.version_no, json.data.data.weightKg], [2, 3.5])
    const ofBatch = await s.ask('PATCH', `/${batch}?dry_run=true`, {
      change_type: 'correction',
      data: { weightKg: null },
    })
    assert.deepEqual(ofBatch.json.meta.correction, { fields: ['weightKg'], units: 3, own_values: {} })
    assert.equal(ofBatch.json.data.data.weightKg, 3)
    assert.equal(await everything(), before)
    assert.equal((await s.call('GET', `/${model}/refresh`)).outdated, 0)
  })

  test('without a difference affects nothing; of a change affects no units; of an item affects only itself', async () => {
    const model = await s.model({ weightKg: 3 })
    const item = await s.item(model, '1')
    const reach = async (id: string, body: object) =>
      (await s.ask('PATCH', `/${id}?dry_run=true`, body)).json.meta
    const nobody = { fields: [], units: 0, own_values: {} }
    assert.deepEqual(await reach(model, { change_type: 'correction', data: { weightKg: 3 } }), {
      dry_run: true,
      correction: nobody,
    })
    assert.deepEqual(await reach(model, { data: { weightKg: 4 } }), { dry_run: true })
    const own = await reach(item, { change_type: 'correction', data: { weightKg: 4 } })
    assert.equal(own.correction.units, 0)
  })

  test('rejects what the PATCH would reject', async () => {
    const gtin = nextGtin()
    await s.model({ gtin })
    const model = await s.model()
    const item = await s.item(model, '1')
    const before = await everything()
    const dry = (id: string, body: object, headers = {}) =>
      s.ask('PATCH', `/${id}?dry_run=true`, body, { headers })
    assert.equal((await dry(model, { data: { weightKg: -1 } })).status, 422)
    assert.equal((await dry(item, { data: { gtin } })).status, 422)
    assert.equal((await dry(item, { data: {} }, { 'if-match': '"v9"' })).status, 412)
    const taken = await dry(model, { data: { gtin } })
    assert.deepEqual([taken.status, taken.json.code], [409, 'gtin_taken'])
    assert.equal((await dry(model, { data: { gtin: nextGtin() } })).status, 200)
    assert.equal(await everything(), before)
  })
})
