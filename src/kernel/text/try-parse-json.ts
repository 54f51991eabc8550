/** Parses JSON from outside, where invalid text means the same as a missing text. */

export function tryParseJson(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
