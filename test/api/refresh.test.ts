import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { idFromUuid, newUuid, parseId } from '../../src/kernel/crypto/ids.ts'
import { refreshesEnded, resumeRefreshes } from '../../src/passports/units/refresh-job.ts'
import { startUnitStand, type UnitStand } from './unit-stand.ts'

let s: UnitStand
before(async () => {
  s = await startUnitStand()
})
after(() => s.close())

const uuid = (id: string) => parseId(id) ?? ''
const refresh = (id: string, key = s.account.key) => s.ask('POST', `/${id}/refresh`, undefined, { key })
const outdated = async (id: string) => (await s.call('GET', `/${id}/refresh`)).outdated
const read = async (id: string) => {
  const { data, outdated, version_no } = await s.call('GET', `/${id}`)
  return [data.weightKg, outdated, version_no]
}
const NOTHING = { refreshed: 0, skipped: [], failed: [], pending: 0 }

/** Counts the units of a model by version, and their stored versions. */
async function census(model: string): Promise<Record<string, number>> {
  const rows = await s.t.sql<{ version_no: number; kept: number; n: number }[]>`
    select p.version_no, v.kept, count(*)::int as n from passport p
    cross join lateral (select count(*)::int as kept from passport_version v
      where v.passport_id = p.id and v.account_id = p.account_id) v
    where p.model_id = ${uuid(model)} and p.parent_id is not null group by 1, 2 order by 1, 2`
  return Object.fromEntries(rows.map(row => [`v${row.version_no} of ${row.kept}`, row.n]))
}

/** Counts the update events for units of a model. */
async function announced(model: string): Promise<number> {
  const ids = await s.t.sql<{ id: string }[]>`
    select id from passport where model_id = ${uuid(model)} and parent_id is not null`
  const [row] = await s.t.sql<{ n: number }[]>`
    select count(*)::int as n from event where type = 'product.updated'
      and data->>'id' = any(${ids.map(one => idFromUuid(one.id))}::text[])`
  return row?.n ?? 0
}

