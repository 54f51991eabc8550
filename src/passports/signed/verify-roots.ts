/** Compares the daily Merkle roots of accounts with the versions that are stored. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { getSecretIssuer, listIssuerAccounts } from '../../accounts/issuer/issuer.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { combineSubtrees, computeMerkleRoot } from '../../standards/signing/merkle-tree.ts'
import type { EntryFormat } from '../../standards/signing/version-entry.ts'
import { ENTRIES_PER_BLOCK, getEntryFormat, type StoredBlock, splitEntries } from '../core/root-blocks.ts'
import type { RootSetup } from './daily-roots.ts'
import { buildEntryOf, listCommitments, type VersionCommitment } from './list-commitments.ts'
import { findEventNumber } from './list-log-heads.ts'

type DailyRoot = { until: Date; versions: number; root: Buffer }

/** `unreadable`: accounts whose key for commitments cannot be read, so that nothing was compared. */
export type RootsReport = { roots: number; versions: number; unreadable: number[]; problems: string[] }

/** Computes all commitments of a shard again, so it finds versions whose whole history was altered, too. */
export async function verifyRoots({ sql, clock, secretCipher }: RootSetup): Promise<RootsReport> {
  const report: RootsReport = { roots: 0, versions: 0, unreadable: [], problems: [] }
  for (const { accountId, spread } of await listIssuerAccounts(sql)) {
    const roots = await sql<DailyRoot[]>`
      select until, versions, root from daily_root where account_id = ${accountId} order by until`
    if (roots.length === 0) continue
    const issuer = await getSecretIssuer(sql, secretCipher, accountId, clock.now())
    if (issuer?.commitKey === undefined) {
      report.unreadable.push(accountId)
      continue
    }
    const ctx: AccountContext = { sql, clock, accountId, actorId: 0, spread }
    for (const [i, root] of roots.entries()) {
      const since = roots[i - 1]?.until ?? null
      const problem = await findProblem(ctx, issuer.commitKey, root, since)
      report.roots++
      report.versions += root.versions
      if (problem === undefined) continue
      const day = root.until.toISOString().slice(0, 10)
      report.problems.push(`account ${accountId}, root of the versions before ${day}: ${problem}`)
    }
  }
  return report
}

/** The first difference. Holds one block in memory. */
async function findProblem(
  ctx: AccountContext,
  commitKey: Buffer,
  { until, versions, root }: DailyRoot,
  since: Date | null,
): Promise<string | undefined> {
  const roots: Buffer[] = []
  let count = 0
  let stored: readonly Buffer[] = []
  let format: EntryFormat | undefined
  for await (const version of listCommitments(ctx, commitKey, { since, until })) {
    if (count % ENTRIES_PER_BLOCK === 0) {
      const block = await readBlock(ctx, until, roots.length)
      if (block === undefined) return `${describe(version)} is not in it`
      stored = splitEntries(block)
      format ??= getEntryFormat(block)
      if (format !== getEntryFormat(block)) return `its block ${roots.length} is of another format`
      if (!computeMerkleRoot(stored).equals(block.root)) return `its block ${roots.length} was altered`
      roots.push(block.root)
    }
    const entry = stored[count % ENTRIES_PER_BLOCK]
    if (format === undefined || !entry?.equals(buildEntryOf(version, format)))
      return `${describe(version)} was altered, or is next to a gap`
    count++
  }
  if (count !== versions) return `it covers ${versions} versions and logs of events, and ${count} are stored`
  return combineSubtrees(roots).equals(root) ? undefined : 'it was altered'
}

function describe({ passport, versionNo }: VersionCommitment): string {
  const event = findEventNumber(versionNo)
  const what = event === undefined ? `version ${versionNo}` : `the log of events up to ${event}`
  return `${what} of passport ${idFromUuid(passport)}`
}

async function readBlock(
  { sql, accountId }: { sql: Sql; accountId: number },
  until: Date,
  number: number,
): Promise<(StoredBlock & { root: Buffer }) | undefined> {
  const [block] = await sql<(StoredBlock & { root: Buffer })[]>`
    select root, commitments, entries from daily_root_block
    where account_id = ${accountId} and until = ${until} and number = ${number}`
  return block
}
