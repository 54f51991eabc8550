/** The worker of a process: scheduled tasks and webhooks, started and stopped together. */
import type { Sql } from '../kernel/db/database.ts'
import { Deliveries, type DeliveryNumbers, type DeliverySetup } from './deliver.ts'
import { type ScheduledTasks, type ScheduledTasksSetup, startScheduledTasks } from './scheduled-tasks.ts'

/** `sql`: the pool of everything else; `queue`: one for queues. */
export type WorkerSetup = Omit<DeliverySetup, 'sql'> & { sql: Sql; queue: Sql } & Pick<
    ScheduledTasksSetup,
    'backups'
  >

export type Worker = ScheduledTasks & { numbers: () => DeliveryNumbers }

export function startWorker({ sql, queue, backups, ...setup }: WorkerSetup): Worker {
  const chores = startScheduledTasks({ sql, queue, clock: setup.clock, log: setup.log, backups })
  const deliveries = new Deliveries({ ...setup, sql: queue })
  deliveries.start()
  return {
    numbers: () => deliveries.numbers(),
    async stop() {
      await Promise.all([chores.stop(), deliveries.stop()])
    },
  }
}
