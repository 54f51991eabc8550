/** A draft, what publishing it would refuse now, and what the law would still want of it. */
import type { AccountContext } from '../../accounts/context.ts'
import { normaliseData } from '../../categories/check/validate.ts'
import { AppError, type Detail, type ErrorCode, invalid } from '../../kernel/errors.ts'
import type { ReadinessSettings } from '../../readiness/settings.ts'
import { type PassportData, removeNulls, requireCategory } from '../core/check-data.ts'
import { LEVEL_NAME } from '../core/record.ts'
import { effectiveData, getState } from '../core/state.ts'
import { type PlannedData, type ReadinessReport, reportPlannedData } from '../readiness/report-passport.ts'
import { checkNewData, previewCreate } from '../write/create.ts'
import { requireFreeGtin } from '../write/find-matches.ts'
import { type ChangeType, planNextVersion } from '../write/plan-version.ts'

export type Draft = {
  id: string
  category: string
  data: PassportData
  note: string | null
  created_at: Date
  updated_at: Date
} & ({ product_id: string; change_type: ChangeType } | { product_id: null; change_type: null })

export type JudgedDraft = Draft & {
  /** What a create or change with this data would refuse now. */
  details: readonly Detail[]
  planned: PlannedData
}

/** Throws `not_found` for a product that the account does not have. */
export async function judgeDraft(ctx: AccountContext, draft: Draft): Promise<JudgedDraft> {
  const { category, data, product_id: productId } = draft
  if (productId === null) {
    const planned = planData(category, data, { level: 'model', productId })
    const details = await listRefusals(() =>
      previewCreate(ctx, { category, data, strict: false, id: draft.id }),
    )
    return { ...draft, details, planned }
  }
  const current = await getState(ctx, productId)
  const level = LEVEL_NAME[current.row.level]
  const planned = planData(category, { ...effectiveData(current), ...data }, { level, productId })
  const details = await listRefusals(() => {
    const { next } = planNextVersion(ctx, current, toDataChange(draft))
    return requireFreeGtin(ctx, productId, next.gtin14)
  })
  return { ...draft, details, planned }
}

const planData = (
  categoryId: string,
  data: PassportData,
  product: Pick<PlannedData, 'level' | 'productId'>,
): PlannedData => {
  const category = requireCategory(categoryId)
  return { ...product, category, data: normaliseData(removeNulls(data), category) }
}

export const reportDraft = (
  ctx: AccountContext,
  settings: ReadinessSettings,
  { planned }: JudgedDraft,
): Promise<ReadinessReport> => reportPlannedData(ctx, settings, planned, { detail: 'summary' })

/** `change_type` refuses nothing, so checks need not know it. */
export const toDataChange = ({ data }: Pick<Draft, 'data'>) =>
  ({ data, changeType: 'change', note: undefined, strict: false }) as const

/** Throws `validation` for values that could not be published, but not for absent ones. */
export async function requireStorable(ctx: AccountContext, draft: Draft): Promise<void> {
  const { product_id: productId } = draft
  const state = productId === null ? undefined : await getState(ctx, productId)
  const refused = await listRefusals(() => {
    if (state === undefined) checkNewData(requireCategory(draft.category), draft.data, false)
    else planNextVersion(ctx, state, toDataChange(draft))
  })
  const wrong = refused.filter(({ code }) => code !== 'required')
  if (wrong.length > 0) throw invalid(wrong)
}

const REFUSALS: ReadonlySet<ErrorCode> = new Set(['validation', 'gtin_taken', 'plan_limit'])

async function listRefusals(check: () => unknown): Promise<readonly Detail[]> {
  try {
    await check()
    return []
  } catch (error) {
    if (!(error instanceof AppError) || !REFUSALS.has(error.code)) throw error
    return error.details ?? [{ path: [], code: 'plan_limit', message: error.message }]
  }
}
