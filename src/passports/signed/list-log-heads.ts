/**
 * The heads of units' logs of events that moved in a span of time. A daily root has a leaf for each, beside
 * those of versions.
 */
import type { AccountContext } from '../../accounts/account/context.ts'

/**
 * A leaf names its event in the place of a version, from this number on. No passport has so many versions,
 * and all leaves keep their order.
 */
const FIRST_HEAD_NO = 1_000_000_000

/** The number of the event if the leaf is a head. */
export const findEventNumber = (versionNo: number): number | undefined =>
  versionNo >= FIRST_HEAD_NO ? versionNo - FIRST_HEAD_NO : undefined

type Head = { passport: string; version_no: number; hash: Buffer }

const UNITS_PER_PAGE = 500
const FIRST = '00000000-0000-0000-0000-000000000000'

/** By passport. A head is the last event of its unit before `until`. */
export async function* listLogHeads(
  { sql, accountId }: AccountContext,
  { since, until }: { since: Date | null; until: Date },
): AsyncGenerator<Head> {
  for (let after = FIRST; ; ) {
    const page = await sql<Head[]>`
      select distinct on (passport_id) passport_id as passport, ${FIRST_HEAD_NO}::int + number as version_no, hash from life_event
      where account_id = ${accountId} and passport_id > ${after} and stored_at < ${until}
        ${since === null ? sql`` : sql`and stored_at >= ${since}`}
      order by passport_id, number desc limit ${UNITS_PER_PAGE}`
    yield* page
    const last = page.at(-1)
    if (last === undefined) return
    after = last.passport
  }
}
