/**
 * Tests every protected field in every public response, of all levels and states: authorised audiences see
 * each value in page and document; no other audience sees it anywhere.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { allCategories } from '../../src/categories/catalogue.ts'
import { AUDIENCES, type Audience, type Field, narrowAudience } from '../../src/categories/field.ts'
import { computeMod10CheckDigit } from '../../src/gs1/check-digit.ts'
import { idFromUuid } from '../../src/kernel/ids.ts'
import { createAccessLink } from '../../src/passports/access/access-links.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import {
  ADDRESSES,
  type Answer,
  type CORES,
  type Harness,
  newProduct,
  nextGtin,
  startHarness,
  type TestAccount,
} from '../harness.ts'
import { FULL } from './passport-views.ts'

type CategoryId = keyof typeof CORES
/** A field that not everyone may see, with the names on the path to it. */
type Protected = { path: readonly string[]; field: Field; audience: readonly Audience[] }

function protectedIn(
  fields: readonly Field[],
  path: readonly string[] = [],
  outer: readonly Audience[] = AUDIENCES,
): Protected[] {
  return fields.flatMap(field => {
    const audience = narrowAudience(outer, field)
    const here = [...path, field.name]
    const members = field.fields ?? (field.of?.[0]?.name === '' ? undefined : field.of)
    if (members !== undefined) return protectedIn(members, here, audience)
    return audience.length < AUDIENCES.length ? [{ path: here, field, audience }] : []
  })
}

/** A unique valid value of the field; `n` makes it unique. */
function canary({ format, type }: Field, n: number): string | number {
  if (type === 'number') return 90 + n + 0.1237
  if (format === 'url') return `https://docs.example/CANARY-${n}`
  if (format === 'eori') return `DECANARY${n}`
  if (format === 'gln') {
    const digits = `95299887700${n}`
    return digits + computeMod10CheckDigit(digits)
  }
  return `CANARY-${n} Ltd`
}

/** Whether a response contains the value, as it is or with a decimal comma. */
const isIn = (text: string, value: string | number) =>
  text.includes(String(value)) || text.includes(String(value).replace('.', ','))

/** Sets the value at the path; in a list, in its first entry. */
function put(data: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): object {
  const inner = data[name]
  if (rest.length === 0) return { ...data, [name]: value }
  if (Array.isArray(inner)) return { ...data, [name]: [put(inner[0], rest, value), ...inner.slice(1)] }
  return { ...data, [name]: put(inner as Record<string, unknown>, rest, value) }
}

const filled = (category: CategoryId, fields: readonly Protected[], n: number) =>
  fields.reduce<Record<string, unknown>>(
    (data, { path, field }) => put(data, path, canary(field, n)) as Record<string, unknown>,
    { ...newProduct({ ...FULL[category], gtin: nextGtin() }, category).data },
  )

let harness: Harness
let account: TestAccount
before(async () => {
  harness = await startHarness()
  account = await harness.account({ plan: 'enterprise' })
})
after(() => harness.close())

/** Values change from 1 to 2 after the units were issued; units keep the first. */
async function makeFamily(category: CategoryId, fields: readonly Protected[]) {
  const body = { category, data: filled(category, fields, 1), strict: false }
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
  const data = filled(category, fields, 2)
  const own = Object.fromEntries(fields.map(({ path: [name = ''] }) => [name, data[name]]))
  const ofItself = await issue(batch, { serial: 'S3', data: own })
  const changed = await harness.ask('PATCH', `/api/v1/products/${idFromUuid(model)}`, {
    key: account.key,
    body: { data: own },
  })
  assert.equal(changed.status, 200, changed.text)
  const all = { model, batch, ...items, ofItself }
  return Object.entries(all).map(([name, uuid]) => ({
    name,
    id: idFromUuid(uuid),
    values: name === 'model' || name === 'ofItself' ? [2] : [1],
  }))
}

/** All responses to a reader of one audience, by path. */
async function listen(id: string, authorization: string | undefined): Promise<Map<string, Answer>> {
  const asked = [
    ...['', '?lang=de', '?format=jsonld', '?version=1', '?version=1&format=jsonld'],
    ...['?version=99', '?version=x', '?format=xml', '/qr.svg', '/qr.svg?content=gs1', '/qr.svg?content=x'],
    ...['/x', '?access=wrong', '?lang=xx'],
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
      protectedIn(fields).map(({ path }) => `${id} ${path.join('.')}`),
    )
    assert.deepEqual(
      known.filter(path => !found.includes(path)),
      [],
    )
  })

  for (const { id: category, fields: all } of allCategories()) {
    test(`${category}: appear only for their audience, on every level`, async () => {
      const fields = protectedIn(all)
      const family = await makeFamily(category as CategoryId, fields)
      const readers = await Promise.all(
        AUDIENCES.map(async audience => ({ audience, authorization: await bearerOf(audience) })),
      )
      // The public audience again at the end: caches must not reveal what others saw.
      for (const { audience, authorization } of [...readers, ...readers.slice(0, 1)]) {
        for (const unit of family) {
          const heard = await listen(unit.id, authorization)
          for (const one of fields) {
            if (one.audience.includes(audience)) assertShown(unit, one, heard)
            else assertHidden(unit, one, heard, audience)
          }
        }
      }
    })
  }
})

async function bearerOf(audience: Audience): Promise<string | undefined> {
  if (audience === 'public') return undefined
  const { token } = await createAccessLink(account.ctx, {
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

function assertShown({ id, name, values }: Unit, { path, field }: Protected, heard: Heard): void {
  const has = (rest: string, n: number) =>
    isIn(heard.get(`GET /p/${id}${rest}`)?.text ?? '', canary(field, n))
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

function assertHidden({ name }: Unit, { path, field }: Protected, heard: Heard, audience: Audience): void {
  for (const [asked, answer] of heard) {
    const everything = answer.text + JSON.stringify(answer.headers)
    for (const n of [1, 2]) {
      assert.ok(!isIn(everything, canary(field, n)), `${name}, ${path.join('.')}, for ${audience}: ${asked}`)
    }
  }
}
