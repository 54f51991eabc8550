/** The checks that JSON Schema cannot express: check digits, exact sums, languages, characters. */

import { shorten } from '../../kernel/errors/detail-json.ts'
import { findLinkProblem } from '../../kernel/http/public-link.ts'
import { type DataObject, getOwn, isObject } from '../../kernel/values/data-object.ts'
import { type Field, findScalarEntry } from '../field.ts'
import { canonicalizeLanguage, isNamedLanguage, repairLanguage } from '../language.ts'
import { findMeantLanguage } from '../names/meant-language.ts'
import { type Recognition, recogniseFibre, recogniseKnownFibre } from '../names/recognise-names.ts'
import { type Problem, problem, suggest } from '../problems.ts'
import { explainLanguage, FORMAT_RULES } from '../schema/formats.ts'
import { explainGtinKind } from './explain-gtin.ts'
import { explainBlank } from './explain-violation.ts'
import type { Findings } from './findings.ts'
import { sumExactly } from './sum-exactly.ts'
import { findMarkup, findTextProblem, hasInvisible, isBlank, isInvisible } from './text-checks.ts'

/** Skips values of the wrong type, which the structure check reports. `primary` may be unknown. */
export class SemanticChecks {
  private readonly findings: Findings
  private readonly primary: string | undefined
  private readonly ownHost: string | undefined
  private readonly path: (string | number)[] = []
  /** Fibre names that have a warning. */
  private readonly warned = new Set<string>()
  /** Tags that have a warning. */
  private readonly unlisted = new Set<string>()

  constructor(findings: Findings, primary: string | undefined, ownHost?: string) {
    this.findings = findings
    this.ownHost = ownHost
    this.primary = primary
  }

  checkMembers(fields: readonly Field[], value: DataObject): void {
    for (const field of fields) {
      if (!Object.hasOwn(value, field.name)) continue
      this.path.push(field.name)
      this.checkValue(field, value[field.name])
      this.path.pop()
    }
  }

  private checkValue(field: Field, value: unknown): void {
    if (typeof value === 'string') {
      if (!field.localized && (field.type === 'name' || field.type === 'text')) this.checkText(field, value)
    } else if (Array.isArray(value)) {
      if (field.type === 'list') this.checkList(field, value)
    } else if (isObject(value)) {
      if (field.localized) this.checkTranslations(field, value)
      else if (field.type === 'object') this.checkMembers(field.fields ?? [], value)
    }
  }

  private checkText(field: Field, text: string): void {
    const violation = field.format === undefined ? undefined : FORMAT_RULES[field.format].findViolation(text)
    if (violation !== undefined) this.findings.add(this.path, violation.code, violation.problem)
    else if (field.format === 'url') this.checkLink(text)
    const wrong = findTextProblem(text)
    if (wrong !== undefined) this.findings.add(this.path, 'pattern', wrong)
    else if (field.dictionary === 'fibres' && !isBlank(text)) this.checkFibre(text)
    if (violation === undefined && wrong === undefined) this.warnOfText(field, text)
  }

  private warnOfText(field: Field, text: string): void {
    if (this.findings.warningsFull) return
    if (field.format === 'language') this.checkLanguage(text)
    else if (field.format === 'gtin') this.warnOfGtin(text)
    else if (field.format !== undefined || field.values !== undefined) return
    else if (isInvisible(text)) {
      if (!isBlank(text)) this.findings.warn(this.path, 'invisible', problem('invisible'))
    } else if (field.name === 'sku' && hasInvisible(text))
      this.findings.warn(this.path, 'invisible', problem('invisible_sku'))
    const markup = findMarkup(text)
    if (markup !== undefined)
      this.findings.warn(this.path, 'markup', problem('markup', { found: shorten(markup, 40) }))
  }

  /** A tag that is well-formed but no language, such as `english`: a warning, once per tag. */
  private checkLanguage(tag: string): void {
    const canonical = canonicalizeLanguage(tag)
    if (canonical === undefined || isNamedLanguage(canonical) || this.findings.warningsFull) return
    if (this.unlisted.has(canonical)) return
    this.unlisted.add(canonical)
    const meant = this.unlisted.size > MAX_GUESSES ? undefined : findMeantLanguage(canonical)
    const explained = suggest('language_unlisted', meant, { found: shorten(tag, 60) })
    this.findings.warn(this.path, 'unlisted_language', explained)
  }

  /** Any number with a right check digit is accepted. One that is not the usual kind gets a warning. */
  private warnOfGtin(gtin: string): void {
    const found = explainGtinKind(gtin)
    if (found !== undefined) this.findings.warn(this.path, 'special_gtin', found)
  }