describe('GET and POST /products/{id}/refresh', () => {
  test('200: a current model, batch and item have nothing to refresh', async () => {
    const model = await s.model()
    const batch = await s.batch(model, 'L')
    const item = await s.item(batch, '1')
    for (const id of [model, batch, item]) {
      assert.deepEqual(await s.call('GET', `/${id}/refresh`), { outdated: 0 })
      const { status, json } = await refresh(id)
      assert.deepEqual([status, json.data], [200, NOTHING])
    }
    assert.deepEqual(await census(model), { 'v1 of 0': 2 })
    assert.equal(await announced(model), 0)
  })

  test('200: refreshes one item, then a batch with its items, then all, archived ones too', async () => {
    const model = await s.model({ weightKg: 3 })
    const [a, b] = [await s.batch(model, 'A'), await s.batch(model, 'B')]
    const [a1, b1, one] = [await s.item(a, 'a1'), await s.item(b, 'b1'), await s.item(model, 'one')]
    await s.call('POST', `/${b1}/archive`)
    await s.correct(model, { weightKg: 4 })
    assert.deepEqual(await Promise.all([model, a, a1, b1, one].map(outdated)), [5, 2, 1, 1, 1])
    assert.deepEqual((await refresh(one)).json.data, { ...NOTHING, refreshed: 1 })
    assert.deepEqual([await read(one), await outdated(model)], [[4, false, 2], 4])
    assert.deepEqual((await refresh(a)).json.data, { ...NOTHING, refreshed: 2 })
    assert.deepEqual(
      [await read(a), await read(a1), await read(b)],
      [
        [4, false, 2],
        [4, false, 2],
        [3, true, 1],
      ],
    )
    assert.deepEqual((await refresh(model)).json.data, { ...NOTHING, refreshed: 2 })
    assert.deepEqual(
      [await read(b), await read(b1)],
      [
        [4, false, 2],
        [4, false, 2],
      ],
    )
    assert.equal((await s.call('GET', `/${b1}`)).status, 'archived')
    assert.deepEqual((await refresh(model)).json.data, NOTHING)
    assert.deepEqual(await census(model), { 'v2 of 2': 5 })
    assert.equal(await announced(model), 5)
  })

  test('an item refreshed before its batch stays current, and gets no version when the batch is refreshed', async () => {
    const model = await s.model({ weightKg: 3 })
    const batch = await s.batch(model, 'A')
    const [early, late] = [await s.item(batch, '1'), await s.item(batch, '2')]
    await s.correct(model, { weightKg: 4 })
    assert.equal((await refresh(early)).json.data.refreshed, 1)
    assert.equal(await outdated(model), 2)
    assert.deepEqual((await refresh(model)).json.data, { ...NOTHING, refreshed: 2 })
    for (const unit of [batch, early, late]) assert.deepEqual(await read(unit), [4, false, 2])
    assert.deepEqual((await refresh(model)).json.data, NOTHING)
    // A later correction of the batch reaches both items.
    await s.correct(batch, { weightKg: 5 })
    assert.equal((await refresh(batch)).json.data.refreshed, 2)
    for (const item of [early, late]) assert.deepEqual(await read(item), [5, false, 3])
  })

  test('a correction of a batch reaches its items only', async () => {
    const model = await s.model({ weightKg: 3 })
    const [a, b] = [await s.batch(model, 'A'), await s.batch(model, 'B')]
    const [a1, b1] = [await s.item(a, 'a1'), await s.item(b, 'b1')]
    await s.correct(a, { weightKg: 5 })
    assert.deepEqual(await Promise.all([model, a, b, a1, b1].map(outdated)), [1, 1, 0, 1, 0])
    await refresh(a)
    assert.deepEqual(
      [await read(a), await read(a1), await read(b1)],
      [
        [5, false, 2],
        [5, false, 2],
        [3, false, 1],
      ],
    )
    await s.correct(model, { weightKg: 4 })
    await refresh(model)
    assert.deepEqual([(await read(a))[0], (await read(a1))[0], (await read(b1))[0]], [5, 5, 4])
  })

  test('several corrections are applied in order; a change between them is not', async () => {
    const model = await s.model({ weightKg: 1, nominalVoltage: 10 })
    const item = await s.item(model, '1')
    await s.correct(model, { weightKg: 2 })
    await s.call('PATCH', `/${model}`, { data: { nominalVoltage: 11 } })
    await s.correct(model, { weightKg: 3, energyWh: 400 })
    await s.correct(model, { energyWh: null })
    assert.equal((await refresh(item)).json.data.refreshed, 1)
    const { data } = await s.call('GET', `/${item}`)
    assert.deepEqual([data.weightKg, data.nominalVoltage, 'energyWh' in data], [3, 10, false])
    assert.deepEqual(await census(model), { 'v2 of 2': 1 })
  })

  test('404 for a product of another account, 422 for a parameter', async () => {
    const stranger = await s.t.account()
    const model = await s.model()
    assert.equal((await refresh(model, stranger.key)).status, 404)
    assert.equal((await s.ask('GET', `/${model}/refresh`, undefined, { key: stranger.key })).status, 404)
    assert.equal((await s.ask('POST', `/${model}/refresh?force=true`)).status, 422)
  })

  test('20 concurrent refreshes refresh each unit once', async () => {
    const model = await s.model({ weightKg: 3 })
    await s.items(await s.batch(model, 'L'), 'i', 50)
    await s.correct(model, { weightKg: 4 })
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(model)))
    for (const { status } of answers) assert.equal(status, 200)
    assert.equal(await outdated(model), 0)
    assert.deepEqual(await census(model), { 'v2 of 2': 51 })
    assert.equal(await announced(model), 51)
    assert.equal(
      answers.reduce((sum, { json }) => sum + json.data.refreshed, 0),
      51,
    )
  })

  test('a PATCH of a unit during its refresh: neither is lost', async () => {
    const model = await s.model({ weightKg: 3 })
    const ids = await s.items(await s.batch(model, 'L'), 'i', 200)
    await s.correct(model, { weightKg: 4 })
    const patched = ids.filter((_, i) => i % 8 === 0)
    const [done] = await Promise.all([
      refresh(model),
      ...patched.map(id => s.call('PATCH', `/${id}`, { data: { stateOfHealth: 50 } })),
    ])
    assert.equal(done.json.data.refreshed, 201)
    for (const id of patched) {
      const { data, outdated, version_no } = await s.call('GET', `/${id}`)
      assert.deepEqual([data.stateOfHealth, data.weightKg, outdated, version_no], [50, 4, false, 3])
    }
    assert.deepEqual(await census(model), { 'v2 of 2': 176, 'v3 of 3': 25 })
    assert.equal(await announced(model), 201 + 25)
  })

  test('after corrections and new units during a refresh, one more refresh leaves nothing outdated', async () => {
    const model = await s.model({ weightKg: 1 })
    const batch = await s.batch(model, 'L')
    await s.items(batch, 'i', 60)
    await s.correct(model, { weightKg: 2 })
    await Promise.all([
      refresh(model),
      s.correct(model, { weightKg: 3 }),
      s.items(batch, 'j', 20),
      refresh(batch),
      s.items(model, 'k', 20),
      s.correct(model, { weightKg: 4 }),
    ])
    await refresh(model)
    assert.equal(await outdated(model), 0)
    const rows = await s.t.sql<{ weight: number; n: number }[]>`
      select coalesce(c.data || p.own, c.data)->'weightKg' as weight, count(*)::int as n
      from passport p join content c on c.id = p.content_id and c.account_id = p.account_id
      where p.model_id = ${uuid(model)} group by 1`
    assert.deepEqual([...rows], [{ weight: 4, n: 102 }])
  })
})

