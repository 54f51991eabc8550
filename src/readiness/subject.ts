/** The passport that is judged, and what it says. */
import type { RuleLevel } from './act.ts'
import { EVENTS_FACT, type FactSource, parseFact, type RuleFact } from './fact.ts'
import type { Truth } from './truth.ts'

export type Subject = {
  level: RuleLevel
  hasChildren: boolean
  read: (fact: RuleFact) => Truth
  /** Returns true if the passport says, with a reason, that the rule does not apply to it. */
  isDeclared: (ruleId: string) => boolean
  /** Put into service, of another status than original, or measured. */
  isInUse: boolean
}

const PUT_INTO_SERVICE = parseFact('putIntoServiceDate')
const IS_ORIGINAL = parseFact('batteryStatus=original')

/** Facts that `isInUse` is about, whether a rule asks for them or not. */
export const USE_FACTS = [PUT_INTO_SERVICE, IS_ORIGINAL]

export const isUseTold = (read: Subject['read']): boolean =>
  read(PUT_INTO_SERVICE) === true || read(IS_ORIGINAL) === false

export function buildSubject(source: FactSource, level: RuleLevel, hasChildren: boolean): Subject {
  const declared = new Set(listDeclaredRules(source))
  const read = (fact: RuleFact) => fact.read(source)
  return {
    level,
    hasChildren,
    read,
    isDeclared: ruleId => declared.has(ruleId),
    isInUse: isUseTold(read) || isUsed(source),
  }
}

/** An entry of the log alone says nothing of the use: it may be that nothing has happened. */
const isUsed = ({ measured, isPutIntoService = false }: FactSource): boolean =>
  isPutIntoService || measured.values().some(name => name !== EVENTS_FACT)

/** Rules that the passport declares not to apply, each once for every entry. */
export function listDeclaredRules({ data }: Pick<FactSource, 'data'>): string[] {
  const declared = data.notApplicable
  if (!Array.isArray(declared)) return []
  return declared.flatMap(entry => (typeof entry?.rule === 'string' ? [entry.rule] : []))
}
