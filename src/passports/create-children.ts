/** Issuing batches and items: a unit keeps its own fields and a reference to what it was handed on, nothing else. */
import type { AccountContext } from '../accounts/context.ts'
import type { LevelLetter } from '../accounts/plans.ts'
import { lockRoom, takeRoom } from '../accounts/quota.ts'
import { findRefusal, retrying, type Sql, sqlState } from '../kernel/db.ts'
import { AppError, assert, type Detail, invalid } from '../kernel/errors.ts'
import { idFromUuid, newUuid } from '../kernel/ids.ts'
import { insertEvents, passportEvent } from '../webhooks/announce.ts'
import { requireCategory } from './check-data.ts'
import { handOn } from './hand-on.ts'
import { type CheckedUnit, checkUnit, type UnitLevel } from './new-units.ts'
import type { PassportRow } from './record.ts'
import { getState, type State } from './state.ts'

export const UNIT_LEVELS = ['batch', 'item'] as const

/** `bulk`: the units came in a list, so that pointers and details name their place. */
export type NewUnits = {
  parentUuid: string
  level: UnitLevel
  units: readonly unknown[]
  bulk: boolean
  strict: boolean
}

export type Issued = { index: number; passport: PassportRow; warnings: readonly Detail[] }
export type NotIssued = { index: number; error: AppError }
export type UnitsResult = { created: Issued[]; errors: NotIssued[] }

/**
 * Issues units under a model or a batch. Good rows are kept together, bad ones reported; one never spoils another.
 * Throws `not_found`, `archived`, and `validation` when the level does not go with the parent.
 */
export async function createChildren(ctx: AccountContext, input: NewUnits): Promise<UnitsResult> {
  const giver = await getState(ctx, input.parentUuid)
  requireFitting(giver, input.level)
  if (giver.row.status === 'x') throw archivedParent()
  const { rows, errors } = checkAll(ctx, giver, input)
  const contentId = rows.length === 0 ? '' : await handOn(ctx, giver)
  const outcome =
    rows.length === 0
      ? { written: new Set<string>(), refused: new Map() }
      : await insert(ctx, { giver, contentId, level: input.level, rows })
  const created: Issued[] = []
  for (const row of rows) {
    const { index } = row
    if (outcome.written.has(row.id))
      created.push({ index, passport: passportOf(ctx, giver, row), warnings: row.unit.warnings })
    else errors.push({ index, error: outcome.refused.get(row.id) ?? taken(row, input) })
  }
  return { created, errors: errors.sort((a, b) => a.index - b.index) }
}

const LETTER = { batch: 'b', item: 'i' } as const satisfies Record<UnitLevel, LevelLetter>

function requireFitting({ row }: State, level: UnitLevel): void {
  const fault = (message: string) => invalid([{ field: 'level', pointer: '/level', code: 'enum', message }])
  if (row.level === 'i') throw fault('An item has no units. Issue them under its batch or its model.')
  if (row.level === 'b' && level === 'batch')
    throw fault('A batch has items only. Issue batches under the model.')
}

const archivedParent = () =>
  new AppError('archived', 'This product is archived: no units can be issued under it. Restore it first.')

type Row = { index: number; id: string; unit: CheckedUnit; at: Date }

function checkAll(ctx: AccountContext, giver: State, input: NewUnits): { rows: Row[]; errors: NotIssued[] } {
  const category = requireCategory(giver.row.category)
  const at = ctx.clock.now()
  const rows: Row[] = []
  const errors: NotIssued[] = []
  const seen = new Set<string>()
  for (const [index, sent] of input.units.entries()) {
    try {
      const place = input.bulk ? `/items/${index}` : ''
      const unit = checkUnit(sent, giver, { level: input.level, category, strict: input.strict, at: place })
      const row = { index, id: newUuid(at.getTime()), unit, at }
      const name = nameOf(unit, input.level)
      if (seen.has(name)) errors.push({ index, error: taken(row, input) })
      else rows.push(row)
      seen.add(name)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      errors.push({ index, error })
    }
  }
  return { rows, errors }
}

const nameOf = (unit: CheckedUnit, level: UnitLevel) => (level === 'batch' ? unit.lot : unit.serial) ?? ''

function taken({ index, unit }: Row, { level, bulk }: NewUnits): AppError {
  const [field, code] =
    level === 'batch' ? (['lot', 'lot_taken'] as const) : (['serial', 'serial_taken'] as const)
  const message = `${field} ${nameOf(unit, level)} is already taken under this model; each may be used once.`
  return invalid([{ field, pointer: `${bulk ? `/items/${index}` : ''}/${field}`, code, message }])
}

type Batch = { giver: State; contentId: string; level: UnitLevel; rows: readonly Row[] }
type Outcome = { written: Set<string>; refused: Map<string, AppError> }

async function insert(ctx: AccountContext, batch: Batch): Promise<Outcome> {
  try {
    return { written: await retrying(() => insertRows(ctx, ctx.sql, batch)), refused: new Map() }
  } catch (error) {
    const refusal = findRefusal(error)
    if (refusal === 'archived') throw archivedParent()
    if (refusal !== 'plan_limit') throw error
    return givingWay(() => insertWhatFits(ctx, batch))
  }
}

