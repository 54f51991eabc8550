/** The last runs of mirrors, from which servers tell how much a mirror lacks. */
import { findHome } from '../../accounts/account/account-shard.ts'
import type { AccountContext, OperatorContext } from '../../accounts/account/context.ts'
import { findOldestChange } from '../../passports/read/list-changes.ts'

/** `listedThroughUs`: of the newest change in the mirror, in microseconds since 1970; 0 for none. */
type MirrorRun = { mirroredThrough: string; listedThroughUs: number }

export async function recordMirrorRun(
  { sql, clock, accountId }: AccountContext,
  { mirroredThrough, listedThroughUs }: MirrorRun,
): Promise<void> {
  await sql`
    insert into mirror_run (account_id, mirrored_through, listed_through, finished_at)
    values (${accountId}, ${mirroredThrough},
      'epoch'::timestamptz + ${String(listedThroughUs)}::bigint * interval '1 microsecond', ${clock.now()})
    on conflict (account_id) do update set mirrored_through = excluded.mirrored_through,
      listed_through = greatest(mirror_run.listed_through, excluded.listed_through), finished_at = excluded.finished_at`
}

export type MirrorLag = {
  accountId: number
  finishedAt: Date
  /** The age of the oldest change that is not in the mirror; 0 if there is none. */
  seconds: number
}

/** One for each account that has been mirrored. */
export async function listMirrorLags({ sql, clock }: OperatorContext): Promise<MirrorLag[]> {
  const runs = await sql<{ account_id: number; known: string; finished_at: Date }[]>`
    select account_id, greatest(mirrored_through, listed_through)::text as known, finished_at from mirror_run order by account_id`
  const lags: MirrorLag[] = []
  for (const { account_id: accountId, known, finished_at: finishedAt } of runs) {
    const home = await findHome(sql, accountId)
    const oldest = await findOldestChange({ ...home, clock, accountId, actorId: 0 }, known)
    const ms = oldest === undefined ? 0 : Math.max(0, clock.now().getTime() - oldest.getTime())
    lags.push({ accountId, finishedAt, seconds: ms / 1000 })
  }
  return lags
}
