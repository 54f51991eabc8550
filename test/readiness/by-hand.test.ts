/**
 * Twenty passports whose verdicts were decided from the text of the law, not by the code: no false "met" and no
 * false "missing". `why` says what decided. A list is complete but where its name begins with `has_`.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findCategory } from '../../src/categories/catalogue.ts'
import { validateData } from '../../src/categories/check/validate.ts'
import type { RuleLevel } from '../../src/readiness/act.ts'
import { type ActReport, counts, type RuleOutcome, reportAct } from '../../src/readiness/report.ts'
import { loadRules } from '../../src/readiness/rules.ts'
import { buildSubject } from '../../src/readiness/subject.ts'
import file from './by-hand.json' with { type: 'json' }
import { recordMembers } from './sources.ts'

const rules = loadRules()

type Expected = Readonly<Record<string, unknown>>
type Judged = Extract<ActReport, { applies: true }>

const LISTS: Readonly<Record<string, RuleOutcome>> = {
  met: 'met',
  missing: 'missing',
  partial: 'partial',
  check: 'check',
  unit: 'unit',
  early: 'early',
  later: 'not_yet',
  not_applicable: 'not_applicable',
}

const VALUES: Readonly<Record<string, (report: Judged) => unknown>> = {
  applies: report => report.applies,
  scope: report => report.scope,
  due: report => report.due.on,
  ready: report => report.isReady,
  percent: report => report.percent,
  nothing_asked: report => report.nothingAsked,
}

function listRules({ act, results }: Judged, outcome: RuleOutcome): string[] {
  const isCounted = !['early', 'not_yet', 'not_applicable'].includes(outcome)
  const found = results.filter(one => one.outcome === outcome && (!isCounted || counts(act, one)))
  return found.map(({ rule }) => rule.id).sort()
}

function requireExpected(report: Judged, expected: Expected): void {
  for (const [name, wanted] of Object.entries(expected)) {
    const value = VALUES[name]
    const list = LISTS[name.replace(/^has_|_some$/g, '')]
    if (value !== undefined) assert.equal(value(report), wanted, name)
    else {
      assert.ok(list && Array.isArray(wanted), name)
      const found = listRules(report, list)
      const isPart = name.startsWith('has_') || name.endsWith('_some')
      assert.deepEqual(isPart ? found.filter(id => wanted.includes(id)) : found, wanted.toSorted(), name)
    }
  }
}

describe('passports judged by hand', () => {
  assert.equal(file.passports.length, 20)
  for (const one of file.passports)
    test(one.name, () => {
      const category = findCategory(one.category)
      assert.ok(category)
      const { errors } = validateData(category, one.data)
      assert.deepEqual(
        errors.filter(({ code }) => code !== 'required'),
        [],
        'the passport cannot be stored',
      )
      const record = recordMembers(Object.fromEntries(one.record.map(member => [member, true])))
      const source = { data: one.data, record, measured: new Set<string>() }
      const subject = buildSubject(source, one.level as RuleLevel, one.has_children)
      for (const [id, expected] of Object.entries<Expected>(one.expect)) {
        const act = rules.acts.get(one.category)?.find(each => each.id === id)
        assert.ok(act, id)
        assert.ok(act.activation === 'auto' || (one.opted_in as string[]).includes(id), id)
        const report = reportAct(act, subject, one.parameters, one.today)
        if (report.applies === true) requireExpected(report, expected)
        else assert.deepEqual({ applies: report.applies ?? null }, expected, id)
      }
    })
})
