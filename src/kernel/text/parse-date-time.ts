/** Parses times in queries, forms and commands, and accepts only those that PostgreSQL can store. */

const WITHOUT_TIME = /^\d{4}-\d{2}-\d{2}$/
const HAS_OFFSET = /(?:[Zz]|[+-]\d{2}:\d{2})$/

/**
 * The time of an ISO 8601 text with a four-digit year; a date means 0:00, no offset means UTC. Undefined for
 * dates that do not exist (30 February, which Date would move to March), and for years outside 1 to 9999 in
 * UTC, which PostgreSQL reads in another format than `toISOString` writes.
 */
export function parseDateTime(text: string): Date | undefined {
  const instant = parseInstant(text)
  return instant && new Date(instant.epochMilliseconds)
}

/** The same in microseconds since 1970, as exact as PostgreSQL stores times. What is finer is cut off. */
export function parseMicroseconds(text: string): number | undefined {
  const instant = parseInstant(text)
  return instant && Number(instant.epochNanoseconds / 1000n)
}

function parseInstant(text: string): Temporal.Instant | undefined {
  const whole = WITHOUT_TIME.test(text) ? `${text}T00:00:00Z` : HAS_OFFSET.test(text) ? text : `${text}Z`
  try {
    const instant = Temporal.Instant.from(whole)
    const year = new Date(instant.epochMilliseconds).getUTCFullYear()
    return year >= 1 && year <= 9999 ? instant : undefined
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
