/** Times as they come from outside, read alike for queries, forms and commands: none that cannot be kept. */

const WITHOUT_TIME = /^\d{4}-\d{2}-\d{2}$/
const HAS_OFFSET = /(?:[Zz]|[+-]\d{2}:\d{2})$/

/**
 * The moment that an ISO 8601 text of four-digit year names: of a date its first one, of a time without an offset that
 * of UTC. Undefined for what is in no calendar (30 February, which Date would move to the next month), and for what is,
 * in UTC, outside the years 1 to 9999: PostgreSQL takes those only in another spelling than `toISOString` has.
 */
export function parseDateTime(text: string): Date | undefined {
  const whole = WITHOUT_TIME.test(text) ? `${text}T00:00:00Z` : HAS_OFFSET.test(text) ? text : `${text}Z`
  try {
    const moment = new Date(Temporal.Instant.from(whole).epochMilliseconds)
    return isWritable(moment) ? moment : undefined
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function isWritable(moment: Date): boolean {
  const year = moment.getUTCFullYear()
  return year >= 1 && year <= 9999
}
