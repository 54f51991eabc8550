/** Streams the file of `carnet export` from one snapshot, only as fast as the client downloads. */
import { Readable } from 'node:stream'
import { audit } from '../../accounts/account/audit.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { perSharedDatabase } from '../../kernel/db/shards.ts'
import { type AccountExportSetup, readAccountExport } from './export-account.ts'

type DownloadSetup = Omit<AccountExportSetup, 'clock'> & {
  idleTimeoutMs?: number
}

/** Each uses a connection, and a snapshot that keeps deleted rows on disk. */
const MAX_CONCURRENT = 2
const IDLE_TIMEOUT_MS = 60_000
/** For clients that download very slowly. */
const MAX_DURATION_MS = 2 * 3_600_000
const CHECK_INTERVAL_MS = 500

/** The class of export locks; the account's number is the other half of a lock. */
const LOCK_CLASS = 0x43_41_52_58

const downloads = perSharedDatabase((_sql: Sql) => ({ running: 0 }))

/**
 * Writes an audit entry now and another at the end. Returns undefined while any process exports the account,
 * or if too many exports run in this one. Throws `not_found`.
 */
export async function openExportDownload(
  ctx: AccountContext,
  setup: DownloadSetup,
  name: string,
): Promise<Readable | undefined> {
  const count = downloads(ctx.sql)
  if (count.running >= MAX_CONCURRENT) return undefined
  count.running++
  const pool = setup.openPool()
  await using held = new AsyncDisposableStack()
  held.defer(async () => {
    count.running--
    await pool.end({ timeout: 0 })
  })
  const sql = await openSnapshot(pool, ctx.accountId)
  if (sql === undefined) return undefined
  await audit(ctx, 'account_export_started', name)
  return createStream(ctx, { ...setup, sql, name }, held.move())
}

/** Undefined if this account is already being exported. */
async function openSnapshot(pool: Sql, accountId: number): Promise<Sql | undefined> {
  const sql = await pool.reserve()
  await sql`begin isolation level repeatable read read only`
  await sql`set local statement_timeout = 60000`
  // Ends the snapshot of a hanging process. A slow client has this long to read a page of rows.
  await sql`set local idle_in_transaction_session_timeout = 600000`
  const [lock] = await sql<{ mine: boolean }[]>`
    select pg_try_advisory_xact_lock(${LOCK_CLASS}::int, ${accountId}::int) as mine`
  return lock?.mine ? sql : undefined
}

function createStream(
  ctx: AccountContext,
  { sql, name, idleTimeoutMs = IDLE_TIMEOUT_MS, ...setup }: DownloadSetup & { sql: Sql; name: string },
  held: AsyncDisposableStack,
): Readable {
  const { accountId, clock } = ctx
  const start = performance.now()
  let lastReadAt = start
  async function* chunks() {
    const file = readAccountExport(sql, { ...setup, clock }, { accountId })
    let next = await file.next()
    for (; !next.done; next = await file.next()) {
      yield next.value
      lastReadAt = performance.now()
    }
    await audit(ctx, 'account_exported', `${name}, SHA-256 ${next.value.sha256}`)
  }
  const stream = Readable.from(chunks(), { highWaterMark: 2 })
  const watch = setInterval(() => {
    const now = performance.now()
    if (now - lastReadAt < idleTimeoutMs && now - start < MAX_DURATION_MS) return
    stream.destroy(new Error('an export was downloaded too slowly'))
  }, CHECK_INTERVAL_MS).unref()
  stream.once('close', () => {
    clearInterval(watch)
    held.disposeAsync().catch(() => undefined)
  })
  return stream
}
