/** Suggests which language was meant by a code that names none: `english` is `en`, and `gr` is `el`. */
import { LANGUAGES } from '../../i18n/catalogue.ts'
import { isCountry } from '../../kernel/values/countries.ts'
import { once } from '../../kernel/values/memo.ts'
import { normalizeName } from './name-lookup.ts'
import { findNearestName } from './nearest-name.ts'

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz']

const createNames = (language: string) =>
  new Intl.DisplayNames([language], { type: 'language', fallback: 'none' })

/** Two-letter codes by their names in the 24 languages and in their own. Takes some 20 ms, once. */
const getCodes = once(() => {
  const codes = new Map<string, string>()
  const english = createNames('en')
  const known = LETTERS.flatMap(a => LETTERS.map(b => a + b)).filter(code => english.of(code) !== undefined)
  const add = (code: string, name: string | undefined) => {
    const key = normalizeName(name ?? '')
    if (key !== '' && !codes.has(key)) codes.set(key, code)
  }
  for (const names of LANGUAGES.map(({ code }) => createNames(code)))
    for (const code of known) add(code, names.of(code))
  for (const code of known) add(code, createNames(code).of(code))
  return codes
})

/** By the name of a language, else by the country with this code, else by a name with a typing mistake. */
export function findMeantLanguage(tag: string): string | undefined {
  const [base = ''] = tag.split('-', 1)
  const codes = getCodes()
  const exact = codes.get(normalizeName(base))
  if (exact !== undefined) return exact
  if (isCountry(base.toUpperCase())) return new Intl.Locale(`und-${base}`).maximize().language
  const nearest = findNearestName(base, [...codes.keys()])
  return nearest === undefined ? undefined : codes.get(nearest)
}
