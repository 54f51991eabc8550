/** The worst calls of the API, from its table of endpoints. A new endpoint gets them by its definition alone. */
import { API_PREFIX, getBodyLimit } from '../../../src/api/door/door.ts'
import type { AccountEndpoint, Endpoint } from '../../../src/api/endpoint/endpoint.ts'
import { ENDPOINTS } from '../../../src/api/endpoints.ts'
import { newProduct } from '../../harness.ts'
import { type Credential, type RouteCalls, varyRead, type WorstCall, withBodies, withQuery } from './call.ts'
import { LONG, MANY_VALUES, OFFER, RICH, speak } from './heavy-data.ts'
import { makeLargeFiles } from './large-files.ts'
import type { Ask } from './send.ts'
import { JSON_SHAPES, LEGAL_JSON } from './shapes.ts'
import { createThing, makeRoomForOffer } from './things.ts'
import type { World } from './world.ts'

let turn = 0

const EVENT = {
  kind: 'repair',
  at: '2026-01-01',
  parts: Array.from({ length: 20 }, (_, n) => ({ name: `Part ${n}`, serial: `${n}` })),
}

const makeMany = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n))

/** The body that an endpoint accepts and that costs it most; without an entry, the document's first example. */
const BODIES: Readonly<Record<string, (world: World) => unknown>> = {
  createProduct: () => ({ ...RICH, data: { ...RICH.data, sku: `N-${++turn}` } }),
  updateProduct: () => ({ data: { ...MANY_VALUES.data, sku: 'RICH', weightGrams: ++turn } }),
  putProductBySku: () => ({ ...RICH, data: { ...RICH.data, sku: undefined, weightGrams: ++turn } }),
  putProductByGtin: ({ gtin }) => ({ ...RICH, data: { ...RICH.data, gtin, weightGrams: ++turn } }),
  createChildren: () => ({ level: 'item', items: makeMany(500, n => ({ serial: `B${++turn}-${n}` })) }),
  updateChildren: () => ({
    items: makeMany(500, n => ({ serial: `C${n}`, data: { note: `${++turn}` } })),
  }),
  addEvent: () => ({ ...EVENT, note: speak(`Repaired ${++turn}. ${'€'.repeat(800)}`) }),
  addUnitEvents: () => ({
    items: makeMany(500, n => ({ serial: `C${n}`, ...EVENT, reference: `${++turn}` })),
  }),
  createMeasurement: () => ({ at: nextHour(), values: WASHES, occasion: 'handover' }),
  createChildrenMeasurements: () => ({ items: listMeasurements() }),
  setRecall: () => ({ hazard: speak(`It may break ${++turn}.`), action: speak('Stop using it.') }),
  createOffer: () => OFFER,
  updateOffer: () => OFFER,
  checkReadiness: () => RICH,
  createDraft: () => ({ ...RICH, data: { ...RICH.data, sku: `D-${++turn}` } }),
  updateDraft: () => ({ data: MANY_VALUES.data }),
}

const WASHES = { washCycles: 1.23456789012345, uses: 98.7654321098765 }

/** Items have at most 96 measurements of a day. */
const nextHour = () => new Date(Date.UTC(2001, 0, 1) + ++turn * 3_600_000).toISOString()

/** One of each item, so that none waits for another. */
function listMeasurements(): object[] {
  const at = nextHour()
  return makeMany(500, n => ({ serial: `C${n}`, at, values: WASHES }))
}

/** Rows of 16 kB, as many as fit. */
const BULK_ROWS = () =>
  makeMany(500, n => newProduct({ sku: `BULK-${turn}-${n}`, note: 'x'.repeat(14_000), weightGrams: ++turn }))

/** Data of rows at their limits: with these a bulk call has almost 8 MiB. */
const ROW_DATA: readonly { name: string; data: object }[] = [
  { name: 'rows of long numbers', data: { numbers: makeMany(700, n => (n + 1) * 1.234567890123456e-30) } },
  { name: 'rows of long texts', data: { note: `€${'n'.repeat(16_000)}` } },
]

/** Calls of a bulk endpoint with 500 such rows, which are accepted. */
const listBulkCalls = ({ id }: AccountEndpoint, send: (body: Buffer) => Promise<Ask>): WorstCall[] =>
  ROW_DATA.map(({ name, data }) => ({
    name,
    credential: 'full key',
    make: () => {
      if (id === 'createChildrenMeasurements')
        return send(Buffer.from(JSON.stringify({ items: listMeasurements() })))
      const call = ++turn
      const items = makeMany(500, n => {
        if (id === 'createChildren') return { serial: `L${call}-${n}`, data }
        if (id === 'addUnitEvents')
          return { serial: `C${n}`, ...EVENT, note: { en: `${call} ${'€'.repeat(1_900)}` } }
        return id === 'updateChildren'
          ? { serial: `C${n}`, data }
          : newProduct({ sku: `L${call}-${n}`, ...data })
      })
      const level = id === 'createChildren' ? { level: 'item' } : {}
      return send(Buffer.from(JSON.stringify({ ...level, items })))
    },
  }))

