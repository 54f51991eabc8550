/**
 * Runs every write of the API beside every other, with and without an `Idempotency-Key`, in two servers on
 * one database: no transaction may deadlock with another, and nobody may get 503.
 */
import assert from 'node:assert/strict'
import { hash, randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { closeAccount, reopenAccount } from '../../src/accounts/account/close-account.ts'
import { deleteExpiredKeys } from '../../src/accounts/idempotency/idempotency.ts'
import { nameOnly } from '../../src/accounts/identity/identity.ts'
import { verifyAccount, withdrawVerification } from '../../src/accounts/issuer/verify-account.ts'
import { inTransaction, repeatTransaction } from '../../src/kernel/db/transaction.ts'
import { deleteUnfinishedMedia } from '../../src/media/upkeep/delete-media.ts'
import { deleteUnusedMedia } from '../../src/media/upkeep/delete-unused-media.ts'
import { isNamedInDraft } from '../../src/passports/drafts/named-in-drafts.ts'
import { deleteOldDrafts } from '../../src/passports/drafts/store-drafts.ts'
import { releaseDppId } from '../../src/passports/write/release-dpp-id.ts'
import { releaseGtin } from '../../src/passports/write/release-gtin.ts'
import { writeRows } from '../../src/transfer/spreadsheets/import/write-rows.ts'
import { deleteExpiredWebhookRows } from '../../src/webhooks/retention.ts'
import {
  type Answer,
  type Harness,
  newProduct,
  nextGtin,
  startHarness,
  type TestAccount,
} from '../harness.ts'
import { makePng } from '../media/sample-files.ts'
import { buildFurniture, pick, runBeside, runJob, shuffled } from './beside-stand.ts'

const CLIENTS = 8

let t: Harness
let servers: Harness[]
let account: TestAccount
before(async () => {
  t = await startHarness()
  account = await t.account({ plan: 'enterprise' })
  servers = [t, await t.beside()]
})
after(async () => {
  await servers[1]?.close()
  await t.close()
})

type Request = {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  body?: unknown
  type?: string
  bytes?: Buffer
}

async function send({ method, path, body, type, bytes }: Request, isKeyed: boolean): Promise<Answer> {
  const headers = {
    ...(isKeyed ? { 'idempotency-key': randomUUID() } : {}),
    ...(type === undefined ? {} : { 'content-type': type }),
  }
  const root = path.startsWith('/dpp/') ? '' : '/api/v1'
  const server = pick(servers)
  return server.ask(method, `${root}${path}`, {
    key: account.key,
    headers,
    ...(type === undefined ? { body } : { text: bytes ?? JSON.stringify(body) }),
  })
}

const post = async (path: string, body: unknown) => {
  const answer = await send({ method: 'POST', path, body }, false)
  assert.ok(answer.status < 300, answer.text)
  return answer.json.data
}

test('bulk calls with an Idempotency-Key beside archives and restores of the same products', async () => {
  const skus = ['k-1', 'k-2', 'k-3', 'k-4']
  const known = await Promise.all(skus.map(sku => post('/products', newProduct({ sku }))))
  let n = 0
  const bulk = () => {
    const rows = [`new-${++n}-${randomUUID()}`, ...skus].map(sku => newProduct({ sku, weightGrams: n }))
    return send({ method: 'POST', path: '/products/bulk', body: { items: rows } }, true)
  }
  const setStatus = () => {
    const path = `/products/${pick(known).id}/${pick(['archive', 'restore'])}`
    return send({ method: 'POST', path }, false)
  }
  await runBeside(t, [bulk, bulk, setStatus, setStatus, setStatus, setStatus])
})

type World = {
  models: string[]
  batches: string[]
  items: string[]
  skus: string[]
  gtins: string[]
  pictures: Buffer[]
  /** Ids of drafts and offers; some are there no more. */
  drafts: string[]
  offers: string[]
}

/** Few products, so that requests meet. */
async function buildWorld(): Promise<World> {
  const skus = Array.from({ length: 6 }, (_, i) => `w-${i}`)
  const gtins = Array.from({ length: 8 }, () => nextGtin())
  const made = await Promise.all(skus.map((sku, i) => post('/products', newProduct({ sku, gtin: gtins[i] }))))
  const models = made.map(({ id }) => id)
  const [first = ''] = models
  const children = (parent: string, body: object) => post(`/products/${parent}/children`, body)
  const lots = ['L0', 'L1', 'L2']
  const batches = await Promise.all(lots.map(lot => children(first, { level: 'batch', lot, data: {} })))
  const items = await Promise.all(
    batches.map(({ id }, i) => children(id, { level: 'item', serial: `S${i}`, data: {} })),
  )
  const pictures = await Promise.all([8, 9, 10].map(width => makePng({ width, height: 8 })))
  const units = { batches: batches.map(({ id }) => id), items: items.map(({ id }) => id) }
  return { models, ...units, skus, gtins, pictures, drafts: ['0'.repeat(26)], offers: ['0'.repeat(26)] }
}

/** Some measurements meet at the same item and second. */
const SECONDS = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z', '2026-01-02T00:00:00Z']

const data = () => ({ weightGrams: Math.ceil(Math.random() * 1_000) })

const pickDppId = () => `https://brand.example/${Math.ceil(Math.random() * 30)}`

const getMediaId = (bytes: Buffer): string => hash('sha256', bytes, 'hex')

/** Each write of the API, by what its request is for. */
const WRITES: Record<string, (world: World) => Request> = {
  create: ({ gtins }) => {
    const more = Math.random() < 0.5 ? { gtin: pick(gtins) } : {}
    return { method: 'POST', path: '/products', body: newProduct(more) }
  },
  patch: ({ models, batches, items }) => ({
    method: 'PATCH',
    path: `/products/${pick([...models, ...batches, ...items])}`,
    body: { data: data(), change_type: pick(['change', 'correction']) },
  }),
  patchGtin: ({ models, gtins }) => ({
    method: 'PATCH',
    path: `/products/${pick(models)}`,
    body: { data: { gtin: pick([...gtins, nextGtin()]) } },
  }),
  putBySku: ({ skus }) => ({
    method: 'PUT',
    path: `/products/by-sku/${pick([...skus, 'w-new'])}`,
    body: { ...newProduct(), data: { ...newProduct().data, sku: undefined, ...data() } },
  }),
  bulk: ({ skus, gtins }) => {
    const rows = shuffled([...skus, `b-${randomUUID()}`, `b-${Math.ceil(Math.random() * 30)}`])
    const items = rows.map(sku =>
      newProduct({ sku, ...data(), ...(Math.random() < 0.3 ? { gtin: pick(gtins) } : {}) }),
    )
    return { method: 'POST', path: '/products/bulk', body: { items } }
  },
  archive: ({ models, batches, items }) => ({
    method: 'POST',
    path: `/products/${pick([...models, ...batches, ...items])}/archive`,
  }),
  restore: ({ models, batches, items }) => ({
    method: 'POST',
    path: `/products/${pick([...models, ...batches, ...items])}/restore`,
  }),
  revert: ({ models, items }) => ({
    method: 'POST',
    path: `/products/${pick([...models, ...items])}/versions/1/revert`,
  }),
  children: ({ models, batches }) => {
    const serials = shuffled(Array.from({ length: 5 }, () => `R${Math.ceil(Math.random() * 50)}`))
    const items = serials.map(serial => ({ serial }))
    const parent = pick([models[0] ?? '', ...batches])
    return { method: 'POST', path: `/products/${parent}/children`, body: { level: 'item', items } }
  },
  updateChildren: ({ models }) => {
    const units = [{ lot: 'L0' }, { lot: 'L1' }, { serial: 'S0' }, { serial: 'S1' }, { serial: 'S2' }]
    const items = shuffled(units).map(unit => ({ ...unit, data: data() }))
    const body = { items, change_type: pick(['change', 'correction']) }
    return { method: 'POST', path: `/products/${models[0]}/children/update`, body }
  },
  refresh: ({ models, batches, items }) => ({
    method: 'POST',
    path: `/products/${pick([models[0] ?? '', ...batches, ...items])}/refresh`,
  }),
  measure: ({ items }) => ({
    method: 'POST',
    path: `/products/${pick(items)}/measurements`,
    body: { at: pick(SECONDS), values: { washCycles: Math.random() }, corrects: true },
  }),
  measureChildren: ({ models, items }) => ({
    method: 'POST',
    path: `/products/${models[0]}/children/measurements`,
    body: {
      items: shuffled(items).map(id => ({ id, at: pick(SECONDS), values: { washCycles: Math.random() } })),
    },
  }),
  recall: ({ models }) => ({
    method: 'PUT',
    path: `/products/${models[0]}/recall`,
    body: { hazard: { en: `Hazard ${Math.random()}` }, action: { en: 'Bring it back.' } },
  }),
  endRecall: ({ models }) => ({
    method: 'DELETE',
    path: `/products/${models[0]}/recall`,
  }),
  event: ({ batches, items }) => ({
    method: 'POST',
    path: `/products/${pick([...batches, ...items])}/events`,
    body: pick([
      { kind: 'repair', at: '2026-01-01' },
      { kind: 'lost', at: '2026-01-01' },
    ]),
  }),
  unitEvents: ({ models }) => {
    const units = [
      { lot: 'L0' },
      { lot: 'L1' },
      { serial: 'S0' },
      { serial: 'S1' },
      { serial: 'S2' },
      { serial: 'S0' },
    ]
    const items = shuffled(units).map(unit => ({
      ...unit,
      kind: pick(['found', 'repair']),
      at: '2026-01-01',
    }))
    return { method: 'POST', path: `/products/${models[0]}/children/events`, body: { items } }
  },
  offer: ({ models }) => ({
    method: 'POST',
    path: '/offers',
    body: { kind: 'repair', title: { en: 'Repair' }, url: 'https://a.example', product_id: pick(models) },
  }),
  enPatch: ({ models, items }) => ({
    method: 'PATCH',
    path: `/dpp/v1/dpps/${encodeURIComponent(pick([...models, ...items]))}`,
    body: data(),
    type: 'application/merge-patch+json',
  }),
  enArchive: ({ items }) => ({
    method: 'DELETE',
    path: `/dpp/v1/dpps/${encodeURIComponent(pick(items))}`,
  }),
  enCreate: ({ gtins }) => ({
    method: 'POST',
    path: '/dpp/v1/dpps',
    body: {
      ...buildFurniture(),
      uniqueProductIdentifier: `https://id.gs1.org/01/0${pick([...gtins, nextGtin()])}`,
      digitalProductPassportId: pickDppId(),
    },
  }),
  upload: ({ pictures }) => ({
    method: 'POST',
    path: '/media',
    type: 'image/png',
    bytes: pick(pictures),
  }),
  fetchFile: () => ({
    method: 'POST',
    path: '/media',
    body: { source_url: 'https://nowhere.example/a.png' },
  }),
  deleteFile: ({ pictures }) => ({ method: 'DELETE', path: `/media/${getMediaId(pick(pictures))}` }),
  patchPicture: ({ models, pictures }) => ({
    method: 'PATCH',
    path: `/products/${pick(models)}`,
    body: { data: { pictures: [{ media: getMediaId(pick(pictures)), alt: { en: 'A bag' } }] } },
  }),
  draft: ({ models, items, gtins, pictures }) => {
    const more = { pictures: [{ media: getMediaId(pick(pictures)), alt: { en: 'A bag' } }] }
    const { category, data } = newProduct({ gtin: pick(gtins), ...(Math.random() < 0.3 ? more : {}) })
    const change = { product_id: pick([...models, ...items]), data: { weightGrams: 1 } }
    return { method: 'POST', path: '/drafts', body: Math.random() < 0.5 ? change : { category, data } }
  },
  changeDraft: ({ drafts }) => ({
    method: 'PATCH',
    path: `/drafts/${pick(drafts)}`,
    body: { data: data() },
  }),
  publishDraft: ({ drafts }) => ({ method: 'POST', path: `/drafts/${pick(drafts)}/publish` }),
  deleteDraft: ({ drafts }) => ({ method: 'DELETE', path: `/drafts/${pick(drafts)}` }),
  changeOffer: ({ offers, models }) => ({
    method: 'PATCH',
    path: `/offers/${pick(offers)}`,
    body: { product_id: pick(models) },
  }),
  deleteOffer: ({ offers }) => ({ method: 'DELETE', path: `/offers/${pick(offers)}` }),
  settings: () => ({
    method: 'PUT',
    path: '/readiness/settings',
    body: { acts: pick([[], ['fr.agec.textile']]) },
  }),
}

/** Work without a request: imports, commands of the operator and scheduled tasks. */
const JOBS: Record<string, (world: World) => Promise<unknown>> = {
  import: ({ skus, gtins }) => {
    const rows = shuffled([...skus, `i-${Math.ceil(Math.random() * 30)}`]).map(sku => ({
      data: { ...newProduct({ sku, ...(Math.random() < 0.3 ? { gtin: pick(gtins) } : {}) }).data, ...data() },
      empty: [],
      cells: [],
    }))
    return repeatTransaction(() =>
      inTransaction(account.ctx.sql, sql =>
        writeRows({ ...account.ctx, sql }, rows, {
          category: 'textile',
          matchBy: 'sku',
          changeType: 'change',
          dryRun: false,
          before: 0,
          reading: { columns: [], mark: 'point', clears: false },
          isConfirmed: true,
        }),
      ),
    )
  },
  async close() {
    await closeAccount(operator(), account.id)
    await reopenAccount(operator(), account.id)
  },
  release: ({ gtins }) => releaseGtin(operator(), pick(gtins), { force: true }),
  releaseDppId: () => releaseDppId(operator(), pickDppId(), Math.random() < 0.5 ? account.id : undefined),
  async verify() {
    await verifyAccount({ ...account.ctx, sql: t.setup.sql }, nameOnly('Testmarke GmbH'), 'test')
    await withdrawVerification({ ...account.ctx, sql: t.setup.sql })
  },
  async retention() {
    const later = new Date(Date.now() + 86_400_000)
    const { sql } = account.ctx
    await deleteExpiredKeys(sql, later)
    await deleteOldDrafts(sql, new Date(later.getTime() + 400 * 86_400_000))
    await deleteExpiredWebhookRows({ sql, clock: t.clock })
    await deleteUnfinishedMedia({ sql, clock: t.clock }, t.setup.media.mediaStore)
    const clock = { now: () => new Date(later.getTime() + 40 * 86_400_000) }
    const { mediaStore } = t.setup.media
    await deleteUnusedMedia({ sql, clock }, { mediaStore, isNamedInDraft, goesOn: () => true }, undefined)
  },
}
const operator = () => ({ sql: t.setup.sql, clock: t.clock })

test('every write beside every other, with and without an Idempotency-Key', async () => {
  const world = await buildWorld()
  await t.sql`update account set uses_registry = true where id = ${account.id}`
  const names = Object.keys(WRITES)
  const sendAny = async (name: string, isKeyed: boolean) => {
    const build = WRITES[name]
    assert.ok(build)
    const answer = await send(build(world), isKeyed)
    const id = answer.status === 201 ? answer.json.data?.id : undefined
    if (name === 'draft' && id !== undefined) world.drafts = [id, ...world.drafts.slice(0, 5)]
    if (name === 'offer' && id !== undefined) world.offers = [id, ...world.offers.slice(0, 5)]
    return answer
  }
  const runAny = (name: string) => runJob(async () => JOBS[name]?.(world))
  // Alone, each is accepted, perhaps not at once: a GTIN may be taken, a draft published.
  for (const name of names) {
    let answer = await sendAny(name, false)
    for (let i = 0; i < 30 && answer.status >= 300; i++) {
      await sendAny(pick(['draft', 'offer', 'upload', 'restore']), false)
      answer = await sendAny(name, false)
    }
    assert.ok(answer.status < 300, `${name}: ${answer.status} ${answer.text}`)
  }
  for (const name of Object.keys(JOBS)) {
    const { status, text } = await runAny(name)
    assert.ok(status < 500, `${name}: ${status} ${text}`)
  }
  const loop = () =>
    Math.random() < 0.2 ? runAny(pick(Object.keys(JOBS))) : sendAny(pick(names), Math.random() < 0.5)
  await runBeside(
    t,
    Array.from({ length: CLIENTS }, () => loop),
  )
})
