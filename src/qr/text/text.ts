/** Shapes texts of any script in a thread, because a font can take 100 ms to load. */
import { openLowPriorityThread } from '../../kernel/process/low-priority-thread.ts'
import type { ShapedText, TextRequest } from './shape-text.ts'

export type ShapingRequest = TextRequest | { find: string }

const send = openLowPriorityThread<ShapingRequest, ShapedText | string[]>(
  new URL('text-thread.ts', import.meta.url),
)

export async function requestShapedText(request: TextRequest): Promise<ShapedText> {
  const shaped = await send(request)
  if (Array.isArray(shaped))
    throw new Error('broken assumption: a text to shape is answered with its outlines')
  return shaped
}

/** Returns a function that returns the characters of a text which no font of labels has. */
export function createUnprintableFinder(): (text: string) => Promise<string[]> {
  const known = new Map<string, boolean>()
  return async text => {
    const characters = isPlainText(text) ? [] : [...new Set(text.toWellFormed())]
    const unknown = characters.filter(one => !known.has(one) && !isPlainText(one)).join('')
    if (unknown !== '') {
      const found = await send({ find: unknown })
      const unprintable = new Set(Array.isArray(found) ? found : found.unprintable)
      for (const one of unknown) known.set(one, unprintable.has(one))
    }
    return characters.filter(one => known.get(one))
  }
}

/**
 * Latin, Greek and Cyrillic letters and signs that the basic font has, and that PDFKit prints from left to
 * right, one glyph for each.
 */
const PLAIN = /^[ -~¡-¬®-ſƒȘ-țʼˆ˜΄-ΊΌΎ-ΡΣ-ώЀ-џҐґẞ–—‘-‚“-„†-•…‰‹›€№™−]*$/u

export const isPlainText = (text: string): boolean => PLAIN.test(text)
