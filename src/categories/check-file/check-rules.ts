/** The rules of a category's file that its JSON Schema cannot say. */
import type { Path } from '../../kernel/errors/errors.ts'
import { isObject } from '../../kernel/values/data-object.ts'
import { completeCategory } from '../catalogue.ts'
import {
  type CategoryFile,
  type FieldInFile,
  findField,
  isUsedPart,
  listPartNames,
  SHARED_FIELDS,
  toCategory,
} from '../category-file.ts'
import { findMarkup, findTextProblem } from '../check/text-checks.ts'
import { normaliseData, validateData } from '../check/validate.ts'
import { CLOSING_SECTIONS, END_OF_LIFE } from '../field.ts'
import { findNearestName } from '../names/nearest-name.ts'
import { checkMembers } from './check-members.ts'
import { createReport, type Report, type RuleProblem } from './rule-problem.ts'

const MAX_SEARCHABLE = 3
const MAX_OWN_FACTS = 2
const VERSION_ATTRIBUTES = ['since', 'requiredSince', 'retiredIn']

/** For a file of the right form. `knowsUnit`: whether spreadsheets can convert a unit. */
export function checkRules(file: CategoryFile, knowsUnit: (unit: string) => boolean): RuleProblem[] {
  const { problems, report } = createReport()
  checkTexts(file, [], report)
  checkVersions(file, report)
  checkSections(file, report)
  checkTopLevel(file, report)
  checkMembers(file, knowsUnit, report)
  if (problems.every(({ isWarning }) => isWarning)) checkExamples(file, report)
  return problems
}

/** No character that a page or a database cannot hold, and no markup in what people read. */
function checkTexts(value: unknown, path: Path, report: Report): void {
  if (typeof value === 'string') {
    if (findTextProblem(value) !== undefined)
      report(path, 'control', 'has a control character or half of a character.')
    // Data of examples is checked as data.
    const markup = path.includes('data') ? undefined : findMarkup(value)
    if (markup !== undefined) report(path, 'html', `has ${markup}; texts are plain, without HTML.`)
    return
  }
  if (!isObject(value) && !Array.isArray(value)) return
  for (const [key, member] of Object.entries(value))
    checkTexts(member, [...path, Array.isArray(value) ? Number(key) : key], report)
}

function checkVersions({ version, versions, fields }: CategoryFile, report: Report): void {
  for (const [n, entry] of versions.entries()) {
    const path = ['versions', n, 'version']
    if (entry.version !== n + 1)
      report(path, 'version_order', `must be ${n + 1}: versions are listed from 1 without a gap.`)
  }
  if (versions.length !== version)
    report(['version'], 'version_order', `is ${version}, but \`versions\` ends with ${versions.length}.`)
  for (const [n, field] of fields.entries()) {
    for (const [name, at] of Object.entries(field)) {
      if (VERSION_ATTRIBUTES.includes(name) && Number(at) > version)
        report(['fields', n, name], 'version_order', `is ${at}; the file has the version ${version}.`)
    }
  }
}

function checkSections({ sections = [] }: CategoryFile, report: Report): void {
  const seen = new Set(CLOSING_SECTIONS.map(({ anchor }) => anchor))
  for (const [n, { anchor }] of sections.entries()) {
    if (seen.has(anchor)) report(['sections', n], 'duplicate_name', `"${anchor}" is a section already.`)
    seen.add(anchor)
  }
}

function checkTopLevel(file: CategoryFile, report: Report): void {
  const seen = new Set(SHARED_FIELDS.map(({ name }) => name))
  const anchors = ['head', END_OF_LIFE.anchor]
  anchors.push(...[...(file.sections ?? []), ...CLOSING_SECTIONS].map(({ anchor }) => anchor))
  const sources = file.sources.map(({ key }) => key)
  for (const [n, field] of file.fields.entries()) {
    const path = ['fields', n]
    const found = findField(field)
    if (found === undefined) reportUnknownPart(path, field, report)
    else {
      const { name, section = 'head' } = found
      if (seen.has(name)) report(path, 'duplicate_name', `"${name}" is a field of this category already.`)
      seen.add(name)
      if (!anchors.includes(section))
        report(
          [...path, 'section'],
          'unknown_section',
          `has the section "${section}"; there are ${anchors.join(', ')}.`,
        )
    }
    for (const key of field.source ?? []) {
      if (!sources.includes(key))
        report(
          [...path, 'source'],
          'unknown_source',
          `names "${key}"; \`sources\` has ${sources.join(', ')}.`,
        )
    }
  }
  checkNumbers(file.fields, report)
}

function reportUnknownPart(path: Path, field: FieldInFile, report: Report): void {
  if (!isUsedPart(field)) return
  const meant = findNearestName(field.use, listPartNames())
  const help = meant === undefined ? `parts are ${listPartNames().join(', ')}.` : `did you mean "${meant}"?`
  report([...path, 'use'], 'unknown_part', `uses "${field.use}", which is not a part; ${help}`)
}

/** Attributes that only so many fields may have. */
function checkNumbers(fields: readonly object[], report: Report): void {
  const searchable = fields.filter(field => 'searchable' in field).length
  const own = fields.filter(field => 'fact' in field && field.fact === 'own').length
  if (searchable > MAX_SEARCHABLE)
    report(['fields'], 'limit', `has ${searchable} searchable fields; at most ${MAX_SEARCHABLE} are.`)
  if (own > MAX_OWN_FACTS)
    report(['fields'], 'limit', `has ${own} fields with the fact "own"; at most ${MAX_OWN_FACTS} are shown.`)
}

function checkExamples(file: CategoryFile, report: Report): void {
  const category = completeCategory(toCategory(file))
  for (const [n, { data }] of file.examples.entries()) {
    const { errors, warnings } = validateData(category, normaliseData(data, category), { strict: true })
    for (const { path, message } of [...errors, ...warnings])
      report(['examples', n, 'data', ...path], 'example_invalid', message)
  }
}
