/**
 * Tests how `carnet accounts verify` names claims of other accounts, and how `carnet dpp-id release` and
 * `carnet gtin release` end them.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { buildFurniture } from '../api/beside-stand.ts'
import { newProduct, nextGtin } from '../harness.ts'
import { folderWithStore } from './prepared-store.ts'
import { carnet, carnetJson, endAll, type Served, type Settings, serve } from './processes.ts'

const DPP_ID = 'https://late.example/dpp/1'
const PREFIX = '9520777'
const gtin = nextGtin(PREFIX.slice('952'.length))

let folder: Awaited<ReturnType<typeof folderWithStore>>
let settings: Settings
let server: Served
/** The account that came first, and the one to which the names belong. */
let first: string
let brand: string
let dppProduct: string
let gtinProduct: string

const json = <T>(line: string) => carnetJson<T>(line.split(' '), settings)

async function send(key: string, path: string, body: object) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await answer.text()
  assert.equal(answer.status, 201, text)
  return JSON.parse(text)
}

const createAccount = async (name: string): Promise<string> =>
  (await json<{ id: string }>(`accounts create --name ${name} --plan pro`)).id

before(async () => {
  folder = await folderWithStore()
  settings = { cwd: folder.path, env: { DATA_DIR: folder.path, PORT: '0' } }
  first = await createAccount('First')
  brand = await createAccount('Brand')
  server = await serve(settings)
  const { key } = await json<{ key: string }>(`keys create --account ${first} --scope full --name erp`)
  const { origin } = new URL(server.url)
  const furniture = { ...buildFurniture(), contentSpecificationIds: [`${origin}/ns/dpp/furniture/v1`] }
  const made = await send(key, '/dpp/v1/dpps', { ...furniture, digitalProductPassportId: DPP_ID })
  assert.equal(made.digitalProductPassportId ?? made.payload?.digitalProductPassportId, DPP_ID)
  gtinProduct = (await send(key, '/api/v1/products', newProduct({ gtin }))).data.id
})
after(async () => {
  await endAll()
  await folder.remove()
})

const verify = () =>
  `accounts verify --account ${brand} --legal-name Brand --host late.example --gs1-prefix ${PREFIX}`

type Verified = { conflicts?: { claim: string; kind: string; account_id: string; product_id?: string }[] }

describe('accounts verify', () => {
  test('lists the claims of other accounts, with the command that ends each', async () => {
    const { code, stdout } = await carnet(verify().split(' '), settings)
    assert.equal(code, 0)
    assert.deepEqual(stdout.trimEnd().split('\n').slice(1), [
      'Other accounts have these from before. Whom they belong to, you decide:',
      `  ${DPP_ID} (account ${first}): "carnet dpp-id release ${DPP_ID}"`,
      `  0${gtin} (account ${first}): "carnet gtin release 0${gtin}"`,
    ])
    const { conflicts = [] } = await json<Verified>(verify())
    assert.deepEqual(
      conflicts.map(({ claim, kind, account_id }) => [claim, kind, account_id]),
      [
        [DPP_ID, 'dpp_id', first],
        [`0${gtin}`, 'gtin', first],
      ],
    )
  })
})

describe('dpp-id release', () => {
  test('takes the identifier from its passport, once, and says who may use it', async () => {
    const words = ['dpp-id', 'release', DPP_ID, '--contested-by', brand]
    const unknown = await carnet([...words.slice(0, -1), '4711'], settings)
    assert.equal(unknown.code, 1)
    assert.match(unknown.stderr, /account/)
    const { code, stdout } = await carnet(words, settings)
    assert.equal(code, 0)
    const found =
      /is released from product ([0-9a-z]{26}) of account (\d+)\.\nOnly account (\d+) may use it/.exec(stdout)
    assert.deepEqual(found?.slice(2), [first, brand])
    dppProduct = found?.[1] ?? ''
    const again = await carnet(words, settings)
    assert.equal(again.code, 1)
    assert.match(again.stderr, /^No passport has the identifier/)
    assert.equal((await carnet(['dpp-id', 'release', 'no uri'], settings)).code, 1)
    assert.equal((await carnet(['dpp-id', 'release'], settings)).code, 2)
    const page = await fetch(`${server.url}/p/${dppProduct}`)
    assert.equal(page.status, 200)
  })

  test('an identifier without an approved name is for the first that sends it, in JSON too', async () => {
    const { key } = await json<{ key: string }>(`keys create --account ${first} --scope full --name pim`)
    const { origin } = new URL(server.url)
    const dppId = 'https://nobody.example/dpp/2'
    const furniture = { ...buildFurniture(), contentSpecificationIds: [`${origin}/ns/dpp/furniture/v1`] }
    await send(key, '/dpp/v1/dpps', { ...furniture, digitalProductPassportId: dppId })
    const released = await json<Record<string, unknown>>(`dpp-id release ${dppId}`)
    const { product_id: _, ...others } = released
    assert.deepEqual(others, { dpp_id: dppId, account_id: first, claimable_by: null })
  })
})

describe('gtin release', () => {
  test('is in the audit log of both accounts, and ends the conflict', async () => {
    await carnetJson(['gtin', 'release', gtin], settings).then(
      () => assert.fail('an active product has it'),
      error => assert.match(String(error), new RegExp(gtinProduct)),
    )
    const { key } = await json<{ key: string }>(`keys create --account ${first} --scope full --name pos`)
    const headers = { authorization: `Bearer ${key}` }
    const path = `${server.url}/api/v1/products/${gtinProduct}/archive`
    assert.equal((await fetch(path, { method: 'POST', headers })).status, 200)
    const released = await json<{ claimable_by: string }>(`gtin release ${gtin} --to ${brand}`)
    assert.equal(released.claimable_by, brand)
    assert.deepEqual((await json<Verified>(verify())).conflicts ?? [], [])
  })
})
