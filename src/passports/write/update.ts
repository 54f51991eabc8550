/** A PATCH: merges fields into the current version, checks the result and writes the next version. */
import type { AccountContext } from '../../accounts/account/context.ts'
import type { ExpectedVersion } from './change-queue.ts'
import type { WrittenPassport } from './create.ts'
import type { DataChange } from './plan-version.ts'
import { writeNextVersion } from './write-next-version.ts'

export type PassportChange = DataChange & ExpectedVersion & { uuid: string }

/**
 * Merges `data` shallowly (null removes a field); writes the next version and its `product.updated` event, or
 * nothing. Throws `not_found`, `version_conflict`, `validation`, `gtin_taken`.
 */
export const updatePassport = (ctx: AccountContext, change: PassportChange): Promise<WrittenPassport> =>
  writeNextVersion(ctx, change, () => change)
