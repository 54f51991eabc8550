/**
 * Daily Merkle roots over the commitments to an account's versions. With a time stamp over its root, nobody
 * can later claim that a version of that day was another.
 */
import { randomBytes } from 'node:crypto'
import type { AccountContext } from '../../accounts/account/context.ts'
import { getSecretIssuer, listIssuerAccounts } from '../../accounts/issuer/issuer.ts'
import type { SecretCipher } from '../../kernel/crypto/secret-cipher.ts'
import type { Sql } from '../../kernel/db/database.ts'
import type { Outbound } from '../../kernel/http-out/outbound-http.ts'
import type { Clock } from '../../kernel/values/clock.ts'
import {
  buildMerkleProof,
  combineSubtrees,
  computeMerkleRoot,
  proveSubtree,
} from '../../standards/signing/merkle-tree.ts'
import { buildTimeStampRequest, readTimeStampResponse } from '../../standards/signing/timestamp.ts'
import { ENTRY_FORMAT, type EntryFormat } from '../../standards/signing/version-entry.ts'
import {
  ENTRIES_PER_BLOCK,
  getEntryFormat,
  joinEntries,
  type StoredBlock,
  splitEntries,
} from '../core/root-blocks.ts'
import { buildEntryOf, listCommitments, type VersionCommitment } from './list-commitments.ts'

const DAY_MS = 86_400_000
/** After midnight UTC: what was being written at midnight is stored by then, on all machines. */
const SETTLING_MS = 3_600_000
const NONCE_BYTES = 16

export type RootSetup = { sql: Sql; clock: Clock; secretCipher: SecretCipher }

/** Undefined without a time stamping authority. */
export type TimeStamping = { outbound: Outbound; url: string } | undefined

/** Makes the roots that are due in this shard. Returns how many. `goesOn` is asked before each account. */
export async function createDueRoots(setup: RootSetup, goesOn: () => boolean): Promise<number> {
  const { sql, clock, secretCipher } = setup
  const now = clock.now()
  const until = new Date(Math.floor((now.getTime() - SETTLING_MS) / DAY_MS) * DAY_MS)
  let made = 0
  for (const { accountId, spread } of await listIssuerAccounts(sql)) {
    if (!goesOn()) break
    const ctx: AccountContext = { sql, clock, accountId, actorId: 0, spread }
    const since = await findLastRootTime(ctx)
    if (since !== null && since >= until) continue
    const issuer = await getSecretIssuer(sql, secretCipher, accountId, now)
    if (issuer?.commitKey === undefined) continue
    await createRoot(ctx, issuer.commitKey, { since, until })
    made++
  }
  return made
}

async function findLastRootTime({ sql, accountId }: AccountContext): Promise<Date | null> {
  const [row] = await sql<{ until: Date | null }[]>`
    select max(until) as until from daily_root where account_id = ${accountId}`
  return row?.until ?? null
}

type Span = { since: Date | null; until: Date }

/**
 * Holds one block in memory. Repeated after a crash, it writes the same blocks. The first block decides the
 * format: a server of the version before may have begun this tree.
 */
async function createRoot(ctx: AccountContext, commitKey: Buffer, span: Span): Promise<void> {
  const { sql, accountId, clock } = ctx
  const tree =
    (await writeBlocks(ctx, commitKey, span, ENTRY_FORMAT)) ?? (await writeBlocks(ctx, commitKey, span, 1))
  if (tree === undefined) throw new Error(`the tree of ${span.until.toISOString()} has blocks of two formats`)
  const { roots, versions } = tree
  await sql`
    insert into daily_root (account_id, until, versions, root, created_at)
    values (${accountId}, ${span.until}, ${versions}, ${combineSubtrees(roots)}, ${clock.now()})
    on conflict do nothing`
}

/** Undefined if a block is there in another format. */
async function writeBlocks(
  ctx: AccountContext,
  commitKey: Buffer,
  span: Span,
  format: EntryFormat,
): Promise<{ roots: Buffer[]; versions: number } | undefined> {
  const roots: Buffer[] = []
  let block: { first: VersionCommitment; entries: Buffer[] } | undefined
  let versions = 0
  for await (const version of listCommitments(ctx, commitKey, span)) {
    block ??= { first: version, entries: [] }
    block.entries.push(buildEntryOf(version, format))
    versions++
    if (block.entries.length < ENTRIES_PER_BLOCK) continue
    if (!(await writeBlock(ctx, span.until, { ...block, format, roots }))) return undefined
    block = undefined
  }
  if (block !== undefined && !(await writeBlock(ctx, span.until, { ...block, format, roots })))
    return undefined
  return { roots, versions }
}

