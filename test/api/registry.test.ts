/**
 * Tests `/registry`: lines for the EU registry, what makes them ready again, and what the registry answers.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { listAccountShards } from '../../src/accounts/account/account-shard.ts'
import { setAudienceProfile } from '../../src/accounts/account/audience-profile.ts'
import { setBackupUrl, setRegistryUse } from '../../src/accounts/account/registry-settings.ts'
import { setSigning } from '../../src/accounts/issuer/issuer.ts'
import { requireUuid } from '../../src/kernel/crypto/ids.ts'
import { exportRegistryLines } from '../../src/passports/registry/export-lines.ts'
import { createRegistryTask } from '../../src/passports/registry/registry-task.ts'
import { findExpiringProofs, sumRegistryEntries } from '../../src/passports/registry/sum-entries.ts'
import { hashRegistryContent } from '../../src/standards/signing/content-hash.ts'
import { type Answer, CORES, type Harness, nextGtin, startHarness, type TestAccount } from '../harness.ts'
import { compileSchema } from '../standards/schemas.ts'

const BACKUP = 'https://backup.example.net/carnet'
const assertLine = compileSchema('registry-line')
const assertPayload = compileSchema('cirpass2-registry')

/** A product of which nothing is missing. */
const complete = (changes: Record<string, unknown> = {}) => ({
  ...CORES.textile,
  gtin: nextGtin(),
  commodityCode: '61099020',
  economicOperator: {
    ...(CORES.textile.economicOperator as object),
    registryId: { scheme: 'vat', value: 'DE123456789' },
  },
  manufacturingFacility: { facilityId: '9521234001003', country: 'PT' },
  ...changes,
})

let t: Harness
before(async () => {
  t = await startHarness()
})
after(() => t.close())

const setup = () => ({ ...t.setup, clock: t.clock })

/** Runs the task that the worker runs every few seconds. */
async function work({ ctx }: TestAccount): Promise<void> {
  for (const { sql } of listAccountShards(ctx)) await createRegistryTask({ ...setup(), sql }, () => false)()
}

type Api = {
  account: TestAccount
  create: (data?: Record<string, unknown>) => Promise<string>
  change: (id: string, data: Record<string, unknown>) => Promise<void>
  post: (path: string, body?: unknown) => Promise<Answer>
  lines: (query?: string, key?: string) => Promise<Line[]>
  results: (...rows: object[]) => Promise<Answer>
  entry: (id: string) => Promise<Entry | undefined>
}
// biome-ignore lint/suspicious/noExplicitAny: lines are judged by their schema
type Line = any
type Entry = {
  state: string
  missing: string[] | null
  change_no: number
  checked_no: number
  registration_id: string | null
  message: string | null
}

function use(account: TestAccount): Api {
  const { key } = account
  const post = async (path: string, body?: unknown) =>
    t.ask('POST', `/api/v1${path}`, { key, ...(body === undefined ? {} : { body }) })
  return {
    account,
    post,
    async create(data = complete()) {
      const answer = await post('/products', { category: 'textile', data })
      assert.equal(answer.status, 201, answer.text)
      return answer.json.data.id
    },
    async change(id, data) {
      const answer = await t.ask('PATCH', `/api/v1/products/${id}`, { key, body: { data } })
      assert.equal(answer.status, 200, answer.text)
    },
    async lines(query = '', as = key) {
      const answer = await t.ask('GET', `/api/v1/registry/export${query}`, { key: as })
      assert.equal(answer.status, 200, answer.text)
      const lines = answer.text.split('\n').slice(0, -1)
      return lines.map(line => JSON.parse(line))
    },
    results: (...rows) => post('/registry/results', { results: rows }),
    async entry(id) {
      const uuid = requireUuid(id, 'product')
      for (const { sql, accountId } of listAccountShards(account.ctx)) {
        const [row] = await sql<Entry[]>`
          select state, missing, change_no, checked_no, registration_id, message from registry_entry
          where account_id = ${accountId} and passport_id = ${uuid}`
        if (row !== undefined) return row
      }
      return undefined
    },
  }
}

async function open(): Promise<Api> {
  const account = await t.account({ plan: 'enterprise' })
  await setBackupUrl(account.ctx, BACKUP)
  await setRegistryUse(account.ctx, true)
  return use(account)
}

