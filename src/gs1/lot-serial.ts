/** Checks lots and serials, which are printed as parts of addresses. */

/** The limit of AI 10, 21 and 22. */
export const MAX_LOT_OR_SERIAL_LENGTH = 20

/** The 82 characters of GS1 General Specifications, figure 7.11-1. */
const CSET_82 = /^[!"%&'()*+,\-./0-9:;<=>?A-Z_a-z]{1,20}$/

/**
 * True if a text can be a lot (AI 10), a serial (AI 21) or a variant (AI 22). `.` and `..` are not accepted,
 * although GS1 allows them: URL parsers remove them, even percent-encoded, so the address would name another
 * object.
 */
export const isLotOrSerial = (text: string) => CSET_82.test(text) && text !== '.' && text !== '..'
