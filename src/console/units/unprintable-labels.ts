/** Finds labels whose texts have characters that no font can print, before a file is made. */
import type { Label } from '../../qr/label-sheet.ts'
import { createUnprintableFinder } from '../../qr/text/text.ts'

const MAX_NAMED = 3

/** For a sentence: some of the texts, and their characters. Undefined if all labels can be printed. */
export async function findUnprintableLabels(
  labels: AsyncIterable<Label>,
): Promise<{ names: string; characters: string } | undefined> {
  const findIn = createUnprintableFinder()
  const names = new Set<string>()
  const characters = new Set<string>()
  for await (const { title, lines } of labels) {
    for (const text of [title, ...lines]) {
      const found = await findIn(text)
      for (const one of found) characters.add(one)
      if (found.length > 0) names.add(text)
    }
    if (names.size >= MAX_NAMED) break
  }
  if (names.size === 0) return undefined
  return { names: [...names].slice(0, MAX_NAMED).join(', '), characters: [...characters].join(' ') }
}
