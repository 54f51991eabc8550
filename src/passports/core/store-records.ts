/** Lists, makes, changes, deletes and copies the records of an account, by the table of their members. */

import { lockAccount } from '../../accounts/account/accounts.ts'
import { audit } from '../../accounts/account/audit.ts'
import { type AccountContext, withTransaction } from '../../accounts/account/context.ts'
import { newUuid } from '../../kernel/crypto/ids.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { AppError, notFound } from '../../kernel/errors/errors.ts'
import { readChange, readRecord } from '../../records/read-record.ts'
import {
  listRecordMembers,
  type MemberType,
  type RecordType,
  type RecordValues,
  type StoredRecord,
} from '../../records/record.ts'
import { toSent } from '../../records/record-json.ts'

/** `R`: the record with the types of its members. */
export type RecordStore<R extends StoredRecord = StoredRecord> = {
  type: RecordType
  /** Where a member's column has another name than the member. */
  columns?: Readonly<Record<string, string>>
  /** Checks what only the database knows. Throws `validation`. */
  check?(ctx: AccountContext, values: RecordValues): Promise<void>
  /** Called in the transaction of each change. */
  announce?(ctx: Owner): Promise<void>
  /** Names a record in the audit log. */
  describe(record: R): string
}

type Owner = Pick<AccountContext, 'sql' | 'accountId'>

/** In the order in which people see them: by position, if they have one, then by age. */
export async function listRecords<R extends StoredRecord>(
  { sql, accountId }: Owner,
  store: RecordStore<R>,
): Promise<R[]> {
  return sql<R[]>`
    select ${selectMembers(store, sql)} from ${sql(store.type.id)}
    where account_id = ${accountId} order by ${listOrder(store, sql)}`
}

/** The columns of a record, named as its members. */
export const selectMembers = (store: Columns, sql: Sql): Fragment => sql`
  id, created_at as "createdAt", updated_at as "updatedAt"${listRecordMembers(store.type.members).map(
    ([name, { type }]) => {
      const column = sql(columnOf(store, name))
      return sql`, ${column}${type === 'day' ? sql`::text` : sql``} as ${sql(name)}`
    },
  )}`

const columnOf = ({ columns }: Columns, name: string): string => columns?.[name] ?? name

type Columns = Pick<RecordStore, 'columns' | 'type'>

export function listOrder(store: Columns, sql: Sql): Fragment {
  const position = findPosition(store.type)
  return position === undefined ? sql`id` : sql`${sql(columnOf(store, position))}, id`
}

const findPosition = ({ members }: RecordType): string | undefined =>
  listRecordMembers(members).find(([, { type }]) => type === 'position')?.[0]

/** Throws `not_found`. */
export async function getRecord<R extends StoredRecord>(
  { sql, accountId }: Owner,
  store: RecordStore<R>,
  id: string,
): Promise<R> {
  const [record] = await sql<R[]>`
    select ${selectMembers(store, sql)} from ${sql(store.type.id)} where account_id = ${accountId} and id = ${id}`
  if (record === undefined) throw notFound(store.type.names.one)
  return record
}

/** Throws `validation`, and `plan_limit` for one record too many. */
export async function createRecord<R extends StoredRecord>(
  ctx: AccountContext,
  store: RecordStore<R>,
  sent: unknown,
): Promise<R> {
  const values = readRecord(store.type, sent)
  await store.check?.(ctx, values)
  const now = ctx.clock.now()
  const id = newUuid(now.getTime())
  return change(ctx, store, 'added', async tx => {
    const others = await listRecords(tx, store)
    const { max, names } = store.type
    if (others.length >= max)
      throw new AppError(
        'plan_limit',
        `An account can have ${max} ${names.many}, and this one has that many. Delete some of them.`,
      )
    const placed = placeLast(store.type, values, others)
    await insert(store, tx, { id, createdAt: now, updatedAt: now, values: placed })
    return getRecord(tx, store, id)
  })
}

/** RecordMembers that are not sent stay as they are. Throws `not_found` and `validation`. */
export async function changeRecord<R extends StoredRecord>(
  ctx: AccountContext,
  store: RecordStore<R>,
  { id, sent }: { id: string; sent: unknown },
): Promise<R> {
  const changes = readChange(store.type, sent)
  return change(ctx, store, 'changed', async tx => {
    const before = await getRecord(tx, store, id)
    const values = readRecord(store.type, { ...toSent(store.type, before), ...changes })
    await store.check?.(tx, values)
    const position = findPosition(store.type)
    const kept = position === undefined ? {} : { [position]: values[position] ?? before[position] }
    const { sql } = tx
    const columns = listColumns(store, { ...values, ...kept }, sql)
    await sql`
      update ${sql(store.type.id)} set updated_at = ${tx.clock.now()}${columns.map(
        ([name, value]) => sql`, ${sql(name)} = ${value}`,
      )}
      where account_id = ${tx.accountId} and id = ${id}`
    return getRecord(tx, store, id)
  })
}

