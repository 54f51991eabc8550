/** Previews a change: the corrected fields, the number of units, and units with own values. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { requireKnownFiles } from '../core/file-uses.ts'
import { selectContents } from '../core/outdated.ts'
import { getState, type PassportState } from '../core/state.ts'
import { countUnitsWithContents } from '../core/unit-counts.ts'
import { requireExpectedVersion } from './change-queue.ts'
import type { WrittenPassport } from './create.ts'
import { requireFreeGtin } from './find-matches.ts'
import { planNextVersion } from './plan-version.ts'
import type { PassportChange } from './update.ts'
import { listUsesOfVersion } from './write-versions.ts'

export type CorrectionReach = {
  fields: readonly string[]
  /** Issued batches and items at any depth. */
  units: number
  /** How many of these units have set each field themselves. */
  own_values: Record<string, number>
}

/** Like `updatePassport`, but writes nothing. `reach` is null unless the change is a correction. */
export async function previewUpdate(
  ctx: AccountContext,
  change: PassportChange,
): Promise<WrittenPassport & { reach: CorrectionReach | null }> {
  const current = await getState(ctx, change.uuid)
  requireExpectedVersion(current.row, change)
  const { passport, next, warnings } = planNextVersion(ctx, current, change)
  await requireFreeGtin(ctx, change.uuid, next.gtin14)
  await requireKnownFiles(ctx, listUsesOfVersion(ctx, next))
  const reach = change.changeType === 'correction' ? await findReach(ctx, current, next.changed) : null
  return { passport: { ...passport, updated_at: next.now }, warnings, reach }
}

async function findReach(
  { sql, accountId }: AccountContext,
  { row }: PassportState,
  fields: readonly string[],
): Promise<CorrectionReach> {
  if (fields.length === 0 || row.level === 'i') return { fields, units: 0, own_values: {} }
  const under = row.level === 'm' ? sql`` : sql`and p.parent_id = ${row.id}`
  const own = await sql<{ field: string; n: number }[]>`
    select f as field, count(*)::bigint as n from passport p, unnest(${fields}::text[]) f
    where p.account_id = ${accountId} and p.model_id = ${row.model_id} and p.parent_id is not null ${under}
      and p.own is not null and jsonb_exists(p.own, f)
    group by f order by f`
  return {
    fields,
    units: await countUnitsWithContents(sql, accountId, selectContents(sql, row)),
    own_values: Object.fromEntries(own.map(({ field, n }) => [field, n])),
  }
}
