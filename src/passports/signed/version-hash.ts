/** The hash of a version in the chain of its passport. Never shown: commitments are derived from it. */
import type { Sql } from '../../kernel/db/database.ts'
import { getShard } from '../../kernel/db/shards.ts'
import { firstHash } from '../core/hash-chain.ts'
import type { PassportRow } from '../core/record.ts'

/** `shard`: where the passport is. Undefined if there is no such version. */
export async function readVersionHash(
  sql: Sql,
  { id, account_id, version_no }: Pick<PassportRow, 'id' | 'account_id' | 'version_no'>,
  shard: number | null,
): Promise<Buffer | undefined> {
  const at = getShard(sql, shard)
  const [row] = await at<{ hash: Buffer | null }[]>`
    select coalesce(
      (select v.hash from passport_version v
        where v.passport_id = p.id and v.account_id = p.account_id and v.version_no = ${version_no}),
      case when p.version_no = 1 then ${firstHash(at, at`c.hash`)} end) as hash
    from passport p join content c on c.id = p.content_id and c.account_id = p.account_id
    where p.id = ${id} and p.account_id = ${account_id}`
  return row?.hash ?? undefined
}
