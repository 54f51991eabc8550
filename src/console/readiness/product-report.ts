/** The report of one product, with what its page needs beside it. */
import { LEVEL_NAME } from '../../passports/core/record.ts'
import { effectiveData, type PassportState } from '../../passports/core/state.ts'
import { type ReadinessReport, reportPassport } from '../../passports/readiness/report-passport.ts'
import { RULE_LEVELS, type RuleLevel } from '../../readiness/act.ts'
import type { Visit } from '../page/route.ts'
import { getProductUrl } from '../product-data/product.ts'

type Act = ReadinessReport['acts'][number]
/** An act that applies to the product. */
export type JudgedAct = Extract<Act, { scope: string }>
export type UndeterminedAct = Extract<Act, { undetermined: readonly string[] }>
export type JudgedRule = JudgedAct['rules'][number]

export type ProductReport = {
  judged: readonly JudgedAct[]
  undetermined: readonly UndeterminedAct[]
  notApplying: readonly Act[]
  notes: ReadinessReport['notes']
  rulesVersion: string
}

/** Law comes first. */
const STATUSES = ['in_force', 'draft', 'framework']

export const sortActs = (acts: readonly Act[]): Act[] =>
  acts.toSorted((a, b) => STATUSES.indexOf(a.status) - STATUSES.indexOf(b.status))

/** Every rule with its outcome. */
export async function findReport({ ctx, setup }: Visit, { row }: PassportState): Promise<ProductReport> {
  const report = await reportPassport(ctx, setup.addresses, row.id, { detail: 'full' })
  const { notes, rules_version } = report
  const acts = sortActs(report.acts)
  return {
    judged: acts.filter(act => 'scope' in act),
    undetermined: acts.filter(act => 'undetermined' in act),
    notApplying: acts.filter(act => act.applies === false),
    notes,
    rulesVersion: rules_version,
  }
}

/** `saved`: what was just done, and the new version's number. */
export const getReadinessUrl = (row: { id: string }, saved?: { done: string; n: number }): string => {
  const at = `${getProductUrl(row)}/readiness`
  return saved === undefined ? at : `${at}?${new URLSearchParams({ done: saved.done, n: String(saved.n) })}`
}

/** The form with only what the act still wants of this product. */
export const getFillUrl = (row: { id: string }, act: string) =>
  `${getProductUrl(row)}/edit?${new URLSearchParams({ act })}`

/** The form, with the field in it opened. */
export const getFieldUrl = (row: { id: string }, field: string) =>
  `${getProductUrl(row)}/edit?field=${field}&from=readiness#${field}`

/** The groups of the page, in its order. */
export const GROUPS = [
  ...(['missing', 'partial', 'check', 'advised', 'unit', 'later'] as const),
  ...(['done', 'notApplicable'] as const),
] as const
export type Group = (typeof GROUPS)[number]

/**
 * Fields that the act still wants and the product's own form has: a rule of models is filled in on the model,
 * and of a GTIN only models have the field.
 */
export const listFillable = (own: RuleLevel, { rules }: JudgedAct): readonly JudgedRule[] =>
  rules.filter(
    ({ outcome, level, paths }) =>
      (outcome === 'missing' || outcome === 'partial') &&
      paths.length > 0 &&
      RULE_LEVELS.indexOf(level) >= RULE_LEVELS.indexOf(own),
  )

/** The ids of the rules; none if the act is not one of the product's. */
export async function listFillableRules(
  visit: Visit,
  state: PassportState,
  actId: string,
): Promise<string[]> {
  const { judged } = await findReport(visit, state)
  const act = judged.find(one => one.act === actId)
  return act === undefined ? [] : listFillable(LEVEL_NAME[state.row.level], act).map(({ id }) => id)
}

/** The rules that a person should do something about. */
export const OPEN_GROUPS = ['missing', 'partial', 'check'] as const satisfies readonly Group[]

export const groupRules = ({ rules, advised }: JudgedAct): ReadonlyMap<Group, readonly JudgedRule[]> =>
  Map.groupBy(rules, ({ id, outcome }) => (advised.includes(id) ? 'advised' : getGroup(outcome)))

function getGroup(outcome: JudgedRule['outcome']): Group {
  switch (outcome) {
    case 'met':
    case 'early':
      return 'done'
    case 'not_yet':
      return 'later'
    case 'not_applicable':
    case 'not_displayed':
      return 'notApplicable'
    case 'missing':
    case 'partial':
    case 'check':
    case 'unit':
      return outcome
  }
}

/** The reasons that the product gives, by rule. */
export function listReasons(state: PassportState): ReadonlyMap<string, string> {
  const { notApplicable } = effectiveData(state)
  const declared: readonly { rule?: unknown; reason?: unknown }[] = Array.isArray(notApplicable)
    ? notApplicable
    : []
  return new Map(declared.map(({ rule, reason }) => [String(rule), String(reason ?? '')]))
}
