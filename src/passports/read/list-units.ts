/**
 * Counts and lists the units under a passport at any depth, oldest first: direct units, then batch by batch.
 */
import type { AccountContext } from '../../accounts/account/context.ts'
import type { PassportRow } from '../core/record.ts'
import { listPassports, type PassportSummary } from './list.ts'
import type { Level } from './list-filter.ts'

export type UnitTotals = { batches: number; items: number }

/**
 * Batches and items under a model, items under a batch; each counted up to `maxCounted` + 1. `status`: only
 * these.
 */
export async function countUnitsUnder(
  { sql, accountId }: AccountContext,
  { id, level }: { id: string; level: Level },
  maxCounted: number,
  status?: PassportRow['status'],
): Promise<UnitTotals> {
  if (level === 'i') return { batches: 0, items: 0 }
  const isModel = level === 'm'
  const ofStatus = status === undefined ? sql`` : sql`and p.status = ${status}`
  const items = isModel
    ? sql`select 1 from passport p where p.account_id = ${accountId} and p.model_id = ${id} and p.serial is not null ${ofStatus}`
    : sql`select 1 from passport p where p.account_id = ${accountId} and p.parent_id = ${id} and p.level = 'i' ${ofStatus}`
  const batches = sql`
    select 1 from passport p where p.account_id = ${accountId} and p.parent_id = ${id} and p.level = 'b' ${ofStatus}`
  const [row] = await sql<UnitTotals[]>`
    select (select count(*) from (${items} limit ${maxCounted + 1}) i)::int as items,
      ${isModel ? sql`(select count(*) from (${batches} limit ${maxCounted + 1}) b)::int` : sql`0`} as batches`
  return row ?? { batches: 0, items: 0 }
}

export type UnitKind = 'items' | 'batches'
type Parent = { id: string; level: Level }
type UnitPosition = { parentId: string; id: string }
export type UnitRange = { from: UnitPosition | undefined; to: UnitPosition | undefined }

/** The position of an item by its serial, or of a batch by its lot. */
export async function findUnitPosition(
  { sql, accountId }: AccountContext,
  { id, level }: Parent,
  kind: UnitKind,
  number: string,
): Promise<UnitPosition | undefined> {
  const [row] = await sql<{ parent_id: string; id: string }[]>`
    select p.parent_id, p.id from passport p
    where p.account_id = ${accountId}
      and p.model_id = (select m.model_id from passport m where m.account_id = ${accountId} and m.id = ${id})
      and ${kind === 'items' ? sql`p.serial = ${number}` : sql`p.level = 'b' and p.lot = ${number}`}
      and ${level === 'm' ? sql`p.parent_id is not null` : sql`p.parent_id = ${id}`}`
  return row && { parentId: row.parent_id, id: row.id }
}

/** Returns true if `a` comes before `b` under the passport with the UUID `top`. */
export function isUnitBefore(top: string, a: UnitPosition, b: UnitPosition): boolean {
  const key = ({ parentId, id }: UnitPosition) => `${parentId === top ? '' : parentId} ${id}`
  return key(a) < key(b)
}

/** Counts up to `maxCounted` + 1. */
export async function countUnitsInRange(
  { sql, accountId }: AccountContext,
  { id, level }: Parent,
  { kind, range: { from, to }, maxCounted }: { kind: UnitKind; range: UnitRange; maxCounted: number },
): Promise<number> {
  const key = sql`(p.parent_id <> ${id}, p.parent_id, p.id)`
  const keyOf = (place: UnitPosition) =>
    sql`(${place.parentId !== id}::boolean, ${place.parentId}::uuid, ${place.id}::uuid)`
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from (
      select 1 from passport p where p.account_id = ${accountId}
        and ${level === 'm' && kind === 'items' ? sql`p.model_id = ${id} and p.serial is not null` : sql`p.parent_id = ${id} and p.level = ${kind === 'items' ? 'i' : 'b'}::text::"char"`}
        ${from === undefined ? sql`` : sql`and ${key} >= ${keyOf(from)}`}
        ${to === undefined ? sql`` : sql`and ${key} <= ${keyOf(to)}`}
      limit ${maxCounted + 1}) u`
  return row?.count ?? 0
}

/** Units of a level, oldest first, read a hundred at a time. */
export async function* listUnitsInRange(
  ctx: AccountContext,
  { id, level }: Parent,
  { kind, range: { from, to } }: { kind: UnitKind; range: UnitRange },
): AsyncGenerator<PassportSummary> {
  for await (const parentId of kind === 'items' && level === 'm' ? listItemParents(ctx, id, from) : [id]) {
    const start = from?.parentId === parentId ? uuidBefore(from.id) : FIRST_UUID
    for await (const unit of listChildren(ctx, parentId, kind === 'items' ? 'i' : 'b', start)) {
      if (to !== undefined && isUnitBefore(id, to, { parentId, id: unit.id })) return
      yield unit
    }
  }
}

/** The model and its batches, beginning with the parent of the first unit. */
async function* listItemParents(ctx: AccountContext, id: string, from: UnitPosition | undefined) {
  const isBelowBatch = from !== undefined && from.parentId !== id
  if (!isBelowBatch) yield id
  const start = isBelowBatch ? uuidBefore(from.parentId) : FIRST_UUID
  for await (const batch of listChildren(ctx, id, 'b', start)) yield batch.id
}

const FIRST_UUID = '00000000-0000-0000-0000-000000000000'
const BATCH_SIZE = 100

async function* listChildren(
  ctx: AccountContext,
  parentId: string,
  level: 'b' | 'i',
  start: string,
): AsyncGenerator<PassportSummary> {
  for (let before = start; ; ) {
    const { rows } = await listPassports(ctx, { levels: [level], parentId }, { limit: BATCH_SIZE, before })
    yield* rows.toReversed()
    const [newest] = rows
    if (newest === undefined || rows.length < BATCH_SIZE) return
    before = newest.id
  }
}

/** The preceding UUID, to list what follows it. */
function uuidBefore(uuid: string): string {
  const hex = (BigInt(`0x${uuid.replaceAll('-', '')}`) - 1n).toString(16).padStart(32, '0')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
