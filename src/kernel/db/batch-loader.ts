/**
 * Combines the calls of one tick in one statement, up to 64 under load. Few statements run at once, so that
 * calls wait for the next statement instead of a connection.
 */
const MAX_BATCH = 64

type Waiter<K, V> = { key: K; resolve: (value: V) => void; reject: (reason: unknown) => void }

/** The keys of a statement weigh at most `maxWeight` together. A heavier key gets its own statement. */
type Weight<K> = { weigh: (key: K) => number; maxWeight: number }

type BatchOptions<K> = {
  /** The maximum number of concurrent statements. */
  maxInFlight?: number
  /** The maximum number of keys in a statement, which bounds its memory. */
  maxBatch?: number
  weight?: Weight<K>
}

/**
 * `load` returns the values in the order of the keys, or promises of them. If it fails, all calls in its
 * batch fail.
 */
export function createBatchLoader<K, V>(
  load: (keys: readonly K[]) => Promise<readonly (V | Promise<V>)[]>,
  { maxInFlight = 2, maxBatch = MAX_BATCH, weight }: BatchOptions<K> = {},
): (key: K) => Promise<V> {
  const queue: Waiter<K, V>[] = []
  let inFlight = 0
  let scheduled = false

  const loadNext = () => {
    scheduled = false
    while (queue.length > 0 && inFlight < maxInFlight) {
      const batch = queue.splice(0, weight === undefined ? maxBatch : countFitting(queue, maxBatch, weight))
      inFlight++
      load(batch.map(({ key }) => key))
        .then(
          values => {
            for (const [i, { resolve }] of batch.entries()) resolve(values[i] as V)
          },
          reason => {
            for (const { reject } of batch) reject(reason)
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

/** Like `createBatchLoader`, but each group of keys has its own statements. */
export function createGroupedBatchLoader<K, V>(
  groupOf: (key: K) => string,
  ...[load, options]: Parameters<typeof createBatchLoader<K, V>>
): (key: K) => Promise<V> {
  const groups = new Map<string, { load: (key: K) => Promise<V>; calls: number }>()
  return async key => {
    const name = groupOf(key)
    const group = groups.get(name) ?? { load: createBatchLoader(load, options), calls: 0 }
    groups.set(name, group)
    group.calls++
    try {
      return await group.load(key)
    } finally {
      if (--group.calls === 0) groups.delete(name)
    }
  }
}

/** How many keys from the front of the queue fit into a statement; at least one. */
function countFitting<K>(
  queue: readonly { key: K }[],
  maxBatch: number,
  { weigh, maxWeight }: Weight<K>,
): number {
  let remaining = maxWeight
  const firstTooMany = queue.slice(0, maxBatch).findIndex(({ key }) => {
    remaining -= weigh(key)
    return remaining < 0
  })
  return firstTooMany === -1 ? maxBatch : Math.max(firstTooMany, 1)
}
