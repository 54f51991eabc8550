/** Until when signed documents may be trusted without looking at the current ones. */

const DAY_MS = 86_400_000

/** Documents are signed again in each period. `end`: when what is signed in it expires. */
export type SignaturePeriod = { start: Date; end: Date }

/**
 * The period of this time, which is half as long as signatures are valid. So whatever is read is valid for at
 * least that long, and does not change within a period.
 */
export function getSignaturePeriod(now: Date, signatureDays: number): SignaturePeriod {
  const lengthMs = Math.floor(signatureDays / 2) * DAY_MS
  const start = Math.floor(now.getTime() / lengthMs) * lengthMs
  return { start: new Date(start), end: new Date(start + signatureDays * DAY_MS) }
}
