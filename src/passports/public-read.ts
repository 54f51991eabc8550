/**
 * Reading for the public door. What was read is believed for a second, so that a passport many people scan costs a
 * statement a second, and what was changed in this process is not believed at all.
 */
import { perDatabase, type Sql } from '../kernel/db.ts'
import { findUuid, idFromUuid } from '../kernel/ids.ts'
import { afterCommit } from '../kernel/transaction.ts'
import { findPublicPassport, type PublicPassportRow } from './find.ts'

const BELIEVED_MS = 1_000
/** Rows hold their data: some 3 kB each. */
const MOST_BELIEVED = 2_000

type Belief = { row: PublicPassportRow; at: number }
type Reader = { beliefs: Map<string, Belief>; underWay: Map<string, Promise<PublicPassportRow | undefined>> }

const readers = perDatabase((): Reader => ({ beliefs: new Map(), underWay: new Map() }))

/** The passport of a public id if it was read less than a second ago, or `withinMs`; asks no database. */
export function findBelieved(
  sql: Sql,
  id: string,
  now: Date,
  withinMs = BELIEVED_MS,
): PublicPassportRow | undefined {
  const belief = readers(sql).beliefs.get(id)
  if (belief === undefined) return undefined
  const age = now.getTime() - belief.at
  return age >= 0 && age < withinMs ? belief.row : undefined
}

/** How long ago the passport was read last, in milliseconds; 0 when it never was. */
export function ageOfBelief(sql: Sql, id: string, now: Date): number {
  return now.getTime() - (readers(sql).beliefs.get(id)?.at ?? now.getTime())
}

/** The passport of a public id, or undefined; callers that come together share one look-up. */
export function readPublicPassport(sql: Sql, id: string, now: Date): Promise<PublicPassportRow | undefined> {
  const reader = readers(sql)
  const shared = reader.underWay.get(id)
  if (shared !== undefined) return shared
  const uuid = findUuid(id)
  if (uuid === undefined) return Promise.resolve(undefined)
  const reading = findPublicPassport(sql, uuid)
  reader.underWay.set(id, reading)
  const isNewest = () => reader.underWay.get(id) === reading
  reading.then(
    row => {
      if (row !== undefined && isNewest()) believe(reader, id, { row, at: now.getTime() })
      if (isNewest()) reader.underWay.delete(id)
    },
    () => {
      if (isNewest()) reader.underWay.delete(id)
    },
  )
  return reading
}

function believe({ beliefs }: Reader, id: string, belief: Belief): void {
  if (beliefs.size >= MOST_BELIEVED) beliefs.clear()
  beliefs.set(id, belief)
}

/** To be called after each change of a passport: the next reader sees it, also one whose look-up began before. */
export function forgetPublicPassport(sql: Sql, uuid: string): void {
  afterCommit(sql, pool => {
    const { beliefs, underWay } = readers(pool)
    const id = idFromUuid(uuid)
    beliefs.delete(id)
    underWay.delete(id)
  })
}
