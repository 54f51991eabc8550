/** Splits rows, in order, into pieces of at most `maxBytes`. A larger row is a separate piece. */
export function splitByBytes<T>(
  rows: readonly T[],
  bytesOf: (row: T) => number,
  maxBytes: number,
): readonly (readonly T[])[] {
  const pieces: T[][] = []
  let room = 0
  for (const row of rows) {
    const bytes = bytesOf(row)
    room -= bytes
    const last = pieces.at(-1)
    if (last !== undefined && room >= 0) last.push(row)
    else {
      pieces.push([row])
      room = maxBytes - bytes
    }
  }
  return pieces
}
