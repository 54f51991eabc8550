/** Documents that the invented passports must become, and readings of these passports with other data. */
import { readFileSync } from 'node:fs'
import { disclose } from '../../src/categories/disclose.ts'
import type { Audience } from '../../src/categories/field.ts'
import type { Reading } from '../../src/standards/reading.ts'
import passports from './passports.json' with { type: 'json' }
import { READINGS } from './readings.ts'

/** The text of a file in `examples/`. */
export const readExample = (file: string): string =>
  readFileSync(new URL(`examples/${file}`, import.meta.url), 'utf8')

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
export const parseExample = (file: string): any => JSON.parse(readExample(file))

const EXAMPLES = {
  textile: { reading: READINGS['textile-item'], data: passports.textileItem },
  battery: { reading: READINGS['battery-item'], data: passports.batteryItem },
  furniture: { reading: READINGS['furniture-model'], data: passports.furnitureModel },
}

type ReadingOptions = {
  audience?: Audience
  /** Top-level fields; undefined removes one. */
  changes?: Record<string, unknown>
}

/** The passport of a category, as an audience reads it. */
export function buildExampleReading(
  category: keyof typeof EXAMPLES,
  { audience = 'public', changes = {} }: ReadingOptions = {},
): Reading {
  const { reading, data } = EXAMPLES[category]
  return { ...reading, audience, data: disclose(reading.category, { ...data, ...changes }, audience).data }
}
