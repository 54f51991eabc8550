/** The state that a change starts from: inherited data, own fields, and ids and hashes of both. */
import { listAccountShards } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { assert, notFound } from '../../kernel/errors/errors.ts'
import type { PassportData } from './check-data.ts'
import { metadataColumns, passportColumns } from './columns.ts'
import { joinOwners } from './outdated.ts'
import { findPassportShard } from './passport-shard.ts'
import type { PassportRow } from './record.ts'

export type PassportState = {
  row: PassportRow
  /** A model's data; the data that a unit inherits. */
  inherited: PassportData
  /** Null on a model, and on a unit without own fields. */
  own: PassportData | null
  contentId: string
  /** Both hashes are in hex. Null at version 1, which gets its row in `passport_version` with version 2. */
  versionHash: string | null
  contentHash: string
  /** The last version of the content's owner whose corrections are in it. */
  inheritedVersion: number
  /** The last version of the model whose corrections are in the content, if a batch owns it. */
  inheritedModelVersion: number | null
  /** Fields that the batch had set itself when the content was created. */
  ownFields: readonly string[]
  /** The content that units of this version inherit; null until a unit is issued. */
  unitsContentId: string | null
}

type StateFacts = Omit<PassportState, 'row' | 'inherited' | 'own' | 'ownFields'> & {
  own: string | null
  ownFields: string[] | null
}

/** `inherited`: null if equal to `data`, so that a large text is sent only once. */
export type StateRow = PassportRow & StateFacts & { inherited: string | null }

/** `content`: null if a row before has the same content. */
type BulkStateRow = BulkRow & StateFacts & { content: string | null }

/** One of many states. `inheritedText`: `inherited` as stored; states of one content share both. */
export type BulkState = Omit<PassportState, 'row'> & { row: BulkRow; inheritedText: string }
export type BulkRow = Omit<PassportRow, 'data'>

/** Throws `not_found`, also for another account's passport. */
export async function getState(ctx: AccountContext, uuid: string): Promise<PassportState> {
  const [row] = await ctx.sql<
    StateRow[]
  >`${selectStates(ctx.sql, keysOf(ctx, [uuid]), stateColumns(ctx.sql))}`
  if (row !== undefined) return toState(row)
  const at = ctx.spread && (await findPassportShard(ctx, uuid))
  if (at === undefined) throw notFound('product')
  return getState({ ...at, spread: undefined }, uuid)
}

/** 500 usual passports are smaller; 500 of the largest would not fit into memory. */
const MAX_BATCH_BYTES = 16 * 1024 * 1024

/** As `readStatesInBatches`, on all shards of the account, one after the other. */
export async function* readStatesOnShards(
  ctx: AccountContext,
  uuids: readonly string[],
): AsyncGenerator<BulkState[], void, void> {
  for (const at of listAccountShards(ctx)) yield* readStatesInBatches(at, uuids)
}

/**
 * Reads existing passports, newest first, in batches that fit into memory. The last batch may be empty. A
 * content comes once in a batch, with the newest of its passports: 500 units of one model share theirs.
 */
export async function* readStatesInBatches(
  ctx: AccountContext,
  uuids: readonly string[],
): AsyncGenerator<BulkState[], void, void> {
  const { sql, accountId } = ctx
  for (let open = new Set(uuids); ; ) {
    const none: BulkStateRow[] = []
    const rows =
      open.size === 0
        ? none
        : await sql<typeof none>`
      with state as materialized (${selectStates(sql, keysOf(ctx, [...open]), sql`${metadataColumns(sql)}, p.own::text as own`)}),
        numbered as materialized (
          select *, row_number() over (partition by "contentId" order by id desc) as place from state),
        completed as materialized (
          select *, case when place = 1 then (select c.data::text from content c
            where c.id = "contentId" and c.account_id = ${accountId}) end as content from numbered),
        weighed as (
          select *, coalesce(octet_length(own), 0) + coalesce(octet_length(content), 0) as weight from completed),
        summed as (select *, sum(weight) over (order by id desc) - weight as before from weighed)
      select * from summed where before < ${MAX_BATCH_BYTES} order by id desc`
    yield toBulkStates(rows)
    open = open.difference(new Set(rows.map(row => row.id)))
    if (rows.length === 0 || open.size === 0) return
  }
}

function toBulkStates(rows: readonly BulkStateRow[]): BulkState[] {
  const contents = new Map<string, { inherited: PassportData; inheritedText: string }>()
  return rows.map(row => {
    if (row.content !== null) {
      contents.set(row.contentId, { inherited: JSON.parse(row.content), inheritedText: row.content })
    }
    const content = contents.get(row.contentId)
    assert(content, 'the first passport of a content has it')
    return { ...toFacts(row), ...content, row }
  })
}

type StateKeys = { ids: readonly string[]; accounts: readonly number[] }

const keysOf = ({ accountId }: AccountContext, ids: readonly string[]): StateKeys => ({
  ids,
  accounts: [accountId],
})

export const selectStates = (sql: Sql, { ids, accounts }: StateKeys, columns: Fragment): Fragment => sql`
    select ${columns}, p.content_id as "contentId", p.units_content_id as "unitsContentId", c.upto as "inheritedVersion",
      c.model_upto as "inheritedModelVersion", c.own_fields as "ownFields", encode(c.hash, 'hex') as "contentHash",
      case when p.version_no > 1 then (select encode(v.hash, 'hex') from passport_version v
        where v.passport_id = p.id and v.account_id = p.account_id and v.version_no = p.version_no) end as "versionHash"
    from passport p join content c on c.id = p.content_id and c.account_id = p.account_id ${joinOwners(sql)}
    where p.id = any(${[...ids]}::text[]::uuid[]) and p.account_id = any(${[...accounts]}::int[])`

type StateTexts = { data?: Fragment; own: Fragment; inherited: Fragment }

/** `inherited` is read only of units with own fields. */
export const stateColumns = (
  sql: Sql,
  { data, own, inherited }: StateTexts = { own: sql`p.own::text`, inherited: sql`c.data::text` },
): Fragment => sql`
  ${passportColumns(sql, data)}, ${own} as own, case when p.own is not null then ${inherited} end as inherited`

export const toState = (row: StateRow): PassportState => ({
  ...toFacts(row),
  // The row itself: a copy without the other columns took a tenth of the time of a bulk call.
  row,
  inherited: JSON.parse(row.inherited ?? row.data),
})

const toFacts = (row: StateFacts): Omit<PassportState, 'row' | 'inherited'> => ({
  own: row.own === null ? null : JSON.parse(row.own),
  contentId: row.contentId,
  versionHash: row.versionHash,
  contentHash: row.contentHash,
  inheritedVersion: row.inheritedVersion,
  inheritedModelVersion: row.inheritedModelVersion,
  ownFields: row.ownFields ?? [],
  unitsContentId: row.unitsContentId,
})

export const effectiveData = (state: Pick<PassportState, 'inherited' | 'own'>): PassportData => ({
  ...state.inherited,
  ...state.own,
})
