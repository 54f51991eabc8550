/** Tests the console's page of the EU registry: its switch, the address of copies, lists, lines and answers. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { listAccountShards } from '../../src/accounts/account/account-shard.ts'
import type { AccountContext } from '../../src/accounts/account/context.ts'
import { readRegistrySettings } from '../../src/accounts/account/registry-settings.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { createRegistryTask } from '../../src/passports/registry/registry-task.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { CORES, newProduct } from '../harness.ts'
import { ADDRESSES, type Browser, PUBLIC_URL, type Stand, startStand } from './stand.ts'

const AT = '/console/registry'
const COPIES = 'https://backup.example.net/carnet'

let stand: Stand
let ctx: AccountContext
let owner: Browser
let editor: Browser
let incomplete: string

before(async () => {
  stand = await startStand()
  const accountId = await stand.account()
  ctx = { ...stand.ctx, sql: stand.sql, accountId, actorId: 1 }
  owner = await stand.signedIn(accountId, 'owner')
  editor = await stand.signedIn(accountId, 'editor')
  incomplete = (await create({ productName: 'Half a scarf' })).id
})
after(() => stand.close())

let products = 0

async function create(data: Record<string, unknown>) {
  const { passport } = await createPassport(ctx, {
    ...newProduct({ ...data, sku: `R-${++products}` }),
    strict: false,
  })
  return { id: idFromUuid(passport.id), versionNo: passport.version_no }
}

const completeData = {
  productName: 'Whole scarf',
  commodityCode: '61099020',
  economicOperator: {
    ...(CORES.textile.economicOperator as object),
    registryId: { scheme: 'vat', value: 'DE123456789' },
  },
  manufacturingFacility: { facilityId: '9521234001003', country: 'PT' },
}

async function work(): Promise<void> {
  const { clock, secretCipher } = stand
  const setup = { clock, secretCipher, addresses: ADDRESSES, nsUrl: `${PUBLIC_URL}/ns/dpp` }
  for (const { sql } of listAccountShards(ctx)) await createRegistryTask({ ...setup, sql }, () => false)()
}

const countEntries = async (action: string) => {
  const rows = await stand.sql`
    select from audit_entry where account_id = ${ctx.accountId} and action = ${action}`
  return rows.length
}

function upload(content: unknown): FormData {
  const parts = new FormData()
  parts.append('results', new Blob([JSON.stringify(content)]), 'results.json')
  return parts
}

describe('the settings', () => {
  test('are for owners, who find the page in the settings; others see how it is', async () => {
    assert.match((await owner.get('/console/settings')).text, /href="\/console\/registry"/)
    const { status, text } = await editor.get(AT)
    assert.equal(status, 200)
    assert.match(text, /are not prepared for the registry/)
    assert.doesNotMatch(text, /registry\/switch/)
    for (const path of ['switch', 'copies'])
      assert.equal((await editor.post(`${AT}/${path}`, { form: { to: 'on' } })).status, 403)
  })

  test('switch the registry on, with an entry in the audit log', async () => {
    const answer = await owner.post(`${AT}/switch`, { form: { to: 'on' } })
    assert.equal(answer.headers.location, `${AT}?done=on`)
    assert.equal((await readRegistrySettings(stand.sql, ctx.accountId)).isOn, true)
    assert.match((await owner.get(`${AT}?done=on`)).text, /The passports are being prepared/)
    await owner.post(`${AT}/switch`, { form: { to: 'odd' } })
    await owner.post(`${AT}/switch`, { form: { to: 'on' } })
    assert.equal(await countEntries('registry_switched_on'), 1)
  })

  test('store the address of the copies, and explain a wrong one', async () => {
    const cases = [
      ['http://backup.example.net', /begins with https/],
      [`${COPIES}/`, /Leave out the slash/],
      [PUBLIC_URL, /address of the passports themselves/],
      [`${PUBLIC_URL.toUpperCase().replace('HTTPS', 'https')}:443`, /address of the passports themselves/],
      [`${COPIES}?a=b`, /no \? or #/],
      [`https://user:word@backup.example.net`, /no password/],
      [`https://${'a'.repeat(600)}.example`, /too long/],
    ] as const
    for (const [typed, sentence] of cases) {
      const { status, text } = await owner.post(`${AT}/copies`, { form: { copies: typed } })
      assert.equal(status, 422, typed)
      assert.match(text, sentence)
      assert.match(text, /href="#copies"/)
    }
    await owner.post(`${AT}/copies`, { form: { copies: ` ${COPIES} ` } })
    assert.equal((await readRegistrySettings(stand.sql, ctx.accountId)).backupBaseUrl, COPIES)
    assert.equal(await countEntries('backup_url_changed'), 1)
    assert.match((await owner.get(AT)).text, /value="https:\/\/backup\.example\.net\/carnet"/)
  })
})

describe('the page', () => {
  test('counts what is missing, and leads to the products that lack it', async () => {
    await create(completeData)
    await work()
    const { text } = await owner.get(AT)
    assert.match(text, /Incomplete<\/a><span class="quiet">one product/)
    assert.match(text, /Ready to be sent<\/a><span class="quiet">one product/)
    const [, to = ''] = /href="([^"]*missing&#61;commodityCode)"/.exec(text) ?? []
    const list = await owner.get(to.replaceAll('&#61;', '='))
    assert.match(list.text, new RegExp(`/console/products/${incomplete}/edit#commodityCode`))
    assert.match(list.text, /Half a scarf/)
    assert.doesNotMatch(list.text, /Whole scarf/)
    const german = await owner.get(AT, { headers: { 'accept-language': 'de' } })
    assert.match(german.text, /Was fehlt/)
    for (const query of ['missing=%27%3B--', 'state=odd', 'expiring=yes', 'state=rejected'])
      assert.equal((await owner.get(`${AT}?${query}`)).status, 200, query)
  })

  test('gives the lines as a file, which then count as downloaded', async () => {
    const viewer = await stand.signedIn(ctx.accountId, 'viewer')
    assert.equal((await viewer.post(`${AT}/lines`, { form: { state: 'ready' } })).status, 403)
    const first = await editor.post(`${AT}/lines`, { form: { state: 'ready', format: 'jsonl' } })
    assert.match(first.headers['content-disposition'] ?? '', /registry-ready-2026-11-21\.jsonl/)
    assert.equal(JSON.parse(first.text).commodityCode, '61099020')
    const again = await editor.post(`${AT}/lines`, { form: { state: 'exported', format: 'csv' } })
    assert.match(again.text, /^action,.*\r\nregister,/)
    assert.match((await owner.get(AT)).text, /Downloaded<\/a>/)
  })

  test('takes the answers of the registry, and explains those that it refuses', async () => {
    const { text: line } = await editor.post(`${AT}/lines`, { form: { state: 'exported' } })
    const { passportId, versionNo } = JSON.parse(line)
    const until = new Date(stand.clock.now().getTime() + 10 * 86_400_000).toISOString()
    const row = {
      passport_id: passportId,
      version_no: versionNo,
      state: 'registered',
      proof_valid_until: until,
    }
    const stored = await editor.post(`${AT}/results`, { parts: upload({ results: [row] }) })
    assert.match(stored.text, /1 answers were stored, 0 were known before, 0 were refused/)
    const { text } = await owner.get(AT)
    assert.match(text, /Registered<\/a>/)
    assert.match(text, /One proof of registration ends within 14 days/)
    assert.match((await owner.get(`${AT}?expiring=yes`)).text, /Whole scarf/)
    const mixed = await editor.post(`${AT}/results`, {
      parts: upload({ results: [row, { ...row, version_no: 9 }] }),
    })
    assert.match(mixed.text, /0 answers were stored, 1 were known before, 1 were refused/)
    assert.match(mixed.text, /Row 2: /)
    for (const odd of [{}, [], 'x', { results: [] }]) {
      const refused = await editor.post(`${AT}/results`, { parts: upload(odd) })
      assert.equal(refused.status, 422)
      assert.match(refused.text, /no JSON with a list/)
    }
    const none = await editor.post(`${AT}/results`, { parts: new FormData() })
    assert.match(none.text, /Choose a file/)
    const large = upload({ results: ['x'.repeat(70_000)] })
    assert.match((await editor.post(`${AT}/results`, { parts: large })).text, /at most/)
  })
})