/** Returns the record as it was. Throws `not_found`. */
export const deleteRecord = async <R extends StoredRecord>(
  ctx: AccountContext,
  store: RecordStore<R>,
  id: string,
): Promise<R> =>
  change(ctx, store, 'deleted', async tx => {
    const record = await getRecord(tx, store, id)
    await tx.sql`delete from ${tx.sql(store.type.id)} where account_id = ${tx.accountId} and id = ${id}`
    return record
  })

/** In turns, so that two requests cannot both take the last place. */
const change = <R extends StoredRecord>(
  ctx: AccountContext,
  store: RecordStore<R>,
  verb: 'added' | 'changed' | 'deleted',
  work: (tx: AccountContext) => Promise<R>,
): Promise<R> =>
  withTransaction(ctx, async tx => {
    await lockAccount(tx)
    const record = await work(tx)
    await store.announce?.(tx)
    await audit(tx, `${store.type.id}_${verb}`, store.describe(record))
    return record
  })

function placeLast(type: RecordType, values: RecordValues, others: readonly RecordValues[]): RecordValues {
  const position = findPosition(type)
  if (position === undefined || values[position] !== null) return values
  return { ...values, [position]: Math.max(-1, ...others.map(other => Number(other[position]))) + 1 }
}

type Row = { id: string; createdAt: Date; updatedAt: Date; values: RecordValues }

async function insert(store: Columns, { sql, accountId }: Owner, row: Row): Promise<void> {
  const { id, createdAt, updatedAt, values } = row
  const columns = listColumns(store, values, sql)
  await sql`
    insert into ${sql(store.type.id)} (account_id, id, created_at, updated_at${columns.map(
      ([name]) => sql`, ${sql(name)}`,
    )})
    values (${accountId}, ${id}, ${createdAt}, ${updatedAt}${columns.map(([, value]) => sql`, ${value}`)})`
}

const listColumns = (store: Columns, values: RecordValues, sql: Sql): [column: string, value: Fragment][] =>
  listRecordMembers(store.type.members).map(([name, { type }]) => [
    columnOf(store, name),
    COLUMN_VALUES[type](sql, values[name] ?? null),
  ])

const writeText = (sql: Sql, value: unknown) => sql`${value === null ? null : String(value)}::text`
const writeInteger = (sql: Sql, value: unknown) => sql`${value === null ? null : Number(value)}::int`

/** Null has the same statement as a value, so that a record has one. */
const COLUMN_VALUES: Readonly<Record<MemberType, (sql: Sql, value: unknown) => Fragment>> = {
  line: writeText,
  text: writeText,
  choice: writeText,
  link: writeText,
  texts: (sql, value) => sql`${value === null ? null : JSON.stringify(value)}::text::json`,
  countries: (sql, value) => sql`${Array.isArray(value) ? value.map(String) : []}::text[]`,
  whole: writeInteger,
  position: writeInteger,
  flag: (sql, value) => sql`${value === null ? null : value === true}::boolean`,
  day: (sql, value) => sql`${value === null ? null : String(value)}::text::date`,
  product: (sql, value) => sql`${value === null ? null : String(value)}::uuid`,
}

/** A line of an export: the members as they are sent, with the times. */
export type RecordLine = Readonly<Record<string, unknown>> & { created_at: string; updated_at: string }

export const exportRecords = async (owner: Owner, store: RecordStore): Promise<RecordLine[]> =>
  (await listRecords(owner, store)).map(record => ({
    ...toSent(store.type, record),
    created_at: record.createdAt.toISOString(),
    updated_at: record.updatedAt.toISOString(),
  }))

/** Into an account without such records. Throws `validation`. */
export async function importRecords(
  owner: Owner,
  store: RecordStore,
  lines: readonly RecordLine[],
): Promise<void> {
  for (const { created_at, updated_at, type: _, ...sent } of lines) {
    const values = readRecord(store.type, sent)
    const id = newUuid(Date.parse(created_at))
    await insert(store, owner, {
      id,
      createdAt: new Date(created_at),
      updatedAt: new Date(updated_at),
      values,
    })
  }
  await store.announce?.(owner)
}
