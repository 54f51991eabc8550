/** The numbers of several processes as those of one: sums that never fall, also when a process dies and another begins at zero. */
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client'
import type { NumbersOfAll } from './supervisor.ts'

type Said = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

export function numbersOfAll(): NumbersOfAll {
  const said = new Map<number, Said>()
  let retired: Said = []
  const own = new Registry()
  const processes = new Gauge({
    name: 'carnet_processes',
    help: 'Processes of this machine that have told their numbers.',
    registers: [own],
  })
  const ends = new Counter({
    name: 'carnet_processes_ended_total',
    help: 'Processes that have ended, those that were replaced included.',
    registers: [own],
  })
  const sum = (all: Said[]) => AggregatorRegistry.aggregate(all)
  // What a dead process has counted stays counted; what it measured is gone with it.
  const retire = async (numbers: Said) => {
    const counted = numbers.filter(metric => ['counter', 'histogram'].includes(String(metric.type)))
    retired = await sum([retired, counted]).getMetricsAsJSON()
  }
  let retiring = Promise.resolve()
  return {
    note: (process, numbers) => said.set(process, numbers as Said),
    retire(process) {
      ends.inc()
      const last = said.get(process)
      said.delete(process)
      if (last !== undefined) retiring = retiring.then(() => retire(last))
    },
    async text() {
      await retiring
      processes.set(said.size)
      const all = await sum([retired, ...said.values()]).metrics()
      return `${all}\n${await own.metrics()}`
    },
  }
}