/** Routes whose answer to an accepted call is not a success. */
const ACCEPTS: Readonly<Record<string, readonly number[]>> = {}

/** `maxJsonBytes`: of bodies at the limit of a route that takes more. */
export const listApiCalls = (world: World, maxJsonBytes: number): RouteCalls[] =>
  ENDPOINTS.map(endpoint => {
    const route = `${endpoint.method} ${API_PREFIX}${endpoint.path}`
    const accepts = ACCEPTS[endpoint.id]
    const calls =
      endpoint.method === 'GET' ? listReads(world, endpoint) : listWrites(world, endpoint, maxJsonBytes)
    return { route, calls, ...(accepts && { accepts }) }
  })

const authorize = (world: World, credential: Credential): Record<string, string> => {
  if (credential === 'anonymous') return {}
  const token = { 'full key': world.keys.full, 'read key': world.keys.read, link: world.linkToken }
  return { authorization: `Bearer ${token[credential as keyof typeof token]}` }
}

function listReads(world: World, endpoint: Endpoint): WorstCall[] {
  const query = buildLongestQuery(endpoint)
  const credential = endpoint.isPublic ? 'anonymous' : 'read key'
  const headers = authorize(world, credential)
  const paths = endpoint.path.includes(':id') ? listSubjects(world, endpoint) : [['', ''] as const]
  const makes = paths.map(([name, id]) => {
    const make = async (): Promise<Ask> => ({
      method: 'GET',
      headers,
      path: await fillPath(world, endpoint.path, id),
    })
    return { name, credential, make } as const
  })
  const [first] = makes
  const make = first?.make ?? (() => ({ method: 'GET', path: '/' }))
  return [
    ...makes,
    ...listQueries(endpoint).map(one => ({
      ...({ name: `?${one.slice(0, 40)}`, credential } as const),
      make: async () => addQuery(await make(), one),
    })),
    { name: 'longest query', credential, make: async () => addQuery(await make(), query) },
    ...varyRead(make, credential),
  ]
}

/** The recalled one first where a notice is read. */
function listSubjects({ products }: World, { path }: Endpoint): [string, string][] {
  const { crowded, item, ...others } = products
  if (path.includes('/measurements')) return [['item', item]]
  return Object.entries(path.endsWith('/recall') ? { crowded, item, ...others } : products)
}

const addQuery = (ask: Ask, query: string): Ask => ({ ...ask, path: withQuery(ask.path, query) })

/** Each value that a parameter may have, as long or as high as it may be. */
function listValues(schema: Readonly<Record<string, unknown>>): string[] {
  if (Array.isArray(schema.enum)) return schema.enum.map(String)
  if (schema.type === 'boolean') return ['true']
  if (schema.type === 'integer') return [String(schema.maximum ?? 1_000_000)]
  if (schema.format === 'date-time') return ['2020-01-01T00:00:00Z']
  const most = Number(schema.maxLength ?? 200)
  return ['e', 'a '.repeat(most).slice(0, most - 1), '%€_\\'.repeat(most).slice(0, most)]
}

const listQueries = ({ query }: Endpoint): string[] =>
  Object.entries(query).flatMap(([name, { schema }]) =>
    name === 'cursor' || name === 'dry_run'
      ? []
      : listValues(schema as Record<string, unknown>).map(value => `${name}=${encodeURIComponent(value)}`),
  )

/** All parameters at once, except that a cursor excludes a page. */
const buildLongestQuery = ({ query }: Endpoint): string =>
  Object.entries(query)
    .filter(([name]) => name !== 'cursor' && name !== 'dry_run')
    .map(
      ([name, { schema }]) =>
        `${name}=${encodeURIComponent(listValues(schema as object & Record<string, unknown>).at(-1) ?? '')}`,
    )
    .join('&')

const chooseSubject = ({ path, id }: AccountEndpoint) =>
  path.includes('children') ? 'crowded' : ['createMeasurement', 'addEvent'].includes(id) ? 'item' : 'rich'

