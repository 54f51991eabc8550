/**
 * Generates `locales/console/texts.d.ts`, the type of the console's texts, from `en.json`. With `--check` it writes
 * nothing and fails when the file is out of date or a language lacks a key, a placeholder or a plural category.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { isPlural, listConsoleLanguages, readTextSource, type TextSource } from '../src/console/page/texts.ts'

const FILE = new URL('../locales/console/texts.d.ts', import.meta.url)
const HEAD = `/** Generated from en.json by \`npm run texts\`: do not edit. A call fills the placeholders; \`count\` chooses the plural. */
type Value = string | number

export type Texts = `

const placeholdersIn = (text: string): string[] => [
  ...new Set(Array.from(text.matchAll(/\{(\w+)\}/g), ([, name]) => name ?? '')),
]

function typeOf(source: TextSource, indent = ''): string {
  if (typeof source === 'string') return typeOfText(placeholdersIn(source))
  if (Array.isArray(source)) return 'readonly string[]'
  const members = Object.entries(source)
  if (isPlural(source)) return typeOfText(['count', ...placeholdersIn(Object.values(source).join(' '))])
  const lines = members.map(
    ([key, one]) =>
      `${indent}  ${/^(?:[a-z]\w*|\d+)$/i.test(key) ? key : JSON.stringify(key)}: ${typeOf(one, `${indent}  `)}\n`,
  )
  return `{\n${lines.join('')}${indent}}`

  function typeOfText(names: readonly string[]): string {
    if (names.length === 0) return 'string'
    const values = [...new Set(names)].map(name =>
      name === 'count' && isPlural(source) ? 'count: number' : `${name}: Value`,
    )
    return `(values: { ${values.join('; ')} }) => string`
  }
}

/** Compares a language with English. Returns a sentence for each difference. */
function compare(english: TextSource, own: TextSource | undefined, language: string, path = ''): string[] {
  if (own === undefined) return [`${path} is missing`]
  if (typeof english === 'string' || isPlural(english)) {
    if (typeof own !== 'string' && !isPlural(own)) return [`${path} must be a text`]
    return [...comparePlaceholders(english, own, path), ...compareCategories(own, language, path)]
  }
  if (Array.isArray(english)) {
    return Array.isArray(own) && own.length === english.length
      ? []
      : [`${path} must be a list of ${english.length} texts`]
  }
  if (typeof own === 'string' || Array.isArray(own)) return [`${path} must be a group of texts`]
  const groups = own as Readonly<Record<string, TextSource>>
  const join = (key: string) => (path === '' ? key : `${path}.${key}`)
  return [
    ...Object.entries(english).flatMap(([key, text]) => compare(text, groups[key], language, join(key))),
    ...Object.keys(groups).flatMap(key => (key in english ? [] : [`${join(key)} is not in en.json`])),
  ]
}

function comparePlaceholders(english: TextSource, own: TextSource, path: string): string[] {
  const [wanted, found] = [english, own].map(
    source => new Set(placeholdersIn(typeof source === 'string' ? source : Object.values(source).join(' '))),
  )
  const optional = isPlural(english) ? ['count'] : []
  const lacking = [...(wanted ?? [])].filter(name => !found?.has(name) && !optional.includes(name))
  const unknown = [...(found ?? [])].filter(name => !wanted?.has(name) && !optional.includes(name))
  return [
    ...lacking.map(name => `${path} lacks {${name}}`),
    ...unknown.map(name => `${path} has {${name}}, which en.json lacks`),
  ]
}

function compareCategories(own: TextSource, language: string, path: string): string[] {
  if (!isPlural(own)) return []
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
  return pluralCategories.flatMap(category =>
    category in own ? [] : [`${path} lacks the plural ${category}`],
  )
}

const english = readTextSource('en')
const generated = `${HEAD}${typeOf(english)}\n`
if (process.argv.includes('--check')) {
  const problems = listConsoleLanguages().flatMap(language =>
    compare(english, readTextSource(language), language).map(
      line => `locales/console/${language}.json: ${line}`,
    ),
  )
  if (readFileSync(FILE, 'utf8') !== generated) {
    problems.push('locales/console/texts.d.ts is not up to date: npm run texts')
  }
  for (const line of problems) console.log(line)
  process.exitCode = problems.length === 0 ? 0 : 1
} else writeFileSync(FILE, generated)
