/** Puts the demo's passports into its account through the same verbs as every door, once: what is there stays as it is. */
import type { AccountContext } from '../accounts/context.ts'
import { idFromUuid } from '../kernel/ids.ts'
import { createPassport } from '../passports/create.ts'
import { listPassports } from '../passports/list.ts'
import { updatePassport } from '../passports/update.ts'
import type { DemoPassport } from './demo-data/demo-passport.ts'

/** Loads what is missing, also after a load that was cut off. Returns the ids in the order given. */
export async function loadDemoPassports(
  ctx: AccountContext,
  passports: readonly DemoPassport[],
): Promise<string[]> {
  const ids: string[] = []
  for (const passport of passports) {
    const model = (await findModel(ctx, passport)) ?? (await createModel(ctx, passport))
    for (const update of (passport.corrections ?? []).slice(model.versionNo - 1)) {
      await updatePassport(ctx, {
        uuid: model.uuid,
        data: update.data as Parameters<typeof updatePassport>[1]['data'],
        changeType: update.change_type,
        note: update.note,
        strict: true,
        expects: () => true,
      })
    }
    ids.push(idFromUuid(model.uuid))
  }
  return ids
}

type Model = { uuid: string; versionNo: number }

async function createModel(ctx: AccountContext, { category, data }: DemoPassport): Promise<Model> {
  const { passport } = await createPassport(ctx, { category, data, strict: true })
  return { uuid: passport.id, versionNo: passport.version_no }
}

/** The oldest model with the passport's SKU. */
async function findModel(ctx: AccountContext, { data }: DemoPassport): Promise<Model | undefined> {
  const filter = {
    levels: ['m'],
    sku: String(data.sku),
  } as const
  const { rows } = await listPassports(ctx, filter, { limit: 100, page: 1 })
  const oldest = rows.at(-1)
  return oldest === undefined ? undefined : { uuid: oldest.id, versionNo: oldest.version_no }
}
