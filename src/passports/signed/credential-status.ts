/**
 * The place of each passport's credentials in the status lists of its account. It is random, so that it says
 * nothing about the passport, and stays the same until the credentials are revoked.
 */
import { randomInt } from 'node:crypto'
import { findHome } from '../../accounts/account-shard.ts'
import { isBeingMoved } from '../../accounts/move-account.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { getSharedDatabase, hasShards } from '../../kernel/db/shards.ts'
import { unavailable } from '../../kernel/errors.ts'
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
    const found = rows.find(row => isOfVersion(row, version.versionNo))
    if (found !== undefined) return { listNo: found.list_no, index: found.list_index }
    await requireNotMoving(sql, version.accountId)
    await insertPlace(at, version, { firstVersion: findFirstVersion(rows, version.versionNo), now })
  }
  throw unavailable('No place in a status list could be reserved; try again in a moment.')
}

type Row = { first_version: number; last_version: number | null; list_no: number; list_index: number }

const readRows = (sql: Sql, { accountId, passportId }: CredentialVersion) =>
  sql<Row[]>`
    select first_version, last_version, list_no, list_index from credential_status
    where account_id = ${accountId} and passport_id = ${passportId} order by first_version`

const isOfVersion = ({ first_version, last_version }: Row, versionNo: number) =>
  first_version <= versionNo && (last_version === null || versionNo <= last_version)

/** The version after the last one that was revoked before. */
const findFirstVersion = (rows: readonly Row[], versionNo: number): number =>
  1 + Math.max(0, ...rows.map(row => row.last_version ?? 0).filter(last => last < versionNo))

/** A row that is written on the old home after the copy would be lost, and its place given twice. */
export async function requireNotMoving(sql: Sql, accountId: number): Promise<void> {
  if (!hasShards(sql)) return
  const shared = getSharedDatabase(sql)
  const [row] = await shared<{ moving: boolean }[]>`
    select ${isBeingMoved(shared, shared`${accountId}::int`)} as moving`
  if (row?.moving)
    throw unavailable('The account is being moved to another shard; try again when that is done.')
}

/** Writes nothing if another process has taken the place, or given the passport one. */
async function insertPlace(
  sql: Sql,
  { accountId, passportId }: CredentialVersion,
  { firstVersion, now }: { firstVersion: number; now: Date },
): Promise<void> {
  const { listNo, index } = await choosePlace(sql, accountId)
  await sql`
    insert into credential_status (account_id, passport_id, first_version, list_no, list_index, created_at)
    values (${accountId}, ${passportId}, ${firstVersion}, ${listNo}, ${index}, ${now})
    on conflict do nothing`
}

async function choosePlace(sql: Sql, accountId: number): Promise<StatusPlace> {
  const [newest] = await sql<{ list_no: number | null }[]>`
    select max(list_no) as list_no from credential_status where account_id = ${accountId}`
  const listNo = newest?.list_no ?? 1
  const candidates = Array.from({ length: CANDIDATES }, () => randomInt(STATUS_LIST_LENGTH))
  const rows = await sql<{ list_index: number }[]>`
    select list_index from credential_status
    where account_id = ${accountId} and list_no = ${listNo} and list_index = any(${candidates}::int[])`
  const taken = new Set(rows.map(row => row.list_index))
  const index = candidates.find(one => !taken.has(one))
  return index === undefined
    ? { listNo: listNo + 1, index: randomInt(STATUS_LIST_LENGTH) }
    : { listNo, index }
}

/** The revoked places of a list; undefined if the account has no such list. */
export async function listRevokedPlaces(
  sql: Sql,
  accountId: number,
  listNo: number,
): Promise<number[] | undefined> {
  const { sql: at } = await findHome(sql, accountId)
  const [newest] = await at<{ list_no: number | null }[]>`
    select max(list_no) as list_no from credential_status where account_id = ${accountId}`
  if (listNo < 1 || listNo > (newest?.list_no ?? 0)) return undefined
  const rows = await at<{ list_index: number }[]>`
    select list_index from credential_status
    where account_id = ${accountId} and list_no = ${listNo} and revoked_at is not null`
  return rows.map(row => row.list_index)
}
