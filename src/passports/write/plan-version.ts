/** Checks a change against the state of its passport and plans the next version. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { type CompleteCategory, dropNewerKeys, findCommonCategory } from '../../categories/catalogue.ts'
import { listUnknownKeys } from '../../categories/check/validate.ts'
import { newUuid } from '../../kernel/crypto/ids.ts'
import { type Detail, invalid } from '../../kernel/errors/errors.ts'
import {
  type CheckedData,
  checkData,
  checkUnitData,
  type PassportData,
  removeNulls,
  requireCategory,
} from '../core/check-data.ts'
import { requireKnownRules } from '../core/check-declared-rules.ts'
import { listChangedFields } from '../core/inherit.ts'
import { type PassportRow, summaryData } from '../core/record.ts'
import { type BulkRow, effectiveData, type PassportState } from '../core/state.ts'
import { buildNextVersion, type NextVersion } from './write-versions.ts'

export const CHANGE_TYPES = ['change', 'correction'] as const
export type ChangeType = (typeof CHANGE_TYPES)[number]

/** `data` is merged into the passport's; null removes a field. */
export type DataChange = {
  data: PassportData
  changeType: ChangeType
  note: string | undefined
  strict: boolean
  /** By which `data` is understood; default: the newest. */
  schemaVersion?: number
}

/** The state that the next version is planned from. */
type Plannable = Omit<PassportState, 'row'> & { row: BulkRow }

/** `passport`: the passport with the new version. `summary`: the same with the data of a summary. */
export type PlannedVersion = {
  passport: PassportRow
  summary: PassportRow
  next: NextVersion
  warnings: readonly Detail[]
  /** Neither a value nor the meaning of a key would change. */
  isUnchanged: boolean
}

/** Throws `validation` with every violation. */
export function planNextVersion(ctx: AccountContext, current: Plannable, change: DataChange): PlannedVersion {
  const isModel = current.row.level === 'm'
  if (!isModel && Object.hasOwn(change.data, 'gtin')) throw invalid([unitGtinProblem])
  const before = effectiveData(current)
  const own = isModel ? null : removeNulls({ ...current.own, ...change.data })
  const after = isModel ? removeNulls({ ...before, ...change.data }) : { ...current.inherited, ...own }
  const category = findCategoryOfVersion(current, change, Object.keys(after))
  const options = { strict: false, validatedWith: current.row.schema_version, ownHost: ctx.ownHost }
  const checked =
    own === null
      ? checkData(category, after, options)
      : checkUnitData(category, after, Object.keys(own), options)
  if (checked.schemaVersion > 1) requireKnownRules(change.data)
  if (change.strict) rejectUnknownFields(requireCategory(current.row.category), change.data)
  const newlyKnown = listNewlyKnown(current, checked)
  const next = toNextVersion(ctx, current, change, {
    checked,
    own: own === null || Object.keys(own).length === 0 ? null : pickFields(checked.data, Object.keys(own)),
    changed: [...new Set([...listChangedFields(before, checked.data), ...newlyKnown])].sort(),
  })
  return {
    // Getters, because a bulk call reads one of them, and only of the rows that change.
    get passport() {
      return toPassport(ctx, current.row, checked, checked.data)
    },
    get summary() {
      return toPassport(ctx, current.row, checked, summaryData(checked.data))
    },
    next,
    warnings: checked.warnings,
    isUnchanged: next.changed.length === 0,
  }
}

/**
 * Keys that are kept were stored under the passport's schema version: if one has become a field since, and
 * was not sent, the passport stays at that version, so that the key stays private.
 */
function findCategoryOfVersion(
  { row }: Plannable,
  change: DataChange,
  keys: readonly string[],
): CompleteCategory {
  const newest = requireCategory(row.category)
  if (row.schema_version >= newest.schemaVersion && change.schemaVersion === undefined) return newest
  const isSent = (key: string) => Object.hasOwn(change.data, key)
  return findCommonCategory(newest, [
    { keys: keys.filter(key => !isSent(key)), schemaVersion: row.schema_version },
    { keys: keys.filter(isSent), schemaVersion: change.schemaVersion ?? newest.schemaVersion },
  ])
}

/** Stored free-form keys that become fields: a change for readers, also if the value stays. */
function listNewlyKnown({ row }: Plannable, { data, schemaVersion }: CheckedData): string[] {
  if (schemaVersion <= row.schema_version) return []
  const known = dropNewerKeys(requireCategory(row.category, row.schema_version), data)
  return Object.keys(data).filter(key => !Object.hasOwn(known, key))
}

/** Strict mode concerns what was sent: a stored unknown field is not this request's error. */
function rejectUnknownFields(category: CompleteCategory, sent: PassportData): void {
  const unknown = listUnknownKeys(category, removeNulls(sent))
  if (unknown.length > 0) throw invalid(unknown)
}

export const unitGtinProblem: Detail = {
  path: ['data', 'gtin'],
  code: 'immutable',
  message: 'gtin belongs to the model; its units inherit it. Leave it out, or change it on the model.',
}

/** A model's data becomes a new content; a unit keeps the content that it inherits from. */
function toNextVersion(
  ctx: AccountContext,
  { row, contentId, contentHash, versionHash }: Plannable,
  { changeType, note }: Pick<DataChange, 'changeType' | 'note'>,
  { checked, own, changed }: { checked: CheckedData; own: PassportData | null; changed: string[] },
): NextVersion {
  const now = ctx.clock.now()
  const isModel = row.level === 'm'
  return buildNextVersion(row, now, {
    version_hash: versionHash,
    old_content_hash: contentHash,
    content_id: isModel ? newUuid(now.getTime()) : contentId,
    content_hash: isModel ? null : contentHash,
    data: isModel ? checked.data : null,
    own,
    kind: changeType === 'correction' ? 'c' : 'h',
    note: note ?? null,
    changed,
    corrects: changeType === 'correction' && changed.length > 0 && row.level !== 'i',
    schema_version: checked.schemaVersion,
    gtin14: isModel ? checked.gtin14 : null,
    sku: isModel ? checked.sku : null,
    search: row.level === 'i' ? null : appendLot(checked.search, row.lot),
  })
}

/** A batch is also found by its lot. */
export const appendLot = (search: string, lot: string | null) =>
  lot === null ? search : `${search}\n${lot.toLowerCase()}`

function toPassport(
  ctx: AccountContext,
  row: BulkRow,
  { data: { gtin }, schemaVersion }: CheckedData,
  shown: PassportData,
): PassportRow {
  return {
    ...row,
    version_no: row.version_no + 1,
    created_by: ctx.actorId,
    schema_version: schemaVersion,
    gtin: typeof gtin === 'string' ? gtin : null,
    data: JSON.stringify(shown),
  }
}

const pickFields = (data: PassportData, names: readonly string[]): PassportData =>
  Object.fromEntries(names.map(name => [name, data[name]]))
