/**
 * Checks keys that the schema does not know. They are stored for the account, so they only need to be
 * storable. A warning names each of them, because it may be a typo.
 */

import { MAX_JSON_DEPTH } from '../../kernel/text/json-scan.ts'
import { type DataObject, isObject } from '../../kernel/values/data-object.ts'
import { perObject } from '../../kernel/values/memo.ts'
import { type CompleteCategory, findCategory } from '../catalogue.ts'
import { findNearestName } from '../names/nearest-name.ts'
import { type Problem, problem, suggest } from '../problems.ts'
import type { Findings } from './findings.ts'
import { findTextProblem } from './text-checks.ts'

const getNames = perObject((category: CompleteCategory) => new Set(category.fields.map(({ name }) => name)))

/** Warns of each unknown top-level key, or refuses it if `strict`, and checks its value. */
export function checkFreeForm(
  category: CompleteCategory,
  data: DataObject,
  strict: boolean,
  findings: Findings,
): void {
  const names = getNames(category)
  for (const key of Object.keys(data)) {
    if (names.has(key)) continue
    if (findings.truncated) return
    const path = [key]
    if (!checkKey(key, path, findings)) continue
    reportKey(key, path)
    checkValue(data[key], path, findings)
  }

  function reportKey(key: string, path: readonly string[]): void {
    if (strict) findings.add(path, 'unknown_field', explainUnknown(category, key, strict))
    else if (findings.warningsFull) return
    else if (isNewerField(category, key))
      findings.warn(path, 'now_known', problem('now_known', { category: category.id }))
    else findings.warn(path, 'unknown_field', explainUnknown(category, key, strict))
  }
}

/** Returns true if a later schema version has a field of this name. */
function isNewerField(category: CompleteCategory, key: string): boolean {
  const newest = findCategory(category.id)
  return newest !== undefined && getNames(newest).has(key)
}

function explainUnknown(category: CompleteCategory, key: string, strict: boolean): Problem {
  const meant = findNearestName(key, [...getNames(category)])
  return suggest(strict ? 'unknown' : 'unknown_kept', meant, { category: category.id })
}

/** Texts may be empty and of any length; the depth is bounded like the body's. */
function checkValue(value: unknown, path: (string | number)[], findings: Findings): void {
  if (findings.truncated) return
  if (typeof value === 'string') {
    const textProblem = findTextProblem(value)
    if (textProblem !== undefined) findings.add(path, 'pattern', textProblem)
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) findings.add(path, 'type', problem('infinite'))
  } else if (typeof value === 'object' && value !== null) {
    if (path.length >= MAX_JSON_DEPTH) findings.add(path, 'max', problem('deep', { most: MAX_JSON_DEPTH }))
    else checkMembers(value, path, findings)
  }
}

function checkMembers(value: object, path: (string | number)[], findings: Findings): void {
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) checkWithin(index, entry)
  } else if (isObject(value)) {
    for (const key of Object.keys(value))
      if (checkKey(key, [...path, key], findings)) checkWithin(key, value[key])
  }

  function checkWithin(step: string | number, inner: unknown) {
    path.push(step)
    checkValue(inner, path, findings)
    path.pop()
  }
}

function checkKey(key: string, path: readonly (string | number)[], findings: Findings): boolean {
  if (key === '__proto__') {
    findings.add(path, 'unknown_field', problem('key'))
    return false
  }
  const textProblem = findTextProblem(key, 'key_')
  if (textProblem !== undefined) findings.add(path, 'pattern', textProblem)
  return textProblem === undefined
}
