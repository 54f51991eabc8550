/** Which facts about the company make a difference to the acts. */
import type { Act, Condition } from './act.ts'
import type { Rules } from './rules.ts'
import { listActs } from './settings.ts'

export type UsedParameter = {
  name: string
  kind: 'boolean' | readonly string[]
  /** The acts that ask for it. */
  acts: readonly Act[]
  /** The value if the account says nothing. */
  usual: string | boolean | undefined
}

/** Those that a condition asks for, or that move the first day of an act. */
export function listUsedParameters(rules: Rules): UsedParameter[] {
  const used = new Map<string, UsedParameter>()
  for (const act of listActs(rules))
    for (const name of listNames(act)) {
      const kind = act.parameters?.[name]
      if (kind === undefined) continue
      const known = used.get(name)
      const usual = known?.usual ?? act.default_parameters?.[name]
      used.set(name, { name, kind, acts: [...(known?.acts ?? []), act], usual })
    }
  return [...used.values()]
}

function listNames(act: Act): Set<string> {
  const days = [...act.due, ...act.rules.flatMap(({ from }) => from)]
  const conditions = [act.applies, ...act.scopes.values(), ...[...act.rules, ...days].map(({ when }) => when)]
  return new Set(conditions.flatMap(listAsked))
}

function listAsked(condition: Condition): readonly string[] {
  switch (condition.kind) {
    case 'parameter':
      return [condition.fact.parameter]
    case 'all':
    case 'any':
      return condition.of.flatMap(listAsked)
    case 'not':
      return listAsked(condition.of)
    default:
      return []
  }
}
