/** Runs CPU-heavy work in a thread of low priority. */
import { constants, setPriority } from 'node:os'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { toError } from '../errors/errors.ts'

type Job<Input> = { id: number; input: Input }
type Done<Output> = { id: number; output: Output } | { id: number; error: string }

const MAX_HEAP_MIB = 64
/** Without work for this long, the thread ends, which frees its memory. */
const IDLE_MS = 10_000

/**
 * The first call starts a thread with the file `entry`, which handles one call after another. Inputs and
 * outputs are copied. A call rejects if the work throws or the thread ends; the next call starts a new
 * thread.
 */
export function openLowPriorityThread<Input, Output>(entry: URL): (input: Input) => Promise<Output> {
  const waiting = new Map<number, Pick<PromiseWithResolvers<Output>, 'resolve' | 'reject'>>()
  let thread: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let count = 0
  const end = (error: Error) => {
    thread = undefined
    clearTimeout(idle)
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  const start = (): Worker => {
    const started = new Worker(entry, { resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB } })
    const endIfCurrent = (error: Error) => thread === started && end(error)
    started.on('message', (done: Done<Output>) => {
      const call = waiting.get(done.id)
      waiting.delete(done.id)
      if ('output' in done) call?.resolve(done.output)
      else call?.reject(new Error(done.error))
      if (waiting.size > 0 || thread !== started) return
      started.unref()
      idle = setTimeout(() => {
        end(new Error('the thread had nothing to do'))
        void started.terminate()
      }, IDLE_MS).unref()
    })
    started.on('error', endIfCurrent)
    started.on('exit', code => endIfCurrent(new Error(`the thread ended with ${code}`)))
    return started
  }
  return input =>
    new Promise<Output>((resolve, reject) => {
      clearTimeout(idle)
      thread ??= start()
      thread.ref()
      const id = ++count
      waiting.set(id, { resolve, reject })
      thread.postMessage({ id, input } satisfies Job<Input>)
    })
}

/** Called once by the file that starts a thread: answers each call with the output of `work`. */
export function serveLowPriorityThread<Input, Output>(
  work: (input: Input) => Output | Promise<Output>,
): void {
  const port = parentPort
  if (isMainThread || port === null) throw new Error('broken assumption: this file begins a thread')
  yieldToOtherThreads()
  port.on('message', async ({ id, input }: Job<Input>) => {
    try {
      port.postMessage({ id, output: await work(input) } satisfies Done<Output>)
    } catch (error) {
      port.postMessage({ id, error: toError(error).message } satisfies Done<Output>)
    }
  })
}

/** On Linux, 0 is the calling thread; elsewhere the whole process, which keeps its priority. */
function yieldToOtherThreads(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(0, constants.priority.PRIORITY_LOW)
  } catch {
    // A container may forbid this. The thread then runs at normal priority.
  }
}
