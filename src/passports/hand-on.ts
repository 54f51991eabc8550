/** What a model or a batch hands on to the units issued at its present version: one content, shared by all of them. */
import type { AccountContext } from '../accounts/context.ts'
import { newUuid } from '../kernel/ids.ts'
import { getState, readingOf, type State } from './state.ts'

/** The id of that content; a batch's is made when its first unit of a version is issued. */
export async function handOn(ctx: AccountContext, giver: State): Promise<string> {
  let state = giver
  for (;;) {
    if (state.row.level === 'm') return state.contentId
    if (state.unitsContentId !== null) return state.unitsContentId
    const made = await makeUnitsContent(ctx, state)
    if (made !== undefined) return made
    state = await getState(ctx, state.row.id)
  }
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
