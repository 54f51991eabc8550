/** Exports an account as lines of JSON, each version with its hash: see `docs/backup.md`. */
import { createHash } from 'node:crypto'
import { exportAccount, exportActors, exportBrand, exportLogos } from '../../accounts/account/export-rows.ts'
import { exportIssuer } from '../../accounts/issuer/export-issuer.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import type { Sql } from '../../kernel/db/database.ts'
import type { Clock } from '../../kernel/values/clock.ts'
import { exportMediaFiles } from '../../media/upkeep/export-files.ts'
import { exportWithdrawalRequests, exportWithdrawnMedia } from '../../media/upkeep/withdrawal-rows.ts'
import { exportMediaUses } from '../../media/uses/export-uses.ts'
import { exportCredentialStatuses } from '../../passports/copies/credential-status-rows.ts'
import { exportDailyRoots } from '../../passports/copies/daily-root-rows.ts'
import {
  exportAccessLinks,
  exportContents,
  exportDrafts,
  exportGtins,
  exportPassports,
  exportRegistryEntries,
  exportReleasedGtins,
} from '../../passports/copies/export-rows.ts'
import { exportLives } from '../../passports/copies/life-rows.ts'
import { exportMeasurements } from '../../passports/copies/measurement-rows.ts'
import { exportRecords } from '../../passports/core/store-records.ts'
import { exportRecalls } from '../../passports/recalls/recall-rows.ts'
import { RECORD_STORES } from '../../passports/records/record-stores.ts'
import { requireNewPath, writeNewFile } from '../new-file.ts'
import { enterSchema, withSnapshot } from '../snapshot.ts'
import { copyFileTo, type FileFolder } from './account-files.ts'

export const EXPORT_FORMAT = 'carnet-account-1'

export type AccountExportSetup = { openPool: () => Sql; clock: Clock; version: string; publicUrl: string }
type AccountExportOptions = {
  accountId: number
  path: string
  /** Where pictures and documents are written; without it, only their lines. */
  files?: FileFolder
  progress?: (passports: number) => void
}
export type LineCounts = Readonly<Record<string, number>>
/** `missing_files`: those that were deleted meanwhile or are lost; they have no line. */
type AccountExportResult = {
  path: string
  bytes: number
  sha256: string
  counts: LineCounts
  missing_files: number
}

/** Writes the account at one moment. Throws `not_found`; `validation` for an existing file. */
export async function exportAccountToFile(
  setup: AccountExportSetup,
  options: AccountExportOptions,
): Promise<AccountExportResult> {
  const { path } = options
  await requireNewPath(path, 'an export')
  return withSnapshot(setup.openPool, sql =>
    writeNewFile(path, async put => {
      const chunks = readAccountExport(sql, setup, options)
      let bytes = 0
      let next = await chunks.next()
      for (; !next.done; next = await chunks.next()) {
        bytes += next.value.length
        await put(next.value)
      }
      return { path, bytes, ...next.value }
    }),
  )
}

export type ExportLine = Readonly<Record<string, unknown>> & { type: string }

async function* listLines(
  sql: Sql,
  { clock, version: carnet, publicUrl: public_url }: Omit<AccountExportSetup, 'openPool'>,
  { accountId, files, progress }: Omit<AccountExportOptions, 'path'>,
): AsyncGenerator<ExportLine, { missing_files: number }> {
  const { account, shards } = await exportAccount(sql, accountId)
  const created_at = clock.now().toISOString()
  yield { type: 'header', format: EXPORT_FORMAT, created_at, carnet, public_url, account }
  yield* listSettings(sql, accountId)
  // Files, drafts, status lists and daily roots are on the account's home.
  const home = shards.slice(0, 1)
  const missing_files = yield* listFiles(sql, home, { accountId, ...(files && { files }) })
  for await (const line of readOnShards(sql, home, () => listWithdrawals(sql, accountId))) yield line
  const contents = readOnShards(sql, shards, () => exportContents(sql, accountId))
  for await (const content of contents) yield { type: 'content', ...content }
  let passports = 0
  const histories = readOnShards(sql, shards, () => exportPassports(sql, accountId))
  for await (const { passport, versions, statuses } of histories) {
    yield { type: 'passport', id: idFromUuid(passport.uuid), ...passport }
    for (const version of versions) yield { type: 'version', ...version }
    for (const status of statuses) yield { type: 'status', ...status }
    progress?.(++passports)
  }
  for await (const gtin of exportGtins(sql, accountId)) yield { type: 'gtin', ...gtin }
  for (const gtin of await exportReleasedGtins(sql, accountId)) yield { type: 'released_gtin', ...gtin }
  for await (const link of exportAccessLinks(sql, accountId)) yield { type: 'access_link', ...link }
  const uses = readOnShards(sql, shards, () => exportMediaUses(sql, accountId))
  for await (const use of uses) yield { type: 'file_use', ...use }
  const entries = readOnShards(sql, shards, () => exportRegistryEntries(sql, accountId))
  for await (const entry of entries) yield { type: 'registry_entry', ...entry }
  const recalls = readOnShards(sql, shards, () => exportRecalls(sql, accountId))
  for await (const recall of recalls) yield { type: 'recall', ...recall }
  for await (const line of readOnShards(sql, shards, () => listUse(sql, accountId))) yield line
  const drafts = readOnShards(sql, home, () => exportDrafts(sql, accountId))
  for await (const draft of drafts) yield { type: 'draft', ...draft }
  const statuses = readOnShards(sql, home, () => exportCredentialStatuses(sql, accountId))
  for await (const status of statuses) yield { type: 'credential_status', ...status }
  const roots = readOnShards(sql, home, () => exportDailyRoots(sql, accountId))
  for await (const { root, blocks } of roots) {
    yield { type: 'daily_root', ...root }
    for await (const block of blocks) yield { type: 'daily_root_block', ...block }
  }
  return { missing_files }
}

