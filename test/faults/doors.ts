/**
 * Attacks on the doors, each beside honest clients: how long these wait before and during it, what they and the
 * attackers are answered, and the server's memory.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Measured } from './honest.ts'
import { say } from './look-through.ts'
import { describeHonest, startHonest } from './worst/attack.ts'
import { type Ask, send } from './worst/measure.ts'
import { listAllCalls } from './worst/run-calls.ts'
import { JSON_SHAPES, LEGAL_JSON } from './worst/shapes.ts'
import { forgetPeak, openWorstStand, readPeakMb } from './worst/stand.ts'
import { withTestServer } from './worst/test-server.ts'
import { createWorld, SAMPLE, type World } from './worst/world.ts'

const WARM_UP_MS = 8_000
const REST_MS = 2_000
const REFUSED_PAUSE_MS = 100
const MAX_SLOWDOWN = 3
const MAX_RSS_MB = 512
const UNAVAILABLE = / 503$/

/**
 * `networks`: from how many the requests come. They are made before the attack, because honest clients are in
 * this process, too.
 */
type Attack = {
  name: string
  connections: number
  networks: number
  prepare: () => Ask[] | Promise<Ask[]>
}

/** Returns the number of broken promises. `seconds`: of each attack, and of the time before the first. */
export const attackDoors = (seconds: number): Promise<number> =>
  withTestServer(async () => {
    const stand = await openWorstStand()
    try {
      const world = await createWorld(stand, SAMPLE)
      const attacks = await listAttacks(world)
      const honest = await startHonest(world)
      const broken: string[] = []
      try {
        await pause(WARM_UP_MS)
        honest.take()
        await pause(seconds * 1_000)
        const before = honest.take()
        say(`honest before: ${describeHonest(before)}`)
        for (const attack of attacks) {
          const asks = await attack.prepare()
          await pause(REST_MS)
          honest.take()
          forgetPeak(stand)
          const counts = await run(world, { ...attack, asks }, seconds * 1_000)
          const found = { before, during: honest.take(), peakMb: readPeakMb(stand) }
          say(describeAttack(attack, counts, found))
          broken.push(...findBroken(attack, found))
        }
      } finally {
        await honest.stop()
      }
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
      ...{ name: 'nested brackets to POST /products with a key', connections: 8, networks: 1 },
      prepare: () => [json('POST', '/api/v1/products', nested, keys.full)],
    },
    { name: 'AASX with a read key', connections: 32, networks: 1, prepare: () => [aasx] },
    {
      ...{ name: 'pages with the cookie of an access link', connections: 8, networks: 1 },
      prepare: () =>
        languages.map(language => ({
          ...{ method: 'GET', headers: { cookie, accept: 'text/html' } },
          path: `/p/${products.rich}?lang=${language}`,
        })),
    },
    ...(await listShapes(world)),
  ]
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

const json = (method: string, path: string, body: string, key?: string): Ask => ({
  ...{ method, path, body: Buffer.from(body) },
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

/** Each shape in turn on all routes that take it as JSON, at the limits of these routes. */
async function listShapes(world: World): Promise<Attack[]> {
  const calls = (await listAllCalls(world)).flatMap(({ calls }) => calls)
  return [...JSON_SHAPES, ...LEGAL_JSON].flatMap(({ name }) => {
    const chosen = calls.filter(call => call.name.includes(name) && !call.name.includes('form'))
    const prepare = async () => {
      const asks: Ask[] = []
      for (const call of chosen) asks.push(await call.make())
      return asks
    }
    const attack = { name: `${name} on ${chosen.length} routes`, connections: 8, networks: 1, prepare }
    return chosen.length === 0 ? [] : [attack]
  })
}

/** As fast as the answers come. Returns how often each status was answered; 0: the connection was cut. */
async function run(
  world: World,
  { connections, networks, asks }: Attack & { asks: readonly Ask[] },
  ms: number,
): Promise<Map<number, number>> {
  const until = performance.now() + ms
  const counts = new Map<number, number>()
  let next = 0
  const repeat = async (connection: number) => {
    const from = `203.0.113.${1 + (connection % networks)}`
    while (performance.now() < until) {
      const ask = asks[next++ % asks.length]
      if (ask === undefined) throw new Error('an attack has at least one request')
      const status = await send(world.stand, {
        ...ask,
        headers: { ...ask.headers, 'x-forwarded-for': from },
      })
      counts.set(status, (counts.get(status) ?? 0) + 1)
      if (status === 429 || status === 503) await pause(REFUSED_PAUSE_MS)
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, n) => repeat(n)))
  return counts
}

type Found = { before: Measured; during: Measured; peakMb: number }

const nameOf = ({ name, connections, networks }: Attack) =>
  `${name}, ${connections} connections, ${networks} networks`

function describeAttack(attack: Attack, counts: ReadonlyMap<number, number>, found: Found): string {
  const { before, during, peakMb } = found
  const statuses = Array.from(counts, ([status, count]) => `${count} × ${status || 'cut'}`).join(', ')
  const unavailable = during.failed.filter(sentence => UNAVAILABLE.test(sentence)).length
  const slowdown = (during.p99 / before.p99).toFixed(2)
  return `${nameOf(attack)}: ${statuses}
    ${describeHonest(during)}; p99 ${slowdown} times as long; ${unavailable} × 503, ${during.failed.length - unavailable} failed; at most ${peakMb.toFixed(0)} MB`
}

function findBroken(attack: Attack, { before, during, peakMb }: Found): string[] {
  const slowdown = during.p99 / before.p99
  const failed = during.failed.filter(sentence => !UNAVAILABLE.test(sentence))
  return [
    slowdown > MAX_SLOWDOWN ? `honest p99 is ${slowdown.toFixed(1)} times as long` : [],
    failed.length > 0 ? `${failed.length} honest requests failed: ${failed[0]}` : [],
    peakMb > MAX_RSS_MB ? `the server took ${peakMb.toFixed(0)} MB` : [],
  ]
    .flat()
    .map(sentence => `${nameOf(attack)}: ${sentence}`)
}
