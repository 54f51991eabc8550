/** Three-valued logic: a comparison with a value that is absent is neither true nor false. */

/** Undefined: unknown. */
export type Truth = boolean | undefined

export const not = (one: Truth): Truth => (one === undefined ? undefined : !one)

/** False as soon as one is false, unknown if one is unknown, else true. */
export function all(values: Iterable<Truth>): Truth {
  let result: Truth = true
  for (const one of values) {
    if (one === false) return false
    if (one === undefined) result = undefined
  }
  return result
}

/** True as soon as one is true, unknown if one is unknown, else false. */
export function any(values: Iterable<Truth>): Truth {
  let result: Truth = false
  for (const one of values) {
    if (one === true) return true
    if (one === undefined) result = undefined
  }
  return result
}
