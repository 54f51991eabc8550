/** Earlier versions of a passport. Version 1 has no row until version 2 is written. */
import { getActorLabels } from '../../accounts/account/actors.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { notFound } from '../../kernel/errors/errors.ts'
import type { PassportData } from '../core/check-data.ts'
import { wasOutdated } from '../core/outdated.ts'
import { readFirstTime, selectVersionTime } from '../core/publication.ts'
import { creationTime, type PassportRow, type StatusLetter } from '../core/record.ts'
import { getPassport } from './find.ts'

export type VersionEntry = {
  version_no: number
  change_type: 'change' | 'correction' | 'refresh' | null
  changed: string[]
  created_at: string
  created_by: string
  note: string | null
  /** Only for a unit: the version of its parent that it was issued from, or last refreshed to. */
  parent_version_no?: number
}

const CHANGE_TYPE = { n: null, h: 'change', c: 'correction', r: 'refresh' } as const

type VersionRow = {
  version_no: number
  kind: keyof typeof CHANGE_TYPE
  changed: string[] | null
  created_at: Date
  created_by: number
  note: string | null
  parent_version_no: number | null
}

/** A page of versions, newest first. `total`: how many the passport has. */
export async function listVersions(
  ctx: AccountContext,
  uuid: string,
  window: { limit: number } & ({ offset: number } | { before: number }),
): Promise<{ versions: VersionEntry[]; total: number }> {
  const current = await getPassport(ctx, uuid)
  const newest = 'before' in window ? window.before - 1 : current.version_no - window.offset
  const rows =
    newest < 1
      ? []
      : current.version_no === 1
        ? [await readFirstVersion(ctx, current)]
        : await ctx.sql<VersionRow[]>`
          select v.version_no, v.kind, v.changed, ${selectVersionTime(ctx.sql, current)} as created_at, v.created_by, v.note,
            case when ${current.level}::text <> 'm' then c.upto end as parent_version_no
          from passport_version v join content c on c.id = v.content_id and c.account_id = v.account_id
          where v.passport_id = ${uuid} and v.account_id = ${ctx.accountId}
            and v.version_no <= ${newest} and v.version_no > ${newest - window.limit}
          order by v.version_no desc`
  const labels = await getActorLabels(
    ctx.sql,
    ctx.accountId,
    rows.map(row => row.created_by),
  )
  const versions = rows.map(
    ({ kind, parent_version_no, ...row }): VersionEntry => ({
      version_no: row.version_no,
      change_type: CHANGE_TYPE[kind],
      changed: row.changed ?? [],
      created_at: row.created_at.toISOString(),
      created_by: labels.get(row.created_by) ?? '',
      note: row.note,
      ...(parent_version_no !== null && { parent_version_no }),
    }),
  )
  return { versions, total: current.version_no }
}

async function readFirstVersion(
  { sql, accountId }: AccountContext,
  current: PassportRow,
): Promise<VersionRow> {
  const [inherited] =
    current.level === 'm'
      ? []
      : await sql<{ upto: number }[]>`
          select c.upto from ${selectFirstVersion(sql, current)} v
          join content c on c.id = v.content_id and c.account_id = v.account_id
          where v.account_id = ${accountId}`
  return {
    parent_version_no: inherited?.upto ?? null,
    version_no: 1,
    kind: 'n',
    changed: null,
    created_at: await readFirstTime(sql, current),
    created_by: current.created_by,
    note: null,
  }
}

/** The passport as of version `versionNo`. Throws `not_found`. */
export async function getVersion(ctx: AccountContext, uuid: string, versionNo: number): Promise<PassportRow> {
  const current = await getPassport(ctx, uuid)
  if (versionNo < 1 || versionNo > current.version_no) throw notFound('version of this product')
  if (current.version_no === 1) return readAt(ctx, current, undefined, await readFirstTime(ctx.sql, current))
  const row = await findVersionRow(ctx.sql, current, versionNo)
  if (row === undefined) throw notFound('version of this product')
  return { ...(await readAt(ctx, current, row, row.updated_at)), updated_at: row.updated_at }
}

