/** Suggests the name that a misspelled one was probably meant to be. */
/** Security bound: comparing takes time quadratic in the length. */
const MAX_LENGTH = 60

/** Finds the nearest name: equal except for case, `_` and `-`, or with one mistake per four letters, at most three. */
export function findNearestName(key: string, names: readonly string[]): string | undefined {
  if (key.length > MAX_LENGTH) return undefined
  const plain = simplify(key)
  let best: string | undefined
  let bestDistance = Math.min(3, Math.floor(plain.length / 4)) + 1
  for (const name of names) {
    if (Math.abs(name.length - plain.length) >= bestDistance) continue
    const distance = editDistance(plain, simplify(name))
    if (distance < bestDistance) {
      best = name
      bestDistance = distance
    }
  }
  return best
}

const simplify = (name: string) => name.replaceAll(/[_\s-]/g, '').toLowerCase()

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1)
      }
      row.push(cost)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
