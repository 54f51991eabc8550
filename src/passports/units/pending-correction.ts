/** The corrections that outdated units lack, bounded: the current and the corrected value of each field. */

import { Semaphore } from '../../kernel/concurrency/semaphore.ts'
import { perDatabase, type Sql } from '../../kernel/db/database.ts'
import { getShard } from '../../kernel/db/shards.ts'
import type { PassportData } from '../core/check-data.ts'
import { selectOutdatedContents } from '../core/outdated.ts'
import type { PassportState } from '../core/state.ts'
import type { PublicPassportRow } from '../read/find.ts'
import {
  type ContentReader,
  computeCorrections,
  findCorrections,
  readContentOfUnit,
} from './refresh-content.ts'

/** Corrected fields that have a value. */
export type PendingCorrection = {
  before: PassportData
  after: PassportData
  /** The batch if any correction is its own. */
  correctedBy: 'model' | 'batch'
  /** The earliest by which any value of `after` is understood; infinite without values. */
  schemaVersion: number
}

const BOUNDS = { maxCorrections: 20, maxBytes: 262_144 }

/** Data may be large, so few corrections are read at the same time. */
const permits = perDatabase(() => new Semaphore({ capacity: 2 }))

/** For the public page of a unit; the caller discloses only what its reader may see. */
export const readPendingCorrection = (
  sql: Sql,
  passport: Pick<PublicPassportRow, 'account_id' | 'id' | 'unit_fields' | 'shard'>,
): Promise<PendingCorrection | undefined> =>
  permits(getShard(sql, passport.shard)).run(() => {
    const ctx = { sql: getShard(sql, passport.shard), accountId: passport.account_id }
    return findPendingForUnit(ctx, passport.id, passport.unit_fields ?? [])
  })

/** Returns the changes of a refresh on a unit with the own fields `ownKeys`. Undefined beyond the bounds. */
export async function findPendingForUnit(
  ctx: ContentReader,
  uuid: string,
  ownKeys: readonly string[],
): Promise<PendingCorrection | undefined> {
  const content = await readContentOfUnit(ctx, uuid)
  const pending = content && (await computeCorrections(ctx, content, BOUNDS))
  if (content === undefined || pending === undefined) return undefined
  const { changed, data, schemaVersions } = pending.corrected
  const fields = changed.filter(name => !ownKeys.includes(name))
  const correctedBy = pending.byBatch ? 'batch' : 'model'
  return {
    before: pickFields(content.data, fields),
    after: pickFields(data, fields),
    correctedBy,
    schemaVersion: Math.min(...fields.map(name => schemaVersions.get(name) ?? Number.POSITIVE_INFINITY)),
  }
}

/** The corrections of a model or batch since the oldest unit that lacks one. */
export async function findPendingUnder(
  ctx: ContentReader,
  { row }: PassportState,
): Promise<PendingCorrection | undefined> {
  const { sql, accountId } = ctx
  const [oldest] = await sql<{ since: number | null }[]>`
    select min(case when c.owner_id = ${row.id} then c.upto else c.model_upto end) as since
    from content c join content_units u on u.content_id = c.id and u.account_id = c.account_id
    where c.account_id = ${accountId} and c.id = any(array(${selectOutdatedContents(sql, row)})) and u.n > 0`
  if (typeof oldest?.since !== 'number') return undefined
  const range = { since: oldest.since, until: row.version_no }
  const corrections = await findCorrections(ctx, row.id, range, BOUNDS)
  if (corrections === undefined) return undefined
  const before: Record<string, unknown> = {}
  const after: Record<string, unknown> = {}
  const seen = new Set<string>()
  for (const correction of corrections) {
    for (const field of correction.fields) {
      if (!seen.has(field) && Object.hasOwn(correction.before, field))
        before[field] = correction.before[field]
      if (Object.hasOwn(correction.after, field)) after[field] = correction.after[field]
      else delete after[field]
      seen.add(field)
    }
  }
  const correctedBy = row.level === 'b' ? 'batch' : 'model'
  const schemaVersion = Math.min(row.schema_version, ...corrections.map(one => one.schemaVersion))
  return { before, after, correctedBy, schemaVersion }
}

const pickFields = (data: PassportData, names: readonly string[]): PassportData =>
  Object.fromEntries(names.filter(name => Object.hasOwn(data, name)).map(name => [name, data[name]]))
