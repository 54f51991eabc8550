/** The scheduled tasks of pictures and documents, in one shard. */
import { deleteUnfinishedMedia } from '../media/upkeep/delete-media.ts'
import {
  deleteOldFetches,
  deleteUnusedMedia,
  type UnusedCursor,
} from '../media/upkeep/delete-unused-media.ts'
import { clearWithdrawnMedia } from '../media/upkeep/withdraw-media.ts'
import { isNamedInDraft } from '../passports/drafts/named-in-drafts.ts'
import { createMediaFetcher, type MediaFetcherSetup } from './media-fetcher.ts'
import { repeat } from './repeat.ts'
import { createThrottledLogger } from './throttled-logger.ts'

/** How often a process looks for files that are to be fetched from an address. */
const FETCH_INTERVAL_MS = 1_000
const CLEANUP_INTERVAL_MS = 300_000

/** `setup.outbound` is closed by `stop`. */
export function startMediaTasks(setup: MediaFetcherSetup) {
  const stopping = new AbortController()
  const failureLogger = (work: string) =>
    createThrottledLogger(setup.log, 'warn', { work }, 'a scheduled task failed')
  const fetcher = createMediaFetcher(setup)
  const cleanUp = createMediaCleanup(setup, () => !stopping.signal.aborted)
  const tasks = [
    repeat(fetcher.startDue, FETCH_INTERVAL_MS, failureLogger('files from addresses')),
    repeat(cleanUp, CLEANUP_INTERVAL_MS, failureLogger('unused files')),
  ]
  return {
    async stop() {
      stopping.abort()
      await Promise.all([...tasks.map(task => task.stop()), fetcher.stop()])
    },
  }
}

type CleanupSetup = Pick<MediaFetcherSetup, 'sql' | 'clock' | 'log' | 'mediaStore'>

/** Each run deletes some. Several processes may do it at once. */
export function createMediaCleanup({ sql, clock, log, mediaStore }: CleanupSetup, goesOn: () => boolean) {
  let cursor: UnusedCursor
  return async (): Promise<void> => {
    const unfinished = await deleteUnfinishedMedia({ sql, clock }, mediaStore)
    const setup = { mediaStore, isNamedInDraft, goesOn }
    const { deleted: unused, next } = await deleteUnusedMedia({ sql, clock }, setup, cursor)
    cursor = next
    await deleteOldFetches({ sql, clock })
    const withdrawn = await clearWithdrawnMedia({ sql, clock }, mediaStore)
    if (withdrawn > 0) log.info({ withdrawn }, 'the bytes of withdrawn files are deleted')
    if (unfinished + unused > 0) log.info({ unfinished, unused }, 'files deleted from the store')
  }
}
