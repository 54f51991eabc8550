/** Reading one passport: look-ups of a tick share a statement, whoever asks; large ones are read alone. */
import type { AccountContext } from '../../accounts/context.ts'
import { accountIsIndexable } from '../../accounts/indexing.ts'
import { createBatchLoader } from '../../kernel/db/batch-loader.ts'
import { type Fragment, perDatabase, type Sql } from '../../kernel/db/database.ts'
import { notFound } from '../../kernel/errors.ts'
import { findUuid } from '../../kernel/ids.ts'
import { allData, knownData, knownNames, passportColumns } from '../core/columns.ts'
import { isOutdated, joinOwners } from '../core/outdated.ts'
import type { PassportRow } from '../core/record.ts'

type Key = { id: string; accountId: number }

const findInAccount = perDatabase((sql: Sql) =>
  createLookUp(
    (keys: readonly Key[]) => loadByAccount(sql, keys, smallData(sql)),
    keys => loadByAccount(sql, keys, allData(sql)),
  ),
)
const findPublic = perDatabase((sql: Sql) =>
  createLookUp(
    (ids: readonly string[]) => loadById(sql, ids, smallData(sql)),
    ids => loadById(sql, ids, publicData(sql)),
  ),
)
const findWhole = perDatabase((sql: Sql) =>
  createLookUp(
    (ids: readonly string[]) => loadById(sql, ids, smallData(sql)),
    ids => loadById(sql, ids, allData(sql)),
  ),
)

type Loaded<R extends PassportRow> = Omit<R, 'data'> & { data: string | null }

/**
 * Statements that small rows share, some 4 MB of data in flight at most. A row whose data are too large comes
 * without them and is read again by `loadLarge`: one in a statement, two statements at a time.
 */
function createLookUp<K, R extends PassportRow>(
  loadSmall: (keys: readonly K[]) => Promise<(Loaded<R> | undefined)[]>,
  loadLarge: (keys: readonly K[]) => Promise<(Loaded<R> | undefined)[]>,
): (key: K) => Promise<R | undefined> {
  const findSmall = createBatchLoader(loadSmall)
  const findLarge = createBatchLoader(loadLarge, 2, 1)
  return async key => {
    const row = await findSmall(key)
    return (row?.data === null ? await findLarge(key) : row) as R | undefined
  }
}

/** The account's passport with this UUID. Throws `not_found`, for another account's too. */
export async function getPassport(ctx: AccountContext, uuid: string): Promise<PassportRow> {
  const row = await findInAccount(ctx.sql)({ id: uuid, accountId: ctx.accountId })
  if (row === undefined) throw notFound('product')
  return row
}

/** The UUID of an id as it stands in an address. Throws `not_found`: what cannot be an id names nothing. */
export function requireProductUuid(id: string): string {
  const uuid = findUuid(id)
  if (uuid === undefined) throw notFound('product')
  return uuid
}

/**
 * The number of a version as it stands in an address. Throws `not_found` for what is no number, or too large
 * a one.
 */
export function requireVersionNo(n: string): number {
  if (!/^[1-9]\d{0,8}$/.test(n)) throw notFound('version of this product')
  return Number(n)
}

/**
 * A passport with where its fields come from. Free-form keys, which no reader may see, may be missing in all
 * of it.
 */
export type PublicPassportRow = PassportRow & {
  /**
   * Names of the fields of a category that a unit has set itself; null on a model, and on a unit that has
   * none.
   */
  own_keys: string[] | null
  /** Names of those its batch had set itself when it handed them on; null unless under a batch. */
  own_fields: string[] | null
  /** Whether its account lets search engines list its models. */
  indexable: boolean
  /** The GTINs that those above bear now, whatever the unit was issued under; null on a model. */
  model_gtin: string | null
  batch_gtin: string | null
  /**
   * Of an outdated unit, which corrections those above have made: another text after each. Null when it is
   * current.
   */
  corrections: string | null
}

/** The passport behind a public address, whosever it is. */
export const findPublicPassport = (sql: Sql, uuid: string): Promise<PublicPassportRow | undefined> =>
  findPublic(sql)(uuid)

/** The same for a reader with an access link: with all data, and cached nowhere. */
export const findWholePassport = (sql: Sql, uuid: string): Promise<PublicPassportRow | undefined> =>
  findWhole(sql)(uuid)

const MAX_SMALL_BYTES = 32_768
/** As they are stored, compressed; known without reading them. The text may be ninety times as long. */
const MAX_SMALL_STORED_BYTES = 8_192

/** Null for large data. */
const smallData = (sql: Sql): Fragment => sql`
  case when pg_column_size(c.data) + coalesce(pg_column_size(p.own), 0) <= ${MAX_SMALL_STORED_BYTES} then (
    select whole.text from (select ${allData(sql)} as text offset 0) whole
    where octet_length(whole.text) <= ${MAX_SMALL_BYTES}) end`

const publicData = (sql: Sql): Fragment => knownData(sql, sql`coalesce(c.data || p.own, c.data)`)

async function loadByAccount(
  sql: Sql,
  keys: readonly Key[],
  data: Fragment,
): Promise<(Loaded<PassportRow> | undefined)[]> {
  const ids = keys.map(key => key.id)
  const accounts = keys.map(key => key.accountId)
  const rows = await sql<Loaded<PassportRow>[]>`
    select ${passportColumns(sql, data)}
    from unnest(${ids}::text[]::uuid[], ${accounts}::int[]) as k(id, account_id)
    join passport p on p.id = k.id and p.account_id = k.account_id
    join content c on c.id = p.content_id and c.account_id = p.account_id ${joinOwners(sql)}`
  const found = new Map(rows.map(row => [`${row.account_id} ${row.id}`, row]))
  return keys.map(key => found.get(`${key.accountId} ${key.id}`))
}

/**
 * A directory look-up: the address of a passport names no account. The limit tells the planner what it cannot
 * know before the table was analyzed, that an id is one passport's: it would read the whole table to join the
 * owners.
 */
async function loadById(
  sql: Sql,
  ids: readonly string[],
  data: Fragment,
): Promise<(Loaded<PublicPassportRow> | undefined)[]> {
  const rows = await sql<Loaded<PublicPassportRow>[]>`
    select ${passportColumns(sql, data)},
      case when p.own is not null then ${knownNames(sql, sql`array(select jsonb_object_keys(p.own))`)} end as own_keys,
      ${knownNames(sql, sql`c.own_fields`)} as own_fields,
      ${accountIsIndexable(sql)} as indexable, ${selectParentGtins(sql)},
      case when ${isOutdated(sql)} then concat_ws('-', o.last_correction, m.last_correction) end as corrections
    from unnest(${[...ids]}::text[]::uuid[]) as k(id)
    cross join lateral (select * from passport where id = k.id limit 1) p
    join content c on c.id = p.content_id and c.account_id = p.account_id ${joinOwners(sql)}`
  const found = new Map(rows.map(row => [row.id, row]))
  return ids.map(id => found.get(id))
}

/** Each by its primary key, and only where there is one above. */
const selectParentGtins = (sql: Sql): Fragment => sql`
  case when p.parent_id is not null then (
    select above.gtin14 from passport above where above.id = p.model_id and above.account_id = p.account_id) end as model_gtin,
  case when p.parent_id <> p.model_id then (
    select had.data->>'gtin' from passport above
    join content had on had.id = above.content_id and had.account_id = above.account_id
    where above.id = p.parent_id and above.account_id = p.account_id) end as batch_gtin`
