/** Forks, restarts, replaces and stops the worker processes of one machine, and collects their metrics. */
import cluster, { type Worker } from 'node:cluster'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { ProcessRole } from '../../kernel/config/config.ts'
import type { Environment } from '../../kernel/config/environment-reader.ts'
import { toError } from '../../kernel/errors/errors.ts'
import type { Log } from '../../kernel/errors/log.ts'
import { CommandError } from '../command-line/command.ts'
import type { MetricsTotals } from './aggregate-metrics.ts'
import {
  type SupervisorMessage,
  shareWhilePending,
  type WorkerMessage,
  waitForMessage,
} from './worker-messages.ts'

/** `name`: for the logs, such as `web 1`. */
export type ProcessSpec = { name: string; role: Exclude<ProcessRole, 'all'> }

type WorkerProcess = {
  spec: ProcessSpec
  worker: Worker
  isReady: boolean
  isLeaving: boolean
  /** Rejects with a CommandError when the process cannot start. */
  ready: Promise<void>
  exited: Promise<void>
}

type SupervisorSetup = {
  log: Log
  specs: readonly ProcessSpec[]
  /** Settings that the supervisor has decided; they replace those of the environment. */
  settings: Environment
  /** Undefined when nobody may ask for metrics. */
  metrics: MetricsTotals | undefined
}

const MAIN = join(import.meta.dirname, '../../main.ts')
/** The pause before a restart doubles each time, until a process has run for STABLE_AFTER_MS. */
const MIN_PAUSE_MS = 100
const MAX_PAUSE_MS = 10_000
const STABLE_AFTER_MS = 10_000
const READY_TIMEOUT_MS = 120_000
/** Longer than `LEAVE_TIMEOUT_MS` in `src/cli/server/run-server.ts`, after which a leaving process exits. */
const LEAVE_TIMEOUT_MS = 15_000
const METRICS_TIMEOUT_MS = 1_500
const MAX_FIRST_STARTS = 5

/** A process ended while it started, without a reason. */
class ProcessDied extends CommandError {
  override name = 'ProcessDied'
}

export class Supervisor {
  private readonly setup: SupervisorSetup
  /** The current process of each spec; a replacement enters when it is ready. */
  private readonly processes = new Map<ProcessSpec, WorkerProcess>()
  private readonly running = new Set<WorkerProcess>()
  private readonly stopping = new AbortController()
  private readonly getTotalMetrics = shareWhilePending(() => this.collectMetrics())
  private readonly replaceAllDue = shareWhilePending(() => this.replaceWhileDue())
  private isReplacementDue = false

  constructor(setup: SupervisorSetup) {
    this.setup = setup
    cluster.setupPrimary({ exec: MAIN, args: ['serve'], execArgv: process.execArgv })
  }

  /** Resolves when all processes are ready. Throws a CommandError with the reason of the first failure. */
  async start(): Promise<void> {
    await Promise.all(this.setup.specs.map(spec => this.startFirst(spec)))
  }

  /** A process that is killed while it starts is started again; one that says why it cannot is not. */
  private async startFirst(spec: ProcessSpec): Promise<void> {
    for (let tries = 1; ; tries++) {
      const child = this.fork(spec)
      this.processes.set(spec, child)
      try {
        await child.ready
        return void this.keepAlive(child)
      } catch (error) {
        if (!(error instanceof ProcessDied) || tries === MAX_FIRST_STARTS || this.stopping.signal.aborted)
          throw error
        this.setup.log.error({ process: spec.name, reason: error.message }, 'starting the process again')
      }
    }
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    const running = [...this.running]
    for (const { worker } of running) worker.process.kill('SIGTERM')
    await Promise.all(running.map(({ exited }) => exited))
  }

  /**
   * Replaces the processes one by one, when their successors are ready. If called while it runs, it runs once
   * more.
   */
  replaceAll(): Promise<void> {
    this.isReplacementDue = true
    return this.replaceAllDue()
  }

  pids(): Record<string, number> {
    return Object.fromEntries(
      Array.from(this.processes.values(), ({ spec, worker }) => [spec.name, worker.process.pid ?? 0]),
    )
  }

