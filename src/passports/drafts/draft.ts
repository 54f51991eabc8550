/** A draft, what publishing it would refuse now, and what the law would still want of it. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { getRemainingQuota } from '../../accounts/limits/quota.ts'
import { normaliseData } from '../../categories/check/validate.ts'
import {
  AppError,
  assert,
  type Detail,
  type ErrorCode,
  invalid,
  notFound,
} from '../../kernel/errors/errors.ts'
import { gtinTakenError, type PassportData, removeNulls, requireCategory } from '../core/check-data.ts'
import { LEVEL_NAME } from '../core/record.ts'
import { type BulkState, effectiveData, getState, readStatesOnShards } from '../core/state.ts'
import { type Gate, openGate } from '../readiness/gate.ts'
import {
  type PlannedData,
  type ReadinessReport,
  type ReportBasis,
  reportPlannedData,
} from '../readiness/report-passport.ts'
import { checkNewData } from '../write/create.ts'
import { findByGtin, type GtinMatch } from '../write/find-matches.ts'
import { modelQuotaError } from '../write/insert-models.ts'
import { type ChangeType, planNextVersion } from '../write/plan-version.ts'

type DraftBase = {
  id: string
  category: string
  data: PassportData
  note: string | null
  created_at: Date
  updated_at: Date
}

export type NewModelDraft = DraftBase & { product_id: null; change_type: null }
export type Draft = NewModelDraft | (DraftBase & { product_id: string; change_type: ChangeType })

export type JudgedDraft = Draft & {
  /** The violations for which a create or change with this data would be refused now. */
  details: readonly Detail[]
  planned: PlannedData
}

/** Throws `not_found` for a product that the account does not have. */
export async function judgeDraft(ctx: AccountContext, draft: Draft): Promise<JudgedDraft> {
  const [judged] = await judgeDrafts(ctx, [draft])
  assert(judged, 'each draft is judged')
  return judged
}

/** In the same order. Many drafts take no more statements than a few. Throws `not_found` for a product. */
export async function judgeDrafts(ctx: AccountContext, drafts: readonly Draft[]): Promise<JudgedDraft[]> {
  const requireReady = await openGate(ctx, 'draft')
  const states = await readStates(ctx, drafts)
  const plans = drafts.map(draft => planDraft(ctx, draft, { requireReady, states }))
  const matches = await findByGtin(
    ctx,
    plans.map(({ gtin14 }) => gtin14),
  )
  const isNew = drafts.some(draft => draft.product_id === null)
  const isQuotaUsedUp = isNew && (await getRemainingQuota(ctx, 'm')) < 1
  return plans.map(({ draft, planned, refusals, gtin14 }) => {
    const match = gtin14 === null ? undefined : matches.get(gtin14)
    const details = refusals.length > 0 ? refusals : listTaken(draft, { match, isQuotaUsedUp })
    return { ...draft, details, planned }
  })
}

async function readStates(ctx: AccountContext, drafts: readonly Draft[]) {
  const uuids = [...new Set(drafts.flatMap(draft => draft.product_id ?? []))]
  const states = new Map<string, BulkState>()
  if (uuids.length === 0) return states
  for await (const batch of readStatesOnShards(ctx, uuids))
    for (const state of batch) states.set(state.row.id, state)
  return states
}

type PlannedDraft = {
  draft: Draft
  planned: PlannedData
  refusals: readonly Detail[]
  /** The GTIN that it would claim; null also if its data is refused. */
  gtin14: string | null
}

function planDraft(
  ctx: AccountContext,
  draft: Draft,
  { requireReady, states }: { requireReady: Gate; states: ReadonlyMap<string, BulkState> },
): PlannedDraft {
  const { category, data, product_id: productId } = draft
  if (productId === null) {
    const planned = planData(category, data, { level: 'model', productId })
    return { draft, planned, ...tryPlan(() => planNewProduct(draft, requireReady)) }
  }
  const current = states.get(productId)
  if (current === undefined) throw notFound('product')
  const level = LEVEL_NAME[current.row.level]
  const planned = planData(category, { ...effectiveData(current), ...data }, { level, productId })
  return {
    draft,
    planned,
    ...tryPlan(() => planNextVersion(ctx, current, toDataChange(draft)).next.gtin14),
  }
}

/** Returns the GTIN-14. */
function planNewProduct(draft: Draft, requireReady: Gate): string | null {
  const category = requireCategory(draft.category)
  const checked = checkNewData(category, draft.data, { strict: false })
  requireReady(category.id, checked.data)
  return checked.gtin14
}

function tryPlan(plan: () => string | null): Pick<PlannedDraft, 'refusals' | 'gtin14'> {
  try {
    return { refusals: [], gtin14: plan() }
  } catch (error) {
    return { refusals: toRefusals(error), gtin14: null }
  }
}

/** Returns the obstacles for valid data: a free GTIN, a place in the quota. */
function listTaken(
  draft: Draft,
  { match, isQuotaUsedUp }: { match: GtinMatch | undefined; isQuotaUsedUp: boolean },
): readonly Detail[] {
  const isNew = draft.product_id === null
  if (match !== undefined && match.id !== (draft.product_id ?? draft.id))
    return toRefusals(gtinTakenError(match))
  return isNew && isQuotaUsedUp ? toRefusals(modelQuotaError()) : []
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
  basis: ReportBasis,
  { planned }: JudgedDraft,
): ReadinessReport => reportPlannedData(ctx, basis, planned, { detail: 'summary' })

/** `change_type` refuses nothing, so checks need not know it. */
export const toDataChange = ({ data }: Pick<Draft, 'data'>) =>
  ({ data, changeType: 'change', note: undefined, strict: false }) as const

/** Throws `validation` for values that could not be published, but not for absent ones. */
export async function requireStorable(ctx: AccountContext, draft: Draft): Promise<void> {
  const { product_id: productId } = draft
  const state = productId === null ? undefined : await getState(ctx, productId)
  const { refusals } = tryPlan(() =>
    state === undefined
      ? checkNewData(requireCategory(draft.category), draft.data, { strict: false }).gtin14
      : planNextVersion(ctx, state, toDataChange(draft)).next.gtin14,
  )
  const wrong = refusals.filter(({ code }) => code !== 'required')
  if (wrong.length > 0) throw invalid(wrong)
}

const REFUSALS: ReadonlySet<ErrorCode> = new Set(['validation', 'gtin_taken', 'plan_limit'])

/** Throws any other error again. */
function toRefusals(error: unknown): readonly Detail[] {
  if (!(error instanceof AppError) || !REFUSALS.has(error.code)) throw error
  return error.details ?? [{ path: [], code: 'plan_limit', message: error.message }]
}
