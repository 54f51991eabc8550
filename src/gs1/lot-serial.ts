/** Lots and serials end up in printed addresses, so only what an address can carry is one. */

/** Of AI 10, 21 and 22. */
export const MAX_LOT_OR_SERIAL_LENGTH = 20

/** GS1 General Specifications, figure 7.11-1 (82 characters), at that length. */
const CSET_82 = /^[!"%&'()*+,\-./0-9:;<=>?A-Z_a-z]{1,20}$/

/**
 * Whether a text can be a lot (AI 10), a serial (AI 21) or a variant (AI 22). `.` and `..` are in the character set but
 * refused: URL parsers collapse them, even percent-encoded, so the address would silently name another object.
 */
export const isLotOrSerial = (text: string) => CSET_82.test(text) && text !== '.' && text !== '..'
