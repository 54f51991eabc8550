/** Limits how many spreadsheets are parsed at a time, because each is in memory meanwhile. */

/** Security bound. */
const MAX_CONCURRENT_READS = 3
let reading = 0

/** Returns undefined, without calling `work`, if too many are being parsed. */
export async function limitReads<T>(work: () => Promise<T>): Promise<T | undefined> {
  if (reading >= MAX_CONCURRENT_READS) return undefined
  reading++
  try {
    return await work()
  } finally {
    reading--
  }
}