/** The passport as it was at a time. Throws `not_found` for a time before its creation or publication. */
export async function getPassportAt(ctx: AccountContext, uuid: string, at: Date): Promise<PassportRow> {
  const current = await getPassport(ctx, uuid)
  if (at < creationTime(current.id)) throw notFound('product at that time')
  if (current.version_no === 1) return readAt(ctx, current, undefined, at)
  const [found] = await ctx.sql<{ version_no: number }[]>`
    select version_no from passport_version
    where passport_id = ${uuid} and account_id = ${ctx.accountId} and created_at <= ${at}
    order by version_no desc limit 1`
  const row = await findVersionRow(ctx.sql, current, found?.version_no ?? 1)
  if (row === undefined) throw notFound('product at that time')
  return readAt(ctx, current, row, at)
}

/** A version, with the status and `outdated` that it had at that time. */
async function readAt(
  ctx: AccountContext,
  current: PassportRow,
  version: OldVersion | undefined,
  at: Date,
): Promise<PassportRow> {
  const state = await findStatusAt(ctx, current, at)
  if (state === undefined) throw notFound('product at that time')
  const outdated = await wasOutdated(ctx, current, { versionNo: version?.version_no ?? 1, at })
  const { updated_at } = state
  if (version === undefined) return { ...current, ...state, outdated }
  return { ...current, ...version, ...state, outdated, updated_at: latest(version.updated_at, updated_at) }
}

const latest = (a: Date, b: Date) => (a > b ? a : b)

/** Undefined if it was still a draft. */
async function findStatusAt(
  { sql, accountId }: AccountContext,
  current: PassportRow,
  at: Date,
): Promise<{ status: StatusLetter; updated_at: Date } | undefined> {
  const entries = sql`
    select status, changed_at from passport_status where passport_id = ${current.id} and account_id = ${accountId}`
  const [row] = await sql<{ status: StatusLetter; changed_at: Date }[]>`
    (${entries} and changed_at <= ${at} order by changed_at desc limit 1) union all
    (${entries} order by changed_at limit 1) order by changed_at desc limit 1`
  if (row !== undefined && row.changed_at <= at) return { status: row.status, updated_at: row.changed_at }
  return row?.status === 'a' ? undefined : { status: 'a', updated_at: creationTime(current.id) }
}

type OldVersion = Pick<
  PassportRow,
  'version_no' | 'created_by' | 'updated_at' | 'gtin' | 'data' | 'schema_version'
>

async function findVersionRow(
  sql: Sql,
  current: PassportRow,
  versionNo: number,
): Promise<OldVersion | undefined> {
  const [row] = await sql<OldVersion[]>`
    select v.version_no, v.created_by, ${selectVersionTime(sql, current)} as updated_at, v.schema_version, c.data->>'gtin' as gtin,
      coalesce(c.data || v.own, c.data)::text as data
    from passport_version v join content c on c.id = v.content_id and c.account_id = v.account_id
    where v.passport_id = ${current.id} and v.account_id = ${current.account_id} and v.version_no = ${versionNo}`
  return row
}

/** `schemaVersion`: by which the keys of `data` were understood. */
type VersionData = { data: PassportData; schemaVersion: number }

/** A model's data, or a unit's own fields, at an existing version. */
export async function getOwnDataAtVersion(
  { sql }: AccountContext,
  current: PassportRow,
  versionNo: number,
): Promise<VersionData> {
  const isModel = current.level === 'm'
  const [row] = await sql<VersionData[]>`
    select case when ${isModel}::boolean then c.data else coalesce(v.own, '{}') end as data,
      v.schema_version as "schemaVersion"
    from ${current.version_no === 1 ? selectFirstVersion(sql, current) : sql`passport_version`} v
    join content c on c.id = v.content_id and c.account_id = v.account_id
    where v.passport_id = ${current.id} and v.version_no = ${versionNo} and v.account_id = ${current.account_id}
    limit 1`
  if (row === undefined) throw notFound('version of this product')
  return row
}

/** Version 1 of a passport that was at it when it was read, and may have changed since. */
const selectFirstVersion = (sql: Sql, { id, account_id }: PassportRow): Fragment => sql`(
  select id as passport_id, account_id, version_no, content_id, own, schema_version from passport
  where id = ${id} and account_id = ${account_id} and version_no = 1
  union all
  select passport_id, account_id, version_no, content_id, own, schema_version from passport_version
  where passport_id = ${id} and account_id = ${account_id} and version_no = 1)`
