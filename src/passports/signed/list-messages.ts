/** Which places of a status list are those of outdated documents. */
import { findHome, listAccountShards } from '../../accounts/account/account-shard.ts'
import { Semaphore } from '../../kernel/concurrency/semaphore.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { perSharedDatabase } from '../../kernel/db/shards.ts'
import { unavailable } from '../../kernel/errors/errors.ts'
import { BoundedMap } from '../../kernel/values/bounded-map.ts'
import type { Clock } from '../../kernel/values/clock.ts'
import { createStatusBits, setRevoked } from '../../standards/signing/status-list.ts'
import { isRecalled } from '../core/recalls.ts'

/** A copy older than this is read again; readers get the older one meanwhile. */
const REFRESH_MS = 30_000
/** Readers wait for a new copy if theirs would be older. */
const MAX_AGE_MS = 60_000
/** Each has 16 kB. */
const MAX_COPIES = 100
const MAX_WAITING = 10
const MAX_WAIT_MS = 10_000
const PLACES_PER_STATEMENT = 2_000

type Place = { passport_id: string; list_index: number; first_version: number }
/** `at`: when it was begun to be read. */
export type MessageBits = { at: Date; bits: Uint8Array }
type ListSetup = { sql: Sql; clock: Clock }
type List = { accountId: number; listNo: number }

const caches = perSharedDatabase(() => ({
  copies: new BoundedMap<string, MessageBits>(MAX_COPIES),
  builds: new Map<string, Promise<MessageBits>>(),
  // A full list takes seconds of the database, so a process reads one at a time.
  permits: new Semaphore({ capacity: 1, maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS }),
}))

/**
 * The bits of versions whose passport is recalled or archived, or has a newer version, at most a minute old.
 * All readers share a copy. Throws `unavailable` if too many other lists are being read.
 */
export async function readMessages(setup: ListSetup, list: List): Promise<MessageBits> {
  const copy = caches(setup.sql).copies.get(getKey(list))
  const age = copy === undefined ? Number.NaN : setup.clock.now().getTime() - copy.at.getTime()
  if (copy === undefined || !(age >= 0 && age < MAX_AGE_MS)) return build(setup, list)
  // If it fails, whoever comes after the copy's minute starts another one, and gets the error.
  if (age >= REFRESH_MS) build(setup, list).catch(() => undefined)
  return copy
}

/** The next reader waits for a list that is read anew. */
export function forgetMessages(sql: Sql): void {
  const { copies, builds } = caches(sql)
  copies.clear()
  builds.clear()
}

const getKey = ({ accountId, listNo }: List) => `${accountId} ${listNo}`

/** Joins a build of the list that is under way. */
function build(setup: ListSetup, list: List): Promise<MessageBits> {
  const { copies, builds, permits } = caches(setup.sql)
  const key = getKey(list)
  const running = builds.get(key)
  if (running !== undefined) return running
  const started = permits
    .run(async () => ({ at: setup.clock.now(), bits: await readBits(setup, list) }))
    .then(copy => {
      if (copy === undefined)
        throw unavailable('Too many status lists are being read; try again in a moment.')
      if (builds.get(key) === started) copies.set(key, copy)
      return copy
    })
    .finally(() => {
      if (builds.get(key) === started) builds.delete(key)
    })
  builds.set(key, started)
  return started
}

async function readBits({ sql, clock }: ListSetup, { accountId, listNo }: List): Promise<Uint8Array> {
  const home = await findHome(sql, accountId)
  const shards = listAccountShards({ ...home, clock, accountId, actorId: 0 })
  const bits = createStatusBits()
  for (let after = -1; ; ) {
    const places = await home.sql<Place[]>`
      select passport_id, list_index, first_version from credential_status
      where account_id = ${accountId} and list_no = ${listNo} and list_index > ${after}
      order by list_index limit ${PLACES_PER_STATEMENT}`
    for (const shard of shards)
      for (const index of await listOutdated(shard.sql, accountId, places)) setRevoked(bits, index, true)
    const last = places.at(-1)
    if (last === undefined || places.length < PLACES_PER_STATEMENT) return bits
    after = last.list_index
  }
}

async function listOutdated(sql: Sql, accountId: number, places: readonly Place[]): Promise<number[]> {
  const rows = await sql<{ list_index: number }[]>`
    select k.list_index::int from unnest(${places.map(one => one.passport_id)}::text[]::uuid[],
      ${places.map(one => one.list_index)}::int[], ${places.map(one => one.first_version)}::int[])
      as k(passport_id, list_index, version)
    cross join lateral (select * from passport where id = k.passport_id and account_id = ${accountId} limit 1) p
    where p.version_no > k.version or p.status <> 'a' or ${isRecalled(sql)}`
  return rows.map(row => row.list_index)
}
