/**
 * Tests every protected field in every public response, of all levels and states: authorised audiences see
 * each value in page and document; no other audience sees it anywhere.
 */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { AUDIENCE_PROFILES, setAudienceProfile } from '../../src/accounts/account/audience-profile.ts'
import { listAuditEntries } from '../../src/accounts/account/audit.ts'
import { allCategories, type CompleteCategory } from '../../src/categories/catalogue.ts'
import { AUDIENCES, type Audience, type Field, type Format } from '../../src/categories/field.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { createAccessLink } from '../../src/passports/access/access-links.ts'
import { applyAudienceProfile } from '../../src/passports/read/disclosed-category.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import {
  ADDRESSES,
  type Answer,
  type Harness,
  newProduct,
  nextGtin,
  startHarness,
  type TestAccount,
} from '../harness.ts'
import { storeFilesOf } from '../media/stored-files.ts'
import { type Leaf, listLeaves, plant, plantScalar } from './planted.ts'

/** Fields that not everyone may see, or not under each profile. */
const listProtected = (fields: readonly Field[]): Leaf[] =>
  listLeaves(fields).filter(({ field, audience }) => audience.length < AUDIENCES.length || field.lawAudience)

/** True if no other value can equal those of the field. Those of the others: `audience-profiles.test.ts`. */
const isUnique = ({ field: { type, values, format } }: Leaf) =>
  type === 'number' ||
  ((type === 'name' || type === 'text') && values === undefined && isUniqueFormat(format))
const isUniqueFormat = (format: Format | undefined) =>
  format === undefined || ['url', 'eori', 'gln', 'sha256'].includes(format)

/** The part of a localized text that its languages share. */
const canary = (leaf: Leaf, n: number): string | number => {
  const value = plantScalar(leaf, n) as string | number | { en: string }
  return typeof value === 'object' ? value.en : value
}

/** Returns true if a response contains the value, as it is or with a decimal comma. */
const isIn = (text: string, value: string | number) =>
  text.includes(String(value)) || text.includes(String(value).replace('.', ','))

const filled = (fields: readonly Field[], n: number): Record<string, unknown> => ({
  ...plant(fields, ({ audience, field }) =>
    audience.length < AUDIENCES.length || field.lawAudience ? n : 0,
  ),
  gtin: nextGtin(),
  sku: 'T-1',
})

let harness: Harness
before(async () => {
  harness = await startHarness()
})
after(() => harness.close())

/** Values change from 1 to 2 after the units were issued; units keep the first. */
async function makeFamily(account: TestAccount, { id: category, fields }: CompleteCategory) {
  const body = { category, data: filled(fields, 1), strict: false }
  for (const n of [1, 2]) await storeFilesOf(harness, account, filled(fields, n))
  const model = (await createPassport(account.ctx, body)).passport.id
  const issue = async (parentUuid: string, unit: { lot?: string; serial?: string; data?: object }) => {
    const level = unit.serial === undefined ? 'batch' : 'item'
    const { created } = await issueUnits(account.ctx, {
      parentUuid,
      level,
      units: [unit],
      bulk: false,
      strict: true,
    })
    assert.ok(created[0])
    return created[0].passport.id
  }
  const batch = await issue(model, { lot: 'L1' })
  const items = {
    inherited: await issue(batch, { serial: 'S1' }),
    ofModel: await issue(model, { serial: 'S2' }),
  }
  const data = filled(fields, 2)
  const own = Object.fromEntries(listProtected(fields).map(({ path: [name = ''] }) => [name, data[name]]))
  const ofItself = await issue(batch, { serial: 'S3', data: own })
  const changed = await harness.ask('PATCH', `/api/v1/products/${idFromUuid(model)}`, {
    key: account.key,
    body: { data: own },
  })
  assert.equal(changed.status, 200, changed.text)
  const family = { model, batch, ...items, ofItself }
  return Object.entries(family).map(([name, uuid]) => ({
    name,
    id: idFromUuid(uuid),
    values: name === 'model' || name === 'ofItself' ? [2] : [1],
  }))
}

