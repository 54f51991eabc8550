/**
 * Readiness of a whole account: passports with the same facts are judged together. The groups and their sums
 * are kept for at most a minute, so that an account of a million models is not read at each request.
 */
import { listAccountShards } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { yieldBetweenRows } from '../../kernel/concurrency/yield-to-event-loop.ts'
import { perSharedDatabase } from '../../kernel/db/shards.ts'
import { invalidField } from '../../kernel/errors/errors.ts'
import { BoundedMap } from '../../kernel/values/bounded-map.ts'
import type { Severity } from '../../readiness/act.ts'
import type { NothingAsked, RuleOutcome } from '../../readiness/report.ts'
import { counts, reportAct } from '../../readiness/report.ts'
import { getRules } from '../../readiness/rules.ts'
import { listActs, type ReadinessSettings } from '../../readiness/settings.ts'
import { LEVEL_NAME } from '../core/record.ts'
import type { FactGroup, FactsFilter, Level } from '../read/list-filter.ts'
import { fillFacts, groupByFacts, listFactBits } from './facts.ts'
import { getReadinessSettings, getToday, requireAct } from './report-passport.ts'

export const READINESS_STATES = ['ready', 'incomplete', 'undetermined'] as const
export type ReadinessState = (typeof READINESS_STATES)[number]

const GAPS = ['missing', 'partial', 'check'] as const satisfies readonly RuleOutcome[]
type Gap = (typeof GAPS)[number]

export type ActSums = {
  act: string
  in_scope: number
  ready: number
  incomplete: number
  undetermined: number
  /** Those of which the act asks nothing itself, such as models whose units tell all of it. */
  nothing_asked: number
  by_rule: Record<string, Record<Gap, number>>
  computed_at: string
}

const LEVELS: readonly Level[] = ['m', 'b', 'i']

/** The sums of an act for a group. Groups outside its scope are left out. */
type Judged = {
  group: FactGroup
  state: ReadinessState | 'nothing_asked'
  gaps: readonly { rule: string; outcome: Gap }[]
  /** True if the act is in force and a rule that it requires is missing or partial. */
  isFailing: boolean
}

type AccountFacts = {
  groups: readonly FactGroup[]
  /** Passports whose facts are not known yet. */
  pending: number
  computedAt: Date
  /** By act, settings and day. */
  judged: Map<string, Promise<readonly Judged[]>>
}

/**
 * A request of an account whose facts are missing writes them for this long. A scheduled task writes the
 * rest.
 */
const FILL_MS = 500
const MAX_KEPT_MS = 60_000
/** Facts that were read quickly are kept for less: this many times as long as it took. */
const KEPT_FOR_TIMES = 20
const MAX_KEPT_ACCOUNTS = 200

type Kept = { until: number; facts: Promise<AccountFacts> }
const keptFacts = perSharedDatabase(() => new BoundedMap<number, Kept>(MAX_KEPT_ACCOUNTS))

/** Kept for a minute at most, by the clock of the context. */
function findFacts(ctx: AccountContext): Promise<AccountFacts> {
  const all = keptFacts(ctx.sql)
  const now = ctx.clock.now().getTime()
  const known = all.get(ctx.accountId)
  if (known !== undefined && known.until > now && known.until <= now + MAX_KEPT_MS) return known.facts
  const kept: Kept = { until: now + MAX_KEPT_MS, facts: readFacts(ctx) }
  all.set(ctx.accountId, kept)
  const since = performance.now()
  kept.facts.then(
    ({ pending }) => {
      const took = performance.now() - since
      kept.until = pending > 0 ? 0 : Math.min(now + took * KEPT_FOR_TIMES, now + MAX_KEPT_MS)
    },
    () => {
      kept.until = 0
    },
  )
  return kept.facts
}

