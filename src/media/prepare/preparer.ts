/** Prepares uploaded files, one after another, in a process that is started when it is needed. */
import { type ChildProcess, fork } from 'node:child_process'
import { Semaphore } from '../../kernel/concurrency/semaphore.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { type Preparation, reject } from '../files/prepared-file.ts'
import type { PrepareRequest, PrepareResponse } from './prepare-process.ts'

const ENTRY = new URL('./prepare-process.ts', import.meta.url)
const MAX_HEAP_MIB = 192
/** In processor time: a good file takes a tenth of this. */
const MAX_CPU_MS = 20_000
/** For a file that gets hardly any processor time, because the machine is busy. */
const PREPARE_TIMEOUT_MS = 90_000
/** An idle process ends after this, which frees its memory. */
const IDLE_MS = 10_000
/** Uploads and fetches have limits of their own, which are reached before this one. */
const MAX_WAITING = 24
const MAX_WAIT_MS = 20_000
const RETRY_AFTER_MS = 5_000

export type Preparer = ReturnType<typeof createPreparer>

type PreparerLimits = { timeoutMs?: number; maxCpuMs?: number }

export function createPreparer({
  timeoutMs = PREPARE_TIMEOUT_MS,
  maxCpuMs = MAX_CPU_MS,
}: PreparerLimits = {}) {
  const permits = new Semaphore({ capacity: 1, maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS })
  let child: ChildProcess | undefined
  let idle: NodeJS.Timeout | undefined
  let count = 0
  let isStopped = false

  const endProcess = () => {
    clearTimeout(idle)
    child?.kill('SIGKILL')
    child = undefined
  }
  const start = (): ChildProcess => {
    const started = forkProcess()
    started.on('exit', () => {
      if (child === started) child = undefined
    })
    return started
  }
  const run = (bytes: Uint8Array): Promise<Preparation> =>
    new Promise((resolve, reject) => {
      let isLate = false
      clearTimeout(idle)
      child ??= start()
      const worker = child
      const id = ++count
      const end = (preparation: Preparation) => {
        clearTimeout(timer)
        worker.off('message', onMessage).off('exit', onExit).off('error', onExit)
        // The file is not to blame.
        if (isStopped) return reject(stoppedError())
        if (isLate) return reject(lateError())
        idle = setTimeout(endProcess, IDLE_MS).unref()
        resolve(preparation)
      }
      const onMessage = ({ id: answered, preparation }: PrepareResponse) => {
        if (answered === id) end(preparation)
      }
      const onExit = () => end(TOO_HEAVY)
      const timer = setTimeout(() => {
        isLate = true
        endProcess()
      }, timeoutMs)
      worker.on('message', onMessage).on('exit', onExit).on('error', onExit)
      worker.send({ id, size: bytes.length, maxCpuMs } satisfies PrepareRequest)
      // A message would be copied at once, and nobody else would be served meanwhile: 50 ms for 20 MB.
      worker.stdin?.write(bytes)
    })
  return {
    /** Throws `unavailable` if too many files wait, if the machine is too busy, or after `stop`. */
    async prepare(bytes: Uint8Array): Promise<Preparation> {
      const preparation = await permits.run(() => {
        if (isStopped) throw stoppedError()
        return run(bytes)
      })
      if (preparation === undefined)
        throw busyError('Too many files are being processed. Nothing was stored; send it again in a moment.')
      return preparation
    },
    stop() {
      isStopped = true
      endProcess()
    },
  }
}

function forkProcess(): ChildProcess {
  const child = fork(ENTRY, {
    serialization: 'advanced',
    stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
    execArgv: [`--max-old-space-size=${MAX_HEAP_MIB}`],
    env: {},
  })
  // A process that ends before it has read the file is noticed by its exit.
  child.stdin?.on('error', () => undefined)
  return child
}

const busyError = (message: string) => new AppError('unavailable', message, undefined, RETRY_AFTER_MS)

const stoppedError = () =>
  busyError('The server is being stopped. Nothing was stored; send the file again in a moment.')

const lateError = () =>
  busyError('The server is too busy to process the file. Nothing was stored; send it again in a moment.')

const TOO_HEAVY = reject(
  'media_unreadable',
  'The file takes too much memory or time to read. Save it again, smaller, and send that file.',
)
