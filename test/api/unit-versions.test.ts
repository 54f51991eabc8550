import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startUnitStand, type UnitStand } from './unit-stand.ts'

type Entry = { version_no: number; change_type: string | null; changed: string[]; parent_version_no?: number }

let s: UnitStand
before(async () => {
  s = await startUnitStand()
})
after(() => s.close())

const versions = async (id: string) =>
  (await s.call('GET', `/${id}/versions`)).map((one: Entry) => [
    one.version_no,
    one.change_type,
    one.changed,
    one.parent_version_no,
  ])
const step = () => {
  s.t.clock.advance(60_000)
  return s.t.clock.now().toISOString()
}

describe('the history of a unit', () => {
  test('lists refreshes and the parent version they came from; each version reads as it did then', async () => {
    s.t.clock.set('2030-01-01T00:00:00Z')
    const model = await s.model({ weightKg: 3, nominalVoltage: 36 })
    step()
    const batch = await s.batch(model, 'L')
    const id = await s.item(batch, '1')
    const records = [await s.call('GET', `/${id}`)]
    const times = [s.t.clock.now().toISOString()]
    const note = async (work: () => Promise<unknown>) => {
      times.push(step())
      await work()
      records.push(await s.call('GET', `/${id}`))
    }
    assert.deepEqual(await versions(id), [[1, null, [], 1]])
    assert.deepEqual(await versions(model), [[1, null, [], undefined]])
    await note(() => s.call('PATCH', `/${id}`, { data: { stateOfHealth: 99 } }))
    await note(() => s.correct(model, { weightKg: 4 }))
    await note(() => s.call('POST', `/${id}/archive`))
    await note(() => s.call('POST', `/${model}/refresh`))
    await note(() => s.call('PATCH', `/${id}`, { data: { weightKg: 9 } }))
    await note(() => s.call('POST', `/${id}/restore`))
    await note(() => s.correct(batch, { nominalVoltage: 37 }))
    await note(() => s.call('POST', `/${id}/refresh`))
    assert.deepEqual(await versions(id), [
      [5, 'refresh', ['nominalVoltage'], 3],
      [4, 'change', ['weightKg'], 2],
      [3, 'refresh', ['weightKg'], 2],
      [2, 'change', ['stateOfHealth'], 1],
      [1, null, [], 1],
    ])
    for (const [i, at] of times.entries()) {
      const then = await s.call('GET', `/${id}?at=${at}`)
      const last = records[i]
      assert.deepEqual({ ...then, updated_at: '' }, { ...last, updated_at: '' }, at)
      assert.equal(then.updated_at, last.updated_at)
    }
    for (const [n, i] of [
      [1, 0],
      [2, 1],
      [3, 4],
      [4, 5],
      [5, 8],
    ] as const)
      assert.deepEqual(await s.call('GET', `/${id}/versions/${n}`), records[i], `version ${n}`)
    const early = await s.ask('GET', `/${id}?at=2030-01-01T00:00:30Z`)
    assert.equal(early.status, 404)
    s.t.clock.release()
  })

  test('a unit that never changed: version 1 shows it as issued, and as outdated only after the correction', async () => {
    s.t.clock.set('2030-02-01T00:00:00Z')
    const model = await s.model()
    const id = await s.item(model, '1')
    const record = await s.call('GET', `/${id}`)
    const unchanged = step()
    await s.correct(model, {})
    for (const query of ['', `?at=${unchanged}`])
      assert.deepEqual(await s.call('GET', `/${id}${query}`), record, 'a correction without a change')
    const at = step()
    await s.correct(model, { weightKg: 4 })
    assert.deepEqual(await s.call('GET', `/${id}/versions/1`), record)
    assert.deepEqual(await s.call('GET', `/${id}?at=2030-02-01T00:00:30Z`), record)
    assert.deepEqual(await s.call('GET', `/${id}?at=${at}`), { ...record, outdated: true })
    assert.equal((await s.ask('GET', `/${id}/versions/2`)).status, 404)
    s.t.clock.release()
  })
})

describe('POST /products/{id}/versions/{n}/revert', () => {
  test('of a model: adds its old data as a new version, which corrects issued units if requested', async () => {
    const model = await s.model({ weightKg: 3 })
    await s.call('PATCH', `/${model}`, { data: { weightKg: 4, energyWh: 100 } })
    const item = await s.item(model, '1')
    const reverted = await s.ask('POST', `/${model}/versions/1/revert`, {
      change_type: 'correction',
      note: 'typed wrong',
    })
    assert.equal(reverted.status, 200)
    const { data, version_no } = reverted.json.data
    assert.deepEqual([version_no, data.weightKg, 'energyWh' in data], [3, 3, false])
    assert.deepEqual(data, (await s.call('GET', `/${model}/versions/1`)).data)
    assert.equal((await s.call('GET', `/${item}`)).outdated, true)
    await s.call('POST', `/${model}/refresh`)
    const unit = await s.call('GET', `/${item}`)
    assert.deepEqual([unit.data.weightKg, 'energyWh' in unit.data], [3, false])
    const [newest] = await s.call('GET', `/${model}/versions`)
    assert.deepEqual(
      [newest.change_type, newest.changed, newest.note],
      ['correction', ['energyWh', 'weightKg'], 'typed wrong'],
    )
    await s.call('POST', `/${model}/versions/2/revert`)
    assert.equal((await s.call('GET', `/${model}`)).data.energyWh, 100)
    assert.equal((await s.call('GET', `/${item}`)).outdated, false)
  })

  test('of a unit: restores its own fields over what it inherits now', async () => {
    const model = await s.model({ weightKg: 3 })
    const item = await s.item(model, '1', { stateOfHealth: 100 })
    await s.call('PATCH', `/${item}`, { data: { stateOfHealth: 90, energyWh: 5 } })
    await s.correct(model, { weightKg: 3.5 })
    await s.call('POST', `/${item}/refresh`)
    const { data, version_no } = await s.call('POST', `/${item}/versions/1/revert`)
    assert.deepEqual(
      [version_no, data.weightKg, data.stateOfHealth, 'energyWh' in data],
      [4, 3.5, 100, false],
    )
    const plain = await s.item(model, '2')
    await s.call('PATCH', `/${plain}`, { data: { stateOfHealth: 90 } })
    assert.ok(!('stateOfHealth' in (await s.call('POST', `/${plain}/versions/1/revert`)).data))
    const [kept] = await s.t.sql`select own from passport where serial = '2' and account_id = ${s.account.id}`
    assert.equal(kept?.own, null)
  })

  test('of a batch, also to the version it already has; 404 if unknown, 412 if stale', async () => {
    const model = await s.model()
    const batch = await s.batch(model, 'L', { weightKg: 5 })
    await s.call('POST', `/${batch}/versions/1/revert`)
    assert.deepEqual((await versions(batch))[0], [2, 'change', [], 1])
    await s.call('PATCH', `/${batch}`, { data: { weightKg: 6 } })
    const item = await s.item(batch, '1')
    await s.call('POST', `/${batch}/versions/1/revert`, { change_type: 'correction' })
    await s.call('POST', `/${item}/refresh`)
    assert.equal((await s.call('GET', `/${item}`)).data.weightKg, 5)
    assert.equal((await s.ask('POST', `/${batch}/versions/9/revert`)).status, 404)
    const stale = await s.ask('POST', `/${batch}/versions/1/revert`, {}, { headers: { 'if-match': '"v1"' } })
    assert.equal(stale.status, 412)
  })
})
