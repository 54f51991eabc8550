/** Settings of scan counting: off for an account or a category, and when a code counts as cloned. */
import { requireAccount } from '../accounts/account/accounts.ts'
import { withActor } from '../accounts/account/actors.ts'
import { audit } from '../accounts/account/audit.ts'
import { type OperatorContext, withTransaction } from '../accounts/account/context.ts'
import { settingChanges } from '../accounts/account/setting-changes.ts'
import type { Sql } from '../kernel/db/database.ts'
import { invalid } from '../kernel/errors/errors.ts'

/**
 * An item becomes suspect if it reaches both `countries` and `devices`, or `many_countries`, or both `scans`
 * and `scan_devices`.
 */
export const DEFAULT_CLONE_RULES = {
  countries: 3,
  devices: 10,
  many_countries: 5,
  scans: 100,
  scan_devices: 50,
}
export type CloneRules = typeof DEFAULT_CLONE_RULES
/** Higher values would let the rows of an hour grow without bound. */
const MAX_RULE = 100_000

export type ScanSettings = {
  on: boolean
  off_categories: readonly string[]
  /** null: no item is ever suspected. */
  clone_rules: CloneRules | null
}

const DEFAULT_SETTINGS: ScanSettings = { on: true, off_categories: [], clone_rules: DEFAULT_CLONE_RULES }

type Row = {
  account_id: number
  is_on: boolean
  off_categories: string[]
  watches_clones: boolean
  clone_rules: Partial<CloneRules> | null
  changed_at: Date
}

/** Not `*`, so that an older server still works after a newer one has added a column. */
const columns = (sql: Sql) => sql`account_id, is_on, off_categories, watches_clones, clone_rules, changed_at`

const parseSettings = (row: Row | undefined): ScanSettings =>
  row === undefined
    ? DEFAULT_SETTINGS
    : {
        on: row.is_on,
        off_categories: row.off_categories,
        clone_rules: row.watches_clones ? { ...DEFAULT_CLONE_RULES, ...row.clone_rules } : null,
      }

type ScanSettingsChange = {
  accountId: number
  on?: boolean | undefined
  /** True if each category is counted; the others stay as they are. */
  categories?: Readonly<Record<string, boolean>> | undefined
  /** Replaces the rules; missing ones get the default. null: suspect nothing. */
  cloneRules?: Partial<CloneRules> | null | undefined
}

/** Throws `not_found`. */
export async function getScanSettings(ctx: OperatorContext, accountId: number): Promise<ScanSettings> {
  await requireAccount(ctx, accountId)
  const [row] = await ctx.sql<Row[]>`
    select ${columns(ctx.sql)} from scan_setting where account_id = ${accountId}`
  return parseSettings(row)
}

/**
 * Changes the settings. This process applies them at once, the others within 3 seconds. Throws `not_found`,
 * `validation`.
 */
export async function setScanSettings(
  ctx: OperatorContext & { actorId?: number },
  change: ScanSettingsChange,
): Promise<ScanSettings> {
  checkRules(change.cloneRules ?? {})
  return withTransaction(ctx, async tx => {
    await requireAccount(tx, change.accountId)
    await tx.sql`
      insert into scan_setting (account_id, is_on, off_categories, watches_clones, changed_at)
      values (${change.accountId}, true, '{}', true, ${ctx.clock.now()}) on conflict (account_id) do nothing`
    const [row] = await tx.sql<Row[]>`
      select ${columns(tx.sql)} from scan_setting where account_id = ${change.accountId} for update`
    const { categories = {} } = change
    const off = new Set(row?.off_categories)
    for (const [category, counts] of Object.entries(categories)) {
      if (counts) off.delete(category)
      else off.add(category)
    }
    const rules = change.cloneRules === undefined ? row?.clone_rules : change.cloneRules
    const watches = change.cloneRules === undefined ? row?.watches_clones : change.cloneRules !== null
    const [now] = await tx.sql<Row[]>`
      update scan_setting set is_on = ${change.on ?? row?.is_on ?? true}, off_categories = ${[...off].sort()}::text[],
        watches_clones = ${watches ?? true}, clone_rules = ${rules ? JSON.stringify(rules) : null}::text::jsonb,
        changed_at = ${ctx.clock.now()}
      where account_id = ${change.accountId} returning ${columns(tx.sql)}`
    const settings = parseSettings(now)
    const changes = describeChanges(parseSettings(row), settings)
    if (changes !== '') await audit(await withActor(tx, change.accountId), 'scans_switched', changes)
    return settings
  })
}

/** Describes a change as the command line writes it: `off, battery=off, clones=off`. */
function describeChanges(before: ScanSettings, after: ScanSettings): string {
  const clones = ({ clone_rules: rules }: ScanSettings) =>
    rules === null ? ['off'] : Object.entries(rules).map(([name, value]) => `${name}=${value}`)
  const [was, is] = [clones(before), clones(after)]
  const listSwitched = (one: ScanSettings, other: ScanSettings, word: string) =>
    one.off_categories
      .filter(category => !other.off_categories.includes(category))
      .map(category => `${category}=${word}`)
  return [
    ...(before.on === after.on ? [] : [after.on ? 'on' : 'off']),
    ...listSwitched(after, before, 'off'),
    ...listSwitched(before, after, 'on'),
    ...(was.join() === is.join() ? [] : [`clones=${is.filter(rule => !was.includes(rule)).join(' ')}`]),
  ].join(', ')
}

function checkRules(rules: Partial<CloneRules>): void {
  const wrong = Object.entries(rules).filter(
    ([, value]) => !Number.isInteger(value) || value < 1 || value > MAX_RULE,
  )
  if (wrong.length === 0) return
  throw invalid(
    wrong.map(([name]) => ({
      path: [name],
      code: 'type',
      message: `${name} must be a whole number from 1 to ${MAX_RULE}.`,
    })),
  )
}

/** Clocks differ between machines, and a change becomes visible at its commit, not at its timestamp. */
const LOOK_BACK_MS = 60_000
const FRESH_MS = 2_000

/** Keeps the settings that differ from the default in memory, so that a scan needs no query. */
export function createSettingsCache(sql: Sql) {
  const known = new Map<number, ScanSettings>()
  let newest: number | undefined
  let readAt = Number.NaN
  const changes = settingChanges(sql)
  let change = changes.now()
  return {
    isLoaded: () => newest !== undefined,
    isFresh: (accountId: number, now: Date) =>
      Math.abs(now.getTime() - readAt) < FRESH_MS && changes.hasNoneSince(accountId, change),
    get: (accountId: number) => known.get(accountId) ?? DEFAULT_SETTINGS,
    /** Reads what has changed since the last refresh. */
    async refresh(now: Date) {
      const changeBefore = changes.now()
      const since = new Date((newest ?? LOOK_BACK_MS) - LOOK_BACK_MS)
      const rows = await sql<Row[]>`
        select ${columns(sql)} from scan_setting where changed_at >= ${since}`
      for (const row of rows) known.set(row.account_id, parseSettings(row))
      newest = Math.max(newest ?? 0, ...rows.map(row => row.changed_at.getTime()))
      readAt = now.getTime()
      change = changeBefore
    },
  }
}

export type SettingsCache = ReturnType<typeof createSettingsCache>

export const isCounted = (settings: ScanSettings, category: string): boolean =>
  settings.on && !settings.off_categories.includes(category)
