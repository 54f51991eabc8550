/**
 * Makes the restored parts of a backup consistent: those of the shards are newer than what they share.
 * Accounts that were created meanwhile are left out; a product keeps the GTIN that it shows.
 */
import {
  deleteForeignActors,
  dropQuotaParts,
  listForeignAccounts,
  listSpreadAccounts,
  renameShards,
} from '../../accounts/placement/restored-shards.ts'
import type { Sql } from '../../kernel/db/database.ts'
import {
  claimMissingGtins,
  deleteClaims,
  deleteSkuClaims,
  findLostGtins,
  findUnusedClaims,
  listClaims,
  listSkuClaims,
} from '../../passports/copies/align-claims.ts'
import { enterSchema } from '../snapshot.ts'
import { listBackupTables } from '../tables.ts'
import { type BackupPart, findTarget } from './backup-parts.ts'

/** The clocks of machines differ by less. */
const MARGIN_MS = 3_600_000

type RestoredParts = { parts: readonly BackupPart[]; shards: readonly number[]; createdAt: string }

/** Returns sentences about GTINs that two products had one after the other during the backup. */
export async function alignParts(sql: Sql, { parts, shards, createdAt }: RestoredParts): Promise<string[]> {
  const since = new Date(Date.parse(createdAt) - MARGIN_MS)
  const moves = parts.flatMap(part =>
    part.shard === null ? [] : [{ from: part.shard, to: findTarget(part, shards) }],
  )
  await enterSchema(sql, null)
  await renameShards(sql, moves)
  const schemas = shards.length > 0 ? shards : [null]
  let unused = await listClaims(sql, since)
  for (const shard of schemas) {
    await enterSchema(sql, shard)
    await deleteForeignRows(sql, shard)
    await dropQuotaParts(sql)
    unused = await findUnusedClaims(sql, unused)
    await claimMissingGtins(sql, since)
  }
  await deleteClaims(sql, unused)
  await deleteUnusedSkuClaims(sql, since)
  const lost: string[] = []
  for (const shard of schemas) {
    await enterSchema(sql, shard)
    lost.push(...(await findLostGtins(sql, since)))
  }
  await enterSchema(sql, null)
  await deleteForeignActors(sql)
  return lost
}

/** An account on several shards has its claims on the first, whose part may be newer than the others. */
async function deleteUnusedSkuClaims(sql: Sql, since: Date): Promise<void> {
  await enterSchema(sql, null)
  for (const { id, shards } of await listSpreadAccounts(sql)) {
    const [home = null] = shards
    await enterSchema(sql, home)
    let unused: { sku: string; model_id: string }[] = await listSkuClaims(sql, id, since)
    for (const shard of shards) {
      await enterSchema(sql, shard)
      unused = await findUnusedClaims(sql, unused)
    }
    await enterSchema(sql, home)
    await deleteSkuClaims(
      sql,
      id,
      unused.map(({ sku }) => sku),
    )
  }
}

async function deleteForeignRows(sql: Sql, shard: number | null): Promise<void> {
  const accounts = await listForeignAccounts(sql, shard)
  if (accounts.length === 0) return
  for (const { name, columns } of await listBackupTables(sql)) {
    if (columns.includes('account_id'))
      await sql`delete from ${sql(name)} where account_id = any(${accounts}::int[])`
  }
}