async function readFacts(ctx: AccountContext): Promise<AccountFacts> {
  const computedAt = ctx.clock.now()
  const found = await Promise.all(
    listAccountShards(ctx).map(async at => {
      const first = await groupByFacts(at)
      if (first.pending === 0) return first
      const end = performance.now() + FILL_MS
      await fillFacts(at, () => performance.now() < end)
      return groupByFacts(at)
    }),
  )
  return {
    groups: found.flatMap(({ groups }) => groups),
    pending: found.reduce((sum, { pending }) => sum + pending, 0),
    computedAt,
    judged: new Map(),
  }
}

function judgeGroups(
  facts: AccountFacts,
  actId: string,
  { parameters }: ReadinessSettings,
  today: string,
): Promise<readonly Judged[]> {
  const key = JSON.stringify([actId, parameters, today])
  const known = facts.judged.get(key)
  if (known !== undefined) return known
  const judge = async () => {
    const rules = getRules()
    const byVersion = listFactBits()
    const judged: Judged[] = []
    const awaitTurn = yieldBetweenRows()
    for (const group of facts.groups) {
      const bits = byVersion.get(group.facts_version)
      const act = rules.acts.get(group.category)?.find(({ id }) => id === actId)
      if (bits === undefined || act === undefined) continue
      await awaitTurn()
      const place = { level: LEVEL_NAME[group.level], hasChildren: group.has_children }
      const report = reportAct(act, bits.decode(group.bits, place), parameters, today)
      if (report.applies === undefined)
        judged.push({ group, state: 'undetermined', gaps: [], isFailing: false })
      if (!report.applies) continue
      const gaps = report.results.flatMap(result => {
        const outcome = GAPS.find(one => one === result.outcome)
        return outcome !== undefined && counts(act, result) ? [{ rule: result.rule.id, outcome }] : []
      })
      const isFailing = act.status === 'in_force' && report.results.some(isRequiredGap)
      judged.push({ group, state: getState(report), gaps, isFailing })
    }
    return judged
  }
  const judged = judge()
  facts.judged.set(key, judged)
  return judged
}

function getState({
  nothingAsked,
  isReady,
}: {
  nothingAsked?: NothingAsked
  isReady: boolean
}): Judged['state'] {
  if (nothingAsked !== undefined) return 'nothing_asked'
  return isReady ? 'ready' : 'incomplete'
}

/** Returns true if a required rule is not met, or only in part. */
export const isRequiredGap = ({ severity, outcome }: { severity: Severity; outcome: RuleOutcome }): boolean =>
  severity === 'required' && (outcome === 'missing' || outcome === 'partial')

/** Reads the data of all passports that was not read yet, however long it takes. */
export async function fillAccountFacts(ctx: AccountContext, goesOn: () => boolean): Promise<void> {
  for (const at of listAccountShards(ctx)) await fillFacts(at, goesOn)
}

type AccountSums = {
  acts: ActSums[]
  /** Passports not counted yet. */
  pending: number
  /** How many lack what an act in force requires, by act. */
  failing: ReadonlyMap<string, number>
  /** The levels that active passports have. */
  levels: ReadonlySet<Level>
}

/** Without archived passports; over all levels by default. Throws `validation`. */
export async function sumReadiness(
  ctx: AccountContext,
  actId: string | undefined,
  levels: readonly Level[] = LEVELS,
): Promise<AccountSums> {
  if (actId !== undefined) requireAct(actId)
  const settings = await getReadinessSettings(ctx)
  const acts = listActs(getRules()).filter(({ id, activation }) =>
    actId === undefined ? activation === 'auto' || settings.acts.includes(id) : id === actId,
  )
  const facts = await findFacts(ctx)
  const failing = new Map<string, number>()
  const sums = acts.map(async ({ id }) => {
    const all = await judgeGroups(facts, id, settings, getToday(ctx))
    const judged = all.filter(({ group }) => levels.includes(group.level))
    const failed = judged.filter(one => one.isFailing).reduce((sum, { group }) => sum + group.n, 0)
    if (failed > 0) failing.set(id, failed)
    return sumAct(id, facts, judged)
  })
  return {
    acts: await Promise.all(sums),
    pending: facts.pending,
    failing,
    levels: new Set(facts.groups.map(({ level }) => level)),
  }
}

