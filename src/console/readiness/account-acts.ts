/** Draws the reports of acts on the products of an account: the sums of one level, with texts and dates. */
import { type ActSums, sumReadiness } from '../../passports/readiness/account-readiness.ts'
import { getReadinessSettings, getToday } from '../../passports/readiness/report-passport.ts'
import type { Act, Rule } from '../../readiness/act.ts'
import { findAccountDueDay } from '../../readiness/report.ts'
import { countDaysLeft, toDayJson } from '../../readiness/report-json.ts'
import { getRules } from '../../readiness/rules.ts'
import { listActs } from '../../readiness/settings.ts'
import { PRODUCTS, READINESS, type Visit } from '../page/route.ts'
import type { JudgedAct } from './product-report.ts'

/** The levels that the page can show, with their letters in the database. */
export const ACCOUNT_LEVELS = { model: ['m'], batch: ['b'], item: ['i'], all: ['m', 'b', 'i'] } as const
export type AccountLevel = keyof typeof ACCOUNT_LEVELS

/** A rule that products do not meet. `count`: how many lack it, or have it only in part. */
export type Gap = { rule: Rule; count: number; missing: number; partial: number; check: number }

export type SummedAct = {
  act: Act
  sums: ActSums
  due: string | null
  days_left: number | null
  /** The days of the act, if it depends on the product which one counts. */
  due_days: NonNullable<JudgedAct['due_days']>
  /** The most frequent first. */
  gaps: readonly Gap[]
  /** Rules of which a person must say whether they apply; the most frequent first. */
  checks: readonly Gap[]
}

export type AccountReport = {
  level: AccountLevel
  levels: ReadonlySet<string>
  /** Acts that concern a product, those in force first, the next day first. */
  acts: readonly SummedAct[]
  notConcerned: readonly Act[]
  pending: number
  computedAt: string | undefined
}

const STATUSES = ['in_force', 'draft', 'framework']

export async function findAccountReport({ ctx, query }: Visit): Promise<AccountReport> {
  const level = parseLevel(query.get('level'))
  const { acts, pending, levels } = await sumReadiness(ctx, undefined, ACCOUNT_LEVELS[level])
  const { parameters } = await getReadinessSettings(ctx)
  const known = new Map(listActs(getRules()).map(act => [act.id, act]))
  const summed = acts.flatMap(sums => {
    const act = known.get(sums.act)
    if (act === undefined) return []
    const { on: due, days } = findAccountDueDay(act, parameters)
    const depends = days.some(({ applies }) => applies === undefined)
    const due_days = depends ? days.map(toDayJson) : []
    return [{ act, sums, due, due_days, days_left: countDaysLeft(getToday(ctx), due), ...listGaps(sums) }]
  })
  const isConcerned = ({ sums }: SummedAct) => sums.in_scope + sums.undetermined + sums.nothing_asked > 0
  return {
    level,
    levels,
    acts: summed.filter(isConcerned).sort(compareActs),
    notConcerned: summed.filter(one => !isConcerned(one)).map(({ act }) => act),
    pending,
    computedAt: acts[0]?.computed_at,
  }
}

export const parseLevel = (sent: string | null): AccountLevel =>
  (['batch', 'item', 'all'] as const).find(one => one === sent) ?? 'model'

/** Law comes first, and of that what is still ahead. */
function compareActs(a: SummedAct, b: SummedAct): number {
  const rank = ({ act, days_left }: SummedAct) => STATUSES.indexOf(act.status) * 2 + (days_left ? 0 : 1)
  return rank(a) - rank(b) || (a.due ?? '').localeCompare(b.due ?? '')
}

function listGaps({ by_rule }: ActSums): Pick<SummedAct, 'gaps' | 'checks'> {
  const rules = new Map(
    [...getRules().acts.values()].flat().flatMap(act => act.rules.map(one => [one.id, one])),
  )
  const all = Object.entries(by_rule).flatMap(([id, { missing, partial, check }]) => {
    const rule = rules.get(id)
    return rule === undefined ? [] : [{ rule, count: missing + partial, missing, partial, check }]
  })
  return {
    gaps: all.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count),
    checks: all.filter(({ check }) => check > 0).sort((a, b) => b.check - a.check),
  }
}

const toLevelQuery = (level: AccountLevel) => (level === 'model' ? {} : { level })

/** The products of a level with this state, or without what a rule wants. */
export const getProductsUrl = (
  level: AccountLevel,
  filter: { readiness: string; act: string } | { missing: string },
): string => `${PRODUCTS}?${new URLSearchParams({ ...toLevelQuery(level), ...filter })}`

export function getAccountReadinessUrl(level: AccountLevel, path = READINESS): string {
  const sent = new URLSearchParams(toLevelQuery(level))
  return sent.size === 0 ? path : `${path}?${sent}`
}
