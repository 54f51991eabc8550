/**
 * The process that decodes what accounts upload: a file that crashes a decoder, or needs too much memory or
 * time, ends only this process.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Preparation } from '../files/prepared-file.ts'
import { prepareFile } from './prepare-file.ts'
import type { MonitorData } from './prepare-monitor.ts'

/** The `size` bytes of the file follow on stdin. */
export type PrepareRequest = { id: number; size: number; maxCpuMs: number }
export type PrepareResponse = { id: number; preparation: Preparation }

const MONITOR = new URL('./prepare-monitor.ts', import.meta.url)
const MONITOR_HEAP_MIB = 16

const current = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
let isMonitored = false

function startMonitor(maxCpuMs: number): void {
  if (isMonitored) return
  isMonitored = true
  const workerData: MonitorData = { current, maxCpuMs }
  new Worker(MONITOR, { workerData, resourceLimits: { maxOldGenerationSizeMb: MONITOR_HEAP_MIB } })
}

/** The parent sends the next file only after it has the answer for this one. */
async function readFile(size: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let missing = size
  while (missing > 0) {
    const chunk: Buffer | null = process.stdin.read()
    if (chunk === null) await once(process.stdin, 'readable')
    else {
      chunks.push(chunk)
      missing -= chunk.length
    }
  }
  return Buffer.concat(chunks, size)
}

process.on('message', async ({ id, size, maxCpuMs }: PrepareRequest) => {
  const bytes = await readFile(size)
  startMonitor(maxCpuMs)
  Atomics.store(current, 0, id)
  const preparation = await prepareFile(bytes)
  Atomics.store(current, 0, 0)
  process.send?.({ id, preparation } satisfies PrepareResponse)
})
// The parent has ended.
process.on('disconnect', () => process.exit())
