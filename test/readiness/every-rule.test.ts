/** Each rule of each act: one passport that meets it, and one that misses it, made from the rule itself. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type CompleteCategory, findCategory } from '../../src/categories/catalogue.ts'
import { validateData } from '../../src/categories/check/validate.ts'
import type { Act, Condition, Rule } from '../../src/readiness/act.ts'
import { type RuleOutcome, reportAct } from '../../src/readiness/report.ts'
import { loadRules } from '../../src/readiness/rules.ts'
import { buildSubject } from '../../src/readiness/subject.ts'
import { emptySource, meetFact, type Source } from './sources.ts'

/** After every date of the rules. */
const LATER = '2099-01-01'
const rules = loadRules()

type Given = Record<string, string>

/** Makes a condition true; false if nobody but a person can. */
function meetCondition(
  condition: Condition,
  category: CompleteCategory,
  source: Source,
  parameters: Given,
): boolean {
  const meet = (one: Condition) => meetCondition(one, category, source, parameters)
  switch (condition.kind) {
    case 'always':
      return true
    case 'ask':
    case 'not':
      return condition.kind === 'not'
    case 'fact':
      meetFact(category, source, condition.fact.text)
      return true
    case 'parameter':
      parameters[condition.fact.parameter] = condition.fact.values[0] ?? ''
      return true
    case 'all':
      return condition.of.every(meet)
    case 'any':
      return condition.of.some(meet)
  }
}

/** Builds a passport that says nothing about a rule. `holds`: its condition is made true. */
function findMissOutcome(severity: string, holds: boolean): RuleOutcome {
  if (severity === 'excluded') return 'not_applicable'
  if (severity === 'pending') return 'not_yet'
  return severity === 'when_applicable' && !holds ? 'check' : 'missing'
}

const MET_OUTCOME: Readonly<Record<string, RuleOutcome>> = { excluded: 'not_displayed', pending: 'early' }

/** A passport to which the act applies. `holds`: the rule's condition is true. */
function prepare(category: CompleteCategory, act: Act, rule: Rule, scope: string) {
  const source = emptySource()
  const parameters: Given = {}
  const holds = meetCondition(rule.when, category, source, parameters)
  assert(meetCondition(act.applies, category, source, parameters))
  assert(meetCondition(act.scopes.get(scope) ?? { kind: 'always' }, category, source, parameters))
  return { source, parameters, holds }
}

function judge(act: Act, rule: Rule, source: Source, parameters: Given): RuleOutcome | undefined {
  const subject = { ...buildSubject(source, 'item', false), isInUse: true }
  const report = reportAct(act, subject, parameters, LATER)
  assert.equal(report.applies, true, `${act.id} does not apply`)
  return report.applies ? report.results.find(one => one.rule === rule)?.outcome : undefined
}

function requireMissed(category: CompleteCategory, act: Act, rule: Rule, scope: string): void {
  const { source, parameters, holds } = prepare(category, act, rule, scope)
  const outcome = judge(act, rule, source, parameters)
  const isFilledAlready = ['met', 'partial', 'early', 'not_displayed'].includes(outcome ?? '')
  // A scope or a condition may itself need the field that the rule asks for.
  if (isFilledAlready) assert(rule.met.length > 0)
  else assert.equal(outcome, findMissOutcome(rule.severityIn(scope), holds))
}

function requireMet(category: CompleteCategory, act: Act, rule: Rule, scope: string): void {
  for (const facts of rule.met) {
    if (facts.some(({ field }) => !isKnown(category, field))) continue
    const { source, parameters } = prepare(category, act, rule, scope)
    for (const fact of facts) meetFact(category, source, fact.text)
    const outcome = judge(act, rule, source, parameters)
    const told = facts.map(({ text }) => text).join(' and ')
    assert.equal(outcome, MET_OUTCOME[rule.severityIn(scope)] ?? 'met', told)
    requireStorable(category, source)
  }
}

for (const [categoryId, acts] of rules.acts) {
  const category = findCategory(categoryId)
  assert(category)
  for (const act of acts)
    describe(`${act.id}, ${categoryId}`, () => {
      for (const rule of act.rules)
        test(rule.id, () => {
          for (const scope of act.scopes.keys()) {
            requireMissed(category, act, rule, scope)
            requireMet(category, act, rule, scope)
          }
        })
    })
}

const isKnown = (category: CompleteCategory, field: string | undefined) =>
  field === undefined || category.fields.some(({ name }) => name === field)

/** Stores the values that a rule asks for: only fields that every passport needs are missing. */
function requireStorable(category: CompleteCategory, source: Source): void {
  const { errors } = validateData(category, { languages: ['en'], ...source.data })
  const wrong = errors.filter(({ code, path }) => code !== 'required' && !(path[1] === 'languages'))
  assert.deepEqual(
    wrong.filter(({ code }) => code !== 'sum_not_100'),
    [],
  )
}