/** All responses to a reader of one audience, by path. */
async function listen(id: string, authorization: string | undefined): Promise<Map<string, Answer>> {
  const asked = [
    '',
    '?lang=de',
    '?format=jsonld',
    '?version=1',
    '?version=1&format=jsonld',
    '?version=99',
    '?version=x',
    '?format=xml',
    '/qr.svg',
    '/qr.svg?content=gs1',
    '/qr.svg?content=x',
    '/x',
    '?access=wrong',
    '?lang=xx',
  ].map(rest => `/p/${id}${rest}`)
  const more = ['/ns/dpp', '/ns/dpp/v1', '/robots.txt', `/p/${id}0`, '/brand/x.svg']
  const headers = { ...(authorization === undefined ? {} : { authorization }) }
  const heard = new Map<string, Answer>()
  for (const path of [...asked, ...more]) {
    heard.set(`GET ${path}`, await harness.ask('GET', path, { headers }))
  }
  const page = heard.get(`GET /p/${id}`)
  heard.set('HEAD', await harness.ask('HEAD', `/p/${id}`, { headers }))
  heard.set('POST', await harness.ask('POST', `/p/${id}`, { headers, body: {} }))
  heard.set(
    'GET again',
    await harness.ask('GET', `/p/${id}`, {
      headers: { ...headers, 'if-none-match': page?.headers.etag ?? '' },
    }),
  )
  heard.set(
    'GET as JSON-LD',
    await harness.ask('GET', `/p/${id}`, { headers: { ...headers, accept: 'application/ld+json' } }),
  )
  return heard
}

describe('protected fields', () => {
  const known = [
    'textile economicOperator.eori',
    'textile supplyChainStages.facilityName',
    'textile supplyChainStages.facilityId',
    'battery economicOperator.eori',
    'battery stateOfHealth',
    'battery dueDiligenceUrl',
    'furniture economicOperator.eori',
  ]
  test('are all fields that the table marks', () => {
    const found = allCategories().flatMap(({ id, fields }) =>
      listProtected(fields).map(({ path }) => `${id} ${path.join('.')}`),
    )
    assert.deepEqual(
      known.filter(path => !found.includes(path)),
      [],
    )
  })

  for (const profile of AUDIENCE_PROFILES) {
    for (const category of allCategories()) {
      test(`${category.id}, ${profile}: appear only for their audience, on every level`, async () => {
        const account = await harness.account({ plan: 'enterprise' })
        await setAudienceProfile(harness, { accountId: account.id, profile })
        const { fields } = applyAudienceProfile(category, profile)
        const family = await makeFamily(account, category)
        const readers = await Promise.all(
          AUDIENCES.map(async audience => ({ audience, authorization: await bearerOf(account, audience) })),
        )
        // The public audience again at the end: caches must not reveal what others saw.
        for (const { audience, authorization } of [...readers, ...readers.slice(0, 1)]) {
          for (const unit of family) {
            assertDisclosed(unit, fields, await listen(unit.id, authorization), audience)
          }
        }
      })
    }
  }
})

