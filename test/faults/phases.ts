/** Counts requests by what they asked for and by what was broken when they ended. */
import type { CitusNode } from '../citus/cluster.ts'
import type { Sent } from './request-log.ts'

/** `node`: the one that is lost or moves. Times are by `performance.now()`. */
type Phase = { name: string; node: CitusNode | undefined; from: number; to: number }

export class Phases {
  private readonly all: Phase[] = []

  /** Runs `work` as this phase. Returns its milliseconds. */
  async during(name: string, node: CitusNode | undefined, work: () => Promise<unknown>): Promise<number> {
    const phase: Phase = { name, node, from: performance.now(), to: Number.POSITIVE_INFINITY }
    this.all.push(phase)
    await work()
    phase.to = performance.now()
    return phase.to - phase.from
  }

  /** The phase in which a request ended. */
  find({ at }: Sent): Phase | undefined {
    return this.all.findLast(({ from, to }) => at >= from && at < to)
  }
}

/** Requests of one kind. `name`: what to call them while this node is lost. */
export type Kind = { sent: readonly Sent[]; name: (lost: CitusNode | undefined) => string }

/** `failures`: how many failed in each way. */
export type Count = {
  sent: number
  failed: number
  unanswered: number
  slowestMs: number
  failures: Map<string, number>
}

const newCount = (): Count => ({ sent: 0, failed: 0, unanswered: 0, slowestMs: 0, failures: new Map() })

/** Counts by kind and phase; without the requests outside of all phases. */
export function countRequests(phases: Phases, kinds: readonly Kind[]): Map<string, Map<string, Count>> {
  const counts = new Map<string, Map<string, Count>>()
  for (const { sent, name } of kinds) {
    for (const one of sent) {
      const phase = phases.find(one)
      if (phase === undefined) continue
      const byPhase = getOrAdd(counts, name(phase.node), () => new Map<string, Count>())
      const count = getOrAdd(byPhase, phase.name, newCount)
      count.sent++
      if (one.outcome !== 'answered') count.failed++
      if (one.failure !== undefined)
        count.failures.set(one.failure, (count.failures.get(one.failure) ?? 0) + 1)
      if (one.outcome === 'unanswered') count.unanswered++
      count.slowestMs = Math.max(count.slowestMs, one.ms)
    }
  }
  return counts
}

/** A line for each kind: failed of all requests, and the slowest, in each phase. */
export function* describeCounts(counts: ReturnType<typeof countRequests>, names: readonly string[]) {
  const width = Math.max(...[...counts.keys()].map(name => name.length))
  const cells = (texts: readonly string[]) => texts.map(text => text.padStart(24)).join('')
  yield `    ${'failed of all requests'.padEnd(width)}${cells(names)}`
  for (const [kind, byPhase] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const texts = names.map(name => {
      const count = byPhase.get(name)
      return count === undefined ? '–' : `${count.failed} of ${count.sent}, ${Math.round(count.slowestMs)} ms`
    })
    yield `    ${kind.padEnd(width)}${cells(texts)}`
  }
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key) ?? make()
  map.set(key, found)
  return found
}