  private async replaceWhileDue(): Promise<void> {
    const { log, specs } = this.setup
    while (this.isReplacementDue) {
      this.isReplacementDue = false
      log.info({ processes: this.pids() }, 'replacing the processes one by one')
      for (const spec of specs) {
        if (this.stopping.signal.aborted || !(await this.replace(spec))) return
      }
      log.info({ processes: this.pids() }, 'all processes are replaced')
    }
  }

  private async replace(spec: ProcessSpec): Promise<boolean> {
    const successor = this.fork(spec)
    try {
      await successor.ready
    } catch (error) {
      const about = { process: spec.name, reason: toError(error).message }
      this.setup.log.error(about, 'the new process did not start: the old ones stay')
      successor.worker.process.kill('SIGKILL')
      return false
    }
    const old = this.processes.get(spec)
    this.processes.set(spec, successor)
    void this.keepAlive(successor)
    if (old === undefined) return true
    old.isLeaving = true
    send(old, { type: 'leave' })
    const timer = setTimeout(() => old.worker.process.kill('SIGKILL'), LEAVE_TIMEOUT_MS)
    await old.exited
    clearTimeout(timer)
    return true
  }

  private fork(spec: ProcessSpec): WorkerProcess {
    const { log, settings, metrics } = this.setup
    const worker = cluster.fork({ ...settings, ROLE: spec.role, PROCESS_NAME: spec.name })
    const ready = Promise.withResolvers<void>()
    const exited = Promise.withResolvers<void>()
    ready.promise.catch(() => undefined)
    const promises = { ready: ready.promise, exited: exited.promise }
    const child: WorkerProcess = { spec, worker, isReady: false, isLeaving: false, ...promises }
    this.running.add(child)
    const timer = setTimeout(
      () => ready.reject(new Error('the process was not ready in time')),
      READY_TIMEOUT_MS,
    )
    worker.on('error', error =>
      log.warn({ reason: error.message }, 'a message could not be sent to a process'),
    )
    worker.on('message', (message: WorkerMessage) => {
      if (message.type === 'failed') ready.reject(new CommandError(message.reason))
      if (message.type === 'migrating' || message.type === 'ready') clearTimeout(timer)
      if (message.type === 'get total metrics')
        void this.getTotalMetrics().then(text => send(child, { type: 'total metrics', text }))
      if (message.type !== 'ready') return
      child.isReady = true
      ready.resolve()
    })
    worker.once('exit', (code, signal) => {
      clearTimeout(timer)
      child.isReady = false
      this.running.delete(child)
      metrics?.retire(worker.id)
      ready.reject(
        new ProcessDied(`The process ${spec.name} exited with ${signal ?? code} before it was ready.`),
      )
      exited.resolve()
    })
    return child
  }

  /** Forks a process again whenever it dies, until another takes its place. */
  private async keepAlive(first: WorkerProcess): Promise<void> {
    const { spec } = first
    let pauseMs = MIN_PAUSE_MS
    for (let current = first; ; current = this.fork(spec)) {
      if (current !== first) this.processes.set(spec, current)
      const startedAt = performance.now()
      await current.exited
      if (current.isLeaving || this.stopping.signal.aborted) return
      if (performance.now() - startedAt > STABLE_AFTER_MS) pauseMs = MIN_PAUSE_MS
      this.setup.log.error({ process: spec.name, again_in_ms: pauseMs }, 'a process has died; restarting it')
      await pause(pauseMs, undefined, { signal: this.stopping.signal }).catch(() => undefined)
      if (this.stopping.signal.aborted || this.processes.get(spec) !== current) return
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
    }
  }

  /** A process that does not answer in time counts with its last metrics. */
  private async collectMetrics(): Promise<string> {
    const { metrics } = this.setup
    const ready = [...this.processes.values()].filter(({ isReady }) => isReady)
    await Promise.all(
      ready.map(async child => {
        const answer = waitForMessage<WorkerMessage, 'metrics'>(child.worker, 'metrics', METRICS_TIMEOUT_MS)
        send(child, { type: 'get metrics' })
        const message = await answer
        if (message !== undefined) metrics?.set(child.worker.id, message.metrics)
      }),
    )
    return metrics?.text() ?? ''
  }
}

function send({ worker }: WorkerProcess, message: SupervisorMessage): void {
  if (worker.isConnected()) worker.send(message)
}
