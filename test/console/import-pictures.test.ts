/** Tests the column `pictures` of spreadsheets: ids and addresses, fetched once, stopped, and continued. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { getOperatorActor } from '../../src/accounts/account/actors.ts'
import { createLog } from '../../src/kernel/errors/log.ts'
import { createAddressList } from '../../src/kernel/http/ip-ranges.ts'
import { openOutbound } from '../../src/kernel/http-out/outbound-http.ts'
import { addMedia } from '../../src/media/upkeep/add-media.ts'
import { effectiveData, getState } from '../../src/passports/core/state.ts'
import { findBySku } from '../../src/passports/write/find-matches.ts'
import {
  resumeImports,
  stopImports,
  waitForImports,
} from '../../src/transfer/spreadsheets/import/run-import.ts'
import { createFetchSlots, createMediaFetcher } from '../../src/worker/media-fetcher.ts'
import { endPools, getTestShard } from '../database.ts'
import { makePdf, makePng } from '../media/sample-files.ts'
import { waitUntil } from '../waiting.ts'
import { bring, check, counts, download, plain, run, sendColumns } from './import-form.ts'
import { type Browser, PUBLIC_URL, type Stand, startStand } from './stand.ts'

let stand: Stand
let account: number
let editor: Browser
let server: Server
let base: string
let picture: Buffer
const asked: string[] = []
const answers: Record<string, RequestListener> = {}
let fetching: { stop: () => Promise<void> }

const log = createLog({ logLevel: 'silent', logFormat: 'json' })

/** Fetches files as the worker does, without waiting a second between two looks. */
function startFetching() {
  const fetcher = createMediaFetcher({
    ...stand.media,
    sql: stand.sql,
    clock: stand.clock,
    log,
    slots: createFetchSlots(),
    outbound: openOutbound({ allowInsecureLoopback: true, allowed: createAddressList([]) }),
  })
  let goesOn = true
  const work = (async () => {
    while (goesOn) {
      await fetcher.startDue()
      await pause(20)
    }
  })()
  return {
    async stop() {
      goesOn = false
      await work
      await fetcher.stop()
    },
  }
}

