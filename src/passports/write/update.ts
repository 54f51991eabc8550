/**
 * A PATCH: fields merged over the current version, checked, kept as a new version. Updates of one passport wait for
 * each other in this process; against other processes the statement holds only if the version is still the one read.
 */
import type { AccountContext } from '../../accounts/context.ts'
import type { CompleteCategory } from '../../categories/catalogue.ts'
import { listUnknownKeys } from '../../categories/check/validate.ts'
import { findRefusalReason, perDatabase, type Sql, withRetries } from '../../kernel/db/database.ts'
import { AppError, type Detail, invalid } from '../../kernel/errors.ts'
import { idFromUuid, newUuid } from '../../kernel/ids.ts'
import { KeyedQueue } from '../../kernel/keyed-queue.ts'
import { buildPassportEvent, insertEvents } from '../../webhooks/insert-events.ts'
import {
  type CheckedData,
  checkData,
  checkUnitData,
  type PassportData,
  removeNulls,
  requireCategory,
} from '../core/check-data.ts'
import { headHash, nextHash } from '../core/hash-chain.ts'
import { listChangedFields } from '../core/inherit.ts'
import { creationTime, type PassportRow } from '../core/record.ts'
import { effectiveData, getState, type PassportState } from '../core/state.ts'
import { dropCachedHead } from '../read/public-passport.ts'
import type { WrittenPassport } from './create.ts'
import { explainTakenGtin } from './find-matches.ts'

export const CHANGE_TYPES = ['change', 'correction'] as const
export type ChangeType = (typeof CHANGE_TYPES)[number]
const KIND = { change: 'h', correction: 'c' } as const

export type PassportChange = {
  uuid: string
  data: PassportData
  changeType: ChangeType
  note: string | undefined
  strict: boolean
  /** Says whether the version read is one the caller wants changed (`If-Match`). */
  expects: (current: PassportRow) => boolean
}

export const MAX_WRITE_ATTEMPTS = 50

const turns = perDatabase(() => new KeyedQueue())

/** Runs `work` when the changes of this passport that came earlier to this process are done. */
export const queueByPassport = <T>(sql: Sql, uuid: string, work: () => Promise<T>): Promise<T> =>
  turns(sql).run(uuid, work)

/**
 * Merges `data` shallowly onto the passport's (null removes a field) and keeps the result as its next version with a
 * `product.updated` event, or changes nothing. Throws `not_found`, `version_conflict`, `validation`, `gtin_taken`.
 */
export function updatePassport(ctx: AccountContext, change: PassportChange): Promise<WrittenPassport> {
  return queueByPassport(ctx.sql, change.uuid, async () => {
    for (let attempt = 0; attempt < MAX_WRITE_ATTEMPTS; attempt++) {
      const written = await withRetries(() => attemptUpdate(ctx, change))
      if (written !== undefined) return written
    }
    throw contentionError()
  })
}

/** Others were faster so often that something is wrong. */
export const contentionError = () =>
  new AppError('unavailable', 'This product is being changed from many sides at once. Try again in a moment.')

/** Undefined when another process made a version in between. */
async function attemptUpdate(
  ctx: AccountContext,
  change: PassportChange,
): Promise<WrittenPassport | undefined> {
  const current = await getState(ctx, change.uuid)
  requireExpectedVersion(current.row, change)
  const { next, warnings } = planNextVersion(ctx, current, change)
  const updatedAt = await writeVersion(ctx, current.row, next)
  if (updatedAt === undefined) return undefined
  dropCachedHead(ctx.sql, current.row.id)
  return { passport: { ...next.row, updated_at: updatedAt }, warnings }
}

export function requireExpectedVersion(
  current: PassportRow,
  { expects }: Pick<PassportChange, 'expects'>,
): void {
  if (expects(current)) return
  const now = current.version_no
  const message = `The product is at version ${now} now (If-Match: "v${now}", with the quotation marks). Read it again, then repeat the change.`
  throw new AppError('version_conflict', message)
}

/** A change checked and worked out, ready to be written. Throws `validation` with every violation. */
export function planNextVersion(
  ctx: AccountContext,
  current: PassportState,
  change: Pick<PassportChange, 'data' | 'changeType' | 'note' | 'strict'>,
): { next: NextVersion; warnings: readonly Detail[] } {
  const isModel = current.row.level === 'm'
  if (!isModel && Object.hasOwn(change.data, 'gtin')) throw invalid([unitGtinProblem()])
  const before = effectiveData(current)
  const own = isModel ? null : removeNulls({ ...current.own, ...change.data })
  const after = isModel ? removeNulls({ ...before, ...change.data }) : { ...current.inherited, ...own }
  const category = requireCategory(current.row.category)
  const options = { strict: false, validatedWith: current.row.schema_version }
  const checked =
    own === null
      ? checkData(category, after, options)
      : checkUnitData(category, after, Object.keys(own), options)
  if (change.strict) rejectUnknownFields(category, change.data)
  return {
    next: buildNextVersion(ctx, current, change, { before, own, checked }),
    warnings: checked.warnings,
  }
}

/** Strict is about what was sent: unknown fields kept from before are none of this request's. */
function rejectUnknownFields(category: CompleteCategory, sent: PassportData): void {
  const unknown = listUnknownKeys(category, removeNulls(sent))
  if (unknown.length > 0) throw invalid(unknown)
}

export const unitGtinProblem = (pointer = '/data/gtin'): Detail => {
  const message = 'gtin belongs to the model; its units inherit it. Leave it out, or change it on the model.'
  return { field: 'gtin', pointer, code: 'immutable', message }
}

