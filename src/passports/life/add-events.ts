/** Appends events to the logs of units: one, or up to 500 of the units under a product. */
import { getActorLabels } from '../../accounts/account/actors.ts'
import { audit } from '../../accounts/account/audit.ts'
import { type AccountContext, withTransaction } from '../../accounts/account/context.ts'
import { type EventKind, getInUseTable, type InUseTable } from '../../categories/in-use/table.ts'
import { idFromUuid, newUuid } from '../../kernel/crypto/ids.ts'
import { AppError, type Detail, invalid } from '../../kernel/errors/errors.ts'
import { announceEvents } from '../../webhooks/insert-events.ts'
import { LEVEL_NAME, type PassportRow } from '../core/record.ts'
import { atPassport, getPassport } from '../read/find.ts'
import { dropCachedMetadata } from '../read/public-passport.ts'
import { requireEvent } from './check-event.ts'
import { CORRECTION, isDay, type LifeEvent, type NewEvent } from './event.ts'
import { listEventAudience } from './event-audience.ts'

/** A log is read whole where the state of its unit is worked out. */
export const MAX_EVENTS_PER_UNIT = 10_000

export type Unit = Pick<PassportRow, 'id' | 'level' | 'category'>

/** `place`: of the row in the call. */
export type EventEntry = { place: number; unit: Unit; event: NewEvent }

/** An event with what its log gave it. */
export type AddedEvent = LifeEvent & Pick<EventEntry, 'place' | 'unit'>

/** Undoes the writes of a dry run. */
class DryRun extends Error {
  readonly added: AddedEvent
  constructor(added: AddedEvent) {
    super('a dry run')
    this.added = added
  }
}

/** Throws `not_found`, `validation`, `ended`. */
export async function addEvent(
  ctx: AccountContext,
  { uuid, event: sent, isDryRun }: { uuid: string; event: unknown; isDryRun: boolean },
): Promise<AddedEvent> {
  const at = await atPassport(ctx, uuid)
  const unit = await getPassport(at, uuid)
  requireUnit(unit)
  const event = requireEvent(sent, { table: getInUseTable(unit.category), now: ctx.clock.now() })
  try {
    return await withTransaction(at, async tx => {
      const { added, rejected } = await writeEvents(tx, [{ place: 0, unit, event }])
      const [first] = added
      if (first === undefined) throw rejected[0]?.error
      if (isDryRun) throw new DryRun(first)
      return first
    })
  } catch (error) {
    if (error instanceof DryRun) return error.added
    throw error
  }
}

export function requireUnit({ level }: Pick<Unit, 'level'>): void {
  if (level !== 'm') return
  const message = 'A model has no events: they are of its batches and items. Send the id of one of these.'
  throw invalid([{ path: ['level'], code: 'enum', message }])
}

type Rejected = { index: number; error: AppError }

/** Writes the events whose logs take them. Call it in a transaction, with units of the context's shard. */
export async function writeEvents(
  tx: AccountContext,
  entries: readonly EventEntry[],
): Promise<{ added: AddedEvent[]; rejected: Rejected[] }> {
  const added: AddedEvent[] = []
  const rejected: Rejected[] = []
  const actors = await getActorLabels(tx.sql, tx.accountId, [tx.actorId])
  const recordedBy = actors.get(tx.actorId) ?? ''
  // All units of a call are beneath one product, so this is one category.
  for (const [category, ofCategory] of Map.groupBy(entries, ({ unit }) => unit.category)) {
    const table = getInUseTable(category)
    const rows = await appendToLogs(tx, ofCategory, table)
    for (const [i, row] of rows.entries()) {
      const entry = ofCategory[i]
      if (entry === undefined) continue
      if (row.number === null)
        rejected.push({ index: entry.place, error: explainRejection(row.reason, entry.event) })
      else added.push({ ...toLifeEvent(entry, { ...row, number: row.number }, table), recordedBy })
    }
  }
  await announce(tx, added)
  for (const { unit, kind } of added)
    if (kind === CORRECTION) await audit(tx, 'event_corrected', idFromUuid(unit.id))
  for (const id of new Set(added.map(({ unit }) => unit.id))) dropCachedMetadata(tx.sql, id)
  return { added, rejected }
}

