/** `limits`: what the key check with its rate limit adds to a read. */
import { setPlan } from '../src/accounts/account/accounts.ts'
import { authenticate } from '../src/accounts/keys/authenticate.ts'
import { getKeyLimits } from '../src/accounts/limits/key-limits.ts'
import { idFromUuid } from '../src/kernel/crypto/ids.ts'
import { systemClock } from '../src/kernel/values/clock.ts'
import { fill } from '../test/fill-database.ts'
import type { Bench } from './environment.ts'
import { type BenchDatabase, measureInTurns, median, ROUNDS, type Tenant } from './environment.ts'
import { load, request } from './load.ts'

const PASSPORTS = 10_000
const CONNECTIONS = 64
const SECONDS = 3
/** Higher than the benchmark can reach, so that it measures counting and not rejecting. */
const PER_MINUTE = 10_000_000
const CHECKS = 100_000
/** The allowed share of a read's time. */
const MOST = 0.1

export const limitsRows: Bench = async stage => {
  const hall = await stage.openDatabase('limits')
  const [limited, unlimited] = [await stage.createTenant(hall), await stage.createTenant(hall)]
  await setPlan(
    { sql: hall.sql, clock: systemClock },
    { accountId: limited.accountId, plan: 'bench', quota: {}, requestsPerMinute: PER_MINUTE },
  )
  const ours = await stage.startServer(hall, 'ours.ts')
  const shoot = async ({ accountId, key }: Tenant) => {
    const ids = await fill(hall.sql, { accountId, count: PASSPORTS, word: 'limits' })
    const headers = { authorization: `Bearer ${key}` }
    const list = ids.map(id => request('GET', `/api/v1/products/${idFromUuid(id)}`, headers))
    return async () => {
      const next = (n: number) => list[(n * 7919) % list.length] ?? ''
      const tally = await load({ port: ours.port, connections: CONNECTIONS, seconds: SECONDS, next })
      if (tally.failed > 0) throw new Error(`${tally.failed} requests failed`)
      return tally.perSecond
    }
  }
  const figures = await measureInTurns({ limited: await shoot(limited), unlimited: await shoot(unlimited) })
  await ours.stop()
  const check = await microsecondsOfCheck(hall, limited)
  const share = (MOST * 1_000_000) / figures.unlimited
  return [
    {
      row: 'limits',
      ours: figures.limited,
      limit: figures.unlimited,
      ratio: figures.limited / figures.unlimited,
      unit: 'reads/s of a limited key, against one without a limit',
    },
    {
      row: 'limits, check',
      ours: check,
      limit: share,
      ratio: check / share,
      unit: 'µs for key and limit, against a tenth of a read',
    },
  ]
}

/** Runs the key check and the count as the API does. Returns the median of the rounds. */
async function microsecondsOfCheck({ sql }: BenchDatabase, { key }: Tenant): Promise<number> {
  const limits = getKeyLimits(sql, systemClock)
  const times: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const started = performance.now()
    for (let i = 0; i < CHECKS; i++) {
      const holder = await authenticate(sql, key, systemClock.now())
      if (holder?.requestsPerMinute == null) throw new Error('the key is not limited')
      const decision = await limits.take({ ...holder, requestsPerMinute: holder.requestsPerMinute })
      if (!decision.isAllowed) throw new Error('the key was refused')
    }
    times.push(((performance.now() - started) * 1000) / CHECKS)
  }
  await limits.releaseAll()
  return median(times.slice(1))
}
