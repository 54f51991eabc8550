/** Repeatable random choices: the same seed and number give the same choices. */
export type Chance = {
  /** From 0 (inclusive) to 1 (exclusive). */
  next: () => number
  /** An integer from 0 to below `n`. */
  below: (n: number) => number
  is: (probability: number) => boolean
  of: <T>(list: readonly T[]) => T
  /** Chooses one of the values by their weights. */
  weighted: <T>(pairs: readonly (readonly [number, T])[]) => T
}

/** Mulberry32, seeded with the seed and the request's number. */
export function chanceOf(seed: number, n: number): Chance {
  let state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(n + 1, 0xc2b2ae35)) >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (n: number) => Math.floor(next() * n)
  return {
    next,
    below,
    is: probability => next() < probability,
    of: list => list[below(list.length)] as (typeof list)[number],
    weighted(pairs) {
      const total = pairs.reduce((sum, [weight]) => sum + weight, 0)
      let left = next() * total
      for (const [weight, value] of pairs) {
        left -= weight
        if (left < 0) return value
      }
      return (pairs[0] as (typeof pairs)[number])[1]
    },
  }
}
