/** The report of an act on a passport. It is advice: it changes no answer and refuses nothing. */
import type { Act, Condition, Rule, Severity } from './act.ts'
import { RULE_LEVELS } from './act.ts'
import { type FoundDay, findDueDay } from './due-day.ts'
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

/** `from`: the rule's own day, if it has one. */
export type RuleResult = { rule: Rule; severity: Severity; outcome: RuleOutcome; from?: FoundDay }

/**
 * Why nothing counts: the units tell all of it, a person must say whether anything applies, all of it is due
 * later, or none of it applies.
 */
export type NothingAsked = 'units' | 'check' | 'later' | 'not_applicable'

export type ActReport =
  | { act: Act; applies: false }
  | { act: Act; applies: undefined; undetermined: readonly string[]; question?: string }
  | {
      act: Act
      applies: true
      scope: string
      due: FoundDay
      /** The day the report is about. */
      asOf: string
      met: number
      total: number
      percent: number
      /** Something counts, nothing that counts is partial or missing, and the rules are the whole act. */
      isReady: boolean
      nothingAsked?: NothingAsked
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
  const due = findDueDay(act.due, evaluate)
  const asOf = due.on !== null && due.on > today ? due.on : today
  const results = act.rules.map((rule): RuleResult => {
    const severity = rule.severityIn(scope)
    const from = rule.from.length === 0 ? undefined : findDueDay(rule.from, evaluate)
    const isDue = !from?.on || from.on <= asOf
    const outcome = judge(rule, severity, { act, subject, isDue, evaluate })
    return { rule, severity, outcome, ...(from && { from }) }
  })
  return { act, applies: true, scope, due, asOf, results, ...summarise(act, results) }
}

/** From when an act applies to an account, as far as that does not depend on the product. */
export function findAccountDueDay(act: Act, parameters: Parameters): FoundDay {
  const given = { ...act.default_parameters, ...parameters }
  return findDueDay(act.due, condition => evaluateCondition(condition, NO_SUBJECT, given))
}

/** Nothing is known of it. */
const NO_SUBJECT: Pick<Subject, 'read'> = { read: () => undefined }

function evaluateCondition(condition: Condition, subject: Pick<Subject, 'read'>, given: Parameters): Truth {
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
  isDue: boolean
  evaluate: (condition: Condition) => Truth
}

/** The first outcome that fits. */
function judge(rule: Rule, severity: Severity, one: Case): RuleOutcome {
  const { act, subject, isDue } = one
  const isMet = holdsAny(rule.met, subject)
  if (severity === 'excluded') return isMet ? 'not_displayed' : 'not_applicable'
  if (severity === 'pending') return judgePending(one.evaluate(rule.when), isMet)
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

function judgePending(applies: Truth, isMet: boolean): RuleOutcome {
  if (applies === false) return 'not_applicable'
  return isMet ? 'early' : 'not_yet'
}

export const holdsAny = (alternatives: Rule['met'], subject: Subject): boolean =>
  alternatives.some(facts => facts.every(fact => subject.read(fact) === true))

/** A passport without units answers for all levels, unless the act wants a passport for each item. */
const isToldByUnits = (rule: Rule, act: Act, subject: Subject): boolean =>
  RULE_LEVELS.indexOf(rule.level) > RULE_LEVELS.indexOf(subject.level) &&
  (subject.hasChildren || act.granularity === 'item')

/** Returns true if the outcome of the rule counts in the percentage. */
export const counts = (act: Act, { severity }: RuleResult): boolean =>
  severity === 'required' ||
  severity === 'when_applicable' ||
  (severity === 'recommended' && act.counts === 'recommended')

/** True if the rules are all that the act demands. */
export const isWhole = (act: Act): boolean => act.not_modelled === undefined

function summarise(act: Act, results: readonly RuleResult[]) {
  const counted = results.filter(one => counts(act, one))
  const count = (outcome: RuleOutcome) => counted.filter(one => one.outcome === outcome).length
  const met = count('met')
  const total = met + count('partial') + count('missing')
  const isReady = total > 0 && met === total && isWhole(act)
  const percent = total === 0 ? 0 : Math.floor((100 * met) / total)
  return {
    met,
    total,
    percent: isReady ? 100 : Math.min(percent, MAX_UNREADY_PERCENT),
    isReady,
    ...(total === 0 && { nothingAsked: findReason(counted) }),
  }
}

/** The highest figure of an act whose rules are not all known. */
const MAX_UNREADY_PERCENT = 99

function findReason(counted: readonly RuleResult[]): NothingAsked {
  const has = (wanted: RuleOutcome) => counted.some(({ outcome }) => outcome === wanted)
  if (has('unit')) return 'units'
  if (has('check')) return 'check'
  return has('not_yet') || has('early') ? 'later' : 'not_applicable'
}