describe('a refresh of more than 500 units', () => {
  test('202: continues after the response, reports its progress, refreshes each unit once', async () => {
    const model = await s.model({ weightKg: 3 })
    const batch = await s.batch(model, 'L')
    await s.items(batch, 'i', 700)
    await s.items(model, 'd', 400)
    await s.correct(model, { weightKg: 4 })
    const answers = await Promise.all([refresh(model), refresh(model)])
    for (const { status, json } of answers) {
      assert.equal(status, 202)
      assert.deepEqual(json.data, { ...NOTHING, pending: 1101 })
    }
    const seen: number[] = []
    let job = (await s.call('GET', `/${model}/refresh`)).job
    assert.deepEqual(Object.keys(job).sort(), ['failed', 'finished_at', 'refreshed', 'skipped', 'started_at'])
    const ended = refreshesEnded(s.t.sql).then(() => true)
    while (!(await Promise.race([ended, s.call('GET', `/${model}/refresh`)]).then(one => one === true)))
      seen.push((await s.call('GET', `/${model}/refresh`)).outdated)
    assert.deepEqual(
      seen,
      seen.toSorted((a, b) => b - a),
    )
    const after = await s.call('GET', `/${model}/refresh`)
    assert.equal(after.outdated, 0)
    job = after.job
    assert.ok(job.finished_at >= job.started_at)
    assert.equal(job.refreshed, 1101)
    assert.deepEqual([job.skipped, job.failed], [[], []])
    assert.deepEqual(await census(model), { 'v2 of 2': 1101 })
    assert.equal(await announced(model), 1101)
    assert.deepEqual((await refresh(model)).json.data, NOTHING)
  })

  test('concurrent PATCHes of units lose nothing', async () => {
    const model = await s.model({ weightKg: 3 })
    const ids = await s.items(model, 'i', 600)
    await s.correct(model, { weightKg: 4 })
    assert.equal((await refresh(model)).status, 202)
    const patched = ids.slice(0, 40)
    await Promise.all(patched.map(id => s.call('PATCH', `/${id}`, { data: { stateOfHealth: 5 } })))
    await refreshesEnded(s.t.sql)
    assert.deepEqual(await census(model), { 'v2 of 2': 560, 'v3 of 3': 40 })
    for (const id of patched) {
      const { data } = await s.call('GET', `/${id}`)
      assert.deepEqual([data.stateOfHealth, data.weightKg], [5, 4])
    }
  })

  test('a job whose process died is continued, and finished work is not repeated', async () => {
    const model = await s.model({ weightKg: 3 })
    const ids = await s.items(model, 'i', 120)
    await s.correct(model, { weightKg: 4 })
    for (const id of ids.slice(0, 7)) assert.equal((await refresh(id)).json.data.refreshed, 1)
    const insert = (age: number) => {
      const at = new Date(s.t.clock.now().getTime() - age)
      const { accountId, actorId } = s.account.ctx
      return s.t.sql`
        insert into refresh_job (created_at, alive_at, account_id, actor_id, refreshed, id, passport_id, skipped, failed)
        values (${at}, ${at}, ${accountId}, ${actorId}, 7, ${newUuid(at.getTime())}, ${uuid(model)}, '[]', '[]')`
    }
    await insert(2_000)
    assert.equal(await resumeRefreshes(s.t.sql, s.t.clock), 0)
    assert.equal(await outdated(model), 113)
    s.t.clock.advance(60_000)
    assert.equal(await resumeRefreshes(s.t.sql, s.t.clock), 1)
    assert.equal(await resumeRefreshes(s.t.sql, s.t.clock), 0)
    await refreshesEnded(s.t.sql)
    s.t.clock.release()
    const { outdated: left, job } = await s.call('GET', `/${model}/refresh`)
    assert.deepEqual([left, job.refreshed, job.finished_at !== null], [0, 120, true])
    assert.deepEqual(await census(model), { 'v2 of 2': 120 })
    assert.equal(await announced(model), 120)
    const [newest] = await s.call('GET', `/${ids[100]}/versions`)
    assert.deepEqual([newest.change_type, newest.created_by], ['refresh', 'Operator'])
  })

  test('units that cannot be refreshed are reported and do not stop the others', async () => {
    const model = await s.model({ safetyInformation: { en: 'Keep dry.' } })
    const ids = await s.items(model, 'i', 600)
    for (const id of ids.slice(0, 3))
      await s.call('PATCH', `/${id}`, { data: { safetyInformation: { en: 'Do not open.' } } })
    await s.correct(model, {
      languages: ['de'],
      safetyInformation: { de: 'Trocken halten.' },
      endOfLife: { recyclingInstructions: { de: 'x' }, disposalInstructions: { de: 'x' } },
    })
    assert.equal((await refresh(model)).status, 202)
    await refreshesEnded(s.t.sql)
    const { outdated: left, job } = await s.call('GET', `/${model}/refresh`)
    assert.deepEqual([left, job.refreshed], [3, 597])
    assert.deepEqual(job.failed.map((one: { id: string }) => one.id).sort(), ids.slice(0, 3).sort())
    assert.equal(job.failed[0].errors[0].field, 'safetyInformation')
    for (const id of ids.slice(0, 3)) await s.call('PATCH', `/${id}`, { data: { safetyInformation: null } })
    assert.deepEqual((await refresh(model)).json.data, { ...NOTHING, refreshed: 3 })
  })
})
