/** Parses JSON from outside where invalid JSON means the same as no text. */

/** Returns undefined if the text is not JSON. */
export function tryParseJson(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
