/** Sends a call alone and measures what it costs the server and its database. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Ask, send } from './send.ts'
import { forgetPeak, readPeakMb, readRssMb, type Stand } from './stand.ts'

export type Figures = {
  status: number
  /** The longest time in which the event loop served nobody else. */
  blockedMs: number
  /** The same as processor time, which other programs do not lengthen. */
  turnCpuMs: number
  databaseMs: number
  rssMb: number
  ms: number
}

/** Works may go on after the answer, such as an import. */
const AFTERWARDS_MS = 4

export async function measure(stand: Stand, ask: Ask, afterwardsMs = AFTERWARDS_MS): Promise<Figures> {
  const databaseBefore = await stand.readDatabaseMs()
  const rssBefore = readRssMb(stand)
  forgetPeak(stand)
  await stand.begin()
  const began = performance.now()
  const status = await send(stand, ask)
  const ms = performance.now() - began
  await pause(afterwardsMs)
  const { blockedMs, turnCpuMs } = await stand.end()
  return {
    status,
    blockedMs,
    turnCpuMs,
    ms,
    databaseMs: (await stand.readDatabaseMs()) - databaseBefore,
    rssMb: Math.max(0, readPeakMb(stand) - rssBefore),
  }
}
