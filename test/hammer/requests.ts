/** Valid requests to all calls, with ids and other values from earlier responses. */
import { DOCUMENT_FORMATS } from '../../src/passports/documents/formats.ts'
import { CORES } from '../harness.ts'
import type { Chance } from './chance.ts'

export type Request = {
  method: string
  path: string
  /** In the order they are sent; a name may occur twice. */
  headers: [string, string][]
  body: Buffer | undefined
}

/** API keys by kind. Those of `unlimited` never reach a rate limit or quota. */
export type Callers = {
  unlimited: readonly string[]
  reader: string
  /** Keys that reach a rate limit, quota or plan limit, or that are revoked or malformed. */
  narrow: readonly string[]
}

/** Values seen in responses. Each list keeps the newest. */
export class Memory {
  readonly ids: string[] = []
  readonly gtins: string[] = []
  readonly cursors: string[] = []
  readonly etags: string[] = ['"v1"', '"v2"']
  /** Stored documents, of which the operator withdraws one after another. */
  readonly files: readonly string[]
  private readonly most = 400

  constructor(files: readonly string[]) {
    this.files = files
  }

  note(list: 'ids' | 'gtins' | 'cursors' | 'etags', value: unknown): void {
    if (typeof value !== 'string') return
    this[list].push(value)
    if (this[list].length > this.most) this[list].splice(0, this.most / 4)
  }
}

type Wanted = { method: string; path: string; body?: unknown; headers?: [string, string][] }
type Maker = (chance: Chance, memory: Memory) => Wanted

const API = '/api/v1'
const NOBODY = '01m7zzzzzzzzzzzzzzzzzzzzzz'

const idOf = (chance: Chance, { ids }: Memory) =>
  ids.length === 0 || chance.is(0.02) ? NOBODY : chance.of(ids)

