/** Tests the readiness reports and settings of the API. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Answer, CORES, type Harness, nextGtin, startHarness, type TestAccount } from '../harness.ts'
import file from '../readiness/examples.json' with { type: 'json' }

let harness: Harness
let account: TestAccount
before(async () => {
  harness = await startHarness()
  harness.clock.set('2026-11-22T12:00:00Z')
  account = await harness.account({ plan: 'enterprise' })
})
after(() => harness.close())

const api = (method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, body?: unknown, key = account.key) =>
  harness.ask(method, `/api/v1${path}`, { key, ...(body === undefined ? {} : { body }) })

async function create(category: string, data: object): Promise<string> {
  const gtin = 'gtin' in data ? { gtin: nextGtin() } : {}
  const answer = await api('POST', '/products', { category, data: { ...data, ...gtin } })
  assert.equal(answer.status, 201, answer.text)
  return answer.json.data.id
}

type ActJson = {
  act: string
  rules: { id: string; outcome: string; edit_url?: string; issued_units?: object; units?: object }[]
} & Record<string, unknown>

function actOf(answer: Answer, id: string): ActJson {
  assert.equal(answer.status, 200, answer.text)
  const act = answer.json.data.acts.find((one: ActJson) => one.act === id)
  assert(act, id)
  return act
}

const example = (name: string) => {
  const found = file.examples.find(one => one.name === name)
  assert(found)
  return found
}

const ids = (act: ActJson, outcome: string) =>
  act.rules.filter(rule => rule.outcome === outcome).map(rule => rule.id)

const codes = (answer: Answer): unknown[] =>
  answer.json.errors.map(({ field, code }: { field: string; code: string }) => [field, code])

describe('an item in use', () => {
  test('meets rules by measurements and events; nothing is due before', async () => {
    const model = await create('battery', example('battery-model').data)
    const item = async (serial: string): Promise<string> =>
      (await api('POST', `/products/${model}/children`, { level: 'item', serial })).json.data.id
    const outcomes = async (id: string) => {
      const act = actOf(await api('GET', `/products/${id}/readiness?detail=full`), 'eu.battery.passport')
      const find = (rule: string) => act.rules.find(one => one.id === rule)?.outcome
      return ['batt.56', 'batt.68', 'batt.69', 'batt.71'].map(find)
    }
    const id = await item('U1')
    const before = await outcomes(id)
    assert.deepEqual(before.slice(1), ['not_yet', 'not_yet', 'not_yet'])
    const looked = { kind: 'none_so_far', at: '2026-11-01', note: { en: 'We looked.' } }
    assert.equal((await api('POST', `/products/${id}/events`, looked)).status, 201)
    assert.deepEqual((await outcomes(id)).slice(1), ['not_yet', 'met', 'not_yet'])
    const measured = { at: '2026-11-02T00:00:00Z', values: { chargeDischargeCycles: 3 } }
    assert.equal((await api('POST', `/products/${id}/measurements`, measured)).status, 201)
    assert.deepEqual((await outcomes(id)).slice(1), ['met', 'met', 'check'])
    const other = await item('U2')
    const put = { kind: 'put_into_service', at: '2026-11-01', note: { en: 'In a car.' } }
    assert.equal((await api('POST', `/products/${other}/events`, put)).status, 201)
    assert.deepEqual((await outcomes(other)).slice(1), ['check', 'met', 'check'])
  })
})

describe('GET /products/{id}/readiness', () => {
  test('of the worked example: 15 of 37 for an item, and the counts of its model', async () => {
    const { data } = example('battery-model')
    const model = await create('battery', data)
    const unit = await api('POST', `/products/${model}/children`, { level: 'item', serial: 'SN0001' })
    const ofUnit = actOf(await api('GET', `/products/${unit.json.data.id}/readiness`), 'eu.battery.passport')
    const [wanted] = example('battery-item').report
    assert(wanted !== undefined && 'missing' in wanted)
    assert.deepEqual(
      [ofUnit.met, ofUnit.total, ofUnit.percent, ofUnit.ready, ofUnit.as_of, ofUnit.days_left],
      [15, 37, 40, false, '2027-02-18', 88],
    )
    assert.deepEqual(ids(ofUnit, 'missing'), wanted.missing)
    assert.deepEqual(ids(ofUnit, 'partial'), wanted.partial)
    const ofModel = actOf(await api('GET', `/products/${model}/readiness`), 'eu.battery.passport')
    assert.deepEqual([ofModel.met, ofModel.total], [13, 32])
    assert.deepEqual(ofModel.counts, { partial: 2, missing: 17, check: 4, unit: 22, not_yet: 7 })
  })

  test('leads to the form of the passport where the value belongs', async () => {
    const model = await create('battery', example('battery-model').data)
    const unit = (await api('POST', `/products/${model}/children`, { level: 'item', serial: 'SN0002' })).json
      .data.id
    const { rules } = actOf(await api('GET', `/products/${unit}/readiness`), 'eu.battery.passport')
    const urlOf = (id: string) => rules.find(rule => rule.id === id)?.edit_url
    assert.match(urlOf('batt.14') ?? '', new RegExp(`/console/products/${model}/edit#extinguishingAgents$`))
    assert.match(urlOf('batt.67') ?? '', new RegExp(`/console/products/${unit}/edit#batteryStatus$`))
  })

  test('says how many issued units lack what their model has, and what gives it to them', async () => {
    const model = await create('battery', example('battery-model').data)
    await api('POST', `/products/${model}/children`, {
      level: 'item',
      items: [{ serial: 'A1' }, { serial: 'A2' }],
    })
    const read = async (id: string) => {
      const answer = await api('GET', `/products/${model}/readiness?detail=full`)
      return actOf(answer, 'eu.battery.passport').rules.find(rule => rule.id === id)
    }
    const change = (data: object, change_type: string) =>
      api('PATCH', `/products/${model}`, { data, change_type })
    await change({ extinguishingAgents: ['water'] }, 'correction')
    assert.deepEqual((await read('batt.14'))?.issued_units, { lacking: 2, fill_by: 'refresh' })
    await api('POST', `/products/${model}/refresh`, {})
    assert.equal((await read('batt.14'))?.issued_units, undefined)
    await change({ renewableContentPercentage: 5 }, 'change')
    assert.deepEqual((await read('batt.24'))?.issued_units, { lacking: 2, fill_by: 'children/update' })
  })

  test('says what the units lack that the model leaves to them, and is never ready for nothing', async () => {
    const model = await create('textile', CORES.textile)
    const read = async () => actOf(await api('GET', `/products/${model}/readiness?detail=full`), 'eu.reach')
    const before = await read()
    assert.deepEqual([before.met, before.total, before.ready, before.nothing_asked], [0, 1, false, undefined])
    const items = Array.from({ length: 200 }, (_, i) => ({ serial: `R${i}` }))
    await api('POST', `/products/${model}/children`, { level: 'item', items })
    const act = await read()
    assert.deepEqual(
      [act.total, act.percent, act.ready, act.nothing_asked, act.units],
      [0, 0, false, 'units', { asked: 200, lacking: 200 }],
    )
    const one = (await api('GET', `/products/${model}/children?limit=1`)).json.data[0].id
    await api('PATCH', `/products/${one}`, { data: { substancesOfConcern: [] }, change_type: 'change' })
    const later = await read()
    assert.deepEqual(later.units, { asked: 200, lacking: 199 })
    const rule = later.rules.find(({ id }) => id === 'reach.33')
    assert.deepEqual([rule?.outcome, rule?.units], ['unit', { asked: 200, lacking: 199 }])
    await api('POST', `/products/${one}/archive`)
    assert.deepEqual((await read()).units, { asked: 199, lacking: 199 })
  })

  test('counts batches and items below them, and items of a batch alone', async () => {
    const model = await create('textile', CORES.textile)
    const batch = (await api('POST', `/products/${model}/children`, { level: 'batch', lot: 'L1' })).json.data
      .id
    await api('POST', `/products/${batch}/children`, {
      level: 'item',
      items: [{ serial: 'U1' }, { serial: 'U2', data: { substancesOfConcern: [] } }],
    })
    await api('POST', `/products/${model}/children`, { level: 'item', serial: 'U3' })
    const read = async (id: string) => actOf(await api('GET', `/products/${id}/readiness`), 'eu.reach')
    assert.deepEqual((await read(model)).units, { asked: 4, lacking: 3 })
    const ofBatch = await read(batch)
    assert.deepEqual([ofBatch.total, ofBatch.nothing_asked, ofBatch.units], [1, undefined, undefined])
  })

  test('names the days of an act with their conditions, and what no rule asks for', async () => {
    const { data } = example('furniture-model')
    const own = await harness.account({ plan: 'enterprise' })
    await api('PUT', '/readiness/settings', { parameters: { small_undertaking: true } }, own.key)
    const ask = async (commodityCode: string | null) => {
      const sent = { category: 'furniture', data: { ...data, commodityCode } }
      return actOf(await api('POST', '/readiness', sent, own.key), 'eu.furniture.eudr')
    }
    const days = (act: ActJson) =>
      (act.due_days as { applies: boolean | null }[]).map(({ applies }) => applies)
    const table = await ask('94036010')
    assert.deepEqual([table.due, days(table), table.due_question], ['2026-12-30', [false, true], undefined])
    const seat = await ask('94016100')
    assert.deepEqual([seat.due, days(seat), seat.due_question], ['2027-06-30', [true, true], undefined])
    const unknown = await ask(null)
    assert.deepEqual([unknown.due, days(unknown)], ['2026-12-30', [null, true]])
    assert.match(String(unknown.due_question), /commodityCode/)
    assert.deepEqual([seat.whole, seat.ready], [false, false])
    assert.ok((seat.not_modelled as { title: string }[]).some(({ title }) => title.includes('supplied')))
  })

  test('of another day, of one act, and in full', async () => {
    const id = await create('battery', example('battery-model').data)
    const answer = await api(
      'GET',
      `/products/${id}/readiness?act=eu.battery.passport&as_of=2028-01-01&detail=full`,
    )
    assert.equal(answer.json.data.acts.length, 1)
    const act = actOf(answer, 'eu.battery.passport')
    assert.deepEqual([act.as_of, act.days_left, act.rules.length], ['2028-01-01', 0, 71])
  })

  test('bad parameters are named; another account gets 404', async () => {
    const id = await create('battery', CORES.battery)
    const wrong = await api('GET', `/products/${id}/readiness?act=eu.nothing`)
    assert.deepEqual([wrong.status, codes(wrong)], [422, [['act', 'enum']]])
    const zoneless = await api('GET', `/products/${id}/readiness?as_of=2027-01-01T10:00:00`)
    assert.deepEqual([zoneless.status, codes(zoneless)], [422, [['as_of', 'format']]])
    const other = await harness.account()
    assert.equal((await api('GET', `/products/${id}/readiness`, undefined, other.key)).status, 404)
  })
})

describe('input that cannot be right', () => {
  const ask = (data: object) =>
    api('POST', '/products', { category: 'battery', data: { ...CORES.battery, ...data } })

  test('10,000 entries in a list are refused without a sentence for each', async () => {
    const entries = Array.from({ length: 10_000 }, (_, i) => ({ name: `Part ${i}`, partNumber: String(i) }))
    const wrong = await ask({ spareParts: entries })
    assert.deepEqual(
      [wrong.status, codes(wrong)],
      [
        422,
        [
          ['spareParts', 'max'],
          ['', 'max'],
        ],
      ],
    )
  })

  test('an unknown act is refused wherever one is named', async () => {
    const gate = { acts: [], parameters: {}, gate: { acts: ['eu.none'], on: 'drafts' } }
    const answers = [
      await api('GET', '/readiness?act=eu.none'),
      await api('GET', '/products?readiness=ready&act=eu.none'),
      await api('GET', '/products?missing=batt.999'),
      await api('PUT', '/readiness/settings', { acts: ['eu.none'], parameters: {} }),
      await api('PUT', '/readiness/settings', gate),
    ]
    for (const { status, text } of answers) assert.equal(status, 422, text)
    for (const { json } of answers) assert.ok(json.errors.length > 0)
  })

  test('a time without zone is refused', async () => {
    const { id } = (await ask({})).json.data
    assert.equal((await api('GET', `/products/${id}?at=2027-01-01T10:00:00`)).status, 422)
  })
})

describe('POST /readiness', () => {
  test('reports on data that no product could be made of', async () => {
    const sent = { category: 'battery', data: { batteryCategory: 'industrial' } }
    const answer = await api('POST', '/readiness', sent)
    const act = actOf(answer, 'eu.battery.passport')
    assert.deepEqual([act.applies, act.undetermined], [null, ['industrial']])
    assert.match(String(act.question), /energyWh/)
    assert.equal(answer.json.data.product_id, null)
  })

  test('refuses a wrong type, an unknown category and an unknown level', async () => {
    const wrong = await api('POST', '/readiness', { category: 'battery', data: { weightKg: '2' } })
    assert.deepEqual([wrong.status, codes(wrong)], [422, [['weightKg', 'type']]])
    assert.equal((await api('POST', '/readiness', { category: 'toy', data: {} })).status, 422)
    assert.equal(
      (await api('POST', '/readiness', { category: 'battery', data: {}, level: 'crate' })).status,
      422,
    )
  })

  test('notes values that contradict each other, and refuses none', async () => {
    const data = {
      ...CORES.battery,
      minimumVoltage: 60,
      nominalVoltage: 48,
      detailedComposition: [{ component: 'anode', material: 'graphite', percentage: 60 }],
    }
    const answer = await api('POST', '/readiness', { category: 'battery', data })
    assert.deepEqual(
      answer.json.data.notes.map(({ code }: { code: string }) => code),
      ['sum_not_100', 'order'],
    )
    assert.equal((await api('POST', '/products', { category: 'battery', data })).status, 201)
  })
})

describe('/readiness/settings', () => {
  test('opt in to acts, and change what a report asks for', async () => {
    const own = await harness.account({ plan: 'enterprise' })
    const get = async () => (await api('GET', '/readiness/settings', undefined, own.key)).json.data
    assert.deepEqual(await get(), { acts: [], parameters: {}, gate: { acts: [], on: 'off' } })
    const sent = { acts: ['fr.agec.textile'], parameters: { eudr_role: 'later', small_undertaking: true } }
    assert.equal((await api('PUT', '/readiness/settings', sent, own.key)).status, 200)
    assert.deepEqual(await get(), { ...sent, gate: { acts: [], on: 'off' } })
    const textile = { category: 'textile', data: CORES.textile }
    actOf(await api('POST', '/readiness', textile, own.key), 'fr.agec.textile')
    const { data } = example('furniture-model')
    const act = actOf(
      await api('POST', '/readiness', { category: 'furniture', data }, own.key),
      'eu.furniture.eudr',
    )
    assert.deepEqual([act.scope, act.due], ['later', '2026-12-30'])
  })

  test('every mistake is named at once', async () => {
    const answer = await api('PUT', '/readiness/settings', {
      acts: ['eu.battery.passport'],
      parameters: { eudr_role: 'king', size: 1, small_undertaking: 'yes' },
      gate: { on: 'always', acts: ['eu.nothing'], by: 'me' },
      colour: 'red',
    })
    assert.equal(answer.status, 422)
    assert.deepEqual(codes(answer).toSorted(), [
      ['acts[0]', 'enum'],
      ['colour', 'unknown_field'],
      ['gate.acts[0]', 'enum'],
      ['gate.by', 'unknown_field'],
      ['gate.on', 'enum'],
      ['parameters.eudr_role', 'enum'],
      ['parameters.size', 'unknown_field'],
      ['parameters.small_undertaking', 'type'],
    ])
  })
})

describe('a rule declared not applicable', () => {
  const declare = (rule: string) => ({ notApplicable: [{ rule, reason: 'No such part.' }] })

  test('must exist, on a model, in a change and on a unit; the nearest is suggested', async () => {
    const { key } = await harness.account()
    const post = (path: string, body: object) => harness.ask('POST', `/api/v1/products${path}`, { key, body })
    const made = await post('', { category: 'battery', data: { ...CORES.battery, ...declare('batt.14') } })
    assert.equal(made.status, 201, made.text)
    const { id } = made.json.data
    const refused = [
      await post('', { category: 'battery', data: { ...CORES.battery, ...declare('bat.14'), sku: 'T-2' } }),
      await harness.ask('PATCH', `/api/v1/products/${id}`, { key, body: { data: declare('bat.14') } }),
      await post(`/${id}/children`, { level: 'item', serial: '1', data: declare('bat.14') }),
    ]
    for (const { status, json } of refused) {
      assert.equal(status, 422)
      const [error] = json.errors
      assert.deepEqual([error.field, error.code], ['notApplicable[0].rule', 'enum'])
      assert.match(error.message, /Did you mean batt\.14\?/)
    }
  })
})
