/** Writes the data of an earlier version as a new version, checked like any other. */
import type { AccountContext } from '../../accounts/context.ts'
import { notFound } from '../../kernel/errors.ts'
import type { PassportData } from '../core/check-data.ts'
import { getState } from '../core/state.ts'
import { getOwnDataAtVersion } from '../read/history.ts'
import type { WrittenPassport } from './create.ts'
import { type PassportChange, updatePassport } from './update.ts'

type Reversion = Omit<PassportChange, 'data' | 'strict'> & { versionNo: number }

/** For a unit, only own fields are restored. Throws `not_found`, and what `updatePassport` throws. */
export async function revertPassport(ctx: AccountContext, reversion: Reversion): Promise<WrittenPassport> {
  const { row, own, inherited } = await getState(ctx, reversion.uuid)
  if (reversion.versionNo < 1 || reversion.versionNo > row.version_no)
    throw notFound('version of this product')
  const { data: earlier, schemaVersion } = await getOwnDataAtVersion(ctx, row, reversion.versionNo)
  const current: PassportData = row.level === 'm' ? inherited : (own ?? {})
  const gone = Object.keys(current).filter(name => !Object.hasOwn(earlier, name))
  const data = { ...earlier, ...Object.fromEntries(gone.map(name => [name, null])) }
  const { uuid, changeType, note, expects } = reversion
  return updatePassport(ctx, { uuid, data, schemaVersion, changeType, note, strict: false, expects })
}
