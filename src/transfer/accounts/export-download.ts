/**
 * An account's data as a stream: the file that `carnet export` writes, read in one snapshot on a connection of its own
 * and never faster than it is taken. However it ends, nothing of it stays.
 */
import { Readable } from 'node:stream'
import { audit } from '../../accounts/audit.ts'
import type { AccountContext } from '../../accounts/context.ts'
import { perDatabase, type Sql } from '../../kernel/db/database.ts'
import { type AccountExportSetup, readAccountExport } from './export-account.ts'

export type DownloadSetup = Omit<AccountExportSetup, 'clock'> & {
  /** How long a reader may take nothing. */
  idleTimeoutMs?: number
}

/** Each has a connection to the database and a snapshot, which keeps what is deleted meanwhile from being cleared away. */
const MOST_AT_ONCE = 2
const PATIENCE_MS = 60_000
/** Of who takes it drop by drop. */
const LONGEST_MS = 2 * 3_600_000
const LOOK_EVERY_MS = 500

/** Of exports alone; the account is the other half of the lock. */
const LOCK_CLASS = 0x43_41_52_58

const seats = perDatabase((_sql: Sql) => ({ taken: 0 }))

/**
 * Begins an export of the account, with an entry in its audit log, and another when the last piece has been taken.
 * Undefined while one of the account is under way in any process, or too many are in this one. Throws `not_found`.
 */
export async function openExportDownload(
  ctx: AccountContext,
  setup: DownloadSetup,
  name: string,
): Promise<Readable | undefined> {
  const seat = seats(ctx.sql)
  if (seat.taken >= MOST_AT_ONCE) return undefined
  seat.taken++
  const pool = setup.openPool()
  const leave = async () => {
    seat.taken--
    await pool.end({ timeout: 0 })
  }
  try {
    const one = await snapshot(pool, ctx.accountId)
    if (one !== undefined) {
      await audit(ctx, 'account_export_started', name)
      return streamOf(ctx, { ...setup, sql: one, name }, leave)
    }
  } catch (error) {
    await leave()
    throw error
  }
  await leave()
  return undefined
}

/** Undefined when somebody else exports this account. */
async function snapshot(pool: Sql, accountId: number): Promise<Sql | undefined> {
  const one = (await pool.reserve()) as unknown as Sql
  await one`begin isolation level repeatable read read only`
  await one`set local statement_timeout = 60000`
  // A process that stands still gives its snapshot up; who only takes slowly has this long for a page of rows.
  await one`set local idle_in_transaction_session_timeout = 600000`
  const [lock] = await one<{ mine: boolean }[]>`
    select pg_try_advisory_xact_lock(${LOCK_CLASS}::int, ${accountId}::int) as mine`
  return lock?.mine ? one : undefined
}

function streamOf(
  ctx: AccountContext,
  { sql, name, idleTimeoutMs = PATIENCE_MS, ...setup }: DownloadSetup & { sql: Sql; name: string },
  leave: () => Promise<void>,
): Readable {
  const { accountId, clock } = ctx
  const begun = performance.now()
  let taken = begun
  async function* pieces() {
    const file = readAccountExport({ sql, setup: { ...setup, clock }, wish: { accountId } })
    let next = await file.next()
    for (; !next.done; next = await file.next()) {
      yield next.value
      taken = performance.now()
    }
    await audit(ctx, 'account_exported', `${name}, SHA-256 ${next.value.sha256}`)
  }
  const stream = Readable.from(pieces(), { highWaterMark: 2 })
  const watch = setInterval(() => {
    const now = performance.now()
    if (now - taken < idleTimeoutMs && now - begun < LONGEST_MS) return
    stream.destroy(new Error('an export was taken too slowly'))
  }, LOOK_EVERY_MS).unref()
  stream.once('close', () => {
    clearInterval(watch)
    leave().catch(() => undefined)
  })
  return stream
}
