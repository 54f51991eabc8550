/** Attacks beside honest clients: how long these wait, what they are answered, and the server's memory. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createKey } from '../../../src/accounts/keys/keys.ts'
import { systemClock } from '../../../src/kernel/values/clock.ts'
import { newProduct } from '../../harness.ts'
import type { Measured as Honest } from '../honest.ts'
import { say } from '../look-through.ts'
import type { AttackCounts, AttackOrder } from './attackers.ts'
import type { WorstCall } from './call.ts'
import type { HonestOrder } from './honest-process.ts'
import type { Measured } from './run-calls.ts'
import type { Ask } from './send.ts'
import { forgetPeak, readPeakMb } from './stand.ts'
import { openAccount, type World } from './world.ts'

const WARM_UP_MS = 8_000
const REST_MS = 2_000
const CONNECTIONS = 8
const MAX_SLOWDOWN = 3
const MAX_RSS_MB = 512
const MAX_BLOCKED_MS = 100
/** The only error that somebody who did nothing wrong may get. */
const UNAVAILABLE = / 503$/

/** Writes are refused when they are repeated, so as many as fit are made before the attack. */
const MAX_ASKS = 64
const MAX_ASKS_BYTES = 64 * 1024 * 1024
const MAX_PREPARATION_MS = 5_000

export type Attack = {
  name: string
  connections: number
  networks: number
  /** Bodies of several megabytes are promised only this: others wait for each at most so long. */
  promises?: 'short blocks'
  /** Called before the attack begins: its requests cost the honest clients nothing but the server's work. */
  prepare: () => readonly Ask[] | Promise<readonly Ask[]>
}

/** One attacker at his limit repeats each of these calls. Returns the broken promises. */
export const attackWithWorst = (
  world: World,
  worst: readonly Measured[],
  seconds: number,
): Promise<string[]> =>
  attackBesideHonest(
    world,
    worst.map(({ route, call }) => ({
      name: `${route}, ${call.name}`,
      connections: CONNECTIONS,
      networks: 1,
      prepare: () => makeAsks(call),
    })),
    seconds,
  )

async function makeAsks(call: WorstCall): Promise<Ask[]> {
  const until = performance.now() + MAX_PREPARATION_MS
  const asks: Ask[] = []
  let bytes = 0
  while (asks.length < MAX_ASKS && bytes < MAX_ASKS_BYTES && performance.now() < until) {
    const ask = await call.make()
    bytes += ask.body?.length ?? 0
    asks.push(ask)
  }
  return asks
}

/**
 * Runs one attack after another. `seconds`: of each, and of the time before the first. Returns the broken
 * promises.
 */
export async function attackBesideHonest(
  world: World,
  attacks: readonly Attack[],
  seconds: number,
): Promise<string[]> {
  const honest = await startHonest(world)
  const broken: string[] = []
  try {
    await pause(WARM_UP_MS)
    await honest.take()
    await pause(seconds * 1_000)
    const before = await honest.take()
    say(`honest before: ${describeHonest(before)}`)
    for (const [n, attack] of attacks.entries()) {
      const { port } = world.stand
      const { connections, networks } = attack
      const order = { port, connections, networks, asks: await attack.prepare(), ms: seconds * 1_000 }
      const attackers = await startAttackers(order)
      await pause(REST_MS)
      await honest.take()
      forgetPeak(world.stand)
      await world.stand.begin()
      const counts = await attackers.attack()
      const { blockedMs } = await world.stand.end()
      const found = { before, during: await honest.take(), peakMb: readPeakMb(world.stand), blockedMs }
      say(`${n + 1} of ${attacks.length}: ${describeAttack(attack, counts, found)}`)
      broken.push(...findBroken(attack, found))
    }
  } finally {
    await honest.stop()
  }
  return broken
}

/** Attackers in a process of their own, which have their requests and wait for the beginning. */
async function startAttackers(order: AttackOrder): Promise<{ attack: () => Promise<AttackCounts> }> {
  const { ask, kill } = forkClients('attackers.ts')
  await ask(order)
  return {
    async attack() {
      try {
        return await ask<AttackCounts>('begin')
      } finally {
        kill()
      }
    },
  }
}

/** `ask` sends a message and resolves with the next one that comes back. */
function forkClients(file: string) {
  const child = fork(join(import.meta.dirname, file), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    serialization: 'advanced',
  })
  const ended = once(child, 'exit')
  return {
    ended,
    async ask<T>(message: object | string): Promise<T> {
      const answer = once(child, 'message').then(([value]) => value as T)
      const loss = ended.then(([code]): T => {
        throw new Error(`${file} ended with ${code}`)
      })
      child.send(message)
      return Promise.race([answer, loss])
    },
    tell: (message: HonestOrder) => child.send(message),
    kill: () => child.kill(),
  }
}

type Found = { before: Honest; during: Honest; peakMb: number; blockedMs: number }

const nameOf = ({ name, connections, networks }: Attack) =>
  `${name}, ${connections} connections, ${networks} networks`

const describeHonest = ({ requests, p50, p99, max }: Honest) =>
  `${requests} honest requests, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, longest ${max.toFixed(0)} ms`

function describeAttack(attack: Attack, counts: AttackCounts, found: Found): string {
  const { before, during, peakMb, blockedMs } = found
  const statuses = Array.from(counts, ([status, count]) => `${count} × ${status || 'cut'}`).join(', ')
  const unavailable = during.failed.filter(sentence => UNAVAILABLE.test(sentence)).length
  const slowdown = (during.p99 / before.p99).toFixed(2)
  return `${nameOf(attack)}: ${statuses}
    ${describeHonest(during)}; p99 ${slowdown} times as long; ${unavailable} × 503, ${during.failed.length - unavailable} failed; at most ${peakMb.toFixed(0)} MB, blocked for ${blockedMs.toFixed(0)} ms`
}

function findBroken(attack: Attack, { before, during, peakMb, blockedMs }: Found): string[] {
  const slowdown = during.p99 / before.p99
  const isAtLimits = attack.promises === 'short blocks'
  const failed = during.failed.filter(sentence => !UNAVAILABLE.test(sentence))
  return [
    slowdown > MAX_SLOWDOWN && !isAtLimits ? `honest p99 is ${slowdown.toFixed(1)} times as long` : [],
    blockedMs > MAX_BLOCKED_MS && isAtLimits ? `the thread was blocked for ${blockedMs.toFixed(0)} ms` : [],
    failed.length > 0 ? `${failed.length} honest requests failed: ${failed[0]}` : [],
    peakMb > MAX_RSS_MB ? `the server took ${peakMb.toFixed(0)} MB` : [],
  ]
    .flat()
    .map(sentence => `${nameOf(attack)}: ${sentence}`)
}

type HonestProcess = { take: () => Promise<Honest>; stop: () => Promise<void> }

async function startHonest({ stand }: World): Promise<HonestProcess> {
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
  const { ask, tell, ended } = forkClients('honest-process.ts')
  await ask({ start: { port: stand.port, apiKey, ids } })
  return {
    take: () => ask<Honest>('take'),
    async stop() {
      tell('stop')
      await ended
    },
  }
}
