/** What a model or a batch hands on to the units issued at its present version: one content, shared by all of them. */
import type { AccountContext } from '../accounts/context.ts'
import { newUuid } from '../kernel/ids.ts'
import { getState, readingOf, type State } from './state.ts'

/**
 * The id of that content; a batch's is made when its first unit of a version is issued. Undefined when the batch has
 * changed since its state was read: what was checked against that state must be checked again.
 */
export async function handOn(ctx: AccountContext, giver: State): Promise<string | undefined> {
  if (giver.row.level === 'm') return giver.contentId
  if (giver.unitsContentId !== null) return giver.unitsContentId
  const made = await makeUnitsContent(ctx, giver)
  if (made !== undefined) return made
  const now = await getState(ctx, giver.row.id)
  return now.row.version_no === giver.row.version_no ? (now.unitsContentId ?? undefined) : undefined
}

/** Undefined when the batch changed, or another process was first. */
async function makeUnitsContent(ctx: AccountContext, batch: State): Promise<string | undefined> {
  const id = newUuid(ctx.clock.now().getTime())
  const { row, upto } = batch
  const [made] = await ctx.sql`
    with giver as (
      update passport set units_content_id = ${id}
      where id = ${row.id} and account_id = ${ctx.accountId} and version_no = ${row.version_no}
        and units_content_id is null
      returning id
    ), written as (
      insert into content (account_id, upto, model_upto, id, owner_id, own_fields, data)
      select ${ctx.accountId}::int, ${row.version_no}::int, ${upto}::int, ${id}::uuid, id,
        ${Object.keys(batch.own ?? {})}::text[], ${JSON.stringify(readingOf(batch))}::text::jsonb
      from giver
    )
    select 1 from giver`
  return made === undefined ? undefined : id
}
