/** One in this many entries is dropped at a time, because the first key is slow to find after deletions. */
const EVICTED_SHARE = 16

/** A map of at most `max` entries. If one more is set, the entries that were set longest ago are dropped. */
export class BoundedMap<K, V> extends Map<K, V> {
  private readonly max: number

  constructor(max: number) {
    super()
    this.max = max
  }

  override set(key: K, value: V): this {
    // A map keeps the order in which its keys were added.
    this.delete(key)
    super.set(key, value)
    if (this.size > this.max) this.deleteOldest(Math.ceil(this.max / EVICTED_SHARE))
    return this
  }

  private deleteOldest(count: number): void {
    let left = count
    for (const key of this.keys()) {
      if (left-- === 0) return
      this.delete(key)
    }
  }

  getOrMake(key: K, make: (key: K) => V): V {
    const known = this.get(key)
    if (known !== undefined) return known
    const made = make(key)
    this.set(key, made)
    return made
  }
}
