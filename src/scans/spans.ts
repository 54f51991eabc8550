/**
 * Spans of 1, 8 and 64 days, starting at multiples since 1970: a range that ends today is at most twenty
 * spans.
 */

export const SPAN_DAYS = [1, 8, 64] as const

export const getSpanStart = (day: number, days: number): number => day - (day % days)

/** Lists the spans from `first` to `last`. The last span may end later, where there are no scans yet. */
export function listSpans(first: number, last: number): { days: number; first: number }[] {
  const spans: { days: number; first: number }[] = []
  for (let day = first; day <= last; ) {
    const days = SPAN_DAYS.findLast(length => day % length === 0) ?? 1
    spans.push({ days, first: day })
    day += days
  }
  return spans
}