function sumAct(act: string, { computedAt }: AccountFacts, judged: readonly Judged[]): ActSums {
  const states = { ready: 0, incomplete: 0, undetermined: 0, nothing_asked: 0 }
  const byRule: ActSums['by_rule'] = {}
  for (const { group, state, gaps } of judged) {
    states[state] += group.n
    for (const { rule, outcome } of gaps) {
      byRule[rule] ??= { missing: 0, partial: 0, check: 0 }
      byRule[rule][outcome] += group.n
    }
  }
  return {
    act,
    in_scope: states.ready + states.incomplete,
    ...states,
    by_rule: byRule,
    computed_at: computedAt.toISOString(),
  }
}

/** The filter of a list. `missing` is a rule, with or without its act. */
export type ReadinessFilter = {
  act?: string | undefined
  readiness?: ReadinessState | undefined
  missing?: string | undefined
}

/** The groups that fit, for lists; undefined if nothing is asked for. Throws `validation`. */
export async function selectReadinessGroups(
  ctx: AccountContext,
  filter: ReadinessFilter,
): Promise<FactsFilter | undefined> {
  const { readiness, missing } = filter
  const actId = requireFilterAct(filter)
  if (actId === undefined) return undefined
  const facts = await findFacts(ctx)
  const judged = await judgeGroups(facts, actId, await getReadinessSettings(ctx), getToday(ctx))
  const groups = judged
    .filter(({ state, gaps }) => {
      if (readiness !== undefined && state !== readiness) return false
      return missing === undefined || gaps.some(gap => gap.rule === missing && gap.outcome !== 'check')
    })
    .map(({ group }) => group)
  const rare = LEVELS.filter(level => isRare(facts.groups.filter(isOf(level)), groups.filter(isOf(level))))
  return { groups, rare }
}

const isOf = (level: Level) => (group: FactGroup) => group.level === level

/** Passports of a page; of each content as many must be read. */
const USUAL_PAGE = 25
const MAX_RARE_ROWS = 20_000
const MIN_TIMES_FEWER = 5

/**
 * True if it is far cheaper to read passports by their facts than to read, in the worst case, all that do not
 * fit before a page of those that do.
 */
function isRare(all: readonly FactGroup[], fitting: readonly FactGroup[]): boolean {
  const count = (groups: readonly FactGroup[]) => groups.reduce((sum, { n }) => sum + n, 0)
  const rows = fitting.reduce(
    (sum, { n, subjects }) => sum + subjects * Math.min(USUAL_PAGE, Math.ceil(n / subjects)),
    0,
  )
  return rows <= MAX_RARE_ROWS && rows * MIN_TIMES_FEWER < count(all) - count(fitting)
}

function requireFilterAct({ act, readiness, missing }: ReadinessFilter): string | undefined {
  if (act !== undefined) requireAct(act)
  if (missing === undefined) {
    if (readiness === undefined && act === undefined) return undefined
    if (act === undefined)
      throw invalidField(
        ['readiness'],
        'required',
        'readiness needs an act, such as act=eu.battery.passport.',
      )
    if (readiness === undefined) throw invalidField(['act'], 'required', 'act needs readiness or missing.')
    return act
  }
  const owner = listActs(getRules()).find(({ rules }) => rules.some(({ id }) => id === missing))
  if (owner === undefined)
    throw invalidField(['missing'], 'enum', `missing names no rule: there is no "${missing}".`)
  if (act !== undefined && act !== owner.id)
    throw invalidField(
      ['missing'],
      'enum',
      `missing must be a rule of ${act}; ${missing} is one of ${owner.id}.`,
    )
  return owner.id
}
