/** What an act still wants of a passport. Advice: it changes no answer and refuses nothing. */
import type { Act, Condition, Rule, Severity } from './act.ts'
import { RULE_LEVELS } from './act.ts'
import type { Parameters } from './fact.ts'
import type { Subject } from './subject.ts'
import { all, any, not, type Truth } from './truth.ts'

/**
 * `met`: all is there. `partial`: some of it. `missing`: nothing. `check`: a person must say whether it
 * applies. `unit`: the units tell it. `early`: there before it is due. `not_yet`: not due yet.
 * `not_applicable`: does not apply. `not_displayed`: there, though this kind of product does not want it.
 */
export type RuleOutcome =
  | 'met'
  | 'partial'
  | 'missing'
  | 'check'
  | 'unit'
  | 'early'
  | 'not_yet'
  | 'not_applicable'
  | 'not_displayed'

export type RuleResult = { rule: Rule; severity: Severity; outcome: RuleOutcome }

export type ActReport =
  | { act: Act; applies: false }
  | { act: Act; applies: undefined; undetermined: readonly string[]; question?: string }
  | {
      act: Act
      applies: true
      scope: string
      /** The day from which the act applies to this account; null: not known. */
      due: string | null
      /** The day the report is about. */
      asOf: string
      met: number
      total: number
      percent: number
      /** Nothing that counts is partial or missing. */
      isReady: boolean
      results: readonly RuleResult[]
    }

/** `today` is a day such as 2026-11-22. */
export function reportAct(act: Act, subject: Subject, parameters: Parameters, today: string): ActReport {
  const given = { ...act.default_parameters, ...parameters }
  const evaluate = (condition: Condition): Truth => evaluateCondition(condition, subject, given)
  const applies = evaluate(act.applies)
  if (applies === false) return { act, applies: false }
  const scopes = [...act.scopes].map(([name, condition]) => ({ name, truth: evaluate(condition) }))
  const scope = scopes.find(({ truth }) => truth === true)?.name
  const undetermined = scopes.filter(({ truth }) => truth === undefined).map(({ name }) => name)
  if (applies === undefined || scope === undefined) {
    if (applies === true && undetermined.length === 0) return { act, applies: false }
    const question = undetermined.map(name => act.scope_question?.[name]).find(one => one !== undefined)
    return { act, applies: undefined, undetermined, ...(question !== undefined && { question }) }
  }
  const due = getDueDay(act, given)
  const asOf = due !== null && due > today ? due : today
  const results = act.rules.map(rule => {
    const severity = rule.severityIn(scope)
    return { rule, severity, outcome: judge(rule, severity, { act, subject, asOf, evaluate }) }
  })
  return { act, applies: true, scope, due, asOf, results, ...summarise(act, results) }
}

/** The day from which an act applies to an account; null: not known. */
export const getDueDay = (act: Act, parameters: Parameters): string | null =>
  parameters.small_undertaking === true ? (act.due_small ?? act.due) : act.due

export function evaluateCondition(condition: Condition, subject: Subject, given: Parameters): Truth {
  const evaluate = (one: Condition) => evaluateCondition(one, subject, given)
  switch (condition.kind) {
    case 'always':
      return true
    case 'ask':
      return undefined
    case 'fact':
      return subject.read(condition.fact)
    case 'parameter': {
      const value = given[condition.fact.parameter]
      return value === undefined ? undefined : condition.fact.values.includes(String(value))
    }
    case 'all':
      return all(condition.of.map(evaluate))
    case 'any':
      return any(condition.of.map(evaluate))
    case 'not':
      return not(evaluate(condition.of))
  }
}

type Case = {
  act: Act
  subject: Subject
  asOf: string
  evaluate: (condition: Condition) => Truth
}

/** The first outcome that fits. */
function judge(rule: Rule, severity: Severity, one: Case): RuleOutcome {
  const { act, subject, asOf } = one
  const isMet = holdsAny(rule.met, subject)
  if (severity === 'excluded') return isMet ? 'not_displayed' : 'not_applicable'
  if (severity === 'pending') return isMet ? 'early' : 'not_yet'
  const isDue = !rule.from || rule.from <= asOf
  if (isMet) return isDue ? 'met' : 'early'
  const isConditional = severity === 'when_applicable'
  if (isConditional && subject.isDeclared(rule.id)) return 'not_applicable'
  if (!isDue) return 'not_yet'
  const applies = isConditional ? one.evaluate(rule.when) : true
  if (applies === false) return 'not_applicable'
  if (isToldByUnits(rule, act, subject)) return 'unit'
  if (rule.due === 'in_use' && !subject.isInUse) return 'not_yet'
  if (applies === undefined) return 'check'
  return holdsAny(rule.partial, subject) ? 'partial' : 'missing'
}

export const holdsAny = (alternatives: Rule['met'], subject: Subject): boolean =>
  alternatives.some(facts => facts.every(fact => subject.read(fact) === true))

/** A passport without units answers for all levels, unless the act wants a passport for each item. */
const isToldByUnits = (rule: Rule, act: Act, subject: Subject): boolean =>
  RULE_LEVELS.indexOf(rule.level) > RULE_LEVELS.indexOf(subject.level) &&
  (subject.hasChildren || act.granularity === 'item')

/** Whether the outcome of the rule counts in the percentage. */
export const counts = (act: Act, { severity }: RuleResult): boolean =>
  severity === 'required' ||
  severity === 'when_applicable' ||
  (severity === 'recommended' && act.counts === 'recommended')

function summarise(act: Act, results: readonly RuleResult[]) {
  const counted = results.filter(one => counts(act, one))
  const count = (outcome: RuleOutcome) => counted.filter(one => one.outcome === outcome).length
  const met = count('met')
  const total = met + count('partial') + count('missing')
  return {
    met,
    total,
    percent: total === 0 ? 100 : Math.floor((100 * met) / total),
    isReady: met === total,
  }
}
