/** The head of a unit's log of events, and the state that follows from it. */
import type { Audience } from '../../categories/field.ts'
import { type Fragment, perDatabase, type Sql } from '../../kernel/db/database.ts'
import type { PassportRow } from './record.ts'

/** `life`: the state for each audience, and for the account as `own`; null or missing: new. */
export type UnitLife = {
  events: number
  public_events: number
  life: Partial<Record<Audience | 'own', string>> | null
  responsible: unknown
  successors: unknown
  /** s: succeeded, e: ended. */
  ended: 's' | 'e' | null
  /** As ISO 8601. */
  ended_at: string | null
  /** When the last event was stored, as ISO 8601. */
  changed_at: string
}

export const getLifeState = ({ life }: Pick<UnitLife, 'life'>, reader: Audience | 'own'): string =>
  life?.[reader] ?? 'new'

/** The member `in_use` of a record, as JSON. */
export const formatInUse = (life: UnitLife): string =>
  JSON.stringify({
    life: getLifeState(life, 'own'),
    events: life.events,
    last_event_at: new Date(life.changed_at).toISOString(),
    responsible: life.responsible,
    successors: life.successors ?? [],
    ended: life.ended === 'e' && life.ended_at !== null ? new Date(life.ended_at).toISOString() : null,
  })

/** Columns of `unit_life l` as JSON text. */
const lifeJson = perDatabase(
  (sql: Sql): Fragment => sql`
    jsonb_build_object('events', l.events, 'public_events', l.public_events, 'life', l.life, 'responsible', l.responsible,
      'successors', l.successors, 'ended', l.ended, 'ended_at', l.ended_at,
      'changed_at', l.changed_at)::text`,
)

/** SQL: the `UnitLife` of `passport p` as JSON text; null without an event, and for a model. */
export const selectLife = perDatabase(
  (sql: Sql): Fragment => sql`
    case when p.level <> 'm' then (
      select ${lifeJson(sql)} from unit_life l
      where l.account_id = p.account_id and l.passport_id = p.id and l.events > 0) end`,
)

export const parseLife = (json: string | null | undefined): UnitLife | null =>
  json === null || json === undefined ? null : JSON.parse(json)

/** The `UnitLife` of units as JSON text. Citus keeps the plan of a statement of one table. */
export async function findLives(
  sql: Sql,
  rows: readonly Pick<PassportRow, 'id' | 'account_id' | 'level'>[],
): Promise<(row: Pick<PassportRow, 'id' | 'account_id'>) => string | null> {
  const units = rows.filter(({ level }) => level !== 'm')
  if (units.length === 0) return () => null
  const accounts = [...new Set(units.map(row => row.account_id))]
  const found = await sql<{ account_id: number; id: string; life: string }[]>`
    select l.account_id, l.passport_id as id, ${lifeJson(sql)} as life from unit_life l
    where l.passport_id = any(${units.map(({ id }) => id)}::text[]::uuid[]) and l.account_id = any(${accounts}::int[])
      and l.events > 0`
  const byKey = new Map(found.map(row => [`${row.account_id} ${row.id}`, row.life]))
  return row => byKey.get(`${row.account_id} ${row.id}`) ?? null
}