/** Lists events of units, and what was measured at items. */
async function* listUse(sql: Sql, accountId: number): AsyncGenerator<ExportLine> {
  yield* listLives(sql, accountId)
  for await (const line of exportMeasurements(sql, accountId)) yield { type: 'measurement', ...line }
}

/** Copies the files, too. Returns how many are not there; those have no line. */
async function* listFiles(
  sql: Sql,
  home: readonly (number | null)[],
  { accountId, files }: Pick<AccountExportOptions, 'accountId' | 'files'>,
): AsyncGenerator<ExportLine, number> {
  let missing = 0
  for await (const file of readOnShards(sql, home, () => exportMediaFiles(sql, accountId))) {
    if (files === undefined || (await copyFileTo(files, accountId, file.id))) yield { type: 'file', ...file }
    else missing++
  }
  return missing
}

/** The events of each unit, then the head of its log. */
async function* listLives(sql: Sql, accountId: number): AsyncGenerator<ExportLine> {
  for await (const { events, head } of exportLives(sql, accountId)) {
    for await (const event of events) yield { type: 'event', ...event }
    yield { type: 'unit_life', ...head }
  }
}

/** Lists files without bytes, which have no line of their own. */
async function* listWithdrawals(sql: Sql, accountId: number): AsyncGenerator<ExportLine> {
  for (const file of await exportWithdrawnMedia(sql, accountId)) yield { type: 'withdrawn_file', ...file }
  for (const asked of await exportWithdrawalRequests(sql, accountId))
    yield { type: 'withdrawal_request', ...asked }
}

/** Lines that belong to no passport and to all shards. */
async function* listSettings(sql: Sql, accountId: number): AsyncGenerator<ExportLine> {
  for (const actor of await exportActors(sql, accountId)) yield { type: 'actor', ...actor }
  for (const logo of await exportLogos(sql, accountId)) yield { type: 'logo', ...logo }
  for (const brand of await exportBrand(sql, accountId)) yield { type: 'brand', ...brand }
  for (const issuer of await exportIssuer(sql, accountId)) yield { type: 'issuer', ...issuer }
  for (const store of Object.values(RECORD_STORES)) {
    for (const line of await exportRecords({ sql, accountId }, store)) yield { type: store.type.id, ...line }
  }
}

/** Yields the results of `read` on one shard after the other; null: `public`. */
async function* readOnShards<T>(
  sql: Sql,
  shards: readonly (number | null)[],
  read: () => AsyncGenerator<T>,
): AsyncGenerator<T> {
  for (const shard of shards) {
    if (shard !== null) await enterSchema(sql, shard)
    yield* read()
  }
}

const CHUNK_LENGTH = 65_536

/**
 * `sql` must be a transaction with repeatable read. Yields the file in chunks. The last line has the counts,
 * and the SHA-256 of all lines before it.
 */
export async function* readAccountExport(
  ...source: Parameters<typeof listLines>
): AsyncGenerator<Buffer, Omit<AccountExportResult, 'path' | 'bytes'>> {
  const digest = createHash('sha256')
  const counts: Record<string, number> = {}
  let held = ''
  const lines = listLines(...source)
  let next = await lines.next()
  for (; !next.done; next = await lines.next()) {
    const line = next.value
    counts[line.type] = (counts[line.type] ?? 0) + 1
    held += `${JSON.stringify(line)}\n`
    if (held.length <= CHUNK_LENGTH) continue
    const chunk = Buffer.from(held)
    held = ''
    digest.update(chunk)
    yield chunk
  }
  const sha256 = digest.update(held).digest('hex')
  yield Buffer.from(`${held}${JSON.stringify({ type: 'end', counts, sha256 })}\n`)
  return { sha256, counts, ...next.value }
}
