/** How many files are read at a time: each is in memory meanwhile. */

/** Security bound. */
const MOST_AT_ONCE = 3
let reading = 0

/** Undefined when too many are being read. */
export async function whileReading<T>(work: () => Promise<T>): Promise<T | undefined> {
  if (reading >= MOST_AT_ONCE) return undefined
  reading++
  try {
    return await work()
  } finally {
    reading--
  }
}
