/** Plans a row of a sync: a new model, a next version, no change, or an error. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { findCategory } from '../../categories/catalogue.ts'
import { toGtin14 } from '../../gs1/gtin.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { collectErrors } from '../../kernel/errors/collect-errors.ts'
import {
  AppError,
  assert,
  type Detail,
  invalid,
  invalidField,
  type TranslatableMessage,
} from '../../kernel/errors/errors.ts'
import { checkData, gtinTakenError, normaliseSku, removeNulls, requireCategory } from '../core/check-data.ts'
import type { PassportRow } from '../core/record.ts'
import { type RowProblemKey, rowProblem } from '../core/row-problems.ts'
import type { BulkRow, BulkState } from '../core/state.ts'
import type { Gate } from '../readiness/gate.ts'
import { type GtinMatch, MAX_NAMED_PRODUCTS, type SkuMatch } from '../write/find-matches.ts'
import { buildModelRow, type ModelRow } from '../write/insert-models.ts'
import { type ChangeType, type PlannedVersion, planNextVersion } from '../write/plan-version.ts'
import { requireSameKey, type SyncRow } from './parse-row.ts'

export type SyncOptions = { changeType: ChangeType; note: string | undefined; strict: boolean }
/** `requireReady` is asked of new models. */
export type PlanOptions = SyncOptions & { requireReady: Gate }

type Warned = { row: SyncRow; warnings: readonly Detail[] }
/** `bytes`: the approximate size of its data. `claimedBy`: from `findBySku`. */
export type Creation = Warned & { kind: 'create'; model: ModelRow; bytes: number; claimedBy: string | null }
/** `claims`: the GTIN-14 that the model does not have yet. */
export type Update = { kind: 'update'; row: SyncRow; claims: string | null } & Omit<PlannedVersion, 'summary'>
export type Unchanged = Warned & { kind: 'unchanged'; passport: PassportRow }
export type Plan = Creation | Update | Unchanged

/**
 * The model that a row matches. Throws `validation` if there are several, `gtin_taken` for another account's.
 */
export function findMatch(
  row: SyncRow,
  bySku: ReadonlyMap<string, SkuMatch>,
  byGtin: ReadonlyMap<string, GtinMatch>,
): string | undefined {
  if (row.key === null) return undefined
  if (row.matchBy === 'sku') {
    const ids = bySku.get(row.key)?.ids ?? []
    if (ids.length > 1) throw ambiguousSkuError(row, ids)
    return ids[0]
  }
  const match = byGtin.get(row.key)
  if (match === undefined) return undefined
  if (match.id === null) throw gtinTakenError(match)
  if (!match.isCurrent) throw formerGtinError(row, match.id)
  return match.id
}

/** Returns true if a model still has the row's key. */
export function hasKey({ matchBy, key }: SyncRow, { inherited, row }: BulkState): boolean {
  if (matchBy === 'gtin') return row.gtin !== null && toGtin14(row.gtin) === key
  return typeof inherited.sku === 'string' && normaliseSku(inherited.sku) === key
}

const keyProblem = (row: SyncRow, ...problem: [RowProblemKey, TranslatableMessage['facts']]) =>
  rowProblem({ ...row.keyPlace, code: 'duplicate' }, ...problem)

function ambiguousSkuError(row: SyncRow, uuids: readonly string[]): AppError {
  const named = uuids.slice(0, MAX_NAMED_PRODUCTS).map(idFromUuid).join(', ')
  const more = uuids.length > MAX_NAMED_PRODUCTS ? ' and more' : ''
  return invalid([keyProblem(row, 'sku_shared', { sku: row.key ?? '', ids: named + more })])
}

function formerGtinError(row: SyncRow, uuid: string): AppError {
  const problem = keyProblem(row, 'gtin_borne', { gtin: row.key ?? '', id: idFromUuid(uuid) })
  return new AppError('gtin_taken', problem.message, [problem])
}

/** Throws `version_conflict`, and `validation` with every violation. */
export function planRow(
  ctx: AccountContext,
  row: SyncRow,
  current: BulkState | undefined,
  options: PlanOptions,
): Plan {
  if (!row.expects(current?.row)) throw versionConflictError(row, current?.row)
  return current === undefined ? planCreation(ctx, row, options) : planChange(ctx, row, current, options)
}

function versionConflictError({ matchBy, key }: SyncRow, current: BulkRow | undefined): AppError {
  const message =
    current === undefined
      ? `There is no product with this ${matchBy.toUpperCase()} yet, so If-Match cannot match. Leave it out to create one.`
      : `The product ${idFromUuid(current.id)} with the ${matchBy.toUpperCase()} ${key} already exists, at version ${current.version_no}. Read it again, then repeat the change.`
  return new AppError('version_conflict', message)
}

function planCreation(ctx: AccountContext, row: SyncRow, { strict, requireReady }: PlanOptions): Creation {
  const category = typeof row.category === 'string' ? findCategory(row.category) : undefined
  const data = removeNulls({ ...row.defaults, ...row.data })
  const { checked } = collectErrors({
    key: () => requireSameKey(row),
    category: () => requireNewCategory(row),
    checked: () =>
      category === undefined ? undefined : checkData(category, data, { strict, ownHost: ctx.ownHost }),
  })
  assert(category && checked, 'a missing category has been reported')
  requireReady(category.id, checked.data)
  const model = buildModelRow(ctx, category.id, checked, ctx.clock.now())
  const bytes = JSON.stringify(model.data).length
  return { kind: 'create', row, model, bytes, warnings: checked.warnings, claimedBy: null }
}

/** Without a category the caller meant an existing product, and probably mistyped its key. */
function requireNewCategory({ category, matchBy }: SyncRow): void {
  if (category !== undefined) {
    requireCategory(category)
    return
  }
  const message = `There is no product with this ${matchBy.toUpperCase()}. To create it, send its category and all required fields.`
  throw invalidField(['category'], 'required', message)
}

function planChange(
  ctx: AccountContext,
  row: SyncRow,
  current: BulkState,
  options: SyncOptions,
): Update | Unchanged {
  const { planned } = collectErrors({
    key: () => requireSameKey(row),
    category: () => requireSameCategory(row, current.row),
    planned: () => planNextVersion(ctx, current, { ...options, data: row.data }),
  })
  const { next, warnings, isUnchanged } = planned
  if (isUnchanged) {
    const passport = { ...current.row, data: current.inheritedText }
    return { kind: 'unchanged', row, passport, warnings }
  }
  const { gtin } = current.row
  const claims =
    next.gtin14 !== null && (gtin === null || toGtin14(gtin) !== next.gtin14) ? next.gtin14 : null
  return { kind: 'update', row, claims, passport: planned.passport, next, warnings, isUnchanged }
}

function requireSameCategory({ category }: SyncRow, current: BulkRow): void {
  if (category === undefined || category === current.category) return
  requireCategory(category)
  const at = { path: ['category'], code: 'immutable' } as const
  throw invalid([rowProblem(at, 'other_category', { category: current.category })])
}
