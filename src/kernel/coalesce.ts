/**
 * Gathers single calls of the same tick into one statement: under load a round trip serves up to 64 of them. Few
 * statements are in flight at once, so that waiting calls pile up into the next one instead of into the pool.
 */

const MAX_BATCH = 64

type Waiting<K, V> = { key: K; resolve: (value: V) => void; reject: (reason: unknown) => void }

/**
 * `load` answers the keys in their order. A failing statement fails the calls that were in it, and only those. Where an
 * answer may be large, `maxBatch` bounds the memory of a statement.
 */
export function coalesce<K, V>(
  load: (keys: readonly K[]) => Promise<readonly V[]>,
  maxInFlight = 2,
  maxBatch = MAX_BATCH,
): (key: K) => Promise<V> {
  const queue: Waiting<K, V>[] = []
  let inFlight = 0
  let scheduled = false

  const pump = () => {
    scheduled = false
    while (queue.length > 0 && inFlight < maxInFlight) {
      const batch = queue.splice(0, maxBatch)
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
          pump()
        })
    }
  }

  return key =>
    new Promise((resolve, reject) => {
      queue.push({ key, resolve, reject })
      if (!scheduled && inFlight < maxInFlight) {
        scheduled = true
        setImmediate(pump)
      }
    })
}