type LogRow = {
  reason: 'not_found' | 'is_correction' | 'by_server' | 'ended' | 'full' | null
  /** Null if the event is left out. */
  number: number | null
  hash: string
  stored_at: number
  is_public: boolean
  /** The kind of the event that a correction is about. */
  about: string | null
}

const toLifeEvent = (
  { place, unit, event: { kind, at, data } }: EventEntry,
  { number, hash, stored_at, is_public: isPublic, about }: LogRow & { number: number },
  table: InUseTable,
): Omit<AddedEvent, 'recordedBy'> => ({
  place,
  unit,
  number,
  kind,
  at,
  storedAt: new Date(stored_at),
  data,
  audience: listEventAudience({ kind, isPublic, data, about }, table),
  correctedBy: null,
  hash,
})

/** In the order of `entries`. */
async function appendToLogs(
  { sql, accountId, actorId, clock }: AccountContext,
  entries: readonly EventEntry[],
  table: InUseTable,
): Promise<LogRow[]> {
  const rows = entries.map(({ unit, event }, place) => ({
    place,
    unit: unit.id,
    kind: event.kind,
    at: isDay(event.at) ? `${event.at}T00:00:00Z` : event.at,
    is_day: isDay(event.at),
    stored_at: clock.now(),
    actor: actorId,
    is_public: event.isPublic,
    ends: event.ends,
    moves: event.moves,
    corrects: event.corrects,
    data: event.data,
  }))
  const [found] = await sql<{ rows: LogRow[] }[]>`
    select public.carnet_add_events(${accountId}, ${JSON.stringify(rows)}::text::jsonb, ${formatKinds(table)}::text::jsonb,
      ${MAX_EVENTS_PER_UNIT}) as rows`
  return found?.rows ?? []
}

/** The kinds as `carnet_life_state` and `carnet_add_events` read them. */
export const formatKinds = ({ events }: InUseTable): string =>
  JSON.stringify(Object.fromEntries(events.values().map(kind => [kind.kind, describeKind(kind)])))

const describeKind = ({ state, audience, ends, isByServer }: EventKind) => ({
  audience,
  ...(state === undefined ? {} : { state }),
  ...(ends ? { ends } : {}),
  ...(isByServer ? { by: 'server' } : {}),
})

function explainRejection(reason: LogRow['reason'], { corrects }: NewEvent): AppError {
  const wrong = (code: Detail['code'], message: string) => invalid([{ path: ['corrects'], code, message }])
  switch (reason) {
    case 'ended':
      return new AppError('ended', 'The passport of this product has ended. Its log takes only corrections.')
    case 'not_found':
      return wrong('not_found', `corrects: this product has no event ${corrects}.`)
    case 'is_correction':
      return wrong(
        'enum',
        `corrects: event ${corrects} is a correction itself. Correct the event that it is about once more.`,
      )
    case 'by_server':
      return wrong('enum', `corrects: event ${corrects} was written by the service, and stays as it is.`)
    default:
      return invalid([
        {
          path: ['kind'],
          code: 'max',
          message: `This product has ${MAX_EVENTS_PER_UNIT} events, which is the most of one log.`,
        },
      ])
  }
}

/** No text of the events, which people wrote. */
async function announce(
  { sql, accountId, clock }: AccountContext,
  added: readonly AddedEvent[],
): Promise<void> {
  if (added.length === 0) return
  const now = clock.now()
  const events = added.map(({ unit, kind, at, number }) => ({
    id: newUuid(now.getTime()),
    data: { id: idFromUuid(unit.id), level: LEVEL_NAME[unit.level], kind, number, at },
  }))
  const rows = sql`
    select ${now}::timestamptz, ${accountId}::int, i.id, 'product.event_added', i.data
    from jsonb_to_recordset(${JSON.stringify(events)}::text::jsonb) as i(id uuid, data jsonb)`
  await sql`with ${announceEvents(sql, rows)} select`
}
