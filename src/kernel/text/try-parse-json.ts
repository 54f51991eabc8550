/** Parses JSON from outside, where invalid text means the same as a missing text. */

/** Returns undefined if the text is not JSON. */
export function tryParseJson(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
