/** Whether somebody with a session belongs to an account: what the account's own people read is not counted. */
import { sha256Hex } from '../../kernel/crypto.ts'
import type { OperatorContext } from '../context.ts'
import { isToken } from './one-time-links.ts'
import { isLive } from './sessions.ts'

export type MembershipQuery = { token: string; accountId: number }

/** For each look, in order, whether the token is of a live session of a person who belongs to that account. */
export async function areMembers(
  ctx: OperatorContext,
  looks: readonly MembershipQuery[],
): Promise<boolean[]> {
  const { sql } = ctx
  const real = looks.filter(look => isToken(look.token))
  if (real.length === 0) return looks.map(() => false)
  const hashes = real.map(look => sha256Hex(look.token))
  const rows = await sql<{ hash: string; account_id: number }[]>`
    select k.hash, k.account_id
    from unnest(${hashes}::text[], ${real.map(look => look.accountId)}::int[]) as k(hash, account_id)
    join person_session s on s.hash = k.hash and ${isLive(ctx)}
    join membership m on m.person_id = s.person_id and m.account_id = k.account_id`
  const own = new Set(rows.map(row => `${row.hash} ${row.account_id}`))
  return looks.map(look => own.has(`${sha256Hex(look.token)} ${look.accountId}`))
}
