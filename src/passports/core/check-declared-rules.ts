/** Checks that the rules which a passport declares not applicable exist. */
import { findNearestName } from '../../categories/names/nearest-name.ts'
import { type Detail, invalid } from '../../kernel/errors/errors.ts'
import { isObject } from '../../kernel/values/data-object.ts'
import { getRules } from '../../readiness/rules.ts'

/**
 * Throws `validation` for rules that no act has. Call it with what was sent: a rule that was withdrawn later
 * must not hold up other changes.
 */
export function requireKnownRules({ notApplicable }: Readonly<Record<string, unknown>>): void {
  if (!Array.isArray(notApplicable)) return
  const { ruleIds } = getRules()
  const details = notApplicable.flatMap((entry, i): Detail[] => {
    const id = isObject(entry) ? entry.rule : undefined
    if (typeof id !== 'string' || ruleIds.has(id)) return []
    const nearest = findNearestName(id, [...ruleIds])
    const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`
    const message = `No act has this rule.${meant} A readiness report names the rules of the product's acts.`
    return [{ path: ['data', 'notApplicable', i, 'rule'], code: 'enum', message }]
  })
  if (details.length > 0) throw invalid(details)
}
