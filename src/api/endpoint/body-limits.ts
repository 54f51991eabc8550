/**
 * The limits of request bodies. Each endpoint declares one: large enough for the largest valid body, and no
 * larger, because reading and parsing a body costs memory and time before anything can be checked.
 */

const KIB = 1024

/** A whole passport. Also the limit of each row of a bulk call. */
export const MAX_PASSPORT_BYTES = 1024 * KIB
/** Up to 500 rows. */
export const MAX_BULK_BYTES = 8 * 1024 * KIB
/** An offer in 30 languages, each character escaped as a surrogate pair. */
/** A hundred identifiers of products. */
export const MAX_IDENTIFIERS_BYTES = 128 * KIB
/** An event with its notes in 30 languages is far smaller. */
export const MAX_EVENT_BYTES = 64 * KIB
/** Up to 500 of them. */
export const MAX_EVENTS_BYTES = 4 * 1024 * KIB
/** 500 measurements of 64 metrics with names of 20 characters. */
export const MAX_MEASUREMENTS_BYTES = 2 * 1024 * KIB
export const MAX_SETTINGS_BYTES = 64 * KIB
/** A few short members, or a body that the endpoint does not read. */
export const MAX_SMALL_BODY_BYTES = 16 * KIB
