/**
 * Stores drafts: products and changes that nobody but their account sees. They are on the account's home and
 * need no quota, version, event or GTIN.
 */
import { atHome, atNewModel } from '../../accounts/account/account-shard.ts'
import { lockAccount } from '../../accounts/account/accounts.ts'
import { type AccountContext, withTransaction } from '../../accounts/account/context.ts'
import { newUuid } from '../../kernel/crypto/ids.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { newPassportUuid } from '../../kernel/db/shards.ts'
import { AppError, notFound } from '../../kernel/errors/errors.ts'
import { type PassportData, removeNulls, requireCategory } from '../core/check-data.ts'
import { type FileUse, listFileUses, requireKnownFiles } from '../core/file-uses.ts'
import { getPassport } from '../read/find.ts'
import type { ChangeType } from '../write/plan-version.ts'
import { type Draft, requireStorable } from './draft.ts'

/** Limits the drafts of an account. */
export const MAX_DRAFTS = 1_000
const MAX_AGE_DAYS = 180

/** When the draft is deleted unless it is changed before. */
export const getDraftEnd = ({ updated_at }: Draft): Date =>
  new Date(updated_at.getTime() + MAX_AGE_DAYS * 86_400_000)

/** `product`: UUID of the product that is changed. */
export type NewDraft = {
  data: PassportData
  note: string | undefined
} & ({ category: string } | { product: string; changeType: ChangeType })

/** Throws `validation` for wrong values, `not_found` for the product, `plan_limit` for one draft too many. */
export async function createDraft(ctx: AccountContext, input: NewDraft): Promise<Draft> {
  const at = atHome(ctx)
  const now = ctx.clock.now()
  const times = { note: input.note ?? null, created_at: now, updated_at: now }
  const draft: Draft =
    'product' in input
      ? {
          ...times,
          id: newUuid(now.getTime()),
          category: (await getPassport(ctx, input.product)).category,
          product_id: input.product,
          change_type: input.changeType,
          data: input.data,
        }
      : {
          ...times,
          // The id that the passport will have, on the shard where it will be.
          id: newPassportUuid(atNewModel(ctx).sql, now.getTime()),
          category: requireCategory(input.category).id,
          product_id: null,
          change_type: null,
          data: removeNulls(input.data),
        }
  await requireStorable(ctx, draft)
  await withTransaction(at, async tx => {
    // In turns, so that two requests cannot both take the last place.
    await lockAccount(tx)
    if ((await countRoomForDrafts(tx)) < 1) throw tooManyDraftsError()
    await requireFiles(tx, draft)
    await insertDrafts(tx, [draft])
  })
  return draft
}

/** Stores drafts at the account's home. */
export async function insertDrafts(
  { sql, accountId, actorId }: AccountContext,
  drafts: readonly Draft[],
): Promise<void> {
  if (drafts.length === 0) return
  const rows = drafts.map(({ data, ...rest }) => ({ ...rest, data: JSON.stringify(data) }))
  await sql`
    insert into draft (account_id, id, product_id, category, change_type, data, note, created_at, created_by, updated_at)
    select ${accountId}, id, product_id, category, change_type, data::jsonb, note, created_at, ${actorId}, updated_at
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as r(id uuid, product_id uuid, category text,
      change_type text, data text, note text, created_at timestamptz, updated_at timestamptz)`
}

/** How many more drafts the account may have. */
export const countRoomForDrafts = async (ctx: AccountContext): Promise<number> =>
  Math.max(0, MAX_DRAFTS - (await countDrafts(ctx)))

const tooManyDraftsError = () =>
  new AppError(
    'plan_limit',
    `An account can have ${MAX_DRAFTS} drafts, and this one has that many. Publish or delete some of them.`,
  )

/** Throws `validation` for unknown files. The others stay until the transaction ends. */
const requireFiles = (tx: AccountContext, draft: Draft): Promise<void> =>
  requireKnownFiles(tx, listDraftFiles(tx, draft), { locks: true })

export function listDraftFiles(
  { accountId }: Pick<AccountContext, 'accountId'>,
  { id, category, data }: Draft,
): FileUse[] {
  const { schemaVersion } = requireCategory(category)
  return listFileUses({ accountId, id, versionNo: 1, category, schemaVersion, data })
}

