/**
 * Combines the calls of one tick in one statement, up to 64 under load. Few statements run at once, so that
 * calls wait for the next statement instead of a connection.
 */
const MAX_BATCH = 64

type Waiting<K, V> = { key: K; resolve: (value: V) => void; reject: (reason: unknown) => void }

/** The keys of a statement together weigh at most `maxWeight`; a heavier key gets its own statement. */
type Weight<K> = { weigh: (key: K) => number; maxWeight: number }

/**
 * `load` returns the values in the order of the keys; if it fails, all its calls fail. `maxBatch` bounds the
 * memory of a statement.
 */
export function createBatchLoader<K, V>(
  load: (keys: readonly K[]) => Promise<readonly V[]>,
  maxInFlight = 2,
  maxBatch = MAX_BATCH,
  weight?: Weight<K>,
): (key: K) => Promise<V> {
  const queue: Waiting<K, V>[] = []
  let inFlight = 0
  let scheduled = false

  const loadNext = () => {
    scheduled = false
    while (queue.length > 0 && inFlight < maxInFlight) {
      const batch = queue.splice(0, weight === undefined ? maxBatch : countFitting(queue, maxBatch, weight))
      inFlight++
      load(batch.map(one => one.key))
        .then(
          values => {
            for (const [i, one] of batch.entries()) one.resolve(values[i] as V)
          },
          reason => {
            for (const one of batch) one.reject(reason)
          },
        )
        .finally(() => {
          inFlight--
          loadNext()
        })
    }
  }

  return key =>
    new Promise((resolve, reject) => {
      queue.push({ key, resolve, reject })
      if (!scheduled && inFlight < maxInFlight) {
        scheduled = true
        setImmediate(loadNext)
      }
    })
}

/** How many of the first keys fit into a statement; at least one. */
function countFitting<K>(
  queue: readonly { key: K }[],
  maxBatch: number,
  { weigh, maxWeight }: Weight<K>,
): number {
  let room = maxWeight
  const tooMuch = queue.slice(0, maxBatch).findIndex(({ key }) => {
    room -= weigh(key)
    return room < 0
  })
  return tooMuch === -1 ? maxBatch : Math.max(tooMuch, 1)
}
