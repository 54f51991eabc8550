/** The state that a change starts from: inherited data, own fields, and ids and hashes of both. */
import { listAccountShards } from '../../accounts/account-shard.ts'
import type { AccountContext } from '../../accounts/context.ts'
import { notFound } from '../../kernel/errors.ts'
import type { PassportData } from './check-data.ts'
import { passportColumns } from './columns.ts'
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

type StateRow = PassportRow &
  Omit<PassportState, 'row' | 'inherited' | 'own' | 'ownFields'> & {
    /** Null if equal to `data`, so that a large text is sent only once. */
    inherited: string | null
    own: string | null
    ownFields: string[] | null
  }

/** Throws `not_found`, also for another account's passport. */
export async function getState(ctx: AccountContext, uuid: string): Promise<PassportState> {
  const [row] = await ctx.sql<StateRow[]>`${selectStates(ctx, [uuid])}`
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
): AsyncGenerator<PassportState[], void, void> {
  for (const at of listAccountShards(ctx)) yield* readStatesInBatches(at, uuids)
}

/** Reads existing passports, newest first, in batches that fit into memory. The last batch may be empty. */
export async function* readStatesInBatches(
  ctx: AccountContext,
  uuids: readonly string[],
): AsyncGenerator<PassportState[], void, void> {
  for (let open = new Set(uuids); ; ) {
    const none: StateRow[] = []
    const rows =
      open.size === 0
        ? none
        : await ctx.sql<typeof none>`
      with state as materialized (${selectStates(ctx, [...open])}),
        weighed as (select *, octet_length(data) + coalesce(octet_length(inherited), 0) as weight from state),
        summed as (select *, sum(weight) over (order by id desc) - weight as before from weighed)
      select * from summed where before < ${MAX_BATCH_BYTES} order by id desc`
    yield rows.map(toState)
    open = open.difference(new Set(rows.map(row => row.id)))
    if (rows.length === 0 || open.size === 0) return
  }
}

const selectStates = ({ sql, accountId }: AccountContext, uuids: readonly string[]) => sql`
    select ${passportColumns(sql)}, case when p.own is not null then c.data::text end as inherited, p.own::text as own,
      p.content_id as "contentId", p.units_content_id as "unitsContentId", c.upto as "inheritedVersion",
      c.model_upto as "inheritedModelVersion", c.own_fields as "ownFields", encode(c.hash, 'hex') as "contentHash",
      case when p.version_no > 1 then (select encode(v.hash, 'hex') from passport_version v
        where v.passport_id = p.id and v.account_id = p.account_id and v.version_no = p.version_no) end as "versionHash"
    from passport p join content c on c.id = p.content_id and c.account_id = p.account_id ${joinOwners(sql)}
    where p.id = any(${[...uuids]}::text[]::uuid[]) and p.account_id = ${accountId}`

function toState(row: StateRow): PassportState {
  const { inherited, own, contentId, versionHash, contentHash, unitsContentId } = row
  return {
    // The row itself: a copy without the columns below took a tenth of the time of a bulk call.
    row,
    inherited: JSON.parse(inherited ?? row.data),
    own: own === null ? null : JSON.parse(own),
    contentId,
    versionHash,
    contentHash,
    inheritedVersion: row.inheritedVersion,
    inheritedModelVersion: row.inheritedModelVersion,
    ownFields: row.ownFields ?? [],
    unitsContentId,
  }
}

export const effectiveData = (state: Pick<PassportState, 'inherited' | 'own'>): PassportData => ({
  ...state.inherited,
  ...state.own,
})
