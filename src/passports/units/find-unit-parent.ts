/** Finds the model or batch of the account under which a unit with a GS1 address belongs. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { effectiveData, getState } from '../core/state.ts'
import { atPassport } from '../read/find.ts'
import { findByGtin } from '../write/find-matches.ts'

type UnitAddress = { gtin14: string; lot?: string | undefined }

/** `at`: the account where the parent is. `id`: its UUID. `inherited`: what a unit under it inherits. */
export type UnitParent = {
  at: AccountContext
  id: string
  category: string
  inherited: Readonly<Record<string, unknown>>
}

/** Also by a GTIN that the model had before. Undefined if the account has no such model or batch. */
export async function findUnitParent(
  ctx: AccountContext,
  { gtin14, lot }: UnitAddress,
): Promise<UnitParent | undefined> {
  const model = (await findByGtin(ctx, [gtin14])).get(gtin14)?.id
  if (model === undefined || model === null) return undefined
  const at = await atPassport(ctx, model)
  const id = lot === undefined ? model : await findBatch(at, model, lot)
  if (id === undefined) return undefined
  const state = await getState(at, id)
  return { at, id, category: state.row.category, inherited: effectiveData(state) }
}

async function findBatch(
  { sql, accountId }: AccountContext,
  model: string,
  lot: string,
): Promise<string | undefined> {
  const [batch] = await sql<{ id: string }[]>`
    select id from passport
    where account_id = ${accountId} and model_id = ${model} and level = 'b' and lot = ${lot} limit 1`
  return batch?.id
}
