import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startUnitStand, type UnitStand } from './unit-stand.ts'

type Row = { id: string; serial: string | null; lot: string | null; level: string; outdated: boolean }

let s: UnitStand
let model: string
let other: string
let batch: string
let direct: string[]
let under: string[]
before(async () => {
  s = await startUnitStand()
  model = await s.model({ productName: 'Pack' })
  other = await s.model({ productName: 'Other' })
  direct = await s.items(model, 'SN-a', 12)
  batch = await s.batch(model, 'LOT/1', { productName: 'Charge Ω' })
  under = await s.items(batch, 'sn%', 5)
  await s.item(other, 'SN-a0')
})
after(() => s.close())

const list = async (path: string) => {
  const answer = await s.ask('GET', path)
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}
const serials = async (path: string) => {
  const { data, meta } = await list(path)
  if (meta.total_pages === 1) assert.equal(meta.total, data.length)
  return data.map((one: Row) => one.serial ?? one.lot)
}

describe('GET /products/{id}/children', () => {
  test('200: direct children only, newest first, in the summary shape', async () => {
    const { data, meta } = await list(`/${model}/children`)
    assert.deepEqual(
      data.map((one: Row) => one.id),
      [batch, ...direct.toReversed()],
    )
    assert.deepEqual(meta, {
      page: 1,
      limit: 25,
      total: 13,
      total_pages: 1,
      has_more: false,
      next_cursor: null,
    })
    const { data: _, ...record } = await s.call('GET', `/${batch}`)
    assert.deepEqual(data[0], {
      ...record,
      product_name: 'Charge Ω',
      sku: 'T-1',
      brand_name: 'Testmarke',
    })
    assert.equal((await list(`/${batch}/children`)).meta.total, 5)
    assert.deepEqual((await list(`/${under[0]}/children`)).data, [])
  })

  test('200: pages and cursors list the same rows', async () => {
    const expected = [batch, ...direct.toReversed()]
    for (const limit of [1, 5, 12, 13, 14]) {
      const byPage: string[] = []
      for (let page = 1; page <= Math.ceil(13 / limit); page++) {
        const { data } = await list(`/${model}/children?limit=${limit}&page=${page}`)
        byPage.push(...data.map((one: Row) => one.id))
      }
      assert.deepEqual(byPage, expected)
      const byCursor: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { data, meta } = await list(
          `/${model}/children?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`,
        )
        assert.deepEqual([meta.total, meta.has_more], [13, meta.next_cursor !== null])
        assert.ok(data.length > 0)
        byCursor.push(...data.map((one: Row) => one.id))
        cursor = meta.next_cursor
      }
      assert.deepEqual(byCursor, expected)
    }
  })

  test('200: filters by level, lot, serial, q, status, outdated', async () => {
    const at = `/${model}/children`
    assert.deepEqual(await serials(`${at}?level=batch`), ['LOT/1'])
    assert.equal((await list(`${at}?level=item`)).meta.total, 12)
    assert.equal((await list(`${at}?level=all`)).meta.total, 13)
    assert.deepEqual(await serials(`${at}?serial=SN-a3`), ['SN-a3'])
    assert.deepEqual(await serials(`${at}?serial=SN-a`), [])
    assert.deepEqual(await serials(`${at}?lot=LOT%2F1`), ['LOT/1'])
    assert.deepEqual(await serials(`${at}?q=SN-a1`), ['SN-a11', 'SN-a10', 'SN-a1'])
    assert.deepEqual(await serials(`${at}?q=SN-a1&limit=2&page=2`), ['SN-a1'])
    assert.deepEqual(await serials(`${at}?q=lot%2F`), ['LOT/1'])
    assert.deepEqual(await serials(`/${batch}/children?q=sn%254`), ['sn%4'])
    assert.equal((await list(`/${batch}/children?lot=LOT%2F1`)).meta.total, 5)
    assert.deepEqual(await serials(`${at}?q=sn%25`), [])
    const one = direct[3] ?? ''
    await s.call('POST', `/${one}/archive`)
    assert.deepEqual(await serials(`${at}?status=archived`), ['SN-a3'])
    assert.equal((await list(`${at}?status=active`)).meta.total, 12)
    await s.call('POST', `/${one}/restore`)
    assert.equal((await list(`${at}?outdated=true`)).meta.total, 0)
    assert.equal((await list(`${at}?outdated=false`)).meta.total, 13)
  })

  for (const query of [
    'level=model',
    'level=',
    'status=x',
    'limit=0',
    'limit=101',
    'page=0',
    'outdated=1',
    'q=',
    'serial=',
    'category=battery',
    'lot=a&lot=b',
    'cursor=x',
    'page=2&cursor=01m7ywhcr7fxwrqq1xd4m28c2t',
  ])
    test(`422: ${query}`, async () => {
      assert.equal((await s.ask('GET', `/${model}/children?${query}`)).status, 422)
    })
})

