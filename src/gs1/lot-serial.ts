/** What a lot or a serial may be made of, so that it survives an address. */

/** GS1's 82 characters (General Specifications, figure 7.11-1), 1 to 20 of them. */
const CSET82 = /^[!"%&'()*+,\-./0-9:;<=>?A-Z_a-z]{1,20}$/

/** `.` and `..` are legal in GS1's set, but an address containing them names another object. */
export const isLotOrSerial = (text: string): boolean => CSET82.test(text) && text !== '.' && text !== '..'
