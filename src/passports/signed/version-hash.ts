/** The hash of a version in the chain of its passport. Never shown: commitments are derived from it. */
import { createBatchLoader } from '../../kernel/db/batch-loader.ts'
import { perDatabase, type Sql } from '../../kernel/db/database.ts'
import { getShard } from '../../kernel/db/shards.ts'
import { firstHash } from '../core/hash-chain.ts'
import type { PassportRow } from '../core/record.ts'

type Version = Pick<PassportRow, 'id' | 'account_id' | 'version_no'>

/** `shard`: where the passport is. Undefined if there is no such version. */
export const readVersionHash = (
  sql: Sql,
  version: Version,
  shard: number | null,
): Promise<Buffer | undefined> => loaders(getShard(sql, shard))(version)

const loaders = perDatabase((sql: Sql) => createBatchLoader(readHashes(sql)))

const readHashes =
  (sql: Sql) =>
  async (versions: readonly Version[]): Promise<(Buffer | undefined)[]> => {
    const rows = await sql<{ n: number; hash: Buffer | null }[]>`
      select k.n::int, coalesce(
        (select v.hash from passport_version v
          where v.passport_id = p.id and v.account_id = p.account_id and v.version_no = k.version_no),
        case when p.version_no = 1 and k.version_no = 1 then (
          select ${firstHash(sql, sql`c.hash`)} from content c
          where c.id = p.content_id and c.account_id = p.account_id) end) as hash
      from unnest(${versions.map(({ id }) => id)}::text[]::uuid[], ${versions.map(one => one.account_id)}::int[],
        ${versions.map(one => one.version_no)}::int[]) with ordinality as k(id, account_id, version_no, n)
      join passport p on p.id = k.id and p.account_id = k.account_id`
    const found = new Map(rows.map(({ n, hash }) => [n, hash ?? undefined]))
    return versions.map((_, i) => found.get(i + 1))
  }
