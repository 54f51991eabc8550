/** The readiness report of a stored passport, or of data that is not stored. */
import { type AudienceProfile, readAudienceProfile } from '../../accounts/account/audience-profile.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { readReadinessSettings } from '../../accounts/account/readiness-settings.ts'
import { type CompleteCategory, dropNewerKeys } from '../../categories/catalogue.ts'
import { normaliseData, validateData } from '../../categories/check/validate.ts'
import { findAudience } from '../../categories/field.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { invalid, invalidField } from '../../kernel/errors/errors.ts'
import type { DataObject } from '../../kernel/values/data-object.ts'
import { RULE_LEVELS, type RuleLevel } from '../../readiness/act.ts'
import type { RecordMember } from '../../readiness/fact.ts'
import { listNotes } from '../../readiness/notes.ts'
import { type RuleResult, reportAct } from '../../readiness/report.ts'
import { type ReportDetail, toReportJson } from '../../readiness/report-json.ts'
import { getRules } from '../../readiness/rules.ts'
import {
  DEFAULT_SETTINGS,
  listActs,
  listActsFor,
  parseReadinessSettings,
  type ReadinessSettings,
} from '../../readiness/settings.ts'
import { buildSubject, type Subject } from '../../readiness/subject.ts'
import { removeNulls, requireCategory } from '../core/check-data.ts'
import { type Addresses, hasGs1Address, LEVEL_NAME, type PassportRow } from '../core/record.ts'
import { readUseFacts } from '../in-use/read-use-facts.ts'
import { applyAudienceProfile } from '../read/disclosed-category.ts'
import { atPassport, getPassport } from '../read/find.ts'
import { countAskedUnits } from './asked-units.ts'
import { countLackingUnits, findIssuedUnits } from './issued-units.ts'

/** `act`: only this one. `asOf`: a day that stands in place of today. */
export type ReportOptions = { act?: string | undefined; asOf?: string | undefined; detail: ReportDetail }

export type ReadinessReport = ReturnType<typeof toReportJson>

/** Throws `not_found`, and `validation` for an unknown act. */
export async function reportPassport(
  ctx: AccountContext,
  addresses: Addresses,
  uuid: string,
  options: ReportOptions,
): Promise<ReadinessReport> {
  const row = await getPassport(ctx, uuid)
  const category = requireCategory(row.category, row.schema_version)
  const data = dropNewerKeys(category, JSON.parse(row.data))
  const settings = await getReadinessSettings(ctx)
  const disclosed = applyAudienceProfile(category, await readAudienceProfile(ctx))
  const at = await atPassport(ctx, uuid)
  const units = await findIssuedUnits(at, row)
  const subject = buildSubject(
    { data, record: listRecordMembers(row), ...(await readUseFacts(at, row)) },
    LEVEL_NAME[row.level],
    units.length > 0,
  )
  const reports = reportActs(ctx, category, subject, settings, options)
  const today = options.asOf ?? getToday(ctx)
  const { parameters } = settings
  const asked = subject.hasChildren
    ? await countAskedUnits(at, row, reports, { parameters, today })
    : undefined
  return toReportJson(
    { product_id: idFromUuid(row.id), level: subject.level },
    getRules().version,
    reports,
    listNotes(data),
    {
      today,
      detail: options.detail,
      hasAudienceGap: result => hasAudienceGap(disclosed, result),
      ...(asked && { askedUnits: asked }),
      editUrl: (path, level) => buildEditUrl(addresses, row, level, path),
      issuedUnits: countLackingUnits(reports, units, subject),
    },
  )
}

/** Throws `validation`, but not for fields that are missing. */
export async function reportData(
  ctx: AccountContext,
  input: { category: string; data: DataObject; level: RuleLevel },
  options: ReportOptions,
): Promise<ReadinessReport> {
  const category = requireCategory(input.category)
  const data = normaliseData(removeNulls(input.data), category)
  const wrong = validateData(category, data).errors.filter(({ code }) => code !== 'required')
  if (wrong.length > 0) throw invalid(wrong)
  const planned = { category, data, level: input.level, productId: null }
  return reportPlannedData(ctx, await readReportBasis(ctx), planned, options)
}

/** `productId`: UUID of the stored product that the data would change; null: none. */
export type PlannedData = {
  category: CompleteCategory
  data: DataObject
  level: RuleLevel
  productId: string | null
}

/** The settings that reports of an account depend on besides data. */
export type ReportBasis = { settings: ReadinessSettings; profile: AudienceProfile }

export const readReportBasis = async (ctx: AccountContext): Promise<ReportBasis> => ({
  settings: await getReadinessSettings(ctx),
  profile: await readAudienceProfile(ctx),
})

