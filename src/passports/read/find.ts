/** Reads one passport. Small passports requested at once share a statement; large ones do not. */
import type { AccountContext } from '../../accounts/context.ts'
import { accountIsIndexable } from '../../accounts/indexing.ts'
import { createBatchLoader } from '../../kernel/db/batch-loader.ts'
import { type Fragment, perDatabase, type Sql } from '../../kernel/db/database.ts'
import { findInShards, getShardNumber } from '../../kernel/db/shards.ts'
import { notFound } from '../../kernel/errors.ts'
import { requireUuid } from '../../kernel/ids.ts'
import { allData, dropFreeFormKeys, dropFreeFormNames, passportColumns } from '../core/columns.ts'
import { isOutdated, joinOwners } from '../core/outdated.ts'
import { findPassportShard } from '../core/passport-shard.ts'
import type { PassportRow } from '../core/record.ts'
import { listPassports, type PassportSummary } from './list.ts'
import type { ListFilter } from './list-filter.ts'

type Key = { id: string; accountId: number }

const lookUps = perDatabase((sql: Sql) => ({
  forAccount: createLookUp(sql, loadByAccount, allData),
  forPublic: createLookUp(sql, loadById, disclosableData),
  withAllData: createLookUp(sql, loadById, allData),
}))

type Loaded<R extends PassportRow> = Omit<R, 'data'> & { data: string | null }

/**
 * Small rows share statements, with about 4 MB in flight. Large data is read afterwards, two rows at a time,
 * each with its own statement.
 */
function createLookUp<K, R extends PassportRow>(
  sql: Sql,
  load: (sql: Sql, keys: readonly K[], data: Fragment) => Promise<(Loaded<R> | undefined)[]>,
  largeData: (sql: Sql) => Fragment,
): (key: K) => Promise<R | undefined> {
  const findSmall = createBatchLoader((keys: readonly K[]) => load(sql, keys, smallData(sql)))
  const findLarge = createBatchLoader((keys: readonly K[]) => load(sql, keys, largeData(sql)), {
    maxBatch: 1,
  })
  return async key => {
    const row = await findSmall(key)
    return (row?.data === null ? await findLarge(key) : row) as R | undefined
  }
}

/** The context where the account has this passport; unchanged if the account is on one shard, or has none. */
export const atPassport = async (ctx: AccountContext, uuid: string): Promise<AccountContext> =>
  (ctx.spread && (await findPassportShard(ctx, uuid))) ?? ctx

/** Throws `not_found`, also for another account's passport. */
export async function getPassport(ctx: AccountContext, uuid: string): Promise<PassportRow> {
  const row = await lookUps(ctx.sql).forAccount({ id: uuid, accountId: ctx.accountId })
  if (row !== undefined) return row
  const at = ctx.spread && (await findPassportShard(ctx, uuid))
  if (at === undefined) throw notFound('product')
  return getPassport({ ...at, spread: undefined }, uuid)
}

/** The UUID of a public id. Throws `not_found` if the text is not an id. */
export const requireProductUuid = (id: string): string => requireUuid(id, 'product')

/** Parses the version number of an address. Throws `not_found` for anything but 1 to 999,999,999. */
export function requireVersionNo(n: string): number {
  if (!/^[1-9]\d{0,8}$/.test(n)) throw notFound('version of this product')
  return Number(n)
}

/** A passport and the origins of its fields. Free-form keys, which no reader may see, may be missing. */
export type PublicPassportRow = PassportRow & {
  /** Fields of its category that a unit has set itself; null on a model, and on a unit without own fields. */
  unit_fields: string[] | null
  /** Fields that its batch had set itself when the unit inherited them; null unless under a batch. */
  batch_fields: string[] | null
  /** Whether its account lets search engines list its models. */
  indexable: boolean
  /** Current GTINs of its model and batch, whatever GTIN the unit was issued under; null on a model. */
  model_gtin: string | null
  batch_gtin: string | null
  /** Changes with each correction that an outdated unit lacks. Null when the unit is current. */
  corrections: string | null
  /** Where it was found; null: the shared database. */
  shard: number | null
}

export const findPublicPassport = (sql: Sql, uuid: string): Promise<PublicPassportRow | undefined> =>
  findInShards(sql, uuid, shard => lookUps(shard).forPublic(uuid))

/** A passport with all data, for a reader with an access link. Never cached. */
export const findWholePassport = (sql: Sql, uuid: string): Promise<PublicPassportRow | undefined> =>
  findInShards(sql, uuid, shard => lookUps(shard).withAllData(uuid))

const MAX_SMALL_BYTES = 32_768
/** Compressed size, known without reading the data. The text may be ninety times as long. */
const MAX_SMALL_STORED_BYTES = 8_192

const smallData = (sql: Sql): Fragment => sql`
  case when pg_column_size(c.data) + coalesce(pg_column_size(p.own), 0) <= ${MAX_SMALL_STORED_BYTES} then (
    select whole.text from (select ${allData(sql)} as text offset 0) whole
    where octet_length(whole.text) <= ${MAX_SMALL_BYTES}) end`

const disclosableData = (sql: Sql): Fragment => dropFreeFormKeys(sql, sql`coalesce(c.data || p.own, c.data)`)

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

/** `limit 1` tells the planner that an id is unique; without it, it may scan the whole table. */
async function loadById(
  sql: Sql,
  ids: readonly string[],
  data: Fragment,
): Promise<(Loaded<PublicPassportRow> | undefined)[]> {
  const rows = await sql<Loaded<PublicPassportRow>[]>`
    select ${passportColumns(sql, data)},
      case when p.own is not null then ${dropFreeFormNames(sql, sql`array(select jsonb_object_keys(p.own))`)} end as unit_fields,
      ${dropFreeFormNames(sql, sql`c.own_fields`)} as batch_fields,
      ${accountIsIndexable(sql)} as indexable, ${selectParentGtins(sql)},
      case when ${isOutdated(sql)} then concat_ws('-', owner.last_correction, batch_model.last_correction) end as corrections
    from unnest(${[...ids]}::text[]::uuid[]) as k(id)
    cross join lateral (select * from passport where id = k.id limit 1) p
    join content c on c.id = p.content_id and c.account_id = p.account_id ${joinOwners(sql)}`
  const shard = getShardNumber(sql)
  const found = new Map(rows.map(row => [row.id, Object.assign(row, { shard })]))
  return ids.map(id => found.get(id))
}

/** Joins the parents of a unit by their primary keys; models need no look-up. */
const selectParentGtins = (sql: Sql): Fragment => sql`
  case when p.parent_id is not null then (
    select parent.gtin14 from passport parent where parent.id = p.model_id and parent.account_id = p.account_id) end as model_gtin,
  case when p.parent_id <> p.model_id then (
    select parent_content.data->>'gtin' from passport parent
    join content parent_content on parent_content.id = parent.content_id and parent_content.account_id = parent.account_id
    where parent.id = p.parent_id and parent.account_id = p.account_id) end as batch_gtin`

export async function findNewestModel(
  ctx: AccountContext,
  filter: Pick<ListFilter, 'status' | 'category'> = {},
): Promise<PassportSummary | undefined> {
  const { rows } = await listPassports(ctx, { levels: ['m'], ...filter }, { limit: 1, page: 1 })
  return rows[0]
}
