/** One attacker at his limit repeats the worst calls, one after another, beside honest clients. */
import { setTimeout as pause } from 'node:timers/promises'
import { createKey } from '../../../src/accounts/keys/keys.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import { newProduct } from '../../harness.ts'
import { type Measured as Honest, HonestClients } from '../honest.ts'
import { say } from '../look-through.ts'
import { send } from './measure.ts'
import type { Measured } from './run-calls.ts'
import { forgetPeak, readPeakMb } from './stand.ts'
import { openAccount, type World } from './world.ts'

const WARM_UP_MS = 8_000
const ATTACK_MS = 20_000
const CONNECTIONS = 8
const MAX_SLOWDOWN = 3
const MAX_RSS_MB = 512
/** The attacker's only network. */
const ATTACKER = '203.0.113.66'
/** What a request may be answered to somebody who did nothing wrong. */
const UNAVAILABLE = / 503$/

/** Returns the broken promises. */
export async function attackWithWorst(world: World, worst: readonly Measured[]): Promise<string[]> {
  const honest = await startHonest(world)
  await pause(WARM_UP_MS)
  honest.take()
  await pause(ATTACK_MS)
  const before = honest.take()
  say(`honest before: ${describeHonest(before)}`)
  const broken: string[] = []
  for (const one of worst) {
    forgetPeak(world.stand)
    const sent = await attack(world, one)
    const during = honest.take()
    const peakMb = readPeakMb(world.stand)
    const name = `${one.route}, ${one.call.name}`
    const slowdown = during.p99 / before.p99
    say(
      `${sent} × ${name}: ${describeHonest(during)}; p99 ${slowdown.toFixed(2)} times as long; ${peakMb.toFixed(0)} MB`,
    )
    const failed = during.failed.filter(sentence => !UNAVAILABLE.test(sentence))
    broken.push(
      ...(slowdown > MAX_SLOWDOWN ? [`${name}: honest p99 is ${slowdown.toFixed(1)} times as long`] : []),
      ...(failed.length > 0 ? [`${name}: ${failed.length} honest requests failed: ${failed[0]}`] : []),
      ...(peakMb > MAX_RSS_MB ? [`${name}: the server took ${peakMb.toFixed(0)} MB`] : []),
    )
    await pause(WARM_UP_MS / 4)
    honest.take()
  }
  await honest.stop()
  return broken
}

export const describeHonest = ({ requests, p50, p99, max }: Honest) =>
  `${requests} honest requests, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, longest ${max.toFixed(0)} ms`

export async function startHonest({ stand }: World): Promise<HonestClients> {
  const { accountId } = await openAccount(stand, 'Honest')
  const operator = { sql: stand.sql, clock: systemClock }
  const key = { accountId, name: 'honest', scope: 'full', expiresAt: undefined, createdBy: 'test' } as const
  const { key: apiKey } = await createKey(operator, key)
  const ids: string[] = []
  for (const sku of ['A', 'B']) {
    const answer = await fetch(`${stand.url}/api/v1/products`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(newProduct({ sku })),
    })
    ids.push(((await answer.json()) as { data: { id: string } }).data.id)
  }
  const honest = new HonestClients({ port: stand.port, apiKey, ids })
  honest.start()
  return honest
}

/** As fast as the answers come, from one network. Returns how many were sent. */
async function attack(world: World, { call }: Measured): Promise<number> {
  const until = performance.now() + ATTACK_MS
  let sent = 0
  const repeat = async () => {
    while (performance.now() < until) {
      const ask = await call.make()
      const headers = { ...ask.headers, 'x-forwarded-for': ATTACKER }
      const status = await send(world.stand, { ...ask, headers })
      sent++
      if (status === 429 || status === 503) await pause(100)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, repeat))
  return sent
}