describe('a switch of the audience profile', () => {
  test('takes effect within seconds in every output, for its account alone', async () => {
    const [account, other] = [await harness.account(), await harness.account()]
    const data = { stateOfHealth: 61.4273, dueDiligenceUrl: 'https://planted.example/due-diligence' }
    const create = async ({ ctx }: TestAccount) => {
      const { data: core } = newProduct({ ...data, gtin: nextGtin() }, 'battery')
      return idFromUuid(
        (await createPassport(ctx, { category: 'battery', data: core, strict: true })).passport.id,
      )
    }
    const [id, otherId] = [await create(account), await create(other)]
    const bearers = await Promise.all(AUDIENCES.map(audience => bearerOf(account, audience)))
    const note = await harness.ask('PATCH', `/api/v1/products/${id}`, {
      key: account.key,
      body: { data: { weightKg: 3 } },
    })
    assert.equal(note.status, 200)
    const seen = async (of = id) =>
      Promise.all(
        ['', '?lang=de', '?format=jsonld', '?version=1', '?version=1&format=jsonld'].map(async query => {
          const texts = await Promise.all(
            bearers.map(async authorization => {
              const headers = authorization === undefined ? {} : { authorization }
              return (await harness.ask('GET', `/p/${of}${query}`, { headers })).text
            }),
          )
          return [data.stateOfHealth, data.dueDiligenceUrl].map(value =>
            AUDIENCES.filter((_, i) => isIn(texts[i] ?? '', value)).join(),
          )
        }),
      )
    const gap = async () => {
      const path = `/api/v1/products/${id}/readiness?act=eu.battery.passport&detail=full`
      const { json } = await harness.ask('GET', path, { key: account.key })
      type Rule = { paths: readonly string[]; audience_gap?: boolean }
      const rules: Rule[] = json.data.acts[0].rules
      return rules.find(({ paths }) => paths.includes('dueDiligenceUrl'))?.audience_gap ?? false
    }
    const contract = Array(5).fill(['authority', 'legitimate_interest,authority'])
    const law = Array(5).fill(['legitimate_interest', 'public,legitimate_interest,authority'])
    assert.deepEqual([await seen(), await gap()], [contract, true])
    const before = await harness.ask('GET', `/p/${id}`)
    for (const _ of [1, 2]) await setAudienceProfile(harness, { accountId: account.id, profile: 'law' })
    harness.clock.advance(2_000)
    assert.deepEqual([await seen(), await gap()], [law, false])
    const changed = await harness.ask('GET', `/p/${id}`, {
      headers: { 'if-none-match': before.headers.etag ?? '' },
    })
    assert.equal(changed.status, 200)
    assert.ok(!isIn((await harness.ask('GET', `/p/${otherId}`)).text, data.dueDiligenceUrl))
    await setAudienceProfile(account.ctx, { accountId: account.id, profile: 'contract' })
    harness.clock.advance(2_000)
    assert.deepEqual([await seen(), await gap()], [contract, true])
    const same = await harness.ask('GET', `/p/${id}`, {
      headers: { 'if-none-match': before.headers.etag ?? '' },
    })
    assert.equal(same.status, 304)
    const { entries } = await listAuditEntries(account.ctx, { before: '', limit: 50 })
    const switches = entries.filter(({ action }) => action === 'audience_profile_changed')
    assert.deepEqual(
      switches.map(({ subject }) => subject),
      ['contract', 'law'],
    )
    await assert.rejects(setAudienceProfile(harness, { accountId: 999_999, profile: 'law' }), {
      code: 'not_found',
    })
  })
})

async function bearerOf({ ctx }: TestAccount, audience: Audience): Promise<string | undefined> {
  if (audience === 'public') return undefined
  const { token } = await createAccessLink(ctx, {
    passportId: undefined,
    audience,
    label: audience,
    expiresAt: new Date(Date.now() + 3_600_000),
    addresses: ADDRESSES,
  })
  return `Bearer ${token}`
}

type Unit = { id: string; name: string; values: readonly number[] }
type Heard = ReadonlyMap<string, Answer>

function assertDisclosed(unit: Unit, fields: readonly Field[], heard: Heard, audience: Audience): void {
  for (const leaf of listProtected(fields).filter(isUnique)) {
    if (leaf.audience.includes(audience)) assertShown(unit, leaf, heard)
    else assertHidden(unit, leaf, heard, audience)
  }
}

function assertShown({ id, name, values }: Unit, leaf: Leaf, heard: Heard): void {
  const { path } = leaf
  const has = (rest: string, n: number) => isIn(heard.get(`GET /p/${id}${rest}`)?.text ?? '', canary(leaf, n))
  for (const n of values) {
    for (const rest of ['', '?lang=de', '?format=jsonld']) {
      assert.ok(has(rest, n), `${name}, ${path.join('.')}: ${rest}`)
    }
  }
  if (name !== 'model') return
  for (const rest of ['?version=1', '?version=1&format=jsonld']) {
    assert.ok(has(rest, 1) && !has(rest, 2), `${path.join('.')} at first: ${rest}`)
  }
}

function assertHidden({ name }: Unit, leaf: Leaf, heard: Heard, audience: Audience): void {
  const { path } = leaf
  for (const [asked, answer] of heard) {
    const everything = answer.text + JSON.stringify(answer.headers)
    for (const n of [1, 2]) {
      assert.ok(!isIn(everything, canary(leaf, n)), `${name}, ${path.join('.')}, for ${audience}: ${asked}`)
    }
  }
}
