/** Checks whether a session's person belongs to an account, because scans by an account's own people are not counted. */
import { sha256Hex } from '../../kernel/crypto.ts'
import type { OperatorContext } from '../context.ts'
import { isToken } from './one-time-links.ts'
import { isLive } from './sessions.ts'

type MembershipQuery = { token: string; accountId: number }

/** For each query, in order: whether the token's session is live and its person belongs to the account. */
export async function areMembers(
  ctx: OperatorContext,
  queries: readonly MembershipQuery[],
): Promise<boolean[]> {
  const { sql } = ctx
  const wellFormed = queries.filter(query => isToken(query.token))
  if (wellFormed.length === 0) return queries.map(() => false)
  const hashes = wellFormed.map(query => sha256Hex(query.token))
  const rows = await sql<{ hash: string; account_id: number }[]>`
    select k.hash, k.account_id
    from unnest(${hashes}::text[], ${wellFormed.map(query => query.accountId)}::int[]) as k(hash, account_id)
    join person_session s on s.hash = k.hash and ${isLive(ctx)}
    join membership m on m.person_id = s.person_id and m.account_id = k.account_id`
  const own = new Set(rows.map(row => `${row.hash} ${row.account_id}`))
  return queries.map(query => own.has(`${sha256Hex(query.token)} ${query.accountId}`))
}
