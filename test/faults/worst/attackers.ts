/**
 * Attackers in their own process. The order arrives as the first message; the second starts them. Their counts are
 * sent back. Loopback only.
 */
import { setPriority } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { type Ask, send } from './send.ts'

export type AttackOrder = {
  port: number
  connections: number
  /** From so many networks, as the trusted proxy reports them. */
  networks: number
  /** Repeated one after another. */
  asks: readonly Ask[]
  ms: number
}

/** How often each status was answered; 0: the connection was cut. */
export type AttackCounts = Map<number, number>

/** Real attackers have their own machines: the server and its honest clients get the processor first. */
const POLITE = 15
const REFUSED_PAUSE_MS = 100

process.once('disconnect', () => process.exit())
process.once('message', message => {
  setPriority(POLITE)
  process.once('message', async () => {
    process.send?.(await attack(message as AttackOrder))
  })
  process.send?.('ready')
})

/** As fast as the answers come. */
async function attack({ port, connections, networks, asks, ms }: AttackOrder): Promise<AttackCounts> {
  const until = performance.now() + ms
  const counts: AttackCounts = new Map()
  let next = 0
  const repeat = async (connection: number) => {
    const from = `203.0.113.${1 + (connection % networks)}`
    while (performance.now() < until) {
      const ask = asks[next++ % asks.length]
      if (ask === undefined) throw new Error('an attack has at least one request')
      const headers = { ...ask.headers, 'x-forwarded-for': from }
      const status = await send({ port }, { ...ask, headers })
      counts.set(status, (counts.get(status) ?? 0) + 1)
      if (status === 429 || status === 503) await pause(REFUSED_PAUSE_MS)
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, n) => repeat(n)))
  return counts
}
