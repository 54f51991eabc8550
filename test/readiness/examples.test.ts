/** The seven worked examples, number for number. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type ActReport, counts, type RuleOutcome, reportAct } from '../../src/readiness/report.ts'
import { loadRules } from '../../src/readiness/rules.ts'
import { buildSubject } from '../../src/readiness/subject.ts'
import file from './examples.json' with { type: 'json' }
import { recordMembers } from './sources.ts'

const rules = loadRules()

/** In the form of the examples. */
function summarise(report: ActReport): Record<string, unknown> {
  const act = report.act.id
  if (report.applies === false) return { act, applies: false }
  if (report.applies === undefined) return { act, applies: null, undetermined: report.undetermined }
  const list = (outcomes: readonly RuleOutcome[], results = report.results) =>
    results.filter(({ outcome }) => outcomes.includes(outcome)).map(({ rule }) => rule.id)
  const counted = report.results.filter(one => counts(report.act, one))
  const recommended = report.results.filter(({ severity }) => severity === 'recommended')
  const advised = report.act.counts === 'required' ? list(['partial', 'missing'], recommended) : []
  return {
    act,
    applies: true,
    scope: report.scope,
    as_of: report.asOf,
    counted: report.act.counts,
    total: report.total,
    met: report.met,
    percent: report.percent,
    ready: report.isReady,
    partial: list(['partial'], counted),
    missing: list(['missing'], counted),
    advised,
    check: list(['check'], counted),
    unit: list(['unit'], counted),
    not_yet: list(['not_yet']).length,
    not_asked: list(['early', 'not_displayed']),
    not_applicable: list(['not_applicable']).length,
  }
}

describe('the worked examples', () => {
  for (const example of file.examples) {
    test(example.name, () => {
      const source = {
        data: example.data,
        record: recordMembers(example.record),
        measured: new Set<string>(example.measured),
      }
      const level = example.level as 'model' | 'item'
      const subject = buildSubject(source, level, example.has_children)
      const optedIn: readonly string[] = 'acts' in example.parameters ? example.parameters.acts : []
      const reports = (rules.acts.get(example.category) ?? [])
        .filter(act => act.activation === 'auto' || optedIn.includes(act.id))
        .map(act => summarise(reportAct(act, subject, {}, example.today)))
      const byAct = (list: readonly Record<string, unknown>[]) =>
        new Map(list.map(one => [String(one.act), one]))
      assert.deepEqual(byAct(reports), byAct(example.report))
    })
  }
})
