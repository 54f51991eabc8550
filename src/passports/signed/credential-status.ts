/**
 * The place of each version's documents in the status lists of its account. It is random, so that it says
 * nothing about the passport.
 */
import { randomInt } from 'node:crypto'
import { findHome } from '../../accounts/account/account-shard.ts'
import { isBeingMoved } from '../../accounts/placement/move-account.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { getSharedDatabase, hasShards } from '../../kernel/db/shards.ts'
import { unavailable } from '../../kernel/errors/errors.ts'
import { STATUS_LIST_LENGTH } from '../../standards/signing/status-list.ts'

/** `listNo` is from 1, `index` from 0. */
export type StatusPlace = { listNo: number; index: number }

/** `passportId`: a UUID. */
export type CredentialVersion = { accountId: number; passportId: string; versionNo: number }

/** If all of these are taken, the list counts as full: it is then about nine tenths full. */
const CANDIDATES = 32
/** Each round that fails was overtaken by another process. */
const MAX_ROUNDS = 20

/**
 * The place of the credentials of this version, given at the first call. Throws `unavailable` if it would
 * have to be given while the account is being moved.
 */
export async function getOrCreatePlace(
  sql: Sql,
  version: CredentialVersion,
  now: Date,
): Promise<StatusPlace> {
  const { sql: at } = await findHome(sql, version.accountId)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const rows = await readRows(at, version)
    const found = rows.find(row => row.first_version === version.versionNo)
    if (found !== undefined) return { listNo: found.list_no, index: found.list_index }
    await requireNotMoving(sql, version.accountId)
    const given = await insertPlace(at, version, { now, revoked: findRevoked(rows, version.versionNo) })
    if (given !== undefined) return given
  }
  throw unavailable('No place in a status list could be reserved; try again in a moment.')
}

type Revoked = { last_version: number; revoked_at: Date }
type Row = { first_version: number; list_no: number; list_index: number } & (
  | Revoked
  | { last_version: null; revoked_at: null }
)

const readRows = (sql: Sql, { accountId, passportId }: CredentialVersion) =>
  sql<Row[]>`
    select first_version, last_version, list_no, list_index, revoked_at from credential_status
    where account_id = ${accountId} and passport_id = ${passportId} order by first_version`

/** Revoking a version covers all before: one that is first read afterwards is revoked from the start. */
const findRevoked = (rows: readonly Row[], versionNo: number): Revoked | undefined =>
  rows.filter(row => row.last_version !== null).find(row => versionNo <= row.last_version)

/** A row that is written on the old home after the copy would be lost, and its place given twice. */
export async function requireNotMoving(sql: Sql, accountId: number): Promise<void> {
  if (!hasShards(sql)) return
  const shared = getSharedDatabase(sql)
  const [row] = await shared<{ moving: boolean }[]>`
    select ${isBeingMoved(shared, shared`${accountId}::int`)} as moving`
  if (row?.moving)
    throw unavailable('The account is being moved to another shard; try again when that is done.')
}

/** Writes nothing if another process has taken the place, or given the version one. */
async function insertPlace(
  sql: Sql,
  { accountId, passportId, versionNo }: CredentialVersion,
  { now, revoked }: { now: Date; revoked: Revoked | undefined },
): Promise<StatusPlace | undefined> {
  const { listNo, index } = await choosePlace(sql, accountId)
  const inserted = await sql`
    insert into credential_status (account_id, passport_id, first_version, last_version, list_no, list_index,
      created_at, revoked_at)
    values (${accountId}, ${passportId}, ${versionNo}, ${revoked?.last_version ?? null}, ${listNo}, ${index},
      ${now}, ${revoked?.revoked_at ?? null})
    on conflict do nothing returning list_index`
  return inserted.length === 0 ? undefined : { listNo, index }
}

async function choosePlace(sql: Sql, accountId: number): Promise<StatusPlace> {
  const candidates = Array.from({ length: CANDIDATES }, () => randomInt(STATUS_LIST_LENGTH))
  const [newest] = await sql<{ list_no: number | null; taken: number[] }[]>`
    select n.list_no, array(
        select s.list_index from credential_status s
        where s.account_id = ${accountId} and s.list_no = n.list_no and s.list_index = any(${candidates}::int[])) as taken
    from (select max(list_no) as list_no from credential_status where account_id = ${accountId}) n`
  const listNo = newest?.list_no ?? 1
  const index = candidates.find(one => !newest?.taken.includes(one))
  return index === undefined
    ? { listNo: listNo + 1, index: randomInt(STATUS_LIST_LENGTH) }
    : { listNo, index }
}

/** The number of the account's lists, which are numbered from 1. */
export async function countLists(sql: Sql, accountId: number): Promise<number> {
  const { sql: at } = await findHome(sql, accountId)
  const [newest] = await at<{ list_no: number | null }[]>`
    select max(list_no) as list_no from credential_status where account_id = ${accountId}`
  return newest?.list_no ?? 0
}

/**
 * The revoked places of a list. A place that another process gave to an earlier version while a later one was
 * being revoked is revoked, too.
 */
export async function listRevokedPlaces(sql: Sql, accountId: number, listNo: number): Promise<number[]> {
  const { sql: at } = await findHome(sql, accountId)
  const rows = await at<{ list_index: number }[]>`
    with revoked as materialized (
      select passport_id, max(last_version) as last_version from credential_status
      where account_id = ${accountId} and revoked_at is not null group by passport_id)
    select s.list_index from revoked r
    join credential_status s on s.account_id = ${accountId} and s.passport_id = r.passport_id
      and s.first_version <= r.last_version and s.list_no = ${listNo}`
  return rows.map(row => row.list_index)
}