function listWrites(world: World, endpoint: Endpoint, maxJsonBytes: number): WorstCall[] {
  if (endpoint.isPublic) return []
  if (endpoint.takesFile) return listUploads(world, endpoint)
  const limit = Math.min(getBodyLimit(endpoint), maxJsonBytes)
  const sendTo =
    (credential: Credential) =>
    async (body: Buffer | undefined): Promise<Ask> => ({
      method: endpoint.method,
      body,
      path: await fillPath(
        ...([world, endpoint.path] as const),
        world.products[chooseSubject(endpoint)],
        endpoint.path.endsWith(':media'),
      ),
      headers: { ...authorize(world, credential), ...(body && { 'content-type': 'application/json' }) },
    })
  const send = sendTo('full key')
  const accepted = async () => {
    if (endpoint.id === 'createOffer') await makeRoomForOffer(world)
    const body = buildBody(world, endpoint)
    return send(body === undefined ? undefined : Buffer.from(JSON.stringify(body)))
  }
  const first: WorstCall = { name: 'accepted body', credential: 'full key', make: accepted }
  if (endpoint.body === undefined)
    return [first, ...withBodies(JSON_SHAPES.slice(0, 2), limit, send, 'full key')]
  return [
    first,
    ...(endpoint.isBulk ? listBulkCalls(endpoint, send) : []),
    ...listMembers(world, endpoint).flatMap(wrap =>
      withBodies([...JSON_SHAPES, ...LEGAL_JSON], limit - 40_000, body => send(wrap(body)), 'full key'),
    ),
    ...withBodies(JSON_SHAPES, limit, send, 'full key'),
    ...withBodies(JSON_SHAPES.slice(0, 2), limit, sendTo('read key'), 'read key'),
    ...withBodies(JSON_SHAPES.slice(0, 2), limit, sendTo('anonymous'), 'anonymous'),
    ...withBodies([{ name: 'long product', build: () => JSON.stringify(LONG) }], limit, send, 'full key'),
  ]
}

function buildBody(world: World, endpoint: AccountEndpoint): unknown {
  if (endpoint.path.endsWith('/bulk')) return { items: BULK_ROWS() }
  const own = BODIES[endpoint.id]
  return own ? own(world) : Object.values(endpoint.body?.examples ?? {})[0]?.value
}

/** Functions that put a value in the place of a member of the accepted body: `data.note` of data with fields. */
function listMembers(world: World, endpoint: AccountEndpoint): ((value: Buffer) => Buffer)[] {
  const body = buildBody(world, endpoint)
  if (typeof body !== 'object' || body === null) return []
  const join = (before: object, member: string) => (value: Buffer) => {
    const rest = JSON.stringify(before).slice(1, -1)
    return Buffer.concat([
      Buffer.from(`{${rest}${rest === '' ? '' : ','}"${member}":`),
      value,
      Buffer.from('}'),
    ])
  }
  if ('data' in body) {
    const { data, ...others } = body
    const inner = join({ ...CORE_OF(data), sku: `S-${++turn}` }, 'note')
    return [value => join(others, 'data')(inner(value))]
  }
  const members = Object.entries(body).filter(([, value]) => typeof value === 'object')
  return members.slice(0, 1).map(([name]) => {
    const { [name]: _, ...others } = body as Record<string, unknown>
    return join(others, name)
  })
}

/** Without the free-form keys, which would use up the limits of JSON. */
const CORE_OF = (data: unknown): object =>
  Object.fromEntries(Object.entries(data as object).filter(([name]) => !/^(?:list|k)\d+$|^note$/.test(name)))

function listUploads(world: World, endpoint: AccountEndpoint): WorstCall[] {
  const send =
    (credential: Credential, type: string) =>
    (body: Buffer): Ask => ({
      method: endpoint.method,
      path: API_PREFIX + endpoint.path,
      body,
      headers: { ...authorize(world, credential), 'content-type': type },
    })
  const files = makeLargeFiles()
  return [
    ...files.map(({ name, type, make }) => ({
      name,
      credential: 'full key' as const,
      afterwardsMs: 300,
      make: async () => send('full key', type)(await make()),
    })),
    ...withBodies(JSON_SHAPES, 1024 * 1024, send('full key', 'application/json'), 'full key'),
    ...withBodies(JSON_SHAPES.slice(0, 2), 1024 * 1024, send('anonymous', 'application/json'), 'anonymous'),
  ]
}

async function fillPath(world: World, path: string, id: string, isDeleted = false): Promise<string> {
  const names = Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => name)
  const values: Record<string, string> = { id, n: '1', sku: 'RICH', gtin: world.gtin, category: 'battery' }
  for (const name of names) values[name] ??= await createThing(world, isDeleted ? `unused ${name}` : name)
  return API_PREFIX + path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
}
