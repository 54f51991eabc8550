/** A map of at most `max` entries: the one that was set longest ago goes first. */
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
    const [oldest] = this.keys()
    if (this.size > this.max && oldest !== undefined) this.delete(oldest)
    return this
  }

  /** The value of the key; the first time, what `make` returns for it. */
  getOrMake(key: K, make: (key: K) => V): V {
    const known = this.get(key)
    if (known !== undefined) return known
    const made = make(key)
    this.set(key, made)
    return made
  }
}
