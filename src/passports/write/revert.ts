/** Writes the data of an earlier version as a new version, checked like any other. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { notFound } from '../../kernel/errors/errors.ts'
import type { PassportData } from '../core/check-data.ts'
import type { PassportState } from '../core/state.ts'
import { getOwnDataAtVersion } from '../read/history.ts'
import type { WrittenPassport } from './create.ts'
import type { DataChange } from './plan-version.ts'
import type { PassportChange } from './update.ts'
import { writeNextVersion } from './write-next-version.ts'

type Reversion = Omit<PassportChange, 'data' | 'strict'> & { versionNo: number }

/** For a unit, only own fields are restored. Throws `not_found`, and what `updatePassport` throws. */
export const revertPassport = (ctx: AccountContext, reversion: Reversion): Promise<WrittenPassport> =>
  writeNextVersion(ctx, reversion, (current, at) => buildChange(at, current, reversion))

/** Fields that the current version has and the earlier one has not are removed. */
async function buildChange(
  ctx: AccountContext,
  { row, own, inherited }: PassportState,
  { versionNo, changeType, note }: Reversion,
): Promise<DataChange> {
  if (versionNo < 1 || versionNo > row.version_no) throw notFound('version of this product')
  const { data: earlier, schemaVersion } = await getOwnDataAtVersion(ctx, row, versionNo)
  const current: PassportData = row.level === 'm' ? inherited : (own ?? {})
  const gone = Object.keys(current).filter(name => !Object.hasOwn(earlier, name))
  const data = { ...earlier, ...Object.fromEntries(gone.map(name => [name, null])) }
  return { data, schemaVersion, changeType, note, strict: false }
}
