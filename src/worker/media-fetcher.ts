/** Fetches files from the addresses that accounts have given, a few at a time, in turns between accounts. */
import type { Log } from '../kernel/errors/log.ts'
import { type ClaimedFetch, claimFetches } from '../media/fetch/claim-fetches.ts'
import { type FetchContext, fetchFile } from '../media/fetch/fetch-file.ts'

/** Each holds up to 20 MiB. */
const MAX_FETCHES = 6
/** Over all processes, so that one account whose servers are slow leaves room for the others. */
const MAX_OF_ACCOUNT = 2

/** Shared by the fetchers of a process, one for each shard. */
export type FetchSlots = { free: number }
export const createFetchSlots = (): FetchSlots => ({ free: MAX_FETCHES })

export type MediaFetcherSetup = FetchContext & { log: Log; slots: FetchSlots }

/** `setup.outbound` is closed by `stop`. */
export function createMediaFetcher({ log, slots, ...ctx }: MediaFetcherSetup) {
  const running = new Set<Promise<void>>()
  let isStopping = false
  const run = async (claimed: ClaimedFetch) => {
    const about = { account: claimed.accountId, attempt: claimed.attempts }
    try {
      const outcome = await fetchFile(ctx, claimed)
      log.info({ ...about, outcome }, 'a file was fetched from its address')
    } catch (error) {
      log.error({ ...about, err: error }, 'a file could not be stored; it is fetched again')
    }
  }
  const start = (claimed: ClaimedFetch) => {
    const work = run(claimed).finally(() => {
      running.delete(work)
      slots.free++
    })
    running.add(work)
  }
  /** Starts what is due, as far as there are slots. Returns how many. */
  const startDue = async (): Promise<number> => {
    const limit = slots.free
    if (limit === 0 || isStopping) return 0
    slots.free -= limit
    let claimed: ClaimedFetch[] = []
    try {
      claimed = await claimFetches(ctx, { limit, maxOfAccount: MAX_OF_ACCOUNT })
      for (const one of claimed) start(one)
    } finally {
      slots.free += limit - claimed.length
    }
    return claimed.length
  }
  return {
    startDue: async () => void (await startDue()),
    /** For tests: until nothing is due. */
    async drain() {
      for (;;) {
        // A fetch that ends while the next is claimed may have left room for more.
        const wasBusy = running.size > 0
        if ((await startDue()) === 0 && !wasBusy) return
        if (running.size > 0) await Promise.race(running)
      }
    },
    /** Ends what is under way, which another worker then begins again. */
    async stop() {
      isStopping = true
      await ctx.outbound.close()
      await Promise.all(running)
    },
  }
}