const stateOf = async (api: Api, id: string) => {
  await work(api.account)
  return (await api.entry(id))?.state
}

const answerTo = ({ passportId, versionNo }: Line, state: string, more: object = {}) => ({
  passport_id: passportId,
  version_no: versionNo,
  state,
  ...more,
})

describe('GET /registry/export', () => {
  test('is empty, and nothing is written, unless the account uses the registry', async () => {
    const api = use(await t.account())
    const id = await api.create()
    await work(api.account)
    assert.equal(await api.entry(id), undefined)
    assert.deepEqual(await api.lines(), [])
  })

  test('gives models, then batches, then items, each valid by the schema', async () => {
    const api = await open()
    const models = [await api.create(), await api.create()]
    const [first] = models
    const batch = (await api.post(`/products/${first}/children`, { level: 'batch', lot: 'L1' })).json.data.id
    const items: string[] = []
    for (const parent of [batch, ...models]) {
      const body = { level: 'item', serial: `S-${items.length}` }
      items.push((await api.post(`/products/${parent}/children`, body)).json.data.id)
    }
    const lines = await api.lines()
    for (const line of lines) assertLine(line)
    assert.deepEqual(
      lines.map(line => line.granularity),
      ['model', 'model', 'batch', 'item', 'item', 'item'],
    )
    assert.deepEqual(lines.map(line => line.passportId).toSorted(), [...models, batch, ...items].toSorted())
    const under = lines.find(line => line.passportId === items[0])
    const model = lines.find(line => line.passportId === first)
    assert.equal(under.modelUniqueProductIdentifier, model.uniqueProductIdentifier)
    assert.match(under.batchUniqueProductIdentifier, /\/10\/L1$/)
    assert.equal(under.backupUrl, `${BACKUP}/p/${under.passportId}`)
    assert.equal(under.dppApiEndpoint, 'https://carnet.example/dpp')
  })

  test('marks what it gives as exported; asking for that again gives the same', async () => {
    const api = await open()
    await api.create()
    const [line] = await api.lines()
    assert.deepEqual(await api.lines(), [])
    assert.deepEqual(await api.lines('?state=exported'), [line])
    assert.deepEqual(await api.lines('?state=exported'), [line])
  })

  test('marks nothing for HEAD, nor for a key that may only read', async () => {
    const api = await open()
    const id = await api.create()
    const key = await t.apiKey(api.account, 'read')
    assert.equal((await api.lines('', key)).length, 1)
    await t.ask('HEAD', '/api/v1/registry/export', { key: api.account.key })
    assert.equal((await api.entry(id))?.state, 'ready')
    assert.equal((await api.lines()).length, 1)
  })

  test('a download that breaks leaves the page that was not taken ready', async () => {
    const api = await open()
    const id = await api.create()
    const options = { state: 'ready', format: 'jsonl', marks: true } as const
    const lines = exportRegistryLines(setup(), api.account.ctx, options)
    assert.equal((await lines.next()).done, false)
    await lines.return(undefined)
    assert.equal((await api.entry(id))?.state, 'ready')
    assert.equal((await api.lines()).length, 1)
  })

  test('CSV has a heading and the same facts, and no formulas', async () => {
    const api = await open()
    const operator = complete().economicOperator as object
    await api.create(complete({ economicOperator: { ...operator, legalName: '=1+1, "GmbH"' } }))
    const { text, headers } = await t.ask('GET', '/api/v1/registry/export?format=csv', {
      key: api.account.key,
    })
    assert.equal(headers['content-type'], 'text/csv; charset=utf-8')
    const [heading = '', row = '', rest] = text.split('\r\n')
    assert.match(heading, /^action,passportId,versionNo,/)
    assert.match(row, /^register,.*"'=1\+1, ""GmbH""",DE,gln:9521234001003,61099020,/)
    assert.equal(rest, '')
  })

  test('payloads for the mock of the registry', async () => {
    const api = await open()
    const model = await api.create()
    await api.post(`/products/${model}/children`, { level: 'item', serial: 'S1' })
    const key = await t.apiKey(api.account, 'read')
    const [first, second] = await api.lines('?format=cirpass2', key)
    for (const payload of [first, second]) assertPayload(payload)
    assert.deepEqual([first.granularityLevel, second.granularityLevel], ['MODEL', 'ITEM'])
    assert.equal(second.modelUpi, undefined)
    const [, withParents] = await api.lines('?format=cirpass2-parents', key)
    assert.equal(withParents.modelUpi, first.upi)
  })

  test('422 for another state or format', async () => {
    const { key } = await t.account()
    for (const query of ['state=none', 'state=incomplete', 'format=xml', 'limit=1']) {
      const answer = await t.ask('GET', `/api/v1/registry/export?${query}`, { key })
      assert.equal(answer.status, 422, query)
    }
  })
})

