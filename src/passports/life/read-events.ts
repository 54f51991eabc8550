/** Lists the events of a unit for its account, the newest first. */

import { getActorLabels } from '../../accounts/account/actors.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { getInUseTable } from '../../categories/in-use/table.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { atPassport, getPassport } from '../read/find.ts'
import { formatEventTime, type LifeEvent, type StoredData } from './event.ts'
import { listEventAudience } from './event-audience.ts'

/** The place of an event in the list: by its time, then by its number. */
export type EventPosition = { at: Date; number: number }

export type EventFilter = {
  kind?: string | undefined
  from?: Date | undefined
  to?: Date | undefined
  limit: number
  after?: EventPosition | undefined
}

type EventRow = {
  number: number
  kind: string
  at: Date
  is_day: boolean
  stored_at: Date
  actor: number
  link_id: string | null
  is_public: boolean
  data: StoredData
  hash: string
  corrected_by: number | null
  /** The kind of the event that a correction is about. */
  about: string | null
}

/** `position`: of its place in the list. */
export type ListedEvent = LifeEvent & { position: EventPosition }

/** One more than `limit`, if there are more; none of a model. Throws `not_found`. */
export async function listEvents(
  ctx: AccountContext,
  uuid: string,
  filter: EventFilter,
): Promise<ListedEvent[]> {
  const at = await atPassport(ctx, uuid)
  const unit = await getPassport(at, uuid)
  const rows = await selectEvents(at, uuid, filter)
  const { sql, accountId } = at
  const actors =
    rows.length === 0
      ? new Map()
      : await getActorLabels(
          sql,
          accountId,
          rows.map(({ actor }) => actor),
        )
  const table = getInUseTable(unit.category)
  return rows.map(row => ({
    number: row.number,
    kind: row.kind,
    at: formatEventTime(row),
    storedAt: row.stored_at,
    data: row.data,
    audience: listEventAudience(
      { kind: row.kind, isPublic: row.is_public, data: row.data, about: row.about },
      table,
    ),
    recordedBy: actors.get(row.actor) ?? '',
    correctedBy: row.corrected_by,
    hash: row.hash,
    position: { at: row.at, number: row.number },
  }))
}

const selectEvents = ({ sql, accountId }: AccountContext, uuid: string, filter: EventFilter) => sql<
  EventRow[]
>`
  select e.number, e.kind, e.at, e.is_day, e.stored_at, e.actor, e.link_id, e.is_public, e.data, encode(e.hash, 'hex') as hash,
    (select max(c.number) from life_event c
      where c.account_id = e.account_id and c.passport_id = e.passport_id and c.corrects = e.number) as corrected_by,
    (select o.kind from life_event o
      where o.account_id = e.account_id and o.passport_id = e.passport_id and o.number = e.corrects) as about
  from life_event e
  where e.account_id = ${accountId} and e.passport_id = ${uuid} ${filterEvents(sql, filter)}
  order by e.at desc, e.number desc limit ${filter.limit + 1}`

const filterEvents = (sql: Sql, { kind, from, to, after }: EventFilter): Fragment => sql`
  ${kind === undefined ? sql`` : sql`and e.kind = ${kind}`}
  ${from === undefined ? sql`` : sql`and e.at >= ${from}`}
  ${to === undefined ? sql`` : sql`and e.at <= ${to}`}
  ${after === undefined ? sql`` : sql`and (e.at, e.number) < (${after.at}::timestamptz, ${after.number}::int)`}`

/** Clocks of servers differ by less from that of the database. */
const MAX_CLOCK_DIFFERENCE_MS = 5 * 60_000

/** UUIDs of the units with an event since a time of the database. Only on this shard. */
export async function listLivesSince({ sql, accountId }: AccountContext, since: Date): Promise<string[]> {
  const from = new Date(since.getTime() - MAX_CLOCK_DIFFERENCE_MS)
  const rows = await sql<{ id: string }[]>`
    select passport_id as id from unit_life where account_id = ${accountId} and changed_at >= ${from}`
  return rows.map(({ id }) => id)
}
