/** Counts what units lack of the rules that their product leaves to them. */
import type { AccountContext } from '../../accounts/account/context.ts'
import type { Act } from '../../readiness/act.ts'
import type { Parameters } from '../../readiness/fact.ts'
import { type ActReport, counts, type RuleOutcome, reportAct } from '../../readiness/report.ts'
import type { AskedUnits } from '../../readiness/report-json.ts'
import { LEVEL_NAME, type PassportRow } from '../core/record.ts'
import { listFactBits } from './facts.ts'
import { findUnitFacts } from './unit-facts.ts'

type Basis = { parameters: Parameters; today: string }

/** An act with the rules that its report leaves to the units. */
type Asked = { act: Act; rules: ReadonlySet<string> }

/** By act and by rule. Empty, without a statement, if no report leaves anything to the units. */
export async function countAskedUnits(
  ctx: AccountContext,
  row: PassportRow,
  reports: readonly ActReport[],
  { parameters, today }: Basis,
): Promise<ReadonlyMap<string, AskedUnits>> {
  const asked = listAsked(reports)
  if (asked.length === 0) return new Map()
  const { groups, isComplete } = await findUnitFacts(ctx, row)
  const counted = new Map<string, AskedUnits>()
  const byVersion = listFactBits()
  for (const { level, has_children, facts_version, bits, n } of groups) {
    const facts = byVersion.get(facts_version)
    if (facts === undefined) continue
    const unit = facts.decode(bits, { level: LEVEL_NAME[level], hasChildren: has_children })
    for (const { act, rules } of asked) {
      const report = reportAct(act, unit, parameters, today)
      const results = report.applies === true ? report.results.filter(({ rule }) => rules.has(rule.id)) : []
      const answers = results.filter(({ outcome }) => outcome === 'met' || isGap(outcome))
      for (const { rule, outcome } of answers) add(counted, rule.id, n, isGap(outcome))
      if (answers.length > 0)
        add(
          counted,
          act.id,
          n,
          answers.some(({ outcome }) => isGap(outcome)),
        )
    }
  }
  if (isComplete) return counted
  return new Map(Array.from(counted, ([id, units]) => [id, { ...units, at_least: true }]))
}

const isGap = (outcome: RuleOutcome): boolean => outcome === 'missing' || outcome === 'partial'

const listAsked = (reports: readonly ActReport[]): Asked[] =>
  reports.flatMap(report => {
    if (report.applies !== true) return []
    const { act, results } = report
    const rules = results.filter(one => one.outcome === 'unit' && counts(act, one)).map(({ rule }) => rule.id)
    return rules.length === 0 ? [] : [{ act, rules: new Set(rules) }]
  })

function add(counted: Map<string, AskedUnits>, id: string, n: number, isLacking: boolean): void {
  const { asked, lacking } = counted.get(id) ?? { asked: 0, lacking: 0 }
  counted.set(id, { asked: asked + n, lacking: lacking + (isLacking ? n : 0) })
}