type NewBlock = { first: VersionCommitment; entries: readonly Buffer[]; format: EntryFormat; roots: Buffer[] }

/** Appends its root to `roots`. Returns false if the block is there in another format. */
async function writeBlock(
  { sql, accountId }: AccountContext,
  until: Date,
  { first, entries, format, roots }: NewBlock,
): Promise<boolean> {
  const root = computeMerkleRoot(entries)
  const stored = joinEntries(format, entries)
  const written = await sql`
    insert into daily_root_block (account_id, until, number, first_passport, first_version, root, commitments, entries)
    values (${accountId}, ${until}, ${roots.length}, ${first.passport}, ${first.versionNo}, ${root},
      ${stored.commitments}, ${stored.entries})
    on conflict (account_id, until, number) do update set first_passport = excluded.first_passport,
      first_version = excluded.first_version, root = excluded.root, commitments = excluded.commitments,
      entries = excluded.entries
      where (daily_root_block.entries is null) = (excluded.entries is null)`
  roots.push(root)
  return written.count === 1
}

/** Asks for time stamps over roots that have none, the oldest first. Throws at the first that fails. */
export async function stampRoots(
  { sql }: Pick<RootSetup, 'sql'>,
  { outbound, url }: NonNullable<TimeStamping>,
  goesOn: () => boolean,
): Promise<number> {
  let stamped = 0
  for (const { accountId } of await listIssuerAccounts(sql)) {
    const rows = await sql<{ until: Date; root: Buffer }[]>`
      select until, root from daily_root where account_id = ${accountId} and token is null and versions > 0 order by until`
    for (const { until, root } of rows) {
      if (!goesOn()) return stamped
      const { token, time } = await requestTimeStamp(outbound, url, root)
      await sql`
        update daily_root set token = ${token}, stamped_at = ${time}
        where account_id = ${accountId} and until = ${until} and token is null`
      stamped++
    }
  }
  return stamped
}

/** Throws OutboundFailure, and SignatureError for an answer that is no time stamp over `root`. */
async function requestTimeStamp(outbound: Outbound, url: string, root: Buffer) {
  const nonce = randomBytes(NONCE_BYTES)
  const headers = { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' }
  const { status, body } = await outbound.post({ url, headers, body: buildTimeStampRequest(root, nonce) })
  if (status !== 200) throw new Error(`the time stamping authority answered ${status}`)
  return readTimeStampResponse(body, root, nonce)
}

/** That a version is under a root. `siblings` as in RFC 6962, from the bottom. */
export type VersionProof = {
  format: EntryFormat
  versionNo: number
  commitment: Buffer
  until: Date
  index: number
  size: number
  siblings: Buffer[]
  root: Buffer
  token: Buffer | null
  stampedAt: Date | null
}

type FoundBlock = StoredBlock & {
  until: Date
  number: number
  versions: number
  root: Buffer
  token: Buffer | null
  stamped_at: Date | null
}

/** Undefined until a root covers the version. `ctx` is at the account's home, `passport` a UUID. */
export async function findVersionProof(
  { sql, accountId }: Pick<AccountContext, 'sql' | 'accountId'>,
  version: VersionCommitment,
): Promise<VersionProof | undefined> {
  const { passport, versionNo, commitment } = version
  const [found] = await sql<FoundBlock[]>`
    select r.until, b.number, b.commitments, b.entries, r.versions, r.root, r.token, r.stamped_at
    from daily_root r cross join lateral (
      select b.number, b.commitments, b.entries from daily_root_block b
      where b.account_id = r.account_id and b.until = r.until
        and (b.first_passport, b.first_version) <= (${passport}::uuid, ${versionNo}::int)
      order by b.number desc limit 1) b
    where r.account_id = ${accountId} and (position(${commitment}::bytea in b.commitments) > 0
      or position(${buildEntryOf(version, 2)}::bytea in b.entries) > 0)
    order by r.until limit 1`
  if (found === undefined) return undefined
  const format = getEntryFormat(found)
  const entries = splitEntries(found)
  const own = buildEntryOf(version, format)
  const place = entries.findIndex(entry => entry.equals(own))
  if (place === -1) return undefined
  const blocks = await sql<{ root: Buffer }[]>`
    select root from daily_root_block where account_id = ${accountId} and until = ${found.until} order by number`
  const { until, number, versions: size, root, token, stamped_at: stampedAt } = found
  const above = proveSubtree(
    blocks.map(block => block.root),
    number,
  )
  const siblings = [...buildMerkleProof(entries, place), ...above]
  const index = number * ENTRIES_PER_BLOCK + place
  return { format, versionNo, commitment, until, index, size, siblings, root, token, stampedAt }
}
