/** Tests the times of products, which delta syncs need: of archiving, restoring, and under a clock that is set back. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Harness, newProduct, startHarness } from '../harness.ts'

let t: Harness

before(async () => {
  t = await startHarness()
})
after(async () => {
  await t.close()
})

test('archive and restore move updated_at, so that `updated_since` finds the product', async () => {
  const { key } = await t.account()
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await t.ask(method, `/api/v1/products${path}`, {
      key,
      ...(body !== undefined && { body }),
    })
    assert.ok(answer.status < 300, answer.text)
    return answer.json
  }
  const { id, updated_at: created } = (await call('POST', '', newProduct())).data
  let since = created
  for (const step of ['archive', 'restore']) {
    t.clock.advance(5_000)
    const { data } = await call('POST', `/${id}/${step}`)
    assert.ok(data.updated_at > since, `${step}: ${data.updated_at} after ${since}`)
    assert.equal((await call('GET', `/${id}`)).data.updated_at, data.updated_at)
    const found = (await call('GET', `?updated_since=${encodeURIComponent(data.updated_at)}`)).data
    assert.deepEqual(
      found.map((one: { id: string }) => one.id),
      [id],
    )
    since = data.updated_at
  }
})

test('a clock that is set back gives no product an earlier time, and corrections still reach units', async () => {
  const { key } = await t.account()
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await t.ask(method, `/api/v1/products${path}`, {
      key,
      ...(body !== undefined && { body }),
    })
    assert.ok(answer.status < 300, answer.text)
    return answer.json.data
  }
  t.clock.set('2026-06-01T10:00:00Z')
  try {
    const { id } = await call('POST', '', newProduct())
    const unit = await call('POST', `/${id}/children`, { level: 'item', serial: 'S1' })
    const [since] = await t.sql<{ at: Date }[]>`select clock_timestamp() as at`
    let last: string = (await call('GET', `/${id}`)).updated_at
    const steps = {
      change: () => call('PATCH', `/${id}`, { data: { brandName: 'Changed' }, change_type: 'change' }),
      correction: () => call('PATCH', `/${id}`, { data: { productName: 'B' }, change_type: 'correction' }),
      archive: () => call('POST', `/${id}/archive`),
      restore: () => call('POST', `/${id}/restore`),
    }
    for (const [step, write] of Object.entries(steps)) {
      t.clock.advance(-3_600_000)
      await write()
      const { updated_at: now } = await call('GET', `/${id}`)
      assert.ok(now >= last, `${step}: ${now} is not before ${last}`)
      if (step.endsWith('e') && step !== 'change') assert.ok(now > last, `${step} has a time of its own`)
      last = now
    }
    assert.equal((await call('GET', `/${unit.id}`)).outdated, true)
    // A sync that read everything by the clock of the database gets the correction.
    const changed = await call('GET', `?level=item&updated_since=${since?.at.toISOString()}`)
    assert.deepEqual(
      changed.map((one: { id: string }) => one.id),
      [unit.id],
    )
  } finally {
    t.clock.release()
  }
})
