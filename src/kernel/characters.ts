/** How long a text is to whoever reads a limit: in characters (code points), as JSON Schema counts, not in UTF-16 units. */

/** Whether a text has more than `most` characters. A character is at most two units, so that a vast text need not be walked. */
export const isLongerThan = (text: string, most: number): boolean =>
  text.length > most && (text.length > 2 * most || [...text].length > most)
