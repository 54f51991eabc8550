/** Suggests the name that a misspelled one was probably meant to be. */
import { countEdits } from '../../kernel/values/edit-distance.ts'

/** Security bound: comparing takes time quadratic in the length. */
const MAX_LENGTH = 60

/** Finds the nearest name: equal but for case, `_`, `-`, or one mistake in four letters, at most 3. */
export function findNearestName(key: string, names: readonly string[]): string | undefined {
  if (key.length > MAX_LENGTH) return undefined
  const plain = simplify(key)
  let best: string | undefined
  let bestDistance = Math.min(3, Math.floor(plain.length / 4)) + 1
  for (const name of names) {
    if (Math.abs(name.length - plain.length) >= bestDistance) continue
    const distance = countEdits(plain, simplify(name))
    if (distance < bestDistance) {
      best = name
      bestDistance = distance
    }
  }
  return best
}

const simplify = (name: string) => name.replaceAll(/[_\s-]/g, '').toLowerCase()
