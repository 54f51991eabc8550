/** The settings of an account: acts that it opts in to, facts about the company, and the gate. */

import { type Detail, invalid } from '../kernel/errors/errors.ts'
import { getOwn, isObject } from '../kernel/values/data-object.ts'
import type { Act } from './act.ts'
import type { Parameters } from './fact.ts'
import type { Rules } from './rules.ts'

export const GATE_MODES = ['off', 'drafts', 'everything'] as const

export type ReadinessSettings = {
  /** Acts opted in to. */
  acts: readonly string[]
  parameters: Parameters
  /** The levels that may not be published until it meets the required rules of these acts. */
  gate: { acts: readonly string[]; on: (typeof GATE_MODES)[number] }
}

export const DEFAULT_SETTINGS: ReadinessSettings = { acts: [], parameters: {}, gate: { acts: [], on: 'off' } }

export const listActs = (rules: Rules): Act[] => [
  ...new Map([...rules.acts.values()].flat().map(act => [act.id, act])).values(),
]

/** The acts that concern a category, as the account has chosen. */
export const listActsFor = (rules: Rules, category: string, settings: ReadinessSettings): readonly Act[] =>
  (rules.acts.get(category) ?? []).filter(act => act.activation === 'auto' || settings.acts.includes(act.id))

/** Absent members keep their defaults. Throws `validation` with every violation. */
export function parseReadinessSettings(rules: Rules, sent: unknown): ReadinessSettings {
  const details: Detail[] = []
  const report = (path: Detail['path'], code: Detail['code'], message: string) =>
    details.push({ path, code, message })
  if (!isObject(sent)) throw invalid([{ path: [], code: 'type', message: 'The settings must be an object.' }])
  const known = listActs(rules)
  for (const name of Object.keys(sent))
    if (!Object.hasOwn(DEFAULT_SETTINGS, name))
      report([name], 'unknown_field', `${name} is not a setting; there are acts, parameters and gate.`)
  const optional = known.filter(act => act.activation === 'opt_in')
  const acts = parseActs(getOwn(sent, 'acts'), optional, ['acts'], report)
  const parameters = parseParameters(getOwn(sent, 'parameters'), known, report)
  const gate = parseGate(getOwn(sent, 'gate'), known, report)
  if (details.length > 0) throw invalid(details)
  return { acts, parameters, gate }
}

type Report = (path: Detail['path'], code: Detail['code'], message: string) => void

function parseActs(
  sent: unknown,
  allowed: readonly Act[],
  path: readonly string[],
  report: Report,
): readonly string[] {
  if (sent === undefined) return []
  if (!Array.isArray(sent)) {
    report(path, 'type', `${path.join('.')} must be a list of ids of acts.`)
    return []
  }
  const ids = allowed.map(act => act.id)
  for (const [place, id] of sent.entries())
    if (!ids.includes(id))
      report([...path, place], 'enum', `${path.join('.')}[${place}] must be one of ${ids.join(', ')}.`)
  return [...new Set(sent)].filter(id => ids.includes(id))
}

function parseParameters(sent: unknown, acts: readonly Act[], report: Report): Parameters {
  if (sent === undefined) return {}
  if (!isObject(sent)) {
    report(['parameters'], 'type', 'parameters must be an object.')
    return {}
  }
  const known = new Map(acts.flatMap(act => Object.entries(act.parameters ?? {})))
  const parsed: Record<string, string | boolean> = {}
  for (const [name, value] of Object.entries(sent)) {
    const kind = known.get(name)
    const path = ['parameters', name]
    if (kind === undefined)
      report(path, 'unknown_field', `${name} is not a parameter; there are ${[...known.keys()].join(', ')}.`)
    else if (kind === 'boolean') {
      if (typeof value === 'boolean') parsed[name] = value
      else report(path, 'type', `parameters.${name} must be true or false.`)
    } else if (typeof value === 'string' && kind.includes(value)) parsed[name] = value
    else report(path, 'enum', `parameters.${name} must be one of ${kind.join(', ')}.`)
  }
  return parsed
}

function parseGate(sent: unknown, acts: readonly Act[], report: Report): ReadinessSettings['gate'] {
  if (sent === undefined) return DEFAULT_SETTINGS.gate
  if (!isObject(sent)) {
    report(['gate'], 'type', 'gate must be an object with acts and on.')
    return DEFAULT_SETTINGS.gate
  }
  for (const name of Object.keys(sent))
    if (name !== 'acts' && name !== 'on')
      report(['gate', name], 'unknown_field', `gate.${name} is not a setting; there are acts and on.`)
  const mode = getOwn(sent, 'on') ?? 'off'
  const on = GATE_MODES.find(one => one === mode)
  if (on === undefined) report(['gate', 'on'], 'enum', `gate.on must be one of ${GATE_MODES.join(', ')}.`)
  return { acts: parseActs(getOwn(sent, 'acts'), acts, ['gate', 'acts'], report), on: on ?? 'off' }
}