const LOCK_NOT_AVAILABLE = '55P03'
const MOST_ATTEMPTS = 20

/**
 * Other calls write their rows first and then take the counter. Where one of them waits for the counter held here,
 * and this waits for a serial of its, this one steps back: the database would need a second to notice the circle.
 */
async function givingWay<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await retrying(run)
    } catch (error) {
      if (sqlState(error) !== LOCK_NOT_AVAILABLE || attempt === MOST_ATTEMPTS) throw error
    }
  }
}

/** Holds the quota's counter first, so that what is left cannot shrink; rows that are there already take no room. */
async function insertWhatFits(ctx: AccountContext, batch: Batch): Promise<Outcome> {
  const { giver, level, rows } = batch
  return ctx.sql.begin(async transaction => {
    const sql = transaction as unknown as Sql
    const left = await lockRoom(sql, { accountId: ctx.accountId, level: LETTER[level] })
    await sql`set local lock_timeout = '100ms'`
    const names = rows.map(row => nameOf(row.unit, level))
    const there = await sql<{ name: string }[]>`
      select coalesce(serial, lot) as name from passport
      where account_id = ${ctx.accountId} and model_id = ${giver.row.model_id} and level = ${LETTER[level]}::text::"char"
        and coalesce(serial, lot) = any(${names}::text[])`
    const taken = new Set(there.map(row => row.name))
    const free = rows.filter(row => !taken.has(nameOf(row.unit, level)))
    const fitting = free.slice(0, left)
    const written =
      fitting.length === 0 ? new Set<string>() : await insertRows(ctx, sql, { ...batch, rows: fitting })
    return { written, refused: new Map(free.slice(left).map(row => [row.id, overQuota(level)])) }
  }) as Promise<Outcome>
}

const overQuota = (level: UnitLevel) =>
  new AppError(
    'plan_limit',
    `The quota of ${level === 'batch' ? 'batches' : 'items'} of this account is used up. Ask for a larger plan, or for extra quota.`,
  )

/** The ids that were written; a row whose lot or serial is taken is left out, and its neighbours are not. */
async function insertRows(
  ctx: AccountContext,
  sql: Sql,
  { giver, contentId, level, rows }: Batch,
): Promise<Set<string>> {
  const { accountId, actorId } = ctx
  const letter = LETTER[level]
  const { row: parent } = giver
  const input = rows.map(({ id, unit }) => ({
    id,
    name: nameOf(unit, level),
    event_id: newUuid(ctx.clock.now().getTime()),
    lot: unit.lot,
    serial: unit.serial,
    own: unit.own,
    search: unit.search,
    event: passportEvent({ id: idFromUuid(id), category: parent.category, version_no: 1 }),
  }))
  // In one order for all calls: two that bring the same serials wait for each other, never in a circle.
  input.sort((a, b) => (a.name < b.name ? -1 : 1))
  const at = rows[0]?.at
  assert(at, 'there are rows to write')
  const written = await sql<{ id: string }[]>`
    with input as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(input)}::text::jsonb)
        as r(id uuid, event_id uuid, lot text, serial text, own jsonb, search text, event jsonb)
    ), giver as (
      select id from passport where id = ${parent.id} and account_id = ${accountId} and status = 'a'
    ), written as (
      insert into passport (updated_at, account_id, version_no, created_by, last_correction, id, content_id, parent_id,
        model_id, schema_version, level, status, category, lot, serial, search, own)
      select ${at}::timestamptz, ${accountId}::int, 1, ${actorId}::int, 0, i.id, ${contentId}::uuid, g.id,
        ${parent.model_id}::uuid, ${parent.schema_version}::smallint, ${letter}::text::"char", 'a', ${parent.category}::text,
        i.lot, i.serial, i.search, i.own
      from input i, giver g
      on conflict do nothing returning id
    ), room as (
      ${takeRoom(sql, letter, sql`select ${accountId}::int as account_id, count(*) as n from written`)}
    ), counted as (
      insert into passport_count (account_id, level, status, category, n)
      select ${accountId}::int, ${letter}::text::"char", 'a', ${parent.category}::text, count(*) from written having count(*) > 0
      on conflict (account_id, level, status, category) do update set n = passport_count.n + excluded.n
    ), announced as (
      ${insertEvents(sql)}
      select ${at}::timestamptz, ${accountId}::int, i.event_id, 'product.created', i.event from input i join written using (id)
    )
    select id, case when not exists (select 1 from room) then carnet_refuse('plan_limit') end from written
    union all
    select null, carnet_refuse('archived') where not exists (select 1 from giver)`
  return new Set(written.map(row => row.id))
}

function passportOf(ctx: AccountContext, giver: State, { id, unit, at }: Row): PassportRow {
  const { row } = giver
  return {
    id,
    account_id: ctx.accountId,
    version_no: 1,
    created_by: ctx.actorId,
    parent_id: row.id,
    model_id: row.model_id,
    schema_version: row.schema_version,
    level: unit.serial === null ? 'b' : 'i',
    status: 'a',
    category: row.category,
    lot: unit.lot,
    serial: unit.serial,
    updated_at: at,
    outdated: row.outdated,
    gtin: row.gtin,
    data: JSON.stringify(unit.reading),
  }
}
