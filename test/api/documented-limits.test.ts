/**
 * Tests that members which an operation checks, because it needs what is stored, are checked as documented: a
 * value beyond each limit of the OpenAPI document is refused, and the error names the member.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'

type Documented = {
  type?: string | string[]
  format?: string
  enum?: string[]
  maxLength?: number
  additionalProperties?: boolean | { maxLength?: number }
}
type Body = Record<string, unknown>

let t: Harness
let account: TestAccount
before(async () => {
  t = await startHarness()
  account = await t.account({ plan: 'enterprise' })
})
after(() => t.close())

async function readMembers(name: string): Promise<[string, Documented][]> {
  const { json } = await t.ask('GET', '/api/v1/openapi.json')
  return Object.entries(json.components.schemas[name].properties)
}

/** Values that the schema of a member does not allow. */
function listWrongValues(member: Documented): unknown[] {
  const types = [member.type ?? 'string'].flat()
  const texts = typeof member.additionalProperties === 'object' ? member.additionalProperties : undefined
  return [
    types.includes('object') ? 'a text' : {},
    7,
    ...(member.maxLength === undefined ? [] : ['x'.repeat(member.maxLength + 1)]),
    ...(member.format === 'date' ? ['2026-02-30'] : []),
    ...(texts?.maxLength === undefined ? [] : [{ en: 'x'.repeat(texts.maxLength + 1) }]),
  ]
}

async function createModel(): Promise<string> {
  const { json, text } = await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })
  assert.ok(json.data, text)
  return json.data.id
}

/** Sends `valid` with each wrong value of each member in turn. */
async function assertChecked(
  schema: string,
  valid: (member: string) => Body,
  send: (body: Body) => Promise<{ status: number; text: string; json: { errors: { field: string }[] } }>,
): Promise<void> {
  for (const [member, documented] of await readMembers(schema))
    for (const value of listWrongValues(documented)) {
      const { status, text, json } = await send({ ...valid(member), [member]: value })
      const sent = `${member} ${JSON.stringify(value).slice(0, 50)}: ${text}`
      assert.equal(status, 422, sent)
      assert.ok(
        json.errors.some(({ field }) => field.split('.')[0] === member),
        sent,
      )
    }
}

describe('Documented limits are checked', () => {
  test('of a unit, sent alone', async () => {
    const id = await createModel()
    const valid = (member: string): Body =>
      member === 'lot' ? { level: 'batch', lot: 'L1' } : { level: 'item', serial: 'S1' }
    const send = (body: Body) => t.ask('POST', `/api/v1/products/${id}/children`, { key: account.key, body })
    await assertChecked('NewUnit', valid, send)
  })

  test('of a recall notice', async () => {
    const id = await createModel()
    const valid = (): Body => ({ hazard: { en: 'It can catch fire.' }, action: { en: 'Stop using it.' } })
    const send = (body: Body) => t.ask('PUT', `/api/v1/products/${id}/recall`, { key: account.key, body })
    await assertChecked('RecallNotice', valid, send)
  })

  test('of the category of a product that is created or updated, and of data to be judged', async () => {
    for (const [method, path] of [
      ['PUT', '/products/by-sku/documented'],
      ['POST', '/readiness'],
      ['POST', '/drafts'],
    ] as const)
      for (const category of ['shoes', 7, null]) {
        const body = { category, data: { sku: 7 } }
        const { status, json, text } = await t.ask(method, `/api/v1${path}`, { key: account.key, body })
        assert.equal(status, 422, text)
        assert.ok(
          json.errors.some(({ field }: { field: string }) => field === 'category'),
          `${method} ${path} ${category}: ${text}`,
        )
      }
  })
})
