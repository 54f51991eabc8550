/** Reports as the API and the command line print them. */
import type { Act, RuleLevel } from './act.ts'
import type { FoundDay } from './due-day.ts'
import type { Note } from './notes.ts'
import { type ActReport, counts, isWhole, type RuleOutcome, type RuleResult } from './report.ts'

/** `summary`: only what a person should look at. */
export const REPORT_DETAILS = ['summary', 'full'] as const
export type ReportDetail = (typeof REPORT_DETAILS)[number]

type ReportContext = {
  today: string
  detail: ReportDetail
  /** The address of the form at a field; undefined for data that is not stored. */
  editUrl?: (path: string, level: RuleLevel) => string
  /** Returns true if the law wants other readers than those who see the fields of the rule. */
  hasAudienceGap: (result: RuleResult) => boolean
  /** The rules that issued units do not meet. */
  issuedUnits?: ReadonlyMap<string, IssuedUnits>
  /** Counts what units lack that the product leaves to them, by act and by rule. */
  askedUnits?: ReadonlyMap<string, AskedUnits>
}

/**
 * Units of which an act or a rule asks something, and how many of these lack it. `at_least`: not all units
 * were counted.
 */
export type AskedUnits = { asked: number; lacking: number; at_least?: true }

/** Units that were issued before their model met a rule. `fill_by`: how they get the value. */
export type IssuedUnits = { lacking: number; fill_by: 'refresh' | 'children/update' }

/** The entries that a person should look at. */
const OPEN: readonly RuleOutcome[] = ['partial', 'missing', 'check']

const DAY_MS = 86_400_000

/** Never negative; null: the day is not known. */
export const countDaysLeft = (today: string, due: string | null): number | null =>
  due === null
    ? null
    : Math.max(0, Math.round((Date.parse(`${due}T00:00:00Z`) - Date.parse(`${today}T00:00:00Z`)) / DAY_MS))

export const toReportJson = (
  id: { product_id: string | null; level: RuleLevel },
  rulesVersion: string,
  reports: readonly ActReport[],
  notes: readonly Note[],
  context: ReportContext,
) => ({
  ...id,
  rules_version: rulesVersion,
  acts: reports.map(report => toActJson(report, context)),
  notes,
})

const describeAct = ({ id, title, status, duty }: Act) => ({ act: id, title, status, duty })

function toActJson(report: ActReport, context: ReportContext) {
  const { act } = report
  if (report.applies === false) return { ...describeAct(act), applies: false as const }
  if (report.applies === undefined) {
    const { undetermined, question } = report
    return { ...describeAct(act), applies: null, undetermined, ...(question && { question }) }
  }
  const { scope, due, asOf, met, total, percent, isReady, nothingAsked, results } = report
  const units = context.askedUnits?.get(act.id)
  const counted = results.filter(one => counts(act, one))
  const count = (outcome: RuleOutcome) => counted.filter(one => one.outcome === outcome).length
  const advised = results.filter(one => isAdvised(act, one)).map(({ rule }) => rule.id)
  return {
    ...describeAct(act),
    applies: true as const,
    scope,
    ...describeDue(due),
    days_left: countDaysLeft(context.today, due.on),
    as_of: asOf,
    met,
    total,
    percent,
    ready: isReady,
    ...(nothingAsked && { nothing_asked: nothingAsked }),
    ...(units && { units }),
    whole: isWhole(act),
    ...(act.not_modelled && { not_modelled: act.not_modelled }),
    counts: {
      partial: count('partial'),
      missing: count('missing'),
      check: count('check'),
      unit: count('unit'),
      not_yet: results.filter(({ outcome }) => outcome === 'not_yet').length,
    },
    advised,
    rules: results
      .filter(one => context.detail === 'full' || (OPEN.includes(one.outcome) && counts(act, one)))
      .map(one => toRuleJson(one, context)),
  }
}

export const toDayJson = ({ day, applies }: FoundDay['days'][number]) => ({
  on: day.on,
  for: day.for,
  source: day.source,
  applies: applies ?? null,
})

/** `due_days`: each day with its condition; absent if no day is known. */
const describeDue = ({ on, days, question }: FoundDay) => ({
  due: on,
  ...(days.length > 0 && {
    due_days: days.map(toDayJson),
  }),
  ...(question !== undefined && { due_question: question }),
})

/** Good practice that an act in force does not demand. */
export const isAdvised = (act: Act, { severity, outcome }: RuleResult): boolean =>
  act.counts === 'required' && severity === 'recommended' && (outcome === 'partial' || outcome === 'missing')

function toRuleJson(result: RuleResult, context: ReportContext) {
  const { editUrl, hasAudienceGap, issuedUnits, askedUnits } = context
  const { rule, outcome, severity, from } = result
  const { id, nr, title, question, hint, note, pending, unverified, source, level, audience, paths } = rule
  const [first] = paths
  const units = issuedUnits?.get(id)
  const asked = outcome === 'unit' ? askedUnits?.get(id) : undefined
  return {
    id,
    ...(nr !== undefined && { nr }),
    outcome,
    severity,
    title,
    question,
    ...(hint !== undefined && { hint }),
    ...(note !== undefined && { note }),
    ...(pending !== undefined && { pending }),
    ...(unverified !== undefined && { unverified }),
    ...(from && describeFrom(from)),
    source,
    level,
    audience,
    ...(hasAudienceGap(result) && { audience_gap: true }),
    paths,
    ...(units !== undefined && { issued_units: units }),
    ...(asked !== undefined && { units: asked }),
    ...(editUrl !== undefined && first !== undefined && { edit_url: editUrl(first, level) }),
  }
}

/** The rule's own day, and for whom it is. */
function describeFrom({ on, days }: FoundDay) {
  const chosen = days.find(({ applies }) => applies === true)?.day
  return { from: on, ...(chosen && { from_for: chosen.for }) }
}
