/** Reads the events of a unit as one audience may see them, each with its last correction. */
import type { Audience } from '../../categories/field.ts'
import { getInUseTable, type InUseTable } from '../../categories/in-use/table.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { getShard } from '../../kernel/db/shards.ts'
import type { PublicPassportRow } from '../read/find.ts'
import { type EventContent, type EventData, formatEventTime, type StoredData } from './event.ts'

/** Without number, hash, author and order number, which would tell of events that the reader may not see. */
export type ReaderEvent = Omit<EventData, 'reference'> & {
  kind: string
  at: string
  negative: boolean
  storedAt: Date
  /** When and why it was withdrawn or replaced. */
  corrected: { at: Date; note: EventData['note'] } | null
  /** Stands in the place of another event. */
  isReplacement: boolean
}

type Row = {
  hash: string
  kind: string
  at: Date
  is_day: boolean
  stored_at: Date
  is_public: boolean
  data: StoredData
  correction: StoredData | null
  corrected_at: Date | null
}

/**
 * `events`: at most two for each of `limit` places. `next`: the hash of the last place, if there are more: it
 * does not tell the number of the event.
 */
export type ReaderEvents = { events: ReaderEvent[]; next: string | undefined }

type Options = { audience: Audience; limit: number; after?: string | undefined }

/** The newest first. */
export async function readEventsFor(
  sql: Sql,
  row: Pick<PublicPassportRow, 'id' | 'account_id' | 'category' | 'shard'>,
  { audience, limit, after }: Options,
): Promise<ReaderEvents> {
  const table = getInUseTable(row.category)
  const kinds = [...table.events.values()]
    .filter(kind => kind.audience.includes(audience))
    .map(({ kind }) => kind)
  const found = await selectRows(getShard(sql, row.shard), row, { audience, limit, after, kinds })
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  return {
    events: shown.flatMap(one => discloseEvent(one, { audience, kinds, table })),
    next: found.length > limit ? last?.hash : undefined,
  }
}

/** Corrections are found by the event that they are about: the last one of each counts. */
const selectRows = (
  sql: Sql,
  { account_id, id }: Pick<PublicPassportRow, 'id' | 'account_id'>,
  { audience, limit, after, kinds }: Options & { kinds: readonly string[] },
) => sql<Row[]>`
  select encode(e.hash, 'hex') as hash, e.kind, e.at, e.is_day, e.stored_at, e.is_public, e.data, c.data as correction,
    c.stored_at as corrected_at
  from life_event e left join lateral (
    select c.data, c.stored_at from life_event c
    where c.account_id = e.account_id and c.passport_id = e.passport_id and c.corrects = e.number
    order by c.number desc limit 1) c on true
  where e.account_id = ${account_id} and e.passport_id = ${id} and e.kind <> 'correction'
    and (e.kind = any(${[...kinds]}::text[]) and (e.is_public or ${audience}::text <> 'public')
      or c.data->'event'->>'kind' = any(${[...kinds]}::text[])
        and (c.data->'event'->>'public' is distinct from 'false' or ${audience}::text <> 'public'))
    ${
      after === undefined
        ? sql``
        : sql`and (e.at, e.number) < (
      select o.at, o.number from life_event o
      where o.account_id = ${account_id} and o.passport_id = ${id} and encode(o.hash, 'hex') = ${after})`
    }
  order by e.at desc, e.number desc limit ${limit + 1}`

type Reader = { audience: Audience; kinds: readonly string[]; table: InUseTable }

/** The event in the place of another stands before it. */
function discloseEvent(row: Row, { audience, kinds, table }: Reader): ReaderEvent[] {
  const isSeen = ({ kind, isPublic }: { kind: string; isPublic: boolean }) =>
    kinds.includes(kind) && (isPublic || audience !== 'public')
  const isNegative = (kind: string) => table.events.get(kind)?.isNegative ?? false
  const { kind, correction, corrected_at: correctedAt } = row
  const corrected = correctedAt === null ? null : { at: correctedAt, note: correction?.note }
  const own: ReaderEvent = {
    kind,
    at: formatEventTime(row),
    negative: isNegative(kind),
    storedAt: row.stored_at,
    ...pickData(row.data),
    corrected,
    isReplacement: false,
  }
  const replacement = correction?.event
  const shown = isSeen({ kind, isPublic: row.is_public }) ? [own] : []
  if (replacement === undefined || correctedAt === null) return shown
  if (!isSeen({ kind: replacement.kind, isPublic: replacement.public !== false })) return shown
  const { kind: newKind, at } = replacement
  const standing = {
    kind: newKind,
    at,
    negative: isNegative(newKind),
    storedAt: correctedAt,
    ...pickData(replacement),
  }
  return [{ ...standing, corrected: null, isReplacement: shown.length > 0 }, ...shown]
}

const pickData = ({
  note,
  parts,
  by,
}: StoredData | EventContent): Pick<ReaderEvent, 'note' | 'parts' | 'by'> => ({
  ...(note && { note }),
  ...(parts && { parts }),
  ...(by && { by }),
})