describe('an entry', () => {
  test('is there as soon as the passport is, and names what is missing', async () => {
    const api = await open()
    const id = await api.create({ ...CORES.textile, gtin: nextGtin() })
    assert.deepEqual([(await api.entry(id))?.state, (await api.entry(id))?.change_no], ['none', 1])
    assert.equal(await stateOf(api, id), 'incomplete')
    const missing = ['economicOperator.registryId', 'manufacturingFacility.facilityId', 'commodityCode']
    assert.deepEqual((await api.entry(id))?.missing, missing)
    assert.deepEqual(await api.lines(), [])
    const { gtin: _, ...rest } = complete()
    await api.change(id, rest)
    assert.equal(await stateOf(api, id), 'ready')
    assert.equal((await api.entry(id))?.missing, null)
    await api.change(id, { commodityCode: null })
    assert.equal(await stateOf(api, id), 'incomplete')
  })

  test('goes from ready to registered, and a new version makes it ready again, as an update', async () => {
    const api = await open()
    const id = await api.create()
    const [line] = await api.lines()
    assert.equal(line.action, 'register')
    for (const state of ['submitted', 'pending', 'registered']) {
      const more = state === 'registered' ? { registration_id: 'R-1', proof_valid_until: '2027-02-18' } : {}
      const { status, json } = await api.results(answerTo(line, state, more))
      assert.equal(status, 200)
      assert.deepEqual(json.data.summary, { requested: 1, stored: 1, unchanged: 0, failed: 0 })
      assert.equal(await stateOf(api, id), state)
    }
    assert.equal((await api.entry(id))?.registration_id, 'R-1')
    await api.change(id, { commodityCode: '61091000' })
    assert.equal(await stateOf(api, id), 'ready')
    const [update] = await api.lines()
    assert.deepEqual([update.action, update.versionNo, update.commodityCode], ['update', 2, '61091000'])
    assert.equal((await api.entry(id))?.registration_id, 'R-1')
  })

  test('rejected stays so, with the reason, until the line changes', async () => {
    const api = await open()
    const id = await api.create()
    const [line] = await api.lines()
    await api.results(answerTo(line, 'rejected', { message: 'Unknown VAT number' }))
    await setRegistryUse(api.account.ctx, false)
    await setRegistryUse(api.account.ctx, true)
    assert.equal(await stateOf(api, id), 'rejected')
    assert.equal((await api.entry(id))?.message, 'Unknown VAT number')
    await api.change(id, { commodityCode: '61091000' })
    assert.equal(await stateOf(api, id), 'ready')
    assert.equal((await api.entry(id))?.message, null)
    assert.equal((await api.lines())[0].action, 'register')
  })

  test('a line that waits becomes an update when the one before was registered meanwhile', async () => {
    const api = await open()
    const id = await api.create()
    const [line] = await api.lines()
    await api.change(id, { commodityCode: '61091000' })
    assert.equal(await stateOf(api, id), 'ready')
    const { json } = await api.results(answerTo(line, 'registered', { registration_id: 'R-2' }))
    assert.equal(json.data.summary.stored, 1)
    const [next] = await api.lines()
    assert.deepEqual([next.action, next.versionNo], ['update', 2])
  })

  test('of an archived item: deactivated at once if nobody was told of it', async () => {
    const api = await open()
    const model = await api.create()
    const { id } = (await api.post(`/products/${model}/children`, { level: 'item', serial: 'S1' })).json.data
    assert.equal(await stateOf(api, id), 'ready')
    await api.post(`/products/${id}/archive`)
    assert.equal(await stateOf(api, id), 'deactivated')
    await api.post(`/products/${id}/restore`)
    assert.equal(await stateOf(api, id), 'ready')
  })

  test('of an archived item that was exported: a line that deactivates it, then its result', async () => {
    const api = await open()
    const model = await api.create()
    const { id } = (await api.post(`/products/${model}/children`, { level: 'item', serial: 'S1' })).json.data
    const [, line] = await api.lines()
    await api.results(answerTo(line, 'registered'))
    const early = await api.results(answerTo(line, 'deactivated'))
    assert.equal(early.json.data.errors[0].code, 'version_conflict')
    await api.post(`/products/${id}/archive`)
    const [deactivation] = await api.lines()
    assertLine(deactivation)
    assert.deepEqual([deactivation.action, deactivation.passportId], ['deactivate', id])
    const wrong = await api.results(answerTo(deactivation, 'registered'))
    assert.equal(wrong.json.data.errors[0].code, 'version_conflict')
    await api.results(answerTo(deactivation, 'deactivated'))
    assert.equal(await stateOf(api, id), 'deactivated')
    await api.post(`/products/${id}/restore`)
    assert.equal(await stateOf(api, id), 'ready')
    assert.equal((await api.lines())[0].action, 'update')
  })

  test('an archived model keeps its line', async () => {
    const api = await open()
    const id = await api.create()
    await api.lines()
    await api.post(`/products/${id}/archive`)
    assert.equal(await stateOf(api, id), 'ready')
    assert.equal((await api.lines())[0].action, 'register')
  })

  test('of units: again when their model gets another GTIN', async () => {
    const api = await open()
    const model = await api.create()
    const batch = (await api.post(`/products/${model}/children`, { level: 'batch', lot: 'L1' })).json.data.id
    const item = (await api.post(`/products/${batch}/children`, { level: 'item', serial: 'S1' })).json.data.id
    await api.lines()
    const gtin = nextGtin()
    await api.change(model, { gtin })
    await work(api.account)
    const lines = new Map((await api.lines()).map(line => [line.passportId, line]))
    assert.deepEqual([...lines.keys()].toSorted(), [model, batch, item].toSorted())
    assert.match(lines.get(item).modelUniqueProductIdentifier, new RegExp(`/01/0${gtin}$`))
  })

  test('of every passport again when the address of copies, the signing or the audiences change', async () => {
    const api = await open()
    const id = await api.create()
    const [before] = await api.lines()
    await setBackupUrl(api.account.ctx, 'https://copies.example.org')
    assert.equal(await stateOf(api, id), 'ready')
    const [moved] = await api.lines()
    assert.equal(moved.backupUrl, `https://copies.example.org/p/${id}`)
    await setSigning({ ...api.account.ctx, secretCipher: t.setup.secretCipher }, true)
    assert.equal(await stateOf(api, id), 'ready')
    const [signed] = await api.lines()
    assert.match(signed.versionCommitment, /^[\w-]{43}$/)
    assert.equal(before.versionCommitment, undefined)
    await setAudienceProfile(api.account.ctx, { accountId: api.account.id, profile: 'law' })
    const { change_no } = (await api.entry(id)) ?? {}
    await work(api.account)
    assert.ok(((await api.entry(id))?.change_no ?? 0) > (change_no ?? 0))
    await setBackupUrl(api.account.ctx, null)
    assert.equal(await stateOf(api, id), 'incomplete')
    assert.deepEqual((await api.entry(id))?.missing, ['backupUrl'])
  })

  test('of passports that were there before the switch, and of changes while it was off', async () => {
    const account = await t.account({ plan: 'enterprise' })
    const api = use(account)
    const model = await api.create()
    const items = Array.from({ length: 7 }, (_, i) => ({ serial: `S${i}` }))
    await api.post(`/products/${model}/children`, { level: 'item', items })
    await setBackupUrl(account.ctx, BACKUP)
    await setRegistryUse(account.ctx, true)
    await work(account)
    assert.equal((await api.lines()).length, 8)
    await setRegistryUse(account.ctx, false)
    await api.change(model, { commodityCode: '61091000' })
    assert.equal((await api.entry(model))?.state, 'exported')
    await setRegistryUse(account.ctx, true)
    assert.equal(await stateOf(api, model), 'ready')
  })

  test('a write while its line is exported: the line is sent, and the next one is ready', async () => {
    const api = await open()
    const id = await api.create()
    await work(api.account)
    const options = { state: 'ready', format: 'jsonl', marks: true } as const
    const lines = exportRegistryLines(setup(), api.account.ctx, options)
    const { value } = await lines.next()
    await api.change(id, { commodityCode: '61091000' })
    await work(api.account)
    assert.equal((await lines.next()).done, true)
    assert.equal((await api.entry(id))?.state, 'ready')
    const { json } = await api.results(answerTo(JSON.parse(String(value)), 'registered'))
    assert.equal(json.data.summary.stored, 1)
    const [next] = await api.lines()
    assert.deepEqual([next.action, next.versionNo], ['update', 2])
  })

  test('many writes, exports and checks at once lose no change', async () => {
    const api = await open()
    const ids = await Promise.all(Array.from({ length: 6 }, () => api.create()))
    const given: Line[] = []
    const write = async () => {
      for (const id of ids) await api.change(id, { commodityCode: '61091000' })
    }
    const read = async () => {
      for (let i = 0; i < 5; i++) given.push(...(await api.lines()))
    }
    await Promise.all([write(), read(), read(), work(api.account), work(api.account)])
    await work(api.account)
    given.push(...(await api.lines()))
    for (const id of ids) {
      const last = given.findLast(line => line.passportId === id && line.versionNo === 2)
      assert.equal(last?.commodityCode, '61091000')
      assert.equal((await api.entry(id))?.state, 'exported')
    }
  })

  test('says nothing that the public may not see, and hashes the public document', async () => {
    const api = await open()
    const planted = 'planted-secret-4711'
    const operator = complete().economicOperator as object
    const data = complete({
      economicOperator: { ...operator, eori: `DE${'4711'.repeat(3)}` },
      [`x_${planted}`]: planted,
    })
    const id = await api.create(data)
    const text = JSON.stringify(await api.lines())
    assert.doesNotMatch(text, /planted|47114711/)
    const [line] = await api.lines('?state=exported')
    const { json } = await t.ask('GET', `/dpp/v1/dpps/${id}`)
    assert.equal(line.contentHash.value, hashRegistryContent(json))
    assert.equal(line.dataLastUpdated, json.lastUpdated)
  })
})

