/** Adds up the metrics of several processes. Sums never fall, even if a process dies and restarts. */
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client'

type ProcessMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>
export type MetricsTotals = ReturnType<typeof createMetricsTotals>

export function createMetricsTotals() {
  const byProcess = new Map<number, ProcessMetrics>()
  let retired: ProcessMetrics = []
  const own = new Registry()
  const processes = new Gauge({
    name: 'carnet_processes',
    help: 'Processes of this machine that have reported metrics.',
    registers: [own],
  })
  const exits = new Counter({
    name: 'carnet_processes_ended_total',
    help: 'Processes that have exited, including those that were replaced.',
    registers: [own],
  })
  const sum = (all: ProcessMetrics[]) => AggregatorRegistry.aggregate(all)
  // The counts of a dead process stay in the sums; its gauges disappear.
  const retire = async (metrics: ProcessMetrics) => {
    const counted = metrics.filter(metric => ['counter', 'histogram'].includes(String(metric.type)))
    retired = await sum([retired, counted]).getMetricsAsJSON()
  }
  let retiring = Promise.resolve()
  return {
    set: (processId: number, metrics: unknown) => byProcess.set(processId, metrics as ProcessMetrics),
    retire(processId: number) {
      exits.inc()
      const last = byProcess.get(processId)
      byProcess.delete(processId)
      if (last !== undefined) retiring = retiring.then(() => retire(last))
    },
    async text() {
      await retiring
      processes.set(byProcess.size)
      const all = await sum([retired, ...byProcess.values()]).metrics()
      return `${all}\n${await own.metrics()}`
    },
  }
}
