/** The one place that says whether a passport's data may be stored, and what is wrong with it if not: everything at once. */
import type { Detail } from '../kernel/errors.ts'
import { boundedData } from './bounds.ts'
import type { CompleteCategory } from './catalogue.ts'
import { exactSum } from './exact-sum.ts'
import type { Field } from './field.ts'
import { Findings, shorten } from './findings.ts'
import { FORMATS, languageProblem } from './formats.ts'
import { checkFreeForm } from './free-form.ts'
import { scalarEntry } from './json-schema.ts'
import { canonicalLanguage, repairedLanguage } from './language.ts'
import { blankProblem, checkStructure, type Data, isObject } from './structure.ts'
import { findTextFault, isBlank } from './text.ts'

export type ValidationOptions = {
  /** Unknown keys at the top are violations instead of warnings (`Prefer: handling=strict`). */
  strict?: boolean
  /** The schema version the passport was last valid under; absent for a new one. */
  validatedWith?: number
}

/** At most 100 of each; `truncated` when there were more errors. */
export type Validation = { errors: Detail[]; warnings: Detail[]; truncated: boolean }

/**
 * Checks normalised data (see `normaliseData`) against a category; never changes or throws, whatever JSON it is given.
 * One violation for each wrong thing: a value of the wrong type is not checked further. Lengths are in characters
 * (Unicode code points).
 */
export function validateData(
  category: CompleteCategory,
  data: Data,
  options: ValidationOptions = {},
): Validation {
  const findings = new Findings()
  const bounded = boundedData(category, data, findings)
  checkStructure(category, bounded, options.validatedWith ?? category.schemaVersion, findings)
  new NamedChecks(findings, primaryLanguage(bounded)).members(category.fields, bounded)
  checkFreeForm(category, data, options.strict ?? false, findings)
  return {
    errors: findings.isEmpty ? [] : findings.sortedErrors(orderOf(category)),
    warnings: findings.warnings,
    truncated: findings.truncated,
  }
}

const orderOf = (category: CompleteCategory): ReadonlyMap<string, number> =>
  new Map(category.fields.map((field, place) => [field.name, place]))

/** Undefined when `languages` is itself wrong; then nothing can be said about the texts. */
function primaryLanguage(data: Data): string | undefined {
  const languages = Object.hasOwn(data, 'languages') ? data.languages : undefined
  const first: unknown = Array.isArray(languages) ? languages[0] : undefined
  return typeof first === 'string' ? canonicalLanguage(first) : undefined
}

/** What JSON Schema cannot say. Values of the wrong type are passed over: the structure check has named them. */
class NamedChecks {
  private readonly findings: Findings
  private readonly primary: string | undefined
  private readonly path: (string | number)[] = []

  constructor(findings: Findings, primary: string | undefined) {
    this.findings = findings
    this.primary = primary
  }

  members(fields: readonly Field[], value: Data): void {
    for (const field of fields) {
      if (!Object.hasOwn(value, field.name)) continue
      this.path.push(field.name)
      this.value(field, value[field.name])
      this.path.pop()
    }
  }

  private value(field: Field, value: unknown): void {
    if (typeof value === 'string') {
      if (!field.localized && (field.type === 'name' || field.type === 'text')) this.text(field, value)
    } else if (Array.isArray(value)) {
      if (field.type === 'list') this.list(field, value)
    } else if (isObject(value)) {
      if (field.localized) this.translations(field, value)
      else if (field.type === 'object') this.members(field.fields ?? [], value)
    }
  }

  private text(field: Field, text: string): void {
    const fault = field.format === undefined ? undefined : FORMATS[field.format].findFault(text)
    if (fault !== undefined) this.findings.add(this.path, fault.code, fault.problem)
    const problem = findTextFault(text)
    if (problem !== undefined) this.findings.add(this.path, 'pattern', problem)
  }

  private list(field: Field, entries: readonly unknown[]): void {
    const scalar = scalarEntry(field)
    const seen = scalar?.format === 'language' ? new Set<string>() : undefined
    entries.forEach((entry, index) => {
      this.path.push(index)
      if (scalar !== undefined) this.value(scalar, entry)
      else if (isObject(entry)) this.members(field.of ?? [], entry)
      if (seen !== undefined && typeof entry === 'string') this.once(seen, entry)
      this.path.pop()
    })
    if (field.sumsTo100 !== undefined) this.sum(field, field.sumsTo100, entries)
  }

  /** Two spellings of one language are one language. */
  private once(seen: Set<string>, tag: string): void {
    const language = canonicalLanguage(tag)
    if (language === undefined) return
    if (seen.has(language)) this.findings.add(this.path, 'duplicate', `repeats ${language}; list it once.`)
    seen.add(language)
  }

  /** Silent when a share is itself missing or wrong: the sum follows from it. */
  private sum(list: Field, name: string, entries: readonly unknown[]): void {
    const share = list.of?.find(one => one.name === name)
    const shares: number[] = []
    for (const entry of entries) {
      const value = isObject(entry) && Object.hasOwn(entry, name) ? entry[name] : undefined
      if (typeof value !== 'number' || !isWithin(share, value)) return
      shares.push(value)
    }
    const total = exactSum(shares)
    if (total === '100') return
    const problem = `adds up to ${shorten(total, 30)}; each ${name} as written must make the sum exactly 100.`
    this.findings.add(this.path, 'sum_not_100', problem)
  }

  private translations(field: Field, texts: Data): void {
    const seen = new Set<string>()
    let hasPrimary = false
    for (const tag of Object.keys(texts)) {
      const language = canonicalLanguage(tag)
      // The spelling is the mistake then, not a missing text.
      if ((language ?? repairedLanguage(tag)) === this.primary) hasPrimary ||= !isBlankText(texts[tag])
      this.path.push(tag)
      if (language === undefined) this.findings.add(this.path, 'language_code', languageProblem(tag))
      else this.translation(field, texts[tag], language)
      if (language !== undefined) this.once(seen, tag)
      this.path.pop()
    }
    if (hasPrimary || this.primary === undefined) return
    const problem = `needs a text in ${this.primary}, the first of languages.`
    this.findings.add(this.path, 'primary_language_missing', problem)
  }

  private translation(field: Field, text: unknown, language: string): void {
    if (typeof text !== 'string') return
    if (!isBlank(text)) return this.text(field, text)
    if (language !== this.primary) this.findings.add(this.path, 'length', blankProblem({ ...field, required: false }))
  }
}
