/** Measures of shaped texts that the thread and the document agree on. */

export type Weight = 400 | 700

/** A multiple of the font size. Marks of Thai and Devanagari are high. */
export const SHAPED_LINE_HEIGHT = 1.35
