/** Tests what the console says where nothing is asked, where an act is not modelled whole, and for whom a day is. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { CORES } from '../harness.ts'
import { type Browser, type Stand, startStand } from './stand.ts'

const GERMAN = { headers: { 'accept-language': 'de' } }

let stand: Stand
let owner: Browser
let ctx: Parameters<typeof createPassport>[0]
/** A battery that cannot be recharged. It exists before the sums of the account are first read. */
let cell: string

before(async () => {
  stand = await startStand()
  const account = await stand.account({ plan: 'enterprise' })
  ctx = { ...stand.ctx, sql: stand.sql, accountId: account, actorId: 1 }
  owner = await stand.signedIn(account, 'owner')
  cell = await make('battery', { batteryCategory: 'portable', cellChemistry: 'alkaline' })
})
after(() => stand.close())

async function make(category: keyof typeof CORES, changes: object = {}): Promise<string> {
  const product = { category, data: { ...CORES[category], ...changes }, strict: false }
  return (await createPassport(ctx, product)).passport.id
}

async function showAct(path: string, act: string, ask = {}): Promise<string> {
  const { status, text } = await owner.get(path, ask)
  assert.equal(status, 200, path)
  const plain = text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
  return new RegExp(`<section aria-labelledby="${act}".*?</section>`, 's').exec(plain)?.[0] ?? ''
}

const getPage = (uuid: string) => `/console/products/${idFromUuid(uuid)}/readiness`

describe('a model whose units tell everything', () => {
  let model: string
  before(async () => {
    model = await make('textile')
    const units = [{ serial: 'S1' }, { serial: 'S2' }, { serial: 'S3', data: { substancesOfConcern: [] } }]
    await issueUnits(ctx, { parentUuid: model, level: 'item', units, bulk: true, strict: false })
  })

  test('says how many lack something, and not that nothing is missing', async () => {
    const act = await showAct(getPage(model), 'eu.reach')
    assert.match(act, /<span class="amount">Asked of its units<\/span>/)
    assert.match(act, /Asked of its units: 2 of 3 lack something\./)
    assert.match(act, /2 of 3 units lack it\./)
    assert.doesNotMatch(act, /Nothing is missing|100\s*%|<meter/)
    assert.match(await showAct(getPage(model), 'eu.reach', GERMAN), /2 von 3 fehlt etwas\./)
  })

  test('is counted apart on the page of the account', async () => {
    const act = await showAct('/console/readiness', 'eu.reach')
    assert.match(act, /One is asked nothing itself/)
    assert.doesNotMatch(act, /One complete|100\s*%/)
    assert.match(await showAct('/console/readiness?level=item', 'eu.reach'), /One complete.*2 incomplete/s)
    const { text } = await owner.get('/console/readiness.csv')
    const [head = '', ...lines] = text.trimEnd().split('\r\n')
    assert.match(head, /,Source,Nothing asked$/)
    const own = lines.filter(line => line.startsWith('Chemicals in articles')).map(line => line.split(','))
    assert.ok(own.length > 0)
    for (const cells of own) assert.deepEqual([cells[3], cells.at(-1)], ['0', '1'], cells.join(','))
  })
})

describe('an act that is not modelled whole', () => {
  test('names what Carnet does not check, and never says that nothing is missing', async () => {
    const act = await showAct(getPage(cell), 'eu.battery.qr')
    assert.match(act, /Carnet does not have every rule of this act/)
    assert.match(act, /Minimum average duration.*\(BR 13\(3\)\)/)
    assert.match(
      await showAct(getPage(cell), 'eu.battery.qr', GERMAN),
      /Mindestbetriebsdauer.*\(BR 13\(3\)\)/,
    )
    assert.match(await showAct('/console/readiness', 'eu.battery.qr'), /no product counts as complete/)
  })

  test('says of a product that lacks nothing only what was checked', async () => {
    const shirt = await make('textile', {
      nonTextileAnimalParts: false,
      componentComposition: [{ component: 'outer fabric', fiber: 'cotton', percentage: 100 }],
    })
    const act = await showAct(getPage(shirt), 'eu.textile.labelling')
    assert.match(act, /Nothing is missing of what Carnet checks\./)
    assert.match(act, /99\s*%/)
  })
})

describe('a day with conditions', () => {
  test('is shown with those for whom it is, in both languages', async () => {
    const table = await make('furniture', {
      commodityCode: '94036010',
      materialComposition: [{ material: 'wood', percentage: 100 }],
    })
    const act = await showAct(getPage(table), 'eu.furniture.eudr')
    assert.match(act, /<strong>30 Dec 2026: All others/)
    assert.match(act, /30 Jun 2027: Natural persons/)
    assert.match(await showAct(getPage(table), 'eu.furniture.eudr', GERMAN), /30\.12\.2026: Alle anderen/)
  })

  test('a rule of its own day says which, and the sources when they were read', async () => {
    const ev = await make('battery', { batteryCategory: 'ev' })
    const { text } = await owner.get(getPage(ev))
    assert.match(text, /18 Aug 2027: Companies that Article 47 does not exempt/)
    assert.match(text, /Not verified\. Version 1\.0/)
    assert.match(text, /read on 22 Nov 2026 through a transcription by OpenEPCIS/)
  })
})
