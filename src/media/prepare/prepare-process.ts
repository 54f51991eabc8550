/**
 * The process that decodes what accounts upload: a file that crashes a decoder, or needs too much memory or
 * time, ends only this process.
 */
import { prepareFile } from './prepare-file.ts'
import type { Preparation } from './prepared-file.ts'

export type PrepareRequest = { id: number; bytes: Uint8Array }
export type PrepareResponse = { id: number; preparation: Preparation }

/** Decoding 50 megapixels takes some 250 MB. */
const MAX_RSS_BYTES = 448 * 1024 * 1024
const CHECK_INTERVAL_MS = 25

process.on('message', async ({ id, bytes }: PrepareRequest) => {
  const preparation = await prepareFile(bytes)
  process.send?.({ id, preparation } satisfies PrepareResponse)
})
// The parent has ended.
process.on('disconnect', () => process.exit())
setInterval(() => {
  if (process.memoryUsage.rss() > MAX_RSS_BYTES) process.exit(1)
}, CHECK_INTERVAL_MS).unref()