before(async () => {
  stand = await startStand()
  account = await stand.account({ plan: 'enterprise' })
  editor = await stand.signedIn(account, 'editor')
  picture = await makePng({ width: 40, height: 30 })
  server = createServer((request, response) => {
    const path = String(request.url)
    asked.push(path)
    const answer = answers[path]
    if (answer !== undefined) answer(request, response)
    else if (path.startsWith('/ok')) response.end(Buffer.concat([picture, Buffer.from(path)]))
    else response.writeHead(404).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  fetching = startFetching()
})
after(async () => {
  await fetching.stop()
  server.closeAllConnections()
  server.close()
  await stand.close()
})

const accountContext = async () => ({
  ...stand.ctx,
  sql: stand.sql,
  accountId: account,
  actorId: await getOperatorActor(stand.ctx, account),
})

const addPicture = async (): Promise<string> => {
  const ctx = { ...(await accountContext()), ...stand.media }
  return (await addMedia(ctx, { bytes: Buffer.concat([picture, randomBytes(8)]) })).file.id
}

async function readProduct(sku: string) {
  const ctx = await accountContext()
  const [id = ''] = (await findBySku(ctx, [sku])).get(sku)?.ids ?? []
  const state = await getState(ctx, id)
  const data = effectiveData(state) as { pictures?: { media: string; alt: Record<string, string> }[] }
  return { version: state.row.version_no, pictures: data.pictures ?? [] }
}

const HEAD = [
  'sku',
  'productName',
  'brandName',
  'languages',
  'economicOperator.role',
  'economicOperator.legalName',
  'economicOperator.address',
  'economicOperator.country',
  'economicOperator.contactEmail',
  'fiberComposition',
  'countryOfManufacture',
  'careInstructions.de',
  'repair.repairable',
  'repair.sparePartsAvailable',
  'endOfLife.recyclingInstructions.de',
  'endOfLife.disposalInstructions.de',
  'weightGrams',
]
const line = (sku: string) => [
  sku,
  `Jacke ${sku}`,
  'Testmarke',
  'de',
  'manufacturer',
  'Testmarke GmbH',
  'Werkstraße 1',
  'DE',
  'pass@testmarke.example',
  '100 % cotton',
  'PT',
  'Bei 30 °C',
  'true',
  'false',
  'Sammelstelle',
  'Nicht in den Hausmüll',
  '500',
]
type Row = { sku: string; pictures: string; more?: Record<string, string> }
const sheet = (rows: readonly Row[], title = 'pictures') => {
  const extra = Object.keys(rows[0]?.more ?? {})
  const lines = rows.map(({ sku, pictures, more = {} }) => [...line(sku), pictures, ...Object.values(more)])
  return [[...HEAD, title, ...extra], ...lines]
    .map(cells => `${cells.map(one => `"${one}"`).join(',')}\n`)
    .join('')
}

const bringRows = (rows: readonly Row[], title?: string) => bring(stand, editor, sheet(rows, title))

describe('a column of pictures', () => {
  let own = ''
  let at = ''
  before(async () => {
    own = await addPicture()
    answers['/a.pdf'] = async (_, response) => response.end(await makePdf())
    answers['/big'] = (_, response) =>
      response.setHeader('content-length', 30 * 2 ** 20).end(Buffer.alloc(30 * 2 ** 20))
    const rows = [
      { sku: 'P-1', pictures: `${own}; ${base}/ok/1.png` },
      { sku: 'P-2', pictures: `${base}/ok/1.png;${PUBLIC_URL}/m/${own}/640.jpg` },
      { sku: 'P-3', pictures: `${base}/none.png` },
      { sku: 'P-4', pictures: `${base}/a.pdf` },
      { sku: 'P-5', pictures: `${base}/big` },
      { sku: 'P-6', pictures: 'https://192.168.0.1/a.png; jacket.png' },
      { sku: 'P-7', pictures: 'f'.repeat(64) },
      { sku: 'P-8', pictures: Array.from({ length: 13 }, () => own).join(';') },
      { sku: 'P-9', pictures: '' },
    ]
    at = await bringRows(rows, 'Bilder')
  })

  test('is checked without fetching anything', async () => {
    const checked = await check(stand, editor, at)
    assert.deepEqual(counts(checked), [6, 0, 0, 3])
    assert.match(checked.text, /will fetch 4 pictures from their addresses/)
    assert.deepEqual(asked, [])
    const errors = plain(checked.text)
    assert.match(errors, /https:\/\/192\.168\.0\.1\/a\.png is not a public address/)
    assert.match(errors, /“jacket\.png” is neither the address nor the id of a picture/)
    assert.match(errors, /This account has no picture f{64}/)
    assert.match(errors, /There are 13 pictures in the cell/)
  })

  test('gives products their pictures; a picture that fails is left out, and the report says why', async () => {
    const done = await run(stand, editor, at)
    assert.deepEqual(counts(done), [6, 0, 0, 3])
    assert.deepEqual(asked.toSorted(), ['/a.pdf', '/big', '/none.png', '/ok/1.png'])
    const report = plain(/<h2 id="notes">.*?<\/table>/s.exec(done.text)?.[0] ?? '')
    assert.match(report, /3 products were imported without pictures that could not be fetched/)
    assert.match(report, />4<\/td><td>R: Bilder<\/td><td>There is no picture at http\S+none\.png/)
    assert.match(report, />5<\/td><td>R: Bilder<\/td><td>http\S+a\.pdf is not a picture/)
    assert.match(report, />6<\/td><td>R: Bilder<\/td><td>The picture at http\S+big is too large/)
    const [one, two, nine] = await Promise.all(['P-1', 'P-2', 'P-9'].map(readProduct))
    for (const sku of ['P-3', 'P-4', 'P-5']) assert.deepEqual((await readProduct(sku)).pictures, [])
    const fetched = one?.pictures[1]?.media
    assert.deepEqual(
      one?.pictures.map(({ media, alt }) => [media, alt]),
      [
        [own, { de: 'Jacke P-1' }],
        [fetched, { de: 'Jacke P-1' }],
      ],
    )
    assert.deepEqual(
      two?.pictures.map(({ media }) => media),
      [fetched, own],
    )
    assert.deepEqual(nine?.pictures, [])
  })

  test('is exported as addresses, and importing it again changes nothing and fetches nothing', async () => {
    const file = await download(
      stand,
      editor,
      '/console/export/file?category=textile&status=all&q=&format=csv',
    )
    assert.match(file.toString(), new RegExp(`${PUBLIC_URL}/m/${own}/320\\.jpg; ${PUBLIC_URL}/m/`))
    assert.doesNotMatch(file.toString(), /pictures\[1\]/)
    const again = await bring(stand, editor, file)
    const checked = await check(stand, editor, again)
    assert.deepEqual(counts(checked), [0, 0, 6, 0])
    assert.doesNotMatch(checked.text, /will fetch/)
  })

  test('keeps the pictures of a product if none of the new ones can be fetched, and drops only lost ones', async () => {
    const before = await readProduct('P-2')
    const both = `${base}/none2.png; ${base}/ok/1.png`
    const lost = await bringRows([
      { sku: 'P-2', pictures: `${base}/none2.png` },
      { sku: 'P-3', pictures: both },
    ])
    assert.deepEqual(counts(await check(stand, editor, lost)), [0, 2, 0, 0])
    const done = await run(stand, editor, lost, { confirm: 'yes' })
    assert.deepEqual(counts(done), [0, 1, 1, 0])
    assert.match(plain(done.text), /2 products were imported without pictures/)
    assert.deepEqual(await readProduct('P-2'), before)
    assert.equal((await readProduct('P-3')).pictures.length, 1)
  })

  test('keeps texts, which columns beside it replace, and counts addresses as changes before they are fetched', async () => {
    const more = { 'pictures[2].alt.de': 'Von hinten', 'pictures[2].caption': 'Rücken' }
    const rows = [{ sku: 'P-1', pictures: `${own}; ${base}/ok/1.png`, more }]
    const first = await bringRows(rows)
    assert.deepEqual(counts(await check(stand, editor, first)), [0, 1, 0, 0])
    assert.deepEqual(counts(await run(stand, editor, first, { confirm: 'yes' })), [0, 1, 0, 0])
    const { pictures } = await readProduct('P-1')
    assert.deepEqual(
      pictures.map(({ media: _, ...texts }) => texts),
      [{ alt: { de: 'Jacke P-1' } }, { alt: { de: 'Von hinten' }, caption: { de: 'Rücken' } }],
    )
    const swapped = await bringRows([{ sku: 'P-1', pictures: `${base}/ok/1.png, ${own}` }])
    assert.deepEqual(counts(await check(stand, editor, swapped)), [0, 1, 0, 0])
    assert.deepEqual(counts(await run(stand, editor, swapped, { confirm: 'yes' })), [0, 1, 0, 0])
    assert.deepEqual((await readProduct('P-1')).pictures, pictures.toReversed())
    const same = await bringRows([{ sku: 'P-1', pictures: `${base}/ok/1.png, ${own}` }])
    assert.deepEqual(counts(await check(stand, editor, same)), [0, 1, 0, 0])
    const { version } = await readProduct('P-1')
    assert.deepEqual(counts(await run(stand, editor, same, { confirm: 'yes' })), [0, 0, 1, 0])
    assert.equal((await readProduct('P-1')).version, version)
  })

  test('cannot stand beside a column for the id of one picture', async () => {
    const both = await bringRows([{ sku: 'P-1', pictures: own, more: { 'pictures[1].media': own } }])
    const refused = await sendColumns(editor, both)
    assert.equal(refused.status, 422)
    assert.match(refused.text, /Leave one of them out/)
  })
})

test('an import says how far it is, and stops while it waits for pictures', async () => {
  await fetching.stop()
  const rows = Array.from({ length: 3 }, (_, n) => ({ sku: `S-${n}`, pictures: `${base}/ok/s${n}.png` }))
  const at = await bringRows(rows)
  await check(stand, editor, at)
  assert.equal((await editor.post(`${at}/run`, { form: {} })).status, 303)
  await waitUntil('the pictures get on', async () =>
    /Fetching pictures: 0 of 3/.test((await editor.get(at)).text),
  )
  assert.equal((await editor.post(`${at}/stop`)).status, 303)
  await waitForImports(stand.sql)
  assert.match((await editor.get(at)).text, /0 of 3/)
  const left = await stand.sql`select from media_fetch where status in ('n', 'f')`
  assert.equal(left.length, 0)
  fetching = startFetching()
})

test('an import whose process died while it fetched continues, asks no address twice, and says it is alive', async () => {
  await fetching.stop()
  const rows = Array.from({ length: 4 }, (_, n) => ({ sku: `K-${n}`, pictures: `${base}/ok/k${n % 3}.png` }))
  const at = await bringRows(rows)
  await check(stand, editor, at)
  const gone = await stand.openPools({ max: 2 })
  await stand.sql`update sheet_import set state = 'running', next_chunk = 0, created = 0 where state = 'checked' and file_name = 'Produkte.csv'
    and id = (select id from sheet_import order by id desc limit 1)`
  const rules = { publicUrl: PUBLIC_URL, policy: stand.outbound.policy }
  stand.clock.advance(60_000)
  assert.equal(await resumeImports(getTestShard(gone), stand.clock, rules), 1)
  await waitUntil(
    'the pictures get on',
    async () => (await stand.sql`select from media_fetch where status = 'f'`).length === 3,
  )
  await stopImports(getTestShard(gone))
  await endPools(gone)
  stand.clock.advance(60_000)
  assert.equal(await resumeImports(stand.sql, stand.clock, rules), 1)
  stand.clock.advance(60_000)
  await waitUntil(
    'the pictures get on',
    async () =>
      (await stand.sql`select from sheet_import where alive_at = ${stand.clock.now()}`).length === 1,
  )
  assert.equal(await resumeImports(stand.sql, stand.clock, rules), 0)
  fetching = startFetching()
  await waitForImports(stand.sql)
  assert.deepEqual(counts(await editor.get(at)), [4, 0, 0, 0])
  assert.deepEqual(asked.filter(one => one.includes('/k')).toSorted(), [
    '/ok/k0.png',
    '/ok/k1.png',
    '/ok/k2.png',
  ])
  assert.equal((await readProduct('K-3')).pictures[0]?.media, (await readProduct('K-0')).pictures[0]?.media)
})

test('a product is imported without a picture for which the plan has no room', async () => {
  const [usage] = await stand.sql<{ files: number }[]>`
    select files from media_usage where account_id = ${account}`
  const quota = (usage?.files ?? 0) + 1
  await stand.sql`update plan set media_file_quota = ${quota} where id = 'enterprise'`
  const rows = Array.from({ length: 2 }, (_, n) => ({ sku: `Q-${n}`, pictures: `${base}/ok/q${n}.png` }))
  const at = await bringRows(rows)
  await check(stand, editor, at)
  assert.deepEqual(counts(await run(stand, editor, at)), [2, 0, 0, 0])
  assert.match(plain((await editor.get(at)).text), /Your plan has no room for the picture at/)
})
