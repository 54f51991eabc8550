/** The scheduled tasks of pictures and documents, in one shard. */
import { createMediaFetcher, type MediaFetcherSetup } from './media-fetcher.ts'
import { repeat } from './repeat.ts'
import { createThrottledLogger } from './throttled-logger.ts'

/** How often a process looks for files that are to be fetched from an address. */
const FETCH_INTERVAL_MS = 1_000

/** `setup.outbound` is closed by `stop`. */
export function startMediaTasks(setup: MediaFetcherSetup) {
  const failureLogger = (work: string) =>
    createThrottledLogger(setup.log, 'warn', { work }, 'a scheduled task failed')
  const fetcher = createMediaFetcher(setup)
  const tasks = [repeat(fetcher.startDue, FETCH_INTERVAL_MS, failureLogger('files from addresses'))]
  return {
    async stop() {
      await Promise.all([...tasks.map(task => task.stop()), fetcher.stop()])
    },
  }
}
