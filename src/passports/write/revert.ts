/** Going back to an earlier version is a version like any other: what was is written once more, and checked once more. */
import type { AccountContext } from '../../accounts/context.ts'
import { notFound } from '../../kernel/errors.ts'
import type { PassportData } from '../core/check-data.ts'
import { getState } from '../core/state.ts'
import { getOwnDataAtVersion } from '../read/history.ts'
import type { ExpectedVersion } from './change-queue.ts'
import type { WrittenPassport } from './create.ts'
import type { ChangeType } from './plan-version.ts'
import { updatePassport } from './update.ts'

export type Reversion = ExpectedVersion & {
  uuid: string
  versionNo: number
  changeType: ChangeType
  note: string | undefined
}

/**
 * Writes the data of an earlier version as the next one. Of a unit that is its own fields: what it inherits stays as
 * it is, with all corrections. Throws `not_found`, and what `updatePassport` throws.
 */
export async function revertPassport(ctx: AccountContext, wish: Reversion): Promise<WrittenPassport> {
  const { row, own, inherited } = await getState(ctx, wish.uuid)
  if (wish.versionNo < 1 || wish.versionNo > row.version_no) throw notFound('version of this product')
  const earlier = await getOwnDataAtVersion(ctx, row, wish.versionNo)
  const now: PassportData = row.level === 'm' ? inherited : (own ?? {})
  const gone = Object.keys(now).filter(name => !Object.hasOwn(earlier, name))
  const data = { ...earlier, ...Object.fromEntries(gone.map(name => [name, null])) }
  const { uuid, changeType, note, expects } = wish
  return updatePassport(ctx, { uuid, data, changeType, note, strict: false, expects })
}
