/** Random numbers that are the same in each run. */

/** The generator mulberry32: whole numbers below a bound. */
export function createRandom(seed: number): (bound: number) => number {
  let state = seed
  return bound => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound
  }
}
