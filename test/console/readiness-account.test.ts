/** Tests the readiness of the account in the console: its page, its file, and the lists of products it leads to. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { storeReadinessSettings } from '../../src/accounts/account/readiness-settings.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { nextGtin } from '../harness.ts'
import examples from '../readiness/examples.json' with { type: 'json' }
import { type Browser, type Stand, startStand } from './stand.ts'

const AT = '/console/readiness'
const GERMAN = { headers: { 'accept-language': 'de' } }

let stand: Stand
let ctx: Parameters<typeof createPassport>[0]
let owner: Browser
let viewer: Browser
/** The battery of the worked example, one with an extinguishing agent, and one that is undetermined. */
let batteries: string[]
let made = 0

before(async () => {
  stand = await startStand()
  const account = await stand.account({ plan: 'enterprise' })
  ctx = { ...stand.ctx, sql: stand.sql, accountId: account, actorId: 1 }
  owner = await stand.signedIn(account, 'owner')
  viewer = await stand.signedIn(account, 'viewer')
  const plain = await make('battery-model')
  const better = await make('battery-model', { extinguishingAgents: ['water'], productName: 'Better' })
  const unclear = await make('battery-undetermined', { productName: 'Unclear' })
  await make('textile-model')
  const units = [{ serial: 'S1' }, { serial: 'S2' }]
  await issueUnits(ctx, { parentUuid: plain, level: 'item', units, bulk: false, strict: false })
  batteries = [plain, better, unclear].map(idFromUuid)
})
after(() => stand.close())

async function make(example: string, changes: Record<string, unknown> = {}): Promise<string> {
  const { data, category } = examples.examples.find(({ name }) => name === example) ?? assert.fail()
  const own = { gtin: nextGtin(), sku: `A-${++made}`, ...changes }
  const product = { category, data: { ...data, ...own }, strict: false }
  return (await createPassport(ctx, product)).passport.id
}

async function show(path: string, ask = {}): Promise<string> {
  const { status, text } = await owner.get(path, ask)
  assert.equal(status, 200, path)
  return text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
}

const getAct = (html: string, id: string) =>
  new RegExp(`<section aria-labelledby="${id}".*?</section>`, 's').exec(html)?.[0] ?? ''

const listIds = (html: string) =>
  [...html.matchAll(/class="row-link" href="\/console\/products\/(\w{26})/g)].map(([, id]) => id)

describe('the page', () => {
  test('says for each act how many models are complete, incomplete or unclear, and from which day', async () => {
    const act = getAct(await show(AT), 'eu.battery.passport')
    assert.match(act, /In force, due from 18 Feb 2027, 89 days left/)
    assert.match(act, /readiness=incomplete&#?\w*;?act=eu\.battery\.passport">2 incomplete<\/a>/)
    assert.match(act, /readiness=undetermined&#?\w*;?act=eu\.battery\.passport">One unclear<\/a>/)
    assert.match(act, /<meter[^>]* max="2" value="0">/)
  })

  test('lists what is missing most often, ten at first, each with the products that lack it', async () => {
    const act = getAct(await show(AT), 'eu.battery.passport')
    const lines = [
      ...act.matchAll(/missing=([\w.]+)">.*?<\/a><span class="quiet">(one product|\d+ products)</g),
    ].map(([, rule, count]) => [rule, count])
    assert.ok(lines.some(([rule, count]) => rule === 'batt.14' && count === 'one product'))
    assert.deepEqual(lines[0], ['batt.15', '2 products'])
    const [first = ''] = act.split('<details')
    assert.equal([...first.matchAll(/missing=/g)].length, 10)
    assert.match(act, /<summary>\d+ more<\/summary>/)
    assert.match(act, /<summary>4 to check<\/summary>/)
  })

  test('shows other levels, if there are any', async () => {
    const items = getAct(await show(`${AT}?level=item`), 'eu.battery.passport')
    assert.match(items, /level=item&#?\w*;?readiness=incomplete/)
    assert.match(items, />2 incomplete</)
    const text = await show(AT)
    assert.match(text, /readiness\?level=all">All/)
    assert.doesNotMatch(text, /level=batch/)
  })

  test('shows the draft of an act as a draft, and names the acts that concern nothing', async () => {
    const text = await show(AT)
    assert.match(getAct(text, 'eu.textile.jrc-draft'), /Draft, expected to apply from 2029/)
    assert.match(text, /Concerns none of these products: [^<]*Furniture passport/)
    assert.match(await show(AT, GERMAN), /Fehlt am häufigsten/)
  })

  test('shows acts that the account has opted in to', async () => {
    assert.equal(getAct(await show(AT), 'eu.registry'), '')
    await storeReadinessSettings(ctx, {
      acts: ['eu.registry'],
      parameters: {},
      gate: { acts: [], on: 'off' },
    })
    assert.match(getAct(await show(AT), 'eu.registry'), /Product passport registry/)
  })

  test('of an account without products says so; viewers have no link to the settings', async () => {
    const other = await stand.signedIn(await stand.account({ name: 'Leer' }), 'viewer')
    assert.match((await other.get(AT)).text, /There are no products yet\./)
    const seen = await viewer.get(AT)
    assert.equal(seen.status, 200)
    assert.doesNotMatch(seen.text, /settings\/readiness/)
  })
})

test('the file has a line for each rule that is not met', async () => {
  const { headers, text } = await owner.get(`${AT}.csv`)
  assert.equal(headers['content-type'], 'text/csv; charset=utf-8')
  const lines = text.replace('\ufeff', '').trimEnd().split('\r\n')
  assert.match(
    lines[0] ?? '',
    /^Act,Status,Due from,Products,Complete,Incomplete,Unclear,Point,Rule,Title,Question,/,
  )
  const line = lines.find(one => one.includes(',batt.14,')) ?? assert.fail()
  assert.match(line, /^Battery passport,In force,2027-02-18,2,0,2,1,14,batt\.14,.*,1,0,0,/)
  assert.match(await show(`${AT}.csv`, GERMAN), /^\ufeffRechtsakt;Stand;/)
})

describe('the list of products', () => {
  test('shows those that lack a rule; each leads to it', async () => {
    const text = await show('/console/products?missing=batt.14')
    assert.deepEqual(listIds(text), [batteries[0]])
    assert.match(text, new RegExp(`href="/console/products/${batteries[0]}/readiness#batt\\.14"`))
    assert.match(text, /Only active products that lack “Extinguishing agent”.*Battery passport/)
    assert.match(text, /Items <span class="tab-count">2</)
    assert.match(text, /<input type="hidden" name="missing" value="batt\.14">/)
  })

  test('shows those that an act finds incomplete or unclear; the filter stays with a search', async () => {
    const state = (one: string) => `/console/products?readiness=${one}&act=eu.battery.passport`
    assert.deepEqual(listIds(await show(state('incomplete'))).sort(), batteries.slice(0, 2).sort())
    assert.deepEqual(listIds(await show(state('undetermined'))), batteries.slice(2))
    assert.deepEqual(listIds(await show(`${state('incomplete')}&q=Better`)), [batteries[1]])
    assert.match(await show(state('ready')), /class="empty"/)
  })

  test('ignores what names no rule, act or state', async () => {
    for (const query of ['missing=batt.9999', 'readiness=ready', 'readiness=odd&act=eu.battery.passport'])
      assert.equal(listIds(await show(`/console/products?${query}`)).length, 4, query)
  })
})