export type NextVersion = ReturnType<typeof buildNextVersion>

function buildNextVersion(
  ctx: AccountContext,
  { row }: PassportState,
  change: Pick<PassportChange, 'changeType' | 'note'>,
  { before, own, checked }: { before: PassportData; own: PassportData | null; checked: CheckedData },
) {
  const now = ctx.clock.now()
  const changed = listChangedFields(before, checked.data)
  const versionNo = row.version_no + 1
  const isModel = row.level === 'm'
  const { gtin } = checked.data
  return {
    row: {
      ...row,
      version_no: versionNo,
      created_by: ctx.actorId,
      schema_version: checked.schemaVersion,
      gtin: typeof gtin === 'string' ? gtin : null,
      data: JSON.stringify(checked.data),
    },
    now,
    changed,
    kind: KIND[change.changeType],
    note: change.note ?? null,
    /** A model's data is a content of its own; a unit keeps the one it was handed on. */
    content: isModel ? { id: newUuid(now.getTime()), data: checked.data } : null,
    own: own === null || Object.keys(own).length === 0 ? null : pickFields(checked.data, Object.keys(own)),
    gtin14: isModel ? checked.gtin14 : null,
    sku: isModel ? checked.sku : null,
    search:
      row.level === 'i'
        ? null
        : row.lot === null
          ? checked.search
          : `${checked.search}\n${row.lot.toLowerCase()}`,
    corrects: change.changeType === 'correction' && changed.length > 0 && row.level !== 'i',
    eventId: newUuid(now.getTime()),
    event: buildPassportEvent({ id: idFromUuid(row.id), category: row.category, version_no: versionNo }),
  }
}

const pickFields = (data: PassportData, names: readonly string[]): PassportData =>
  Object.fromEntries(names.map(name => [name, data[name]]))

/** The time the new version bears, or undefined when the passport was no longer at the version read. */
async function writeVersion(
  ctx: AccountContext,
  current: PassportRow,
  next: NextVersion,
): Promise<Date | undefined> {
  const { sql, accountId, actorId } = ctx
  const own = next.own === null ? null : JSON.stringify(next.own)
  try {
    const [row] = await sql<{ updated_at: Date }[]>`
      with before as (
        select p.id, p.content_id, p.created_by, p.gtin14, p.own, ${headHash(sql, accountId, current.version_no)} as hash from passport p
        where p.id = ${current.id} and p.account_id = ${accountId} and p.version_no = ${current.version_no}
      ), moved as (
        update passport p set version_no = ${next.row.version_no}, created_by = ${actorId}, units_content_id = null,
          content_id = coalesce(${next.content?.id ?? null}::uuid, p.content_id), own = ${own}::text::jsonb,
          updated_at = greatest(${next.now}::timestamptz, p.updated_at), stored_at = greatest(p.stored_at, now()), schema_version = ${next.row.schema_version},
          gtin14 = ${next.gtin14}, sku = ${next.sku}, search = ${next.search},
          last_correction = case when ${next.corrects} then ${next.row.version_no}::int else p.last_correction end,
          corrected_at = case when ${next.corrects} then greatest(${next.now}::timestamptz, p.updated_at, now()) else p.corrected_at end
        where p.id = ${current.id} and p.account_id = ${accountId} and p.version_no = ${current.version_no}
        returning p.id, p.content_id, p.updated_at
      ), claim as (
        insert into gtin_claim (gtin14, account_id, model_id, claimed_at)
        select ${next.gtin14}::text, ${accountId}::int, b.id, m.updated_at from before b join moved m using (id)
        where ${next.gtin14}::text is distinct from b.gtin14 and ${next.gtin14}::text is not null
        on conflict (gtin14) do update set model_id = gtin_claim.model_id
          where gtin_claim.account_id = excluded.account_id and gtin_claim.model_id = excluded.model_id
        returning 1
      ), written_content as (
        insert into content (account_id, upto, id, owner_id, data)
        select ${accountId}::int, ${next.row.version_no}::int, content_id, id, ${JSON.stringify(next.content?.data ?? null)}::text::jsonb
        from moved where ${next.content !== null}::boolean
        returning id, hash
      ), first_version as (
        insert into passport_version (created_at, account_id, version_no, created_by, passport_id, content_id, kind, own, hash)
        select ${creationTime(current.id)}::timestamptz, ${accountId}::int, 1, b.created_by, b.id, b.content_id, 'n', b.own, b.hash
        from before b join moved m using (id) where ${current.version_no}::int = 1
      ), this_version as (
        insert into passport_version (created_at, account_id, version_no, created_by, passport_id, content_id, kind, own, note, changed, hash)
        select m.updated_at, ${accountId}::int, ${next.row.version_no}::int, ${actorId}::int, m.id, m.content_id,
          ${next.kind}::text::"char", ${own}::text::jsonb, ${next.note}::text, ${next.changed}::text[],
          ${nextHash(sql, {
            before: sql`b.hash`,
            versionNo: sql`${next.row.version_no}::int`,
            kind: sql`${next.kind}::text::"char"`,
            createdAt: sql`m.updated_at`,
            createdBy: sql`${actorId}::int`,
            contentHash: sql`coalesce(w.hash, (select hash from content where id = m.content_id and account_id = ${accountId}))`,
            own: sql`${own}::text::jsonb`,
            note: sql`${next.note}::text`,
            changed: sql`${next.changed}::text[]`,
          })}
        from moved m join before b using (id) left join written_content w on w.id = m.content_id
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
    throw findRefusalReason(error) === 'gtin_taken' ? await explainTakenGtin(ctx, next.gtin14) : error
  }
}
