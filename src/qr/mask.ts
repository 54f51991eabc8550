/**
 * Which of the eight masks of a QR symbol scans best, by the penalties of ISO/IEC 18004, 7.8.3.1. The library finds the
 * same by drawing all eight, which takes half as long as a page; here the other seven come from the first by exclusive
 * or, since what masks differ in does not depend on the text.
 */

export type Modules = { size: number; get(x: number, y: number): boolean }

/** The differences of each mask from mask 0, module by module. */
type Differences = readonly Uint8Array[]

const MASKS = 8
const differences = new Map<string, Differences>()

/** The symbol with the best mask, row by row, 1 for dark. `draw` draws it with a given mask; `kind` names what else sets size and format. */
export function bestSymbol(
  kind: string,
  draw: (mask: number) => Modules,
): { size: number; dark: Uint8Array } {
  const first = draw(0)
  const { size } = first
  const bits = bitsOf(first)
  const key = `${kind} ${size}`
  let known = differences.get(key)
  if (known === undefined) {
    known = Array.from({ length: MASKS }, (_, mask) => xor(bits, bitsOf(draw(mask))))
    differences.set(key, known)
  }
  let best = { dark: bits, penalty: penaltyOf(size, bits) }
  for (const difference of known.slice(1)) {
    const dark = xor(bits, difference)
    const penalty = penaltyOf(size, dark, best.penalty)
    if (penalty < best.penalty) best = { dark, penalty }
  }
  return { size, dark: best.dark }
}

function bitsOf(code: Modules): Uint8Array {
  const { size } = code
  const bits = new Uint8Array(size * size)
  for (let y = 0; y < size; y++) for (let x = 0; x < size; x++) bits[y * size + x] = code.get(x, y) ? 1 : 0
  return bits
}

function xor(a: Uint8Array, b: Uint8Array): Uint8Array {
  const result = new Uint8Array(a.length)
  for (let i = 0; i < a.length; i++) result[i] = (a[i] ?? 0) ^ (b[i] ?? 0)
  return result
}

/** Runs, finder-like patterns, blocks and imbalance; no longer counted once it is `enough`. */
export function penaltyOf(size: number, dark: Uint8Array, enough = Number.POSITIVE_INFINITY): number {
  let penalty = blocks(size, dark)
  let count = 0
  for (let i = 0; i < size && penalty < enough; i++) {
    penalty += line(dark, i * size, 1, size) + line(dark, i, size, size)
  }
  for (const module of dark) count += module
  return penalty + 10 * Math.floor(Math.abs((count * 20) / dark.length - 10))
}

/** Dark-light-dark×3-light-dark with four light ones before or behind it. */
const FINDER_THEN_LIGHT = 0b10111010000
const LIGHT_THEN_FINDER = 0b00001011101

/** 3 for five alike and 1 for each more; 40 for what looks like a finder. */
function line(dark: Uint8Array, start: number, step: number, size: number): number {
  let penalty = 0
  let run = 0
  let last = -1
  let window = 0
  for (let i = 0, at = start; i < size; i++, at += step) {
    const module = dark[at] ?? 0
    run = module === last ? run + 1 : 1
    last = module
    if (run === 5) penalty += 3
    else if (run > 5) penalty++
    window = ((window << 1) | module) & 0b11111111111
    if (i >= 10 && (window === FINDER_THEN_LIGHT || window === LIGHT_THEN_FINDER)) penalty += 40
  }
  return penalty
}

/** 3 for each square of four alike. */
function blocks(size: number, dark: Uint8Array): number {
  let penalty = 0
  for (let y = 0; y + 1 < size; y++) {
    for (let x = 0, at = y * size; x + 1 < size; x++, at++) {
      const sum = (dark[at] ?? 0) + (dark[at + 1] ?? 0) + (dark[at + size] ?? 0) + (dark[at + size + 1] ?? 0)
      if (sum === 0 || sum === 4) penalty += 3
    }
  }
  return penalty
}
