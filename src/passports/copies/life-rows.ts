/** Exports and imports the events of an account's units, and checks their chains of hashes. */
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import type { Sql } from '../../kernel/db/database.ts'

/** `data` is JSON exactly as PostgreSQL writes it, which `hash` covers, in hex. */
export type LifeEventLine = {
  passport: string
  number: number
  kind: string
  at: Date | string
  is_day: boolean
  stored_at: Date | string
  actor: number
  link_id: string | null
  once: string | null
  is_public: boolean
  data: string
  hash: string
}

/** Follows the events of its unit. JSON members are texts. */
export type UnitLifeLine = {
  passport: string
  events: number
  public_events: number
  hash: string | null
  life: string | null
  responsible: string | null
  successors: string | null
  ended: string | null
  ended_at: Date | string | null
  changed_at: Date | string
}

const UNITS_PER_PAGE = 100
const EVENTS_PER_PAGE = 500
const FIRST = '00000000-0000-0000-0000-000000000000'

/** The events of each unit in their order, then its head. */
export async function* exportLives(
  sql: Sql,
  accountId: number,
): AsyncGenerator<{ events: AsyncGenerator<LifeEventLine>; head: UnitLifeLine }> {
  for (let after = FIRST; ; ) {
    const heads = await sql<UnitLifeLine[]>`
      select passport_id as passport, events, public_events, encode(hash, 'hex') as hash, life::text as life,
        responsible::text as responsible, successors::text as successors, ended, ended_at, changed_at
      from unit_life where account_id = ${accountId} and passport_id > ${after} and changed_at > '-infinity'
      order by passport_id limit ${UNITS_PER_PAGE}`
    for (const head of heads) yield { events: readEvents(sql, accountId, head.passport), head }
    const last = heads.at(-1)
    if (last === undefined) return
    after = last.passport
  }
}

async function* readEvents(sql: Sql, accountId: number, passport: string): AsyncGenerator<LifeEventLine> {
  for (let after = 0; ; ) {
    const page = await sql<LifeEventLine[]>`
      select passport_id as passport, number, kind, at, is_day, stored_at, actor, link_id, once, is_public,
        data::text as data, encode(hash, 'hex') as hash
      from life_event where account_id = ${accountId} and passport_id = ${passport} and number > ${after}
      order by number limit ${EVENTS_PER_PAGE}`
    yield* page
    const last = page.at(-1)
    if (last === undefined) return
    after = last.number
  }
}

/** The chains are checked once all are written: see `findBrokenLogs`. */
export async function importLifeEvents(
  sql: Sql,
  accountId: number,
  lines: readonly LifeEventLine[],
): Promise<void> {
  await sql`
    insert into life_event (account_id, passport_id, number, kind, at, is_day, stored_at, actor, link_id, once, is_public, data, hash)
    select ${accountId}, r.passport, r.number, r.kind, r.at, r.is_day, r.stored_at, r.actor, r.link_id, r.once, r.is_public,
      r.data::jsonb, decode(r.hash, 'hex')
    from jsonb_to_recordset(${JSON.stringify(lines)}::text::jsonb) as r(passport uuid, number int, kind text, at timestamptz,
      is_day boolean, stored_at timestamptz, actor int, link_id uuid, once uuid, is_public boolean, data text, hash text)`
}

export async function importUnitLives(
  sql: Sql,
  accountId: number,
  lines: readonly UnitLifeLine[],
): Promise<void> {
  await sql`
    insert into unit_life (account_id, passport_id, events, public_events, hash, life, responsible, successors, ended, ended_at,
      changed_at)
    select ${accountId}, r.passport, r.events, r.public_events, decode(r.hash, 'hex'), r.life::jsonb, r.responsible::jsonb,
      r.successors::jsonb, r.ended::"char", r.ended_at, r.changed_at
    from jsonb_to_recordset(${JSON.stringify(lines)}::text::jsonb) as r(passport uuid, events int, public_events int, hash text,
      life text, responsible text, successors text, ended text, ended_at timestamptz, changed_at timestamptz)`
}

const MAX_REPORTED = 20

/**
 * Sentences about altered logs of units, of one account or of all: an event that does not match its hash or
 * its place, and a log that does not end where its head says.
 */
export async function findBrokenLogs(
  sql: Sql,
  accountId?: number,
  maxReported = MAX_REPORTED,
): Promise<string[]> {
  const ofAccount = accountId === undefined ? sql`` : sql`where x.account_id = ${accountId}`
  const altered = await sql<{ passport_id: string; number: number }[]>`
    select passport_id, min(place)::int as number from (
      select x.passport_id, x.number, x.hash,
        row_number() over (partition by x.account_id, x.passport_id order by x.number) as place,
        carnet_chain(carnet_life_start(carnet_birth_hash(p.id, p.level, p.category, p.model_id, p.parent_id, p.lot, p.serial)),
          carnet_event_facts(x.number, x.kind, x.at, x.is_day, x.stored_at, x.actor, x.link_id, x.is_public, x.data))
          over (partition by x.account_id, x.passport_id order by x.number) as should
      from life_event x left join passport p on p.id = x.passport_id and p.account_id = x.account_id ${ofAccount}
    ) w
    where hash is distinct from should or number <> place
    group by passport_id order by passport_id limit ${maxReported}`
  const cut = await sql<{ passport_id: string; stored: number; said: number }[]>`
    select passport_id, coalesce(e.n, 0)::int as stored, coalesce(l.events, 0) as said
    from (
      select x.account_id, x.passport_id, count(*) as n, count(*) filter (where x.is_public) as shown,
        (array_agg(x.hash order by x.number desc))[1] as head
      from life_event x ${ofAccount} group by x.account_id, x.passport_id
    ) e full join (select x.account_id, x.passport_id, x.events, x.public_events, x.hash from unit_life x ${ofAccount}) l
      using (account_id, passport_id)
    where coalesce(e.n, 0) <> coalesce(l.events, 0) or coalesce(e.shown, 0) <> coalesce(l.public_events, 0)
      or e.head is distinct from l.hash
    order by passport_id limit ${maxReported}`
  const known = new Set(altered.map(row => row.passport_id))
  return [
    ...altered.map(
      ({ passport_id, number }) =>
        `the log of product ${idFromUuid(passport_id)} was altered at event ${number}`,
    ),
    ...cut
      .filter(row => !known.has(row.passport_id))
      .map(
        ({ passport_id, stored, said }) =>
          `the log of product ${idFromUuid(passport_id)} has ${stored} events, and its head is that of ${said} others`,
      ),
  ]
}
