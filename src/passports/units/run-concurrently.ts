/**
 * Runs `work` on each piece, `max` at a time. After a piece that returns false or throws, no other piece
 * starts. Returns false if it stopped early.
 */
export async function runConcurrently<T>(
  pieces: readonly T[],
  max: number,
  work: (piece: T) => Promise<boolean>,
): Promise<boolean> {
  const waiting = pieces.values()
  let goesOn = true
  const worker = async () => {
    for (const piece of waiting) {
      if (!goesOn) return
      let isDone = false
      try {
        isDone = await work(piece)
      } finally {
        goesOn &&= isDone
      }
    }
  }
  const workers = await Promise.allSettled(Array.from({ length: max }, worker))
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason
  return goesOn
}
