/** A PATCH: merges fields into the current version, checks the result and writes the next version. */
import type { AccountContext } from '../../accounts/context.ts'
import { getState } from '../core/state.ts'
import { type ExpectedVersion, requireExpectedVersion, retryUntilWritten } from './change-queue.ts'
import type { WrittenPassport } from './create.ts'
import { explainTakenGtin } from './find-matches.ts'
import { type DataChange, planNextVersion } from './plan-version.ts'
import { writeVersions } from './write-versions.ts'

export type PassportChange = DataChange & ExpectedVersion & { uuid: string }

/**
 * Merges `data` shallowly (null removes a field); writes the next version and its `product.updated` event, or
 * nothing. Throws `not_found`, `version_conflict`, `validation`, `gtin_taken`.
 */
export const updatePassport = (ctx: AccountContext, change: PassportChange): Promise<WrittenPassport> =>
  retryUntilWritten(ctx.sql, change.uuid, async () => {
    const current = await getState(ctx, change.uuid)
    requireExpectedVersion(current.row, change)
    const { passport, next, warnings } = planNextVersion(ctx, current, change)
    const { written, taken, refused } = await writeVersions(ctx, [next])
    for (const error of refused.values()) throw error
    if (taken.size > 0) throw await explainTakenGtin(ctx, next.gtin14)
    const updated_at = written.get(change.uuid)
    return updated_at && { passport: { ...passport, updated_at }, warnings }
  })
