/** Reading one passport: look-ups of a tick share a statement, whoever asks. */
import type { AccountContext } from '../accounts/context.ts'
import { mayBeIndexed } from '../accounts/indexing.ts'
import { coalesce } from '../kernel/coalesce.ts'
import { type Fragment, perDatabase, type Sql } from '../kernel/db.ts'
import { notFound } from '../kernel/errors.ts'
import { findUuid } from '../kernel/ids.ts'
import { isOutdated, joinOwners } from './outdated.ts'
import type { PassportRow } from './record.ts'

type Key = { id: string; accountId: number }

const account = perDatabase((sql: Sql) => coalesce((keys: readonly Key[]) => loadOfAccounts(sql, keys)))
const directory = perDatabase((sql: Sql) => coalesce((ids: readonly string[]) => loadById(sql, ids)))

/** The account's passport with this UUID. Throws `not_found`, for another account's too. */
export async function getPassport(ctx: AccountContext, uuid: string): Promise<PassportRow> {
  const row = await account(ctx.sql)({ id: uuid, accountId: ctx.accountId })
  if (row === undefined) throw notFound('product')
  return row
}

/** The UUID of an id as it stands in an address. Throws `not_found`: what cannot be an id names nothing. */
export function requireUuid(id: string): string {
  const uuid = findUuid(id)
  if (uuid === undefined) throw notFound('product')
  return uuid
}

/** The number of a version as it stands in an address. Throws `not_found` for what is no number, or too large a one. */
export function requireVersionNo(n: string): number {
  if (!/^[1-9]\d{0,8}$/.test(n)) throw notFound('version of this product')
  return Number(n)
}

/** A passport with where its fields come from. */
export type PublicPassportRow = PassportRow & {
  /** Names of the fields a unit has set itself; null on a model, and on a unit that has none. */
  own_keys: string[] | null
  /** Names of the fields its batch had set itself when it handed them on; null unless under a batch. */
  own_fields: string[] | null
  /** Whether its account lets search engines list its models. */
  indexable: boolean
  /** The GTINs that those above bear now, whatever the unit was issued under; null on a model. */
  model_gtin: string | null
  batch_gtin: string | null
}

/** The passport behind a public address, whosever it is. */
export const findPublicPassport = (sql: Sql, uuid: string): Promise<PublicPassportRow | undefined> =>
  directory(sql)(uuid)

/** Columns of a PassportRow, from `passport p`, `content c` and `joinOwners`. */
export const passportColumns = (sql: Sql) => sql`
  p.id, p.account_id, p.version_no, p.created_by, p.parent_id, p.model_id, p.schema_version, p.level, p.status,
  p.category, p.lot, p.serial, p.updated_at, ${isOutdated(sql)} as outdated, c.data->>'gtin' as gtin,
  coalesce(c.data || p.own, c.data)::text as data`

async function loadOfAccounts(sql: Sql, keys: readonly Key[]): Promise<(PassportRow | undefined)[]> {
  const ids = keys.map(key => key.id)
  const accounts = keys.map(key => key.accountId)
  const rows = await sql<PassportRow[]>`
    select ${passportColumns(sql)}
    from unnest(${ids}::text[]::uuid[], ${accounts}::int[]) as k(id, account_id)
    join passport p on p.id = k.id and p.account_id = k.account_id
    join content c on c.id = p.content_id and c.account_id = p.account_id ${joinOwners(sql)}`
  const found = new Map(rows.map(row => [`${row.account_id} ${row.id}`, row]))
  return keys.map(key => found.get(`${key.accountId} ${key.id}`))
}

/**
 * A directory look-up: the address of a passport names no account. The limit tells the planner what it cannot know
 * before the table was analyzed, that an id is one passport's: it would read the whole table to join the owners.
 */
async function loadById(sql: Sql, ids: readonly string[]): Promise<(PublicPassportRow | undefined)[]> {
  const rows = await sql<PublicPassportRow[]>`
    select ${passportColumns(sql)},
      case when p.own is not null then array(select jsonb_object_keys(p.own)) end as own_keys, c.own_fields,
      ${mayBeIndexed(sql)} as indexable, ${gtinsAbove(sql)}
    from unnest(${ids as string[]}::text[]::uuid[]) as k(id)
    cross join lateral (select * from passport where id = k.id limit 1) p
    join content c on c.id = p.content_id and c.account_id = p.account_id ${joinOwners(sql)}`
  const found = new Map(rows.map(row => [row.id, row]))
  return ids.map(id => found.get(id))
}

/** Each by its primary key, and only where there is one above. */
const gtinsAbove = (sql: Sql): Fragment => sql`
  case when p.parent_id is not null then (
    select above.gtin14 from passport above where above.id = p.model_id and above.account_id = p.account_id) end as model_gtin,
  case when p.parent_id <> p.model_id then (
    select had.data->>'gtin' from passport above
    join content had on had.id = above.content_id and had.account_id = above.account_id
    where above.id = p.parent_id and above.account_id = p.account_id) end as batch_gtin`