type WithText<D> = D extends unknown ? Omit<D, 'data'> & { data: string } : never
type DraftRow = WithText<Draft>

const selectDrafts = ({ sql, accountId }: AccountContext) => sql`
  select id, product_id, category, change_type, data::text as data, note, created_at, updated_at
  from draft where account_id = ${accountId}`

const toDraft = (row: DraftRow): Draft => ({ ...row, data: JSON.parse(row.data) })

/** Throws `not_found`. */
export async function getDraft(ctx: AccountContext, id: string): Promise<Draft> {
  const at = atHome(ctx)
  const [row] = await at.sql<DraftRow[]>`${selectDrafts(at)} and id = ${id}`
  if (row === undefined) throw notFound('draft')
  return toDraft(row)
}

/** Newest first, without those that are gone. */
export async function getDrafts(ctx: AccountContext, ids: readonly string[]): Promise<Draft[]> {
  const at = atHome(ctx)
  const rows = await at.sql<DraftRow[]>`
    ${selectDrafts(at)} and id = any(${[...ids]}::text[]::uuid[]) order by id desc`
  return rows.map(toDraft)
}

export async function countDrafts(ctx: AccountContext): Promise<number> {
  const { sql, accountId } = atHome(ctx)
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from draft where account_id = ${accountId}`
  return row?.n ?? 0
}

/** Newest first. `after`: the id of the last draft of the page before. */
export async function listDrafts(
  ctx: AccountContext,
  { limit, offset = 0, after }: { limit: number; offset?: number; after?: string | undefined },
): Promise<Draft[]> {
  const at = atHome(ctx)
  const rows = await at.sql<DraftRow[]>`
    ${selectDrafts(at)} ${after === undefined ? at.sql`` : at.sql`and id < ${after}`}
    order by id desc limit ${limit} offset ${offset}`
  return rows.map(toDraft)
}

/** An undefined member stays as it is. */
export type DraftChange = {
  data: PassportData | undefined
  note: string | undefined
  changeType: ChangeType | undefined
}

/**
 * Merges `data`. In a draft of a new product, null removes a field; in a change, null stays, because it is to
 * remove the field of the product. Throws `not_found`, `validation`.
 */
export const changeDraft = (ctx: AccountContext, id: string, change: DraftChange): Promise<Draft> =>
  withTransaction(atHome(ctx), async tx => {
    const { sql, accountId } = tx
    const [row] = await sql<DraftRow[]>`${selectDrafts(tx)} and id = ${id} for update`
    if (row === undefined) throw notFound('draft')
    const before = toDraft(row)
    const rest = {
      data: { ...before.data, ...change.data },
      note: change.note ?? before.note,
      updated_at: ctx.clock.now(),
    }
    const draft: Draft =
      before.product_id === null
        ? { ...before, ...rest, data: removeNulls(rest.data) }
        : { ...before, ...rest, change_type: change.changeType ?? before.change_type }
    await requireStorable(tx, draft)
    await requireFiles(tx, draft)
    const { data, note, change_type, updated_at } = draft
    await sql`
      update draft set data = ${JSON.stringify(data)}::text::jsonb, note = ${note}, change_type = ${change_type},
        updated_at = ${updated_at}
      where account_id = ${accountId} and id = ${id}`
    return draft
  })

/** Returns the draft as it was. Throws `not_found`. */
export async function deleteDraft(ctx: AccountContext, id: string): Promise<Draft> {
  const { sql, accountId } = atHome(ctx)
  const [row] = await sql<DraftRow[]>`
    delete from draft where account_id = ${accountId} and id = ${id}
    returning id, product_id, category, change_type, data::text as data, note, created_at, updated_at`
  if (row === undefined) throw notFound('draft')
  return toDraft(row)
}

/** Scheduled task: deletes drafts that nobody has changed for 180 days. */
export async function deleteOldDrafts(sql: Sql, now: Date): Promise<void> {
  const before = new Date(now.getTime() - MAX_AGE_DAYS * 86_400_000)
  await sql`delete from draft where updated_at < ${before}`
}