describe('switching it on for many passports', () => {
  test('fills one batch after the other, on all shards, and continues after a stop', async () => {
    const many = await startHarness({ shards: 2 })
    const account = await many.account({ plan: 'enterprise' })
    const post = async (path: string, body: object) => {
      const answer = await many.ask('POST', `/api/v1${path}`, { key: account.key, body })
      assert.equal(answer.status, 201, answer.text)
      return answer.json.data
    }
    const { id } = await post('/products', { category: 'textile', data: complete() })
    for (const from of [0, 400, 800]) {
      const items = Array.from({ length: 400 }, (_, i) => ({ serial: `S${from + i}` }))
      await post(`/products/${id}/children`, { level: 'item', items })
    }
    await setBackupUrl(account.ctx, BACKUP)
    await setRegistryUse(account.ctx, true)
    const count = async () => {
      const { states } = await sumRegistryEntries(account.ctx)
      return { all: [...states.values()].reduce((sum, n) => sum + n, 0), ready: states.get('ready') }
    }
    const run = async (isStopping: () => boolean) => {
      for (const { sql } of listAccountShards(account.ctx))
        await createRegistryTask({ ...many.setup, clock: many.clock, sql }, isStopping)()
    }
    let asked = 0
    await run(() => ++asked > 4)
    const begun = await count()
    assert.ok(begun.all > 0 && begun.all < 1201, JSON.stringify(begun))
    await run(() => false)
    assert.deepEqual(await count(), { all: 1201, ready: 1201 })
    await many.close()
  })
})

