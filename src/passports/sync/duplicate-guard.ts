/** Rejects a row of a call about the same product as an earlier row, if that one is valid. */
import { type AppError, invalid } from '../../kernel/errors/errors.ts'
import { gtinTakenError } from '../core/check-data.ts'
import { rowProblem } from '../core/row-problems.ts'
import type { MatchBy, SyncRow } from './parse-row.ts'
import type { Plan } from './plan-row.ts'

/** `isMatched`: the row means the product that has the SKU. Other rows may share an SKU, as with PATCH. */
type SkuUse = { index: number; isMatched: boolean }

/** Notes the keys that each product has after the call: a row may change a key that it was not matched by. */
export class DuplicateGuard {
  private readonly models = new Map<string, number>()
  private readonly skus = new Map<string, SkuUse>()
  private readonly gtins = new Map<string, number>()

  /** Notes the row of a plan, or throws `validation` or `gtin_taken` and notes nothing. */
  add(plan: Plan): void {
    const { row } = plan
    const key = row.key ?? ''
    const { id, sku, gtin14 } = getKeysAfter(plan)
    const isNewByGtin = plan.kind === 'create' && row.matchBy === 'gtin'
    const before = this.models.get(id) ?? (isNewByGtin ? this.gtins.get(key) : undefined)
    if (before !== undefined) throw sameProductError(row, before, row.matchBy, key)
    const isMatched = row.matchBy === 'sku'
    const use = sku === null ? undefined : this.skus.get(sku)
    if (sku !== null && use !== undefined && (isMatched || use.isMatched))
      throw sameProductError(row, use.index, 'sku', sku)
    if (gtin14 !== null && this.gtins.has(gtin14)) throw gtinTakenError()
    this.models.set(id, row.index)
    if (sku !== null) this.skus.set(sku, { index: row.index, isMatched })
    if (gtin14 !== null) this.gtins.set(gtin14, row.index)
  }

  /** Forgets rows that were not written and are planned again. */
  forget(rows: readonly SyncRow[]): void {
    const indices = new Set(rows.map(({ index }) => index))
    for (const noted of [this.models, this.gtins])
      for (const [key, index] of noted) if (indices.has(index)) noted.delete(key)
    for (const [sku, { index }] of this.skus) if (indices.has(index)) this.skus.delete(sku)
  }
}

/** `gtin14`: only one that the product does not have yet. */
function getKeysAfter(plan: Plan): { id: string; sku: string | null; gtin14: string | null } {
  if (plan.kind === 'create') return plan.model
  const { id } = plan.passport
  if (plan.kind === 'update') return { id, sku: plan.next.sku, gtin14: plan.claims }
  return { id, sku: plan.row.matchBy === 'sku' ? plan.row.key : null, gtin14: null }
}

function sameProductError(row: SyncRow, before: number, field: MatchBy, key: string): AppError {
  const place = field === row.matchBy ? row.keyPlace : { path: ['data', field] }
  return invalid([rowProblem({ ...place, code: 'duplicate' }, 'row_twice', { row: before, field, key })])
}
