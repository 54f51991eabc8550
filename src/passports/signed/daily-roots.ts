/**
 * Daily Merkle roots over the commitments to an account's versions. With a time stamp over its root, nobody
 * can later claim that a version of that day was another.
 */
import { randomBytes } from 'node:crypto'
import type { AccountContext } from '../../accounts/context.ts'
import { getSecretIssuer, listIssuerAccounts } from '../../accounts/issuer/issuer.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Sql } from '../../kernel/db/database.ts'
import type { Outbound } from '../../kernel/http-out/outbound-http.ts'
import type { SecretCipher } from '../../kernel/secret-cipher.ts'
import {
  buildMerkleProof,
  combineSubtrees,
  computeMerkleRoot,
  proveSubtree,
} from '../../standards/signing/merkle-tree.ts'
import { buildTimeStampRequest, readTimeStampResponse } from '../../standards/signing/timestamp.ts'
import { ENTRIES_PER_BLOCK, splitEntries } from '../core/root-blocks.ts'
import { listCommitments } from './list-commitments.ts'

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

/** Holds one block in memory. Repeated after a crash, it writes the same blocks. */
async function createRoot(
  ctx: AccountContext,
  commitKey: Buffer,
  span: { since: Date | null; until: Date },
): Promise<void> {
  const { sql, accountId, clock } = ctx
  const { until } = span
  const roots: Buffer[] = []
  let entries: Buffer[] = []
  let first: { passport: string; versionNo: number } | undefined
  let versions = 0
  const writeBlock = async () => {
    if (first === undefined) return
    const root = computeMerkleRoot(entries)
    await sql`
      insert into daily_root_block (account_id, until, number, first_passport, first_version, root, commitments)
      values (${accountId}, ${until}, ${roots.length}, ${first.passport}, ${first.versionNo}, ${root}, ${Buffer.concat(entries)})
      on conflict (account_id, until, number) do update set first_passport = excluded.first_passport,
        first_version = excluded.first_version, root = excluded.root, commitments = excluded.commitments`
    roots.push(root)
    entries = []
    first = undefined
  }
  for await (const { passport, versionNo, commitment } of listCommitments(ctx, commitKey, span)) {
    first ??= { passport, versionNo }
    entries.push(commitment)
    versions++
    if (entries.length === ENTRIES_PER_BLOCK) await writeBlock()
  }
  await writeBlock()
  await sql`
    insert into daily_root (account_id, until, versions, root, created_at)
    values (${accountId}, ${until}, ${versions}, ${combineSubtrees(roots)}, ${clock.now()})
    on conflict do nothing`
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

type Subject = { passport: string; versionNo: number; commitment: Buffer }

/** Undefined until a root covers the version. `ctx` is at the account's home, `passport` a UUID. */
export async function findVersionProof(
  { sql, accountId }: Pick<AccountContext, 'sql' | 'accountId'>,
  { passport, versionNo, commitment }: Subject,
): Promise<VersionProof | undefined> {
  const [found] = await sql<
    {
      until: Date
      number: number
      commitments: Buffer
      versions: number
      root: Buffer
      token: Buffer | null
      stamped_at: Date | null
    }[]
  >`
    select r.until, b.number, b.commitments, r.versions, r.root, r.token, r.stamped_at
    from daily_root r cross join lateral (
      select b.number, b.commitments from daily_root_block b
      where b.account_id = r.account_id and b.until = r.until
        and (b.first_passport, b.first_version) <= (${passport}::uuid, ${versionNo}::int)
      order by b.number desc limit 1) b
    where r.account_id = ${accountId} and position(${commitment}::bytea in b.commitments) > 0
    order by r.until limit 1`
  if (found === undefined) return undefined
  const entries = splitEntries(found.commitments)
  const place = entries.findIndex(entry => entry.equals(commitment))
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
  return { versionNo, commitment, until, index, size, siblings, root, token, stampedAt }
}