describe('POST /registry/results', () => {
  test('answers each row by itself', async () => {
    const [api, other] = [await open(), await open()]
    await api.create()
    const [line] = await api.lines()
    const foreign = await other.create()
    const fresh = await api.create()
    const rows = [
      answerTo(line, 'registered', { registration_id: 'R-1' }),
      answerTo(line, 'registered', { registration_id: 'R-1' }),
      answerTo(line, 'pending'),
      answerTo({ ...line, versionNo: 7 }, 'registered'),
      { passport_id: foreign, version_no: 1, state: 'registered' },
      { passport_id: '0'.repeat(26), version_no: 1, state: 'registered' },
      { passport_id: "'; drop table registry_entry; --", version_no: 1, state: 'registered' },
      { passport_id: fresh, version_no: 1, state: 'registered' },
      answerTo(line, 'ready'),
      { ...answerTo(line, 'registered'), version_no: '1' },
      answerTo(line, 'registered', { proof_valid_until: '2027-02-30' }),
      answerTo(line, 'registered', { registration_id: 'a\nb', odd: 1 }),
      'odd',
      null,
    ]
    const { status, json } = await api.post('/registry/results', { results: rows })
    assert.equal(status, 200)
    const { results, errors, summary } = json.data
    assert.deepEqual(
      results.map((one: Line) => [one.index, one.outcome]),
      [
        [0, 'stored'],
        [1, 'unchanged'],
        [2, 'unchanged'],
      ],
    )
    assert.deepEqual(
      errors.map((one: Line) => [one.index, one.code]),
      [
        [3, 'version_conflict'],
        [4, 'not_found'],
        [5, 'not_found'],
        [6, 'not_found'],
        [7, 'version_conflict'],
        ...[8, 9, 10, 11, 12, 13].map(index => [index, 'validation']),
      ],
    )
    assert.deepEqual(summary, { requested: 14, stored: 1, unchanged: 2, failed: 11 })
    assert.deepEqual(
      errors[8 - 3 + 3].errors.map((one: Line) => one.field),
      ['results[11].odd', 'results[11].registration_id'],
    )
    assert.equal((await other.entry(foreign))?.state, 'none')
  })

  test('422 unless results is a list of 1 to 500 rows', async () => {
    const { key } = await t.account()
    for (const body of [
      {},
      { results: [] },
      { results: {} },
      { results: Array(501).fill({}) },
      { items: [] },
    ]) {
      const answer = await t.ask('POST', '/api/v1/registry/results', { key, body })
      assert.deepEqual([answer.status, answer.json.errors[0].field], [422, 'results'])
    }
  })

  test('403 for a key that may only read', async () => {
    const key = await t.apiKey(await t.account(), 'read')
    const answer = await t.ask('POST', '/api/v1/registry/results', { key, body: { results: [{}] } })
    assert.deepEqual([answer.status, answer.json.code], [403, 'read_only'])
  })
})

