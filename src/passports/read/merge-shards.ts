/** Merges the ordered rows of an account's shards, so that a page is the same as if they were on one. */
import type { AccountContext } from '../../accounts/account/context.ts'

type Rows<R> = {
  shards: readonly AccountContext[]
  /** Negative if `a` comes before `b`. */
  compare: (a: R, b: R) => number
  /** Rows of one shard in this order, without those up to `after` and the next `skip`. */
  read: (ctx: AccountContext, window: { after: R | undefined; skip: number; limit: number }) => Promise<R[]>
}

/** Up to `limit` rows after the first `skip`. */
export async function readMerged<R>(rows: Rows<R>, skip: number, limit: number): Promise<R[]> {
  const after = await skipRows(rows, skip)
  if (after === 'beyond') return []
  const found = await Promise.all(rows.shards.map(at => rows.read(at, { after, skip: 0, limit })))
  return found.flat().sort(rows.compare).slice(0, limit)
}

/**
 * The row at this position. Each of m shards is asked for its row at a distance of about `left`/m. The first
 * of these rows has at most `left` rows up to it, so its shard can go there.
 */
async function skipRows<R>(
  { shards, read, compare }: Rows<R>,
  count: number,
): Promise<R | undefined | 'beyond'> {
  const reached: (R | undefined)[] = shards.map(() => undefined)
  let maxStep = count
  for (let left = count; left > 0; ) {
    const step = Math.min(maxStep, Math.floor((left + shards.length - 1) / shards.length))
    const probes = await Promise.all(
      shards.map(async (at, i) => {
        const [row] = await read(at, { after: reached[i], skip: step - 1, limit: 1 })
        return row === undefined ? [] : [{ i, row }]
      }),
    )
    const [first] = probes.flat().sort((a, b) => compare(a.row, b.row))
    if (first === undefined && step === 1) return 'beyond'
    if (first === undefined) maxStep = step >> 1
    else {
      reached[first.i] = first.row
      left -= step
    }
  }
  return reached
    .filter(row => row !== undefined)
    .sort(compare)
    .at(-1)
}
