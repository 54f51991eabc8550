/**
 * Gathers single calls of the same tick into one statement: under load a round trip serves up to 64 of them. Few
 * statements are in flight at once, so that waiting calls pile up into the next one instead of into the pool.
 */

const LARGEST_BATCH = 64

type Waiting<K, V> = { key: K; resolve: (value: V) => void; reject: (reason: unknown) => void }

/** `load` answers the keys in their order. A failing statement fails the calls that were in it, and only those. */
export function coalesce<K, V>(
  load: (keys: readonly K[]) => Promise<readonly V[]>,
  mostInFlight = 2,
): (key: K) => Promise<V> {
  const queue: Waiting<K, V>[] = []
  let inFlight = 0
  let scheduled = false

  const pump = () => {
    scheduled = false
    while (queue.length > 0 && inFlight < mostInFlight) {
      const batch = queue.splice(0, LARGEST_BATCH)
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
      if (!scheduled && inFlight < mostInFlight) {
        scheduled = true
        setImmediate(pump)
      }
    })
}
