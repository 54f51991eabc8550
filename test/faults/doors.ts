/**
 * Attacks on the doors, each beside honest clients: how long these wait before and during it, what they and the
 * attackers are answered, and the server's memory.
 */
import { say } from './look-through.ts'
import { type Attack, attackBesideHonest } from './worst/attack.ts'
import { listAllCalls } from './worst/run-calls.ts'
import type { Ask } from './worst/send.ts'
import { JSON_SHAPES, LEGAL_JSON } from './worst/shapes.ts'
import { openWorstStand } from './worst/stand.ts'
import { withTestServer } from './worst/test-server.ts'
import { createWorld, SAMPLE, type World } from './worst/world.ts'

/**
 * Returns the number of broken promises. `seconds`: of each attack, and of the time before the first. `only`: a
 * part of the names of attacks.
 */
export const attackDoors = (seconds: number, only = ''): Promise<number> =>
  withTestServer(async () => {
    const stand = await openWorstStand()
    try {
      const world = await createWorld(stand, SAMPLE)
      const attacks = (await listAttacks(world)).filter(({ name }) => name.includes(only))
      const broken = await attackBesideHonest(world, attacks, seconds)
      for (const sentence of broken) say(`  ${sentence}`)
      return broken.length
    } finally {
      await stand.close()
    }
  })

async function listAttacks(world: World): Promise<Attack[]> {
  const { keys, products } = world
  const nested = `{"productIds":${'['.repeat(490_000)}${']'.repeat(490_000)}}`
  const nestedOf128K = `{"productIds":${'['.repeat(65_000)}${']'.repeat(65_000)}}`
  const flat = `{"productIds":[${'{},'.repeat(43_000)}{}]}`
  const ids = (body: string) => () => [json('POST', '/dpp/v1/dppsByProductIds', body)]
  const aasx = { method: 'GET', path: `/p/${products.rich}?format=aasx`, headers: bearer(keys.read) }
  const cookie = await openLink(world)
  const languages = ['de', 'fr', 'it', 'es', 'pt', 'nl', 'pl', 'sv']
  return [
    { name: 'nested brackets of 1 MB', connections: 1, networks: 1, prepare: ids(nested) },
    { name: 'nested brackets of 128 KiB', connections: 1, networks: 1, prepare: ids(nestedOf128K) },
    { name: 'nested brackets of 128 KiB', connections: 8, networks: 1, prepare: ids(nestedOf128K) },
    { name: 'flat objects of 128 KiB', connections: 20, networks: 20, prepare: ids(flat) },
    {
      name: 'nested brackets to POST /products with a key',
      connections: 8,
      networks: 1,
      prepare: () => [json('POST', '/api/v1/products', nested, keys.full)],
    },
    { name: 'AASX with a read key', connections: 32, networks: 1, prepare: () => [aasx] },
    {
      name: 'pages with the cookie of an access link',
      connections: 8,
      networks: 1,
      prepare: () =>
        languages.map(language => ({
          method: 'GET',
          headers: { cookie, accept: 'text/html' },
          path: `/p/${products.rich}?lang=${language}`,
        })),
    },
    {
      name: 'searches and reports with a read key',
      connections: 32,
      networks: 1,
      prepare: () =>
        ['products?q=e&limit=100', 'products?q=wool&outdated=true', 'readiness', 'products?limit=100'].map(
          path => ({
            method: 'GET',
            path: `/api/v1/${path}`,
            headers: bearer(keys.read),
          }),
        ),
    },
    {
      name: 'changes of 500 units with a key',
      connections: 8,
      networks: 1,
      prepare: () => makeUnitChanges(world),
    },
    ...(await listShapes(world, MEGABYTE)),
    ...(await listShapes(world)),
  ]
}

const makeUnitChanges = ({ keys, products }: World): Ask[] =>
  Array.from({ length: 8 }, (_, n) => {
    const items = Array.from({ length: 500 }, (_, unit) => ({
      serial: `C${unit}`,
      data: { weightGrams: n + 1 },
    }))
    const path = `/api/v1/products/${products.crowded}/children/update`
    return json('POST', path, JSON.stringify({ items }), keys.full)
  })

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

const json = (method: string, path: string, body: string, key?: string): Ask => ({
  method,
  path,
  body: Buffer.from(body),
  headers: { 'content-type': 'application/json', ...(key !== undefined && bearer(key)) },
})

/** The cookie that a browser has after it opened an access link. */
async function openLink({ stand, products, linkToken }: World): Promise<string> {
  const url = `${stand.url}/p/${products.rich}?access=${linkToken}`
  const answer = await fetch(url, { redirect: 'manual', headers: { accept: 'text/html' } })
  const cookies = answer.headers.getSetCookie().map(line => line.split(';')[0])
  if (cookies.length === 0) throw new Error(`the link was answered ${answer.status}`)
  return cookies.join('; ')
}

const MEGABYTE = 1024 * 1024

/**
 * Each shape in turn on all routes that take it as JSON: of a megabyte, or at the limits of these routes, which
 * are 8 MiB for bulk calls. Only a megabyte is promised to leave the others their time: eight take longer,
 * although in steps.
 */
async function listShapes(world: World, maxBytes = Number.POSITIVE_INFINITY): Promise<Attack[]> {
  const calls = (await listAllCalls(world, maxBytes)).flatMap(({ calls }) => calls)
  const isAtLimits = maxBytes > MEGABYTE
  return [...JSON_SHAPES, ...LEGAL_JSON].flatMap(({ name }) => {
    const chosen = calls.filter(call => call.name.includes(name) && !call.name.includes('form'))
    const prepare = async () => {
      const asks: Ask[] = []
      for (const call of chosen) asks.push(await call.make())
      return asks
    }
    const size = isAtLimits ? 'at the limits' : 'of 1 MB'
    const attack: Attack = {
      name: `${name} ${size} on ${chosen.length} routes`,
      connections: 8,
      networks: 1,
      prepare,
      ...(isAtLimits && { promises: 'short blocks' }),
    }
    return chosen.length === 0 ? [] : [attack]
  })
}