describe('GET /products with units', () => {
  test('filters by level, and takes totals from counters', async () => {
    assert.deepEqual(
      (await list('')).data.map((one: Row) => one.id),
      [other, model],
    )
    for (const [level, total] of [
      ['model', 2],
      ['batch', 1],
      ['item', 18],
      ['all', 21],
    ] as const) {
      const { data, meta } = await list(`?level=${level}&limit=100`)
      assert.deepEqual([meta.total, data.length], [total, total])
      const ids = data.map((one: Row) => one.id)
      assert.deepEqual(ids, ids.toSorted().toReversed())
    }
    const pages = [1, 2, 3, 4, 5].map(page => list(`?level=all&limit=5&page=${page}`))
    const ids = (await Promise.all(pages)).flatMap(({ data }) => data.map((one: Row) => one.id))
    assert.deepEqual(
      ids,
      (await list('?level=all&limit=100')).data.map((one: Row) => one.id),
    )
  })

  test('finds by lot and serial, exactly and as search words', async () => {
    assert.deepEqual(await serials('?level=item&serial=SN-a0'), ['SN-a0', 'SN-a0'])
    assert.deepEqual(await serials('?serial=SN-a0'), ['SN-a0', 'SN-a0'], 'models have none')
    assert.deepEqual(await serials('?level=model&serial=SN-a0'), [])
    assert.equal((await list('?level=all&lot=LOT%2F1')).meta.total, 6)
    assert.equal((await list('?lot=LOT%2F1')).meta.total, 6)
    assert.equal((await list('?level=batch&lot=LOT%2F1')).meta.total, 1)
    assert.deepEqual(await serials('?level=batch&q=ot%2F1'), ['LOT/1'])
    assert.deepEqual(await serials('?level=batch&q=charge%20%CF%89'), ['LOT/1'])
    assert.deepEqual(await serials('?level=item&q=SN-a11'), ['SN-a11'])
    assert.deepEqual(await serials('?level=item&q=N-a11'), [])
    assert.deepEqual(await serials('?level=item&q=sn%25'), ['sn%4', 'sn%3', 'sn%2', 'sn%1', 'sn%0'])
    assert.deepEqual(await serials('?level=all&q=SN-a0'), ['SN-a0', 'SN-a0'])
    assert.deepEqual(await serials('?q=SN-a0'), [])
    assert.equal((await list('?level=all&q=pack')).meta.total, 1)
  })

  test('finds a batch by its current name, also after a change and a refresh', async () => {
    const id = await s.model({ productName: 'Oldname' })
    await s.batch(id, 'Q1')
    const own = await s.batch(id, 'Q2', { productName: 'Ownname' })
    assert.deepEqual(await serials('?level=batch&q=oldname'), ['Q1'])
    await s.correct(id, { productName: 'Newname' })
    await s.call('POST', `/${id}/refresh`)
    assert.deepEqual(await serials('?level=batch&q=newname'), ['Q1'])
    assert.deepEqual(await serials('?level=batch&q=oldname'), [])
    await s.call('PATCH', `/${own}`, { data: { productName: null } })
    assert.deepEqual(await serials('?level=batch&q=newname'), ['Q2', 'Q1'])
    assert.deepEqual(await serials('?level=batch&q=q2'), ['Q2'])
  })
})

describe('outdated units in lists', () => {
  test('outdated= and updated_since follow a correction and its refresh', async () => {
    const account = await s.t.account()
    const more = { key: account.key }
    const ids = async (query: string) => {
      const { status, json } = await s.ask('GET', `?level=all&${query}`, undefined, more)
      assert.equal(status, 200)
      assert.equal(json.meta.total, json.data.length)
      for (const one of json.data)
        assert.equal(one.outdated, (await s.call('GET', `/${one.id}`, undefined, more)).outdated)
      return json.data.map((one: Row) => one.id)
    }
    s.t.clock.set('2031-01-01T00:00:00Z')
    const id = await s.model({}, account.key)
    const issue = async (parent: string, unit: object) =>
      (await s.call('POST', `/${parent}/children`, unit, more)).id
    const lot = await issue(id, { level: 'batch', lot: 'L' })
    const a = await issue(lot, { level: 'item', serial: 'a' })
    const b = await issue(id, { level: 'item', serial: 'b' })
    s.t.clock.advance(1000)
    const since = s.t.clock.now().toISOString()
    assert.deepEqual(await ids(`updated_since=${since}`), [])
    await s.call('PATCH', `/${id}`, { change_type: 'correction', data: { weightKg: 8 } }, more)
    assert.deepEqual(await ids('outdated=true'), [b, a, lot])
    assert.deepEqual(await ids('outdated=false'), [id])
    // Ordered by time of the last change, then by creation.
    assert.deepEqual(await ids(`updated_since=${since}`), [id, lot, a, b])
    s.t.clock.advance(1000)
    const later = s.t.clock.now().toISOString()
    const c = await issue(id, { level: 'item', serial: 'c' })
    const d = await issue(lot, { level: 'item', serial: 'd' })
    assert.deepEqual(await ids('outdated=true'), [d, b, a, lot])
    assert.deepEqual(await ids(`updated_since=${later}`), [c, d])
    await s.call('POST', `/${lot}/refresh`, undefined, more)
    assert.deepEqual(await ids('outdated=true'), [b])
    assert.deepEqual(await ids(`updated_since=${later}`), [lot, a, c, d])
    await s.call('PATCH', `/${lot}`, { change_type: 'correction', data: { weightKg: 9 } }, more)
    assert.deepEqual(await ids('outdated=true'), [d, b, a])
    await s.call('POST', `/${id}/refresh`, undefined, more)
    assert.deepEqual(await ids('outdated=true'), [])
    s.t.clock.release()
  })
})
