/** Writes the next version of a passport, decided by the version before it. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { pauseIfLarge } from '../../kernel/concurrency/yield-to-event-loop.ts'
import type { PassportState } from '../core/state.ts'
import { writeVersionBatched } from './batch-versions.ts'
import { type ExpectedVersion, requireExpectedVersion, retryUntilWritten } from './change-queue.ts'
import type { WrittenPassport } from './create.ts'
import { explainTakenGtin } from './find-matches.ts'
import { loadState } from './load-state.ts'
import { type DataChange, planNextVersion } from './plan-version.ts'

/**
 * Writes what `decide` returns for the present state, with its event, or nothing. If another process was
 * faster, it reads the state again and asks `decide` again: all that a change is computed from must be read
 * there. Throws `not_found`, `version_conflict`, `validation`, `gtin_taken`, and what `decide` throws.
 */
export const writeNextVersion = (
  ctx: AccountContext,
  { uuid, expects }: ExpectedVersion & { uuid: string },
  decide: (current: PassportState, ctx: AccountContext) => DataChange | Promise<DataChange>,
): Promise<WrittenPassport> =>
  retryUntilWritten(ctx, uuid, async at => {
    const current = await loadState(at, uuid)
    requireExpectedVersion(current.row, { expects })
    await pauseIfLarge(current.row.data.length)
    const { passport, next, warnings } = planNextVersion(at, current, await decide(current, at))
    const dataLength = passport.data.length
    await pauseIfLarge(dataLength)
    const { written, taken, refused } = await writeVersionBatched({ ctx: at, next, dataLength })
    const error = refused.get(uuid)
    if (error !== undefined) throw error
    if (taken.has(uuid)) throw await explainTakenGtin(at, next.gtin14)
    const updated_at = written.get(uuid)
    return updated_at && { passport: { ...passport, updated_at }, warnings }
  })