/** A GTIN-13 with a valid check digit; now and then one that was used before. */
function gtin(chance: Chance, { gtins }: Memory): string {
  if (gtins.length > 0 && chance.is(0.1)) return chance.of(gtins)
  const digits = `952${String(chance.below(1_000_000_000)).padStart(9, '0')}`
  const sum = [...digits].reduce((total, digit, i) => total + Number(digit) * (i % 2 === 0 ? 1 : 3), 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

const WORDS = [
  'Oak',
  'table',
  'Ä',
  'ß',
  '%',
  '_',
  'T-1',
  'Test',
  '漢字',
  '😀',
  "O'Neill",
  '\\',
  'N1',
] as const

export const showFile = (media: string) => [
  { title: { en: 'Manual', de: 'Anleitung', el: 'Οδηγίες' }, media },
]

function someData(chance: Chance, memory: Memory): Record<string, unknown> {
  const fields: [string, () => unknown][] = [
    ['productName', () => `${chance.of(WORDS)} ${chance.below(1_000)}`],
    ['sku', () => `S-${chance.below(5_000)}`],
    ['gtin', () => gtin(chance, memory)],
    ['commodityCode', () => String(10_000_000 + chance.below(80_000_000))],
    ['weightKg', () => chance.below(10_000) / 100],
    ['countryOfManufacture', () => chance.of(['DE', 'PT', 'FR', 'CN'])],
    ['languages', () => chance.of([['en'], ['en', 'de'], ['de', 'en'], ['el']])],
    ['careInstructions', () => ({ en: `Wash at ${chance.below(95)} °C.`, de: 'Waschen.' })],
    ['erpNumber', () => chance.below(1_000_000)],
    ['warrantyMonths', () => (chance.is(0.2) ? null : chance.below(120))],
    ['documents', () => (chance.is(0.4) ? null : showFile(chance.of(memory.files)))],
  ]
  const count = chance.below(4)
  return Object.fromEntries(
    Array.from({ length: count }, () => chance.of(fields)).map(([name, make]) => [name, make()]),
  )
}

const categories = Object.keys(CORES) as (keyof typeof CORES)[]

const create: Maker = (chance, memory) => {
  const category = chance.of(categories)
  return {
    method: 'POST',
    path: `${API}/products${dryRun(chance)}`,
    body: { category, data: { ...CORES[category], ...someData(chance, memory) } },
  }
}

/** The path contains the SKU or GTIN, which the server adds to `data`. */
const byKey: Maker = (chance, memory) => {
  const { category, data } = create(chance, memory).body as { category: string; data: object }
  const [key, path] = chance.is(0.5)
    ? ['sku', `by-sku/S-${chance.below(5_000)}`]
    : ['gtin', `by-gtin/${gtin(chance, memory)}`]
  const body = { category, data: Object.fromEntries(Object.entries(data).filter(([name]) => name !== key)) }
  return { method: 'PUT', path: `${API}/products/${path}${dryRun(chance)}`, body }
}

const bulk: Maker = (chance, memory) => ({
  method: 'POST',
  path: `${API}/products/bulk${dryRun(chance)}`,
  body: {
    items: Array.from({ length: 1 + chance.below(12) }, () => {
      const { category, data } = create(chance, memory).body as { category: string; data: object }
      return { category, data: { ...data, sku: `B-${chance.below(5_000)}` } }
    }),
    ...(chance.is(0.1) ? { match_by: chance.of(['sku', 'gtin']) } : {}),
  },
})

const dryRun = (chance: Chance) => (chance.is(0.15) ? '?dry_run=true' : '')

const unitName = (chance: Chance, level: string) =>
  level === 'batch' ? { lot: `L${chance.below(100_000)}` } : { serial: `S${chance.below(1_000_000)}` }

const createUnits: Maker = (chance, memory) => {
  const level = chance.of(['batch', 'item'])
  const unit = () => ({
    ...unitName(chance, level),
    ...(chance.is(0.3) ? { data: { erpNumber: chance.below(99) } } : {}),
  })
  const items = chance.is(0.3) ? { items: Array.from({ length: 1 + chance.below(12) }, unit) } : unit()
  return {
    method: 'POST',
    path: `${API}/products/${idOf(chance, memory)}/children${dryRun(chance)}`,
    body: { level, ...items },
  }
}

const changeUnits: Maker = (chance, memory) => ({
  method: 'POST',
  path: `${API}/products/${idOf(chance, memory)}/children/update${dryRun(chance)}`,
  body: {
    items: Array.from({ length: 1 + chance.below(6) }, () => ({
      ...unitName(chance, chance.of(['batch', 'item'])),
      data: { weightKg: chance.below(50) },
    })),
  },
})

const change: Maker = (chance, memory) => ({
  method: 'PATCH',
  path: `${API}/products/${idOf(chance, memory)}${chance.is(0.2) ? '?dry_run=true' : ''}`,
  body: {
    data: someData(chance, memory),
    ...(chance.is(0.5) ? { change_type: chance.of(['correction', 'change']) } : {}),
    ...(chance.is(0.2) ? { note: chance.of(WORDS) } : {}),
  },
  ...(chance.is(0.2) ? { headers: [['If-Match', chance.of(memory.etags)]] } : {}),
})

const act: Maker = (chance, memory) => ({
  method: 'POST',
  path: `${API}/products/${idOf(chance, memory)}/${chance.of(['archive', 'restore', 'refresh', 'versions/1/revert'])}`,
})

const read: Maker = (chance, memory) => {
  const rest = [
    '',
    '',
    '/qr',
    '/snippet',
    '/versions',
    '/versions/1',
    '/children',
    '/refresh',
    '/scans?days=7',
    '?at=2099-01-01',
  ]
  const headers: [string, string][] = chance.is(0.2) ? [['If-None-Match', chance.of(memory.etags)]] : []
  return { method: 'GET', path: `${API}/products/${idOf(chance, memory)}${chance.of(rest)}`, headers }
}

const list: Maker = (chance, memory) => {
  const parameters: [string, () => string][] = [
    ['q', () => chance.of(WORDS)],
    ['status', () => chance.of(['all', 'active', 'archived'])],
    ['level', () => chance.of(['model', 'batch', 'item', 'all'])],
    ['category', () => chance.of(categories)],
    ['updated_since', () => chance.of(['2026-01-01', '2099-01-01T00:00:00Z'])],
    ['outdated', () => chance.of(['true', 'false'])],
    ['sku', () => `S-${chance.below(5_000)}`],
    ['gtin', () => gtin(chance, memory)],
    ['serial', () => `S${chance.below(1_000_000)}`],
    ['lot', () => `L${chance.below(100_000)}`],
    ['limit', () => String(1 + chance.below(100))],
    ['page', () => String(1 + chance.below(5))],
    ['cursor', () => (memory.cursors.length === 0 ? NOBODY : chance.of(memory.cursors))],
  ]
  const query = new URLSearchParams(
    Array.from({ length: chance.below(4) }, () => chance.of(parameters)).map(([name, make]) => [
      name,
      make(),
    ]),
  )
  return { method: 'GET', path: `${API}/products?${query}` }
}

const SERVICE = [
  '/health',
  '/categories',
  '/schema/textile',
  '/schema/battery?format=json-schema',
  '/schema/none',
  '/scans?days=30',
  '/registry/export',
  '/recalls?status=all',
  '/registry/export?state=exported&format=csv',
]

const service: Maker = chance => ({ method: 'GET', path: API + chance.of(SERVICE) })

const PUBLIC = [
  '',
  '?format=jsonld',
  '/qr.svg',
  '/badge.svg',
  '?lang=de',
  '?version=1',
  '?version=99',
  '?format=none',
  ...DOCUMENT_FORMATS.map(({ id }) => `?format=${id}`),
]

const look: Maker = (chance, memory) => {
  const accept = chance.of([
    'text/html',
    'application/ld+json',
    'application/json',
    '*/*',
    'image/*',
    'text/html;q=0',
  ])
  const own = `/p/${idOf(chance, memory)}${chance.of(PUBLIC)}`
  const gs1 = `/01/${gtin(chance, memory).padStart(14, '0')}${chance.of(['', '/10/L1', '/21/S1', '?linkType=all'])}`
  const path = chance.of([
    own,
    gs1,
    '/ns/dpp',
    '/docs',
    '/robots.txt',
    '/console',
    '/healthz',
    '/',
    '/sitemap.xml',
  ])
  return { method: 'GET', path, headers: [['Accept', accept]] }
}

const REGISTRY_STATES = ['submitted', 'pending', 'registered', 'rejected', 'deactivated']

const registryResults: Maker = (chance, memory) => {
  const results = Array.from({ length: 1 + chance.below(5) }, () => ({
    passport_id: idOf(chance, memory),
    version_no: 1 + chance.below(3),
    state: chance.of(REGISTRY_STATES),
  }))
  return { method: 'POST', path: `${API}/registry/results`, body: { results } }
}

const recall: Maker = (chance, memory) => {
  const path = `${API}/products/${idOf(chance, memory)}/recall`
  const method = chance.of(['PUT', 'PUT', 'GET', 'DELETE'])
  if (method !== 'PUT') return { method, path }
  const text = { en: chance.of(['It can break.', 'It can burn.']) }
  return { method, path, body: { hazard: text, action: text } }
}

const lifeEvent: Maker = (chance, memory) => {
  const path = `${API}/products/${idOf(chance, memory)}/events`
  if (chance.is(0.3))
    return { method: 'GET', path: path + chance.of(['', '?limit=1', '?kind=repair', '?from=2026']) }
  const note = { en: chance.of(WORDS) }
  const correction = { kind: 'correction', corrects: 1 + chance.below(3), note }
  const body = chance.of([
    { kind: 'repair', at: '2026-01-01', note },
    { kind: 'lost', at: '2026-01-01' },
    correction,
    {},
  ])
  return { method: 'POST', path, body }
}

const NO_FILE = 'a'.repeat(64)

/** Files are asked for, and never sent: decoding them would take longer than all other requests. */
const media: Maker = (chance, { files }) => {
  const file = chance.of(files)
  const address = chance.of([`/m/${NO_FILE}/320.webp`, `/m/${NO_FILE}/7.gif`, `/d/${NO_FILE}`, `/d/${file}`])
  const asked = [
    '/media',
    '/media?kind=picture&unused=true',
    '/media?kind=none',
    `/media/${NO_FILE}`,
    `/media/${file}`,
  ]
  if (chance.is(0.3)) return { method: 'GET', path: address }
  if (chance.is(0.2)) return { method: 'DELETE', path: `${API}/media/${chance.of([NO_FILE, file])}` }
  return { method: 'GET', path: API + chance.of(asked) }
}

const offer: Maker = (chance, memory) => {
  const about = chance.of([{}, { category: chance.of(categories) }, { product_id: idOf(chance, memory) }])
  const body = {
    kind: chance.of(['repair', 'take_back', 'none']),
    title: { en: chance.of(WORDS) },
    ...about,
    url: chance.of(['https://shop.example/', 'http://shop.example/', '']),
    countries: chance.of([[], ['DE'], ['XX']]),
  }
  return chance.is(0.5)
    ? { method: 'GET', path: `${API}/offers` }
    : { method: 'POST', path: `${API}/offers`, body }
}

const MAKERS: readonly (readonly [number, Maker])[] = [
  [9, create],
  [4, byKey],
  [3, bulk],
  [10, createUnits],
  [5, changeUnits],
  [15, change],
  [7, act],
  [25, read],
  [9, list],
  [9, service],
  [1, () => ({ method: 'GET', path: `${API}/openapi.json` })],
  [1, registryResults],
  [2, recall],
  [2, lifeEvent],
  [2, media],
  [2, offer],
  [9, look],
]

export function goodRequest(chance: Chance, memory: Memory, callers: Callers): Request {
  const { method, path, body, headers = [] } = chance.weighted(MAKERS)(chance, memory)
  const key = chance.weighted([
    [85, chance.of(callers.unlimited)],
    [6, callers.reader],
    [9, chance.of(callers.narrow)],
  ])
  const sent: [string, string][] = [['Host', 'carnet.example'], ...headers]
  if (path.startsWith(API)) sent.push(['Authorization', `Bearer ${key}`])
  if (body !== undefined) sent.push(['Content-Type', 'application/json'])
  if (method !== 'GET' && chance.is(0.25)) sent.push(['Idempotency-Key', `k${chance.below(50_000)}`])
  return {
    method,
    path,
    headers: sent,
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
  }
}
