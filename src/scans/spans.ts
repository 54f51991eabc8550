/**
 * Sums of an account over 1, 8 and 64 days, each beginning at a multiple of its length since 1970: a range that ends
 * today is made of twenty of them at most, so that a year costs little more than a week.
 */

export const SPAN_DAYS = [1, 8, 64] as const

/** The first day of the span of this length that a day belongs to. */
export const getSpanStart = (day: number, days: number): number => day - (day % days)

/** The spans that make up all from `first` to `last`, in order; the last may reach beyond, where nothing is yet. */
export function listSpans(first: number, last: number): { days: number; first: number }[] {
  const spans: { days: number; first: number }[] = []
  for (let day = first; day <= last; ) {
    const days = SPAN_DAYS.findLast(length => day % length === 0) ?? 1
    spans.push({ days, first: day })
    day += days
  }
  return spans
}
