/** Values that are created once, at first use. */

export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** One value for each object, for as long as the object lives. */
export function perObject<K extends object, T>(make: (key: K) => T): (key: K) => T {
  const made = new WeakMap<K, { value: T }>()
  return key => {
    let known = made.get(key)
    if (known === undefined) {
      known = { value: make(key) }
      made.set(key, known)
    }
    return known.value
  }
}