/** The data was checked before; the rules skip values of other types. */
export function reportPlannedData(
  ctx: AccountContext,
  { settings, profile }: ReportBasis,
  planned: PlannedData,
  options: ReportOptions,
): ReadinessReport {
  const { category, data, level, productId } = planned
  const reports = reportActs(ctx, category, buildPlannedSubject(planned), settings, options)
  const disclosed = applyAudienceProfile(category, profile)
  const id = { product_id: productId && idFromUuid(productId), level }
  return toReportJson(id, getRules().version, reports, listNotes(data), {
    today: options.asOf ?? getToday(ctx),
    detail: options.detail,
    hasAudienceGap: result => hasAudienceGap(disclosed, result),
  })
}

export const buildPlannedSubject = ({ data, level }: Pick<PlannedData, 'data' | 'level'>): Subject =>
  buildSubject({ data, record: listExpectedMembers(data, level), measured: NOTHING_MEASURED }, level, false)

const NOTHING_MEASURED: ReadonlySet<string> = new Set()

/** In UTC. */
export const getToday = ({ clock }: Pick<AccountContext, 'clock'>): string =>
  clock.now().toISOString().slice(0, 10)

export async function getReadinessSettings(ctx: AccountContext): Promise<ReadinessSettings> {
  const stored = await readReadinessSettings(ctx)
  return stored === null ? DEFAULT_SETTINGS : parseStoredSettings(stored)
}

/** Settings that no longer fit the rules, such as an act that is gone, count as not chosen. */
export function parseStoredSettings(stored: unknown): ReadinessSettings {
  try {
    return parseReadinessSettings(getRules(), stored)
  } catch {
    return DEFAULT_SETTINGS
  }
}

function reportActs(
  ctx: Pick<AccountContext, 'clock'>,
  category: CompleteCategory,
  subject: Subject,
  settings: ReadinessSettings,
  { act, asOf }: ReportOptions,
) {
  const acts =
    act === undefined
      ? listActsFor(getRules(), category.id, settings)
      : (getRules().acts.get(category.id) ?? []).filter(({ id }) => id === act)
  if (act !== undefined) requireAct(act)
  return acts.map(one => reportAct(one, subject, settings.parameters, asOf ?? getToday(ctx)))
}

/** Throws `validation`. */
export function requireAct(id: string): void {
  const ids = listActs(getRules()).map(act => act.id)
  if (!ids.includes(id)) throw invalidField(['act'], 'enum', `act must be one of ${ids.join(', ')}.`)
}

const listRecordMembers = (row: Pick<PassportRow, 'gtin' | 'lot' | 'serial' | 'parent_id'>) =>
  new Set<RecordMember>([
    'id',
    ...(hasGs1Address(row) ? (['gtin'] as const) : []),
    ...(row.lot === null ? [] : (['lot'] as const)),
    ...(row.serial === null ? [] : (['serial'] as const)),
    ...(row.parent_id === null ? [] : (['parent'] as const)),
  ])

/** The members that a passport of the level will have. */
const listExpectedMembers = (data: DataObject, level: RuleLevel) =>
  new Set<RecordMember>([
    'id',
    ...(typeof data.gtin === 'string' && hasGs1Address({ gtin: data.gtin }) ? (['gtin'] as const) : []),
    ...(level === 'model' ? [] : (['parent'] as const)),
    ...(level === 'batch' ? (['lot'] as const) : []),
    ...(level === 'item' ? (['serial'] as const) : []),
  ])

/** Returns true if the law wants others to see what answers the rule than those who may see it. */
function hasAudienceGap(category: CompleteCategory, { rule }: RuleResult): boolean {
  const paths = (rule.met[0] ?? []).flatMap(({ path }) => path ?? [])
  return paths.some(path => {
    const seen = findAudience(category.fields, path.split('.'))
    return seen !== undefined && !isSameSet(seen, rule.audience)
  })
}

const isSameSet = <T>(a: readonly T[], b: readonly T[]): boolean =>
  a.length === b.length && a.every(one => b.includes(one))

/** The form where a rule's value belongs: of the passport, or of its model. */
function buildEditUrl({ publicUrl }: Addresses, row: PassportRow, level: RuleLevel, path: string): string {
  const isOfModel = RULE_LEVELS.indexOf(level) < RULE_LEVELS.indexOf(LEVEL_NAME[row.level])
  const target = !isOfModel ? row.id : level === 'model' ? row.model_id : (row.parent_id ?? row.model_id)
  const [field] = path.split('.')
  return `${publicUrl}/console/products/${idFromUuid(target)}/edit#${field}`
}
