/** A version in the chain of its passport: its hash, which is never shown, its time, and its status. */
import { createBatchLoader } from '../../kernel/db/batch-loader.ts'
import { perDatabase, type Sql } from '../../kernel/db/database.ts'
import { getShard } from '../../kernel/db/shards.ts'
import { firstHash } from '../core/hash-chain.ts'
import type { PassportRow } from '../core/record.ts'
import type { StatusPlace } from './credential-status.ts'

type Version = Pick<PassportRow, 'id' | 'account_id' | 'version_no'>

/**
 * Commitments are derived from `hash`. `place`: its own place in the status lists, so that documents need no
 * look-up for it; undefined if it has none, or if the account's home is on another shard.
 */
export type ChainedVersion = { hash: Buffer; createdAt: Date; place: StatusPlace | undefined }

/** `shard`: where the passport is. Undefined if there is no such version. */
export const readChainedVersion = (
  sql: Sql,
  version: Version,
  shard: number | null,
): Promise<ChainedVersion | undefined> => loaders(getShard(sql, shard))(version)

/** `shard`: where the passport is. Undefined if there is no such version. */
export const readVersionHash = async (
  ...version: Parameters<typeof readChainedVersion>
): Promise<Buffer | undefined> => (await readChainedVersion(...version))?.hash

const loaders = perDatabase((sql: Sql) => createBatchLoader(readVersions(sql)))

type Row = {
  n: number
  hash: Buffer | null
  createdAt: Date
  listNo: number | null
  listIndex: number | null
}

const readVersions =
  (sql: Sql) =>
  async (versions: readonly Version[]): Promise<(ChainedVersion | undefined)[]> => {
    const rows = await sql<Row[]>`
      select k.n::int, coalesce(v.hash, case when p.version_no = 1 and k.version_no = 1 then (
          select ${firstHash(sql, sql`c.hash`)} from content c
          where c.id = p.content_id and c.account_id = p.account_id) end) as hash,
        coalesce(v.created_at, carnet_created_at(p.id)) as "createdAt",
        s.list_no as "listNo", s.list_index as "listIndex"
      from unnest(${versions.map(({ id }) => id)}::text[]::uuid[], ${versions.map(one => one.account_id)}::int[],
        ${versions.map(one => one.version_no)}::int[]) with ordinality as k(id, account_id, version_no, n)
      join passport p on p.id = k.id and p.account_id = k.account_id
      left join passport_version v
        on v.passport_id = p.id and v.account_id = p.account_id and v.version_no = k.version_no
      left join credential_status s
        on s.account_id = p.account_id and s.passport_id = p.id and s.first_version = k.version_no`
    const found = new Map(
      rows.flatMap(({ n, hash, createdAt, ...place }) =>
        hash === null ? [] : [[n, { hash, createdAt, place: findPlace(place) }] as const],
      ),
    )
    return versions.map((_, i) => found.get(i + 1))
  }

const findPlace = ({ listNo, listIndex }: Pick<Row, 'listNo' | 'listIndex'>): StatusPlace | undefined =>
  listNo === null || listIndex === null ? undefined : { listNo, index: listIndex }