  /** Any http(s) address is accepted. One that readers do not get as a link gets a warning. */
  private checkLink(text: string): void {
    const reason = findLinkProblem(text, this.ownHost)
    if (reason === undefined) return
    const key = reason === 'private' ? 'link_private' : 'link_hidden'
    this.findings.warn(this.path, 'no_link', problem(key))
  }

  /** Any name is accepted. A name that is not a code gets a warning, once per name. */
  private checkFibre(text: string): void {
    const known = recogniseKnownFibre(text)
    if (known?.certainty === 'exact' && text.trim().toLowerCase() === known.code) return
    if (this.warned.has(text) || this.findings.warningsFull) return
    this.warned.add(text)
    const found = known ?? (this.warned.size > MAX_GUESSES ? undefined : recogniseFibre(text))
    const code = found?.certainty === 'exact' ? 'synonym' : 'unlisted_name'
    this.findings.warn(this.path, code, explainFibre(shorten(text.trim(), 60), found))
  }

  private checkList(field: Field, entries: readonly unknown[]): void {
    const scalar = findScalarEntry(field)
    const seen = scalar?.format === 'language' ? new Set<string>() : undefined
    entries.forEach((entry, index) => {
      this.path.push(index)
      if (scalar !== undefined) this.checkValue(scalar, entry)
      else if (isObject(entry)) this.checkMembers(field.of ?? [], entry)
      if (seen !== undefined && typeof entry === 'string') this.checkUnique(seen, entry)
      this.path.pop()
    })
    if (field.sumsTo100 !== undefined) this.checkSum(field, field.sumsTo100, entries)
  }

  /** Two spellings of a language are duplicates. */
  private checkUnique(seen: Set<string>, tag: string): void {
    const language = canonicalizeLanguage(tag)
    if (language === undefined) return
    if (seen.has(language)) this.findings.add(this.path, 'duplicate', problem('repeated', { language }))
    seen.add(language)
  }

  /** Skipped if a share is missing or wrong, because the wrong sum follows from that. */
  private checkSum(list: Field, name: string, entries: readonly unknown[]): void {
    const share = list.of?.find(field => field.name === name)
    const shares: number[] = []
    for (const entry of entries) {
      const value = isObject(entry) ? getOwn(entry, name) : undefined
      if (typeof value !== 'number' || !isWithin(share, value)) return
      shares.push(value)
    }
    const total = sumExactly(shares)
    if (total === '100') return
    this.findings.add(this.path, 'sum_not_100', problem('sum', { sum: shorten(total, 30), share: name }))
  }

  private checkTranslations(field: Field, texts: DataObject): void {
    const seen = new Set<string>()
    let hasPrimary = false
    for (const tag of Object.keys(texts)) {
      const language = canonicalizeLanguage(tag)
      // A misspelled tag is reported as such, not as a missing text.
      if ((language ?? repairLanguage(tag)) === this.primary) hasPrimary ||= !isBlankText(texts[tag])
      this.path.push(tag)
      if (language === undefined) this.findings.add(this.path, 'language_code', explainLanguage(tag))
      else {
        this.checkLanguage(language)
        this.checkTranslation(field, texts[tag], language)
      }
      if (language !== undefined) this.checkUnique(seen, tag)
      this.path.pop()
    }
    if (hasPrimary || this.primary === undefined) return
    this.findings.add(
      this.path,
      'primary_language_missing',
      problem('no_primary', { language: this.primary }),
    )
  }

  private checkTranslation(field: Field, text: unknown, language: string): void {
    if (typeof text !== 'string') return
    if (!isBlank(text)) this.checkText(field, text)
    else if (language !== this.primary) this.findings.add(this.path, 'length', explainBlank(false))
  }
}

/** Security bound: a guess takes 10 to 200 µs. */
const MAX_GUESSES = 3

function explainFibre(found: string, known: Recognition | undefined): Problem {
  if (known === undefined) return problem('fibre_unlisted', { found })
  return problem(FIBRE_PROBLEMS[known.certainty], { found, fibre: known.code })
}

const FIBRE_PROBLEMS = {
  exact: 'fibre_synonym',
  qualified: 'fibre_qualified',
  similar: 'fibre_similar',
} as const

const isBlankText = (value: unknown) => typeof value === 'string' && isBlank(value)

const isWithin = (field: Field | undefined, value: number) =>
  Number.isFinite(value) &&
  value >= (field?.min ?? Number.NEGATIVE_INFINITY) &&
  value <= (field?.max ?? Number.POSITIVE_INFINITY)
