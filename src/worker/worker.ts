/** The worker of a process: scheduled tasks and webhooks, started and stopped together. */
import type { Sql } from '../kernel/db/database.ts'
import { Deliveries, type DeliveryNumbers, type DeliverySetup } from './deliver.ts'
import { type ScheduledTasks, type ScheduledTasksSetup, startScheduledTasks } from './scheduled-tasks.ts'

/** `queue`: a pool for queues, see `openPool`; `sql`: the pool for everything else. */
type WorkerSetup = Omit<DeliverySetup, 'sql'> & { sql: Sql; queue: Sql } & Pick<
    ScheduledTasksSetup,
    'backups'
  >

export type Worker = ScheduledTasks & { numbers: () => DeliveryNumbers }

export function startWorker({ sql, queue, backups, ...setup }: WorkerSetup): Worker {
  const tasks = startScheduledTasks({ sql, queue, clock: setup.clock, log: setup.log, backups })
  const deliveries = new Deliveries({ ...setup, sql: queue })
  deliveries.start()
  return {
    numbers: () => deliveries.numbers(),
    async stop() {
      await Promise.all([tasks.stop(), deliveries.stop()])
    },
  }
}
