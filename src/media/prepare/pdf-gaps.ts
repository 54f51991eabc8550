/** Finds text of a PDF that belongs to no object, which the library's parser reads in a long time. */

/** The parser throws and catches an exception for each character: a second for these, twenty for 20 MB. */
const MAX_GAP = 1024 * 1024

/** Bounded, so that each position is tried in constant time. */
const BEGINNING = /\d\s{1,9}\d{1,9}\s{1,9}obj\b|\bxref\b|\btrailer\b|\bstartxref\b/g

/** Matches text that the parser skips fast: white space, comments, and lines of a table of positions. */
const SKIPPED = /\s+|%[^\r\n]*|\d{10} \d{5} [nf]|\d{1,9} \d{1,9}(?=\s)/y

/** Returns true if more stands between two objects than any program writes there. */
export function hasLongGap(raw: string): boolean {
  for (let at = 0; at < raw.length; ) {
    BEGINNING.lastIndex = at
    const found = BEGINNING.exec(raw)
    const end = found?.index ?? raw.length
    if (end - at > MAX_GAP && end - skipFast(raw, at, end) > MAX_GAP) return true
    if (found === null) return false
    at = found[0].endsWith('obj') ? findEnd(raw, end) : end + found[0].length
  }
  return false
}

function skipFast(raw: string, from: number, end: number): number {
  let at = from
  while (at < end) {
    SKIPPED.lastIndex = at
    if (!SKIPPED.test(raw)) return at
    at = SKIPPED.lastIndex
  }
  return at
}

/** The parser, too, reads an object that cannot be read up to this word. */
function findEnd(raw: string, from: number): number {
  const end = raw.indexOf('endobj', from)
  return end === -1 ? raw.length : end + 'endobj'.length
}
