/** Reads one passport. Small passports requested at once share a statement; large ones do not. */
import { hash } from 'node:crypto'
import { type AudienceProfile, selectAudienceProfile } from '../../accounts/account/audience-profile.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { accountIsIndexable } from '../../accounts/account/indexing.ts'
import { selectWithdrawnFiles } from '../../accounts/account/withdrawn-files.ts'
import { requireUuid } from '../../kernel/crypto/ids.ts'
import { type Fragment, perDatabase, type Sql } from '../../kernel/db/database.ts'
import { findInShards, getShardNumber } from '../../kernel/db/shards.ts'
import { notFound } from '../../kernel/errors/errors.ts'
import { dropFreeFormNames, ownColumns, passportColumns } from '../core/columns.ts'
import { findContents, type PassportOnly } from '../core/contents.ts'
import { isOutdated, joinOwners } from '../core/outdated.ts'
import { findPassportShard } from '../core/passport-shard.ts'
import { selectRecalls } from '../core/recalls.ts'
import type { PassportRow } from '../core/record.ts'
import { findLives, parseLife, selectLife } from '../core/unit-life.ts'
import { listPassports, type PassportSummary } from './list.ts'
import type { ListFilter } from './list-filter.ts'
import {
  createLookUp,
  type Load,
  type Loaded,
  MAX_SMALL_BYTES,
  MAX_SMALL_STORED_BYTES,
  selectAllData,
  selectDisclosableData,
  selectSmallData,
} from './look-up.ts'

type Key = { id: string; accountId: number }

const lookUps = perDatabase((sql: Sql) => ({
  // One batch at a time: it gets fuller, which makes up for its second statement.
  forAccount: createLookUp(
    readByAccount(sql),
    (keys: readonly Key[]) => joinByAccount(sql, keys, selectAllData),
    {
      maxInFlight: 1,
    },
  ),
  forPublic: createLookUp(readById(sql, selectSmallData), readById(sql, selectDisclosableData)),
  withAllData: createLookUp(readById(sql, selectSmallData), readById(sql, selectAllData), { maxInFlight: 1 }),
}))

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
  /** True if its account lets search engines list its models. */
  indexable: boolean
  /** Which audiences its account has chosen for the fields. */
  audience_profile: AudienceProfile
  /** How often a file of its account was withdrawn. */
  withdrawn_files: number
  /** Current GTINs of its model and batch, whatever GTIN the unit was issued under; null on a model. */
  model_gtin: string | null
  batch_gtin: string | null
  /** Its identifier in another system, and those of its model and batch; null for none. */
  dpp_id: string | null
  model_dpp_id: string | null
  batch_dpp_id: string | null
  /** Changes with each correction that an outdated unit lacks. Null when the unit is current. */
  corrections: string | null
  /** Recall notices that hold for it, as JSON of `RecallInForce`; null for none. */
  recalls: string | null
  /** Changes with each of them; null for none. */
  recall_state: string | null
  /** The `UnitLife` of a unit with events, as JSON text; null for none. */
  life: string | null
  /** Changes with what the public sees of it; null for nothing. */
  life_state: string | null
  /** Where it was found; null: the shared database. */
  shard: number | null
}

export const findPublicPassport = (sql: Sql, uuid: string): Promise<PublicPassportRow | undefined> =>
  findInShards(sql, uuid, shard => lookUps(shard).forPublic(uuid))

/** A passport with all data, for a reader with an access link. Never cached. */
export const findWholePassport = (sql: Sql, uuid: string): Promise<PublicPassportRow | undefined> =>
  findInShards(sql, uuid, shard => lookUps(shard).withAllData(uuid))

/** Units with own fields are read by a join, which merges these with the inherited data. */
const readByAccount =
  (sql: Sql): Load<Key, PassportRow> =>
  async keys => {
    const rows = await sql<(Loaded<PassportRow> & PassportOnly & { has_own: boolean })[]>`
      select ${ownColumns(sql)}, p.content_id, p.own is not null as has_own from passport p
      where p.id = any(${keys.map(key => key.id)}::text[]::uuid[])
        and p.account_id = any(${[...new Set(keys.map(key => key.accountId))]}::int[])`
    const merging = rows.filter(row => row.has_own).map(row => ({ id: row.id, accountId: row.account_id }))
    const inheriting = rows.filter(row => !row.has_own)
    const [merged, contents, lifeOf] = await Promise.all([
      merging.length === 0 ? [] : joinByAccount(sql, merging, selectSmallData),
      findContents<{ data: string | null }>(sql, inheriting, smallContent(sql)),
      findLives(sql, inheriting),
    ])
    const found = new Map(merged.flatMap(row => (row === undefined ? [] : [[keyOf(row), row]])))
    for (const row of inheriting) {
      const content = contents.find(row)
      if (content === undefined) continue
      const { gtin, data } = content
      row.gtin = gtin
      row.outdated = contents.isOutdated(row, content)
      row.data = data !== null && data.length <= MAX_SMALL_BYTES ? data : null
      row.life = lifeOf(row)
      found.set(keyOf(row), row)
    }
    return keys.map(({ accountId, id }) => found.get(keyOf({ account_id: accountId, id })))
  }

