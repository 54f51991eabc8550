/**
 * Ends the process that decodes a file if that takes too much memory or processor time. Runs in a thread,
 * because a parser may keep the main thread busy. Other programs on the machine cost a file nothing.
 */
import { workerData } from 'node:worker_threads'

/** `current`: the number of the file that is being prepared, 0 between two. */
export type MonitorData = { current: Int32Array; maxCpuMs: number }

/** Decoding 50 megapixels takes some 250 MB. */
const MAX_RSS_BYTES = 448 * 1024 * 1024
const CHECK_INTERVAL_MS = 25

const { current, maxCpuMs }: MonitorData = workerData
let known = 0
let begun = process.cpuUsage()

setInterval(() => {
  const file = Atomics.load(current, 0)
  if (file !== known) begun = process.cpuUsage()
  known = file
  const { user, system } = process.cpuUsage(begun)
  const isSlow = file !== 0 && (user + system) / 1000 > maxCpuMs
  if (isSlow || process.memoryUsage.rss() > MAX_RSS_BYTES) process.kill(process.pid, 'SIGKILL')
}, CHECK_INTERVAL_MS)