describe('the sums', () => {
  test('count by state and by what is missing, and warn about proofs that end in 14 days', async () => {
    const api = await open()
    for (let i = 0; i < 2; i++) await api.create()
    await api.create({ ...CORES.textile, gtin: nextGtin(), commodityCode: '61099020' })
    const [first, second] = await api.lines()
    const now = t.clock.now().getTime()
    const day = (days: number) => new Date(now + days * 86_400_000).toISOString()
    await api.results(
      answerTo(first, 'registered', { proof_valid_until: day(13) }),
      answerTo(second, 'registered', { proof_valid_until: day(15) }),
    )
    const sums = await sumRegistryEntries(api.account.ctx)
    assert.deepEqual([sums.states.get('registered'), sums.states.get('incomplete')], [2, 1])
    assert.deepEqual(sums.missing, [
      { field: 'economicOperator.registryId', count: 1 },
      { field: 'manufacturingFacility.facilityId', count: 1 },
    ])
    assert.equal(sums.expiring.count, 1)
    const all = await findExpiringProofs({ sql: t.setup.sql, clock: t.clock })
    assert.deepEqual(
      all.filter(({ accountId }) => accountId === api.account.id),
      [{ accountId: api.account.id, count: 1 }],
    )
    assert.equal(
      sums.expiring.first?.toISOString(),
      day(13).replace(/\.\d+Z/, m => m),
    )
  })
})