const keyOf = ({ account_id, id }: { account_id: number; id: string }) => `${account_id} ${id}`

/** Only compressed data can be much longer as text, which is cut one character beyond the maximum. */
const smallContent = perDatabase(
  (sql): Fragment => sql`
  case when pg_column_size(c.data) <= ${MAX_SMALL_STORED_BYTES} then case when pg_column_compression(c.data) is null
    then c.data::text else left(c.data::text, ${MAX_SMALL_BYTES + 1}) end end as data`,
)

async function joinByAccount(
  sql: Sql,
  keys: readonly Key[],
  data: (sql: Sql) => Fragment,
): Promise<(Loaded<PassportRow> | undefined)[]> {
  const ids = keys.map(key => key.id)
  const accounts = keys.map(key => key.accountId)
  const rows = await sql<Loaded<PassportRow>[]>`
    select ${passportColumns(sql, data(sql))}, ${selectLife(sql)} as life
    from unnest(${ids}::text[]::uuid[], ${accounts}::int[]) as k(id, account_id)
    join passport p on p.id = k.id and p.account_id = k.account_id
    join content c on c.id = p.content_id and c.account_id = p.account_id ${joinOwners(sql)}`
  const found = new Map(rows.map(row => [keyOf(row), row]))
  return keys.map(({ accountId, id }) => found.get(keyOf({ account_id: accountId, id })))
}

/** `limit 1` tells the planner that an id is unique; without it, it may scan the whole table. */
const readById =
  (sql: Sql, data: (sql: Sql) => Fragment): Load<string, PublicPassportRow> =>
  async ids => {
    const rows = await sql<Loaded<PublicPassportRow>[]>`
    select ${passportColumns(sql, data(sql))}, p.dpp_id,
      case when p.own is not null then ${dropFreeFormNames(sql, sql`array(select jsonb_object_keys(p.own))`)} end as unit_fields,
      ${dropFreeFormNames(sql, sql`c.own_fields`)} as batch_fields,
      ${accountIsIndexable(sql)} as indexable, ${selectAudienceProfile(sql)} as audience_profile,
      ${selectWithdrawnFiles(sql)} as withdrawn_files,
      ${parentColumns(sql)}, ${selectRecalls(sql)} as recalls, ${selectLife(sql)} as life,
      case when ${isOutdated(sql)} then concat_ws('-', owner.last_correction, batch_model.last_correction) end as corrections
    from unnest(${[...new Set(ids)]}::text[]::uuid[]) as k(id)
    cross join lateral (select * from passport where id = k.id limit 1) p
    join content c on c.id = p.content_id and c.account_id = p.account_id ${joinOwners(sql)} ${joinParents(sql)}`
    const shard = getShardNumber(sql)
    const found = new Map(
      rows.map(row => [
        row.id,
        Object.assign(row, {
          shard,
          recall_state: hashRecalls(row.recalls),
          life_state: formatPublicLife(row.life),
        }),
      ]),
    )
    return ids.map(id => found.get(id))
  }

const hashRecalls = (recalls: string | null) =>
  recalls === null ? null : hash('sha256', recalls, 'base64url').slice(0, 12)

/** Each correction of an event that the public sees counts as one more. */
function formatPublicLife(json: string | null): string | null {
  const life = parseLife(json)
  return life === null || life.public_events === 0 ? null : String(life.public_events)
}

/** Columns of `joinParents`. */
export const parentColumns = (sql: Sql): Fragment => sql`
  parent_model.gtin as model_gtin, parent_model.dpp_id as model_dpp_id,
  parent_batch.gtin as batch_gtin, parent_batch.dpp_id as batch_dpp_id`

/** Finds the model and batch of a unit `p` by their primary keys; models need no look-up. */
export const joinParents = (sql: Sql): Fragment => sql`
  left join lateral (
    select parent.gtin14 as gtin, parent.dpp_id from passport parent
    where p.parent_id is not null and parent.id = p.model_id and parent.account_id = p.account_id limit 1) parent_model on true
  left join lateral (
    select parent_content.data->>'gtin' as gtin, parent.dpp_id from passport parent
    join content parent_content on parent_content.id = parent.content_id and parent_content.account_id = parent.account_id
    where p.parent_id <> p.model_id and parent.id = p.parent_id and parent.account_id = p.account_id limit 1) parent_batch on true`

export async function findNewestModel(
  ctx: AccountContext,
  filter: Pick<ListFilter, 'status' | 'category'> = {},
): Promise<PassportSummary | undefined> {
  const { rows } = await listPassports(ctx, { levels: ['m'], ...filter }, { limit: 1, page: 1 })
  return rows[0]
}
