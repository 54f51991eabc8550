/** Passports that are as expensive to check, store and show as their limits allow. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { newProduct } from '../../harness.ts'

/** All languages of the public page. */
export const LANGUAGES: readonly string[] = readdirSync(join(import.meta.dirname, '../../../locales'))
  .filter(name => name.endsWith('.json'))
  .map(name => name.slice(0, 2))

/** The same text in every language. */
export const speak = (text: string): Record<string, string> =>
  Object.fromEntries(LANGUAGES.map(language => [language, `${text} (${language})`]))

const many = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n))

/** Texts in all languages, and lists as long as they may be. */
export const RICH = newProduct({
  sku: 'RICH',
  languages: LANGUAGES,
  careInstructions: speak('Wash & dry <flat>. '.repeat(60)),
  repair: { repairable: true, sparePartsAvailable: true, instructions: speak('Sew. '.repeat(100)) },
  endOfLife: {
    recyclingInstructions: speak('Collect. '.repeat(100)),
    disposalInstructions: speak('Not in household waste. '.repeat(50)),
  },
  supplyChainStages: many(100, n => ({ stage: 'spinning', country: 'IT', facilityName: `Mill & Sons ${n}` })),
  // Free-form keys: more values than a passport may have rows.
  ...Object.fromEntries(many(15, key => [`list${key}`, many(900, n => `value ${key} ${n}`)])),
})

/** One text of almost a megabyte. A single character outside of Latin-1 doubles its size in memory. */
export const LONG = newProduct({ sku: 'LONG', note: `${'n'.repeat(900_000)}€` })

/** The most free-form values that a body may have. */
export const MANY_VALUES = newProduct({
  sku: 'MANY-VALUES',
  ...Object.fromEntries(many(18, key => [`k${key}`, many(999, n => [n, `v${n}`].slice(n % 2)[0])])),
})

export const OFFER = {
  kind: 'repair',
  title: speak('Repair near you'),
  text: speak('Bring it to a shop. '.repeat(10)),
  url: 'https://shop.example/repair',
}
