/**
 * A PATCH: fields merged over the current version, checked, kept as a new version. Updates of one passport wait for
 * each other in this process; against other processes the statement holds only if the version is still the one read.
 */
import type { AccountContext } from '../accounts/context.ts'
import { findRefusal, perDatabase, retrying } from '../kernel/db.ts'
import { AppError, assert } from '../kernel/errors.ts'
import { idFromUuid, newUuid } from '../kernel/ids.ts'
import { inTurn } from '../kernel/in-turn.ts'
import { insertEvents, passportEvent } from '../webhooks/announce.ts'
import {
  type CheckedData,
  checkData,
  type Data,
  gtinTaken,
  requireCategory,
  withoutNulls,
} from './check-data.ts'
import type { Written } from './create.ts'
import { getPassport } from './find.ts'
import { differing } from './inherit.ts'
import { forgetPublicPassport } from './public-read.ts'
import { createdAt, type PassportRow } from './record.ts'

export const CHANGE_TYPES = ['change', 'correction'] as const
export type ChangeType = (typeof CHANGE_TYPES)[number]
const KIND = { change: 'h', correction: 'c' } as const

export type PassportChange = {
  uuid: string
  data: Data
  changeType: ChangeType
  note: string | undefined
  strict: boolean
  /** Says whether the version read is one the caller wants changed (`If-Match`). */
  expects: (current: PassportRow) => boolean
}

const MOST_ATTEMPTS = 50

const turns = perDatabase(() => inTurn())

/**
 * Merges `data` shallowly onto the passport's (null removes a field) and keeps the result as its next version with a
 * `product.updated` event, or changes nothing. Throws `not_found`, `version_conflict`, `validation`, `gtin_taken`.
 */
export function updatePassport(ctx: AccountContext, change: PassportChange): Promise<Written> {
  return turns(ctx.sql)(change.uuid, async () => {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const written = await retrying(() => attemptUpdate(ctx, change))
      if (written !== undefined) return written
    }
    throw new AppError(
      'unavailable',
      'This product is being changed from many sides at once. Try again in a moment.',
    )
  })
}

/** Undefined when another process made a version in between. */
async function attemptUpdate(ctx: AccountContext, change: PassportChange): Promise<Written | undefined> {
  const current = await getPassport(ctx, change.uuid)
  if (!change.expects(current)) {
    const message = `The product is at version ${current.version_no} now. Read it again, then repeat the change.`
    throw new AppError('version_conflict', message)
  }
  const before = JSON.parse(current.data) as Data
  const checked = checkData(requireCategory(current.category), withoutNulls({ ...before, ...change.data }), {
    strict: change.strict,
    validatedWith: current.schema_version,
  })
  const next = nextVersion(ctx, current, change, before, checked)
  const updatedAt = await write(ctx, current, next)
  if (updatedAt === undefined) return undefined
  forgetPublicPassport(ctx.sql, current.id)
  return {
    passport: {
      ...current,
      version_no: next.versionNo,
      created_by: ctx.actorId,
      schema_version: checked.schemaVersion,
      updated_at: updatedAt,
      gtin: typeof checked.data.gtin === 'string' ? checked.data.gtin : null,
      data: JSON.stringify(checked.data),
    },
    warnings: checked.warnings,
  }
}

type NextVersion = ReturnType<typeof nextVersion>

function nextVersion(
  ctx: AccountContext,
  current: PassportRow,
  change: PassportChange,
  before: Data,
  checked: CheckedData,
) {
  const now = ctx.clock.now()
  const changed = differing(before, checked.data)
  const versionNo = current.version_no + 1
  return {
    ...checked,
    now,
    versionNo,
    changed,
    kind: KIND[change.changeType],
    note: change.note ?? null,
    corrects: change.changeType === 'correction' && changed.length > 0,
    contentId: newUuid(now.getTime()),
    eventId: newUuid(now.getTime()),
    event: passportEvent({ id: idFromUuid(current.id), category: current.category, version_no: versionNo }),
  }
}

/** The time the new version bears, or undefined when the passport was no longer at the version read. */
async function write(
  ctx: AccountContext,
  current: PassportRow,
  next: NextVersion,
): Promise<Date | undefined> {
  assert(current.level === 'm', 'only models are updated here')
  const { sql, accountId, actorId } = ctx
  try {
    const [row] = await sql<{ updated_at: Date }[]>`
      with before as (
        select id, content_id, created_by, gtin14 from passport
        where id = ${current.id} and account_id = ${accountId} and version_no = ${current.version_no}
      ), moved as (
        update passport p set version_no = ${next.versionNo}, content_id = ${next.contentId}, created_by = ${actorId},
          updated_at = greatest(${next.now}::timestamptz, p.updated_at), schema_version = ${next.schemaVersion},
          gtin14 = ${next.gtin14}, sku = ${next.sku}, search = ${next.search},
          last_correction = case when ${next.corrects} then ${next.versionNo}::int else p.last_correction end
        where p.id = ${current.id} and p.account_id = ${accountId} and p.version_no = ${current.version_no}
        returning p.id, p.updated_at
      ), claim as (
        insert into gtin_claim (gtin14, account_id, model_id, claimed_at)
        select ${next.gtin14}::text, ${accountId}::int, b.id, m.updated_at from before b join moved m using (id)
        where ${next.gtin14}::text is distinct from b.gtin14 and ${next.gtin14}::text is not null
        on conflict (gtin14) do update set model_id = gtin_claim.model_id
          where gtin_claim.account_id = excluded.account_id and gtin_claim.model_id = excluded.model_id
        returning 1
      ), written_content as (
        insert into content (account_id, upto, id, owner_id, data)
        select ${accountId}::int, ${next.versionNo}::int, ${next.contentId}::uuid, id, ${JSON.stringify(next.data)}::text::jsonb
        from moved
      ), first_version as (
        insert into passport_version (created_at, account_id, version_no, created_by, passport_id, content_id, kind)
        select ${createdAt(current.id)}::timestamptz, ${accountId}::int, 1, b.created_by, b.id, b.content_id, 'n'
        from before b join moved m using (id) where ${current.version_no}::int = 1
      ), this_version as (
        insert into passport_version (created_at, account_id, version_no, created_by, passport_id, content_id, kind, note, changed)
        select updated_at, ${accountId}::int, ${next.versionNo}::int, ${actorId}::int, id, ${next.contentId}::uuid,
          ${next.kind}::text::"char", ${next.note}::text, ${next.changed}::text[] from moved
      ), announced as (
        ${insertEvents(sql)}
        select updated_at, ${accountId}::int, ${next.eventId}::uuid, 'product.updated', ${JSON.stringify(next.event)}::text::jsonb
        from moved
      )
      select m.updated_at, case when ${next.gtin14}::text is distinct from b.gtin14 and ${next.gtin14}::text is not null
        and not exists (select 1 from claim) then carnet_refuse('gtin_taken') end
      from moved m join before b using (id)`
    return row?.updated_at
  } catch (error) {
    throw findRefusal(error) === 'gtin_taken' ? gtinTaken() : error
  }
}
