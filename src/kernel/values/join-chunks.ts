/** Joins the chunks of a large body in steps: the first use of new memory takes longer than the copying. */
import { setImmediate as waitForNextTurn } from 'node:timers/promises'

/** 20 MiB in one step took 90 ms on two busy cores, 4 ms in memory that was used before. */
const STEP_BYTES = 1024 ** 2

export async function joinChunks(chunks: readonly Buffer[], size: number): Promise<Buffer> {
  if (size <= STEP_BYTES) return Buffer.concat(chunks, size)
  const joined = Buffer.allocUnsafeSlow(size)
  let at = 0
  let endOfStep = STEP_BYTES
  for (const chunk of chunks) {
    if (at >= endOfStep) {
      await waitForNextTurn()
      endOfStep = at + STEP_BYTES
    }
    joined.set(chunk, at)
    at += chunk.length
  }
  return joined
}
