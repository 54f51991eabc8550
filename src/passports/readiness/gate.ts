/** The gate: what an account lets nobody publish before required rules are met. Off by default. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { readReadinessSettings } from '../../accounts/account/readiness-settings.ts'
import { type Detail, invalid, TRANSLATION } from '../../kernel/errors/errors.ts'
import { reportAct } from '../../readiness/report.ts'
import { getRules } from '../../readiness/rules.ts'
import type { ReadinessSettings } from '../../readiness/settings.ts'
import { requireCategory } from '../core/check-data.ts'
import { buildPlannedSubject, getToday, parseStoredSettings } from './report-passport.ts'

/** Throws `validation` if a new model with this data is not ready. */
export type Gate = (category: string, data: Readonly<Record<string, unknown>>) => void

const OPEN: Gate = () => {}

/** `source`: how the model is created. Costs a statement only if the context lacks the settings. */
export async function openGate(ctx: AccountContext, source: 'draft' | 'direct'): Promise<Gate> {
  const stored = ctx.readiness === undefined ? await readReadinessSettings(ctx) : ctx.readiness
  if (stored === null) return OPEN
  const settings = parseStoredSettings(stored)
  const { on, acts } = settings.gate
  if (on === 'off' || acts.length === 0 || (on === 'drafts' && source === 'direct')) return OPEN
  const today = getToday(ctx)
  return (category, data) => {
    const details = listUnmet(category, data, settings, today)
    if (details.length > 0) throw invalid(details)
  }
}

function listUnmet(
  category: string,
  data: Readonly<Record<string, unknown>>,
  { gate, parameters }: ReadinessSettings,
  today: string,
): Detail[] {
  const acts = (getRules().acts.get(requireCategory(category).id) ?? []).filter(
    ({ id, status }) => gate.acts.includes(id) && status === 'in_force',
  )
  const subject = buildPlannedSubject({ data, level: 'model' })
  return acts.flatMap(act => {
    const report = reportAct(act, subject, parameters, today)
    if (report.applies !== true) return []
    return report.results
      .filter(({ severity, outcome }) => severity === 'required' && UNMET.has(outcome))
      .map(({ rule: { id, question, paths } }) => ({
        path: ['data', ...(paths[0] ?? id).split('.')],
        code: 'not_ready' as const,
        [TRANSLATION]: { key: 'not_ready', facts: { rule: id } },
        message: `${question} ${act.title} requires it (${id}), and the gate of this account publishes nothing without it. Fill it in, or keep the product as a draft.`,
      }))
  })
}

const UNMET: ReadonlySet<string> = new Set(['missing', 'partial'])
