/** Runs scheduled tasks at intervals. */
import type { ThrottledLogger } from './throttled-logger.ts'

/** Runs `work` at once and then at an interval, never twice at a time. */
export function repeat(work: () => Promise<void>, everyMs: number, logger: ThrottledLogger) {
  let running: Promise<void> | undefined
  const runOnce = async () => {
    try {
      await work()
      logger.recovered()
    } catch (error) {
      logger.failed(error)
    }
    running = undefined
  }
  const runUnlessRunning = () => {
    running ??= runOnce()
  }
  runUnlessRunning()
  const timer = setInterval(runUnlessRunning, everyMs)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
