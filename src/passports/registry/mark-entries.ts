/** Marks passports whose lines must be checked: all of an account, or the units of one passport. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { readRegistrySettings } from '../../accounts/account/registry-settings.ts'
import { findOldestTransaction } from '../../kernel/db/citus.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { assert } from '../../kernel/errors/errors.ts'
import type { PassportRow } from '../core/record.ts'

type Account = Pick<AccountContext, 'sql' | 'accountId'>

const BATCH_SIZE = 500
const FIRST = '00000000-0000-0000-0000-000000000000'
const LEVELS = ['m', 'b', 'i'] as const

type Fill = { round: number; seen_at: Date; level: 'm' | 'b' | 'i'; after_id: string; is_done: boolean }

/**
 * Gives all passports of an account on one shard an entry, and marks it, if its settings have changed since
 * the last time: models, then batches, then items, until `goesOn` returns false. Another call continues.
 */
export async function fillEntries(
  { sql, accountId }: Account,
  goesOn: () => boolean | Promise<boolean>,
): Promise<void> {
  const { isOn, round } = await readRegistrySettings(sql, accountId)
  if (!isOn) return
  const fill = await beginFill(sql, accountId, round)
  // Writers of before do not know that the account uses the registry; their passports must be there first.
  if (fill.is_done || (await findOldestTransaction(sql)) < fill.seen_at) return
  let { level, after_id: after } = fill
  while (await goesOn()) {
    const ids = await listIds(sql, accountId, level, after)
    const next = ids.length < BATCH_SIZE ? LEVELS[LEVELS.indexOf(level) + 1] : level
    if (ids.length > 0) await mark(sql, accountId, ids)
    if (next === undefined) {
      await storeProgress(sql, accountId, { ...fill, level, after_id: after, is_done: true })
      return
    }
    after = next === level ? (ids.at(-1) ?? after) : FIRST
    level = next
    await storeProgress(sql, accountId, { ...fill, level, after_id: after })
  }
}

async function beginFill(sql: Sql, accountId: number, round: number): Promise<Fill> {
  const [known] = await sql<Fill[]>`
    select round, seen_at, level, after_id, is_done from registry_fill where account_id = ${accountId}`
  if (known?.round === round) return known
  // In a statement after the one that has read the settings: what begins later knows them, too.
  const [row] = await sql<{ now: Date }[]>`select now() as now`
  assert(row, 'a select without a table has a row')
  const fill = { round, seen_at: row.now, level: LEVELS[0], after_id: FIRST, is_done: false }
  await sql`
    insert into registry_fill (account_id, round, seen_at, level, after_id, is_done)
    values (${accountId}, ${round}, ${fill.seen_at}, ${fill.level}::text::"char", ${FIRST}, false)
    on conflict (account_id) do update set round = excluded.round, seen_at = excluded.seen_at, level = excluded.level,
      after_id = excluded.after_id, is_done = excluded.is_done`
  return fill
}

const listIds = async (sql: Sql, accountId: number, level: Fill['level'], after: string): Promise<string[]> =>
  (
    await sql<{ id: string }[]>`
      select id from passport where account_id = ${accountId} and level = ${level}::text::"char" and id > ${after}
      order by id limit ${BATCH_SIZE}`
  ).map(({ id }) => id)

const mark = (sql: Sql, accountId: number, ids: readonly string[]) =>
  sql`select public.carnet_mark_registry_entries(${accountId}, ${[...ids]}::text[]::uuid[])`

/** A round that has ended meanwhile stores nothing. */
const storeProgress = (sql: Sql, accountId: number, { round, level, after_id, is_done }: Fill) => sql`
  update registry_fill set level = ${level}::text::"char", after_id = ${after_id}, is_done = ${is_done}
  where account_id = ${accountId} and round = ${round}`

/** Marks the batches and items below a model or batch. */
export async function markUnits(
  { sql, accountId }: Account,
  { id, level }: Pick<PassportRow, 'id' | 'level'>,
) {
  const batches =
    level === 'b'
      ? []
      : await sql<{ id: string }[]>`
        select id from passport where account_id = ${accountId} and parent_id = ${id} and level = 'b'`
  for (const parent of [id, ...batches.map(batch => batch.id)]) await markChildren(sql, accountId, parent)
}

async function markChildren(sql: Sql, accountId: number, parent: string): Promise<void> {
  for (let after = FIRST; ; ) {
    const rows = await sql<{ id: string }[]>`
      select id from passport where account_id = ${accountId} and parent_id = ${parent} and id > ${after}
      order by id limit ${BATCH_SIZE}`
    const ids = rows.map(row => row.id)
    if (ids.length > 0) await mark(sql, accountId, ids)
    if (ids.length < BATCH_SIZE) return
    after = ids.at(-1) ?? after
  }
}
