/** An act: the rules of one law for one kind of product, as read from its file and compiled. */
import type { Audience } from '../categories/field.ts'
import type { ParameterFact, RuleFact } from './fact.ts'

/** From coarse to fine. */
export const RULE_LEVELS = ['model', 'batch', 'item'] as const
export type RuleLevel = (typeof RULE_LEVELS)[number]

export type Severity = 'required' | 'recommended' | 'when_applicable' | 'pending' | 'excluded'

/** A fact, or a combination. `true` holds always. */
export type ConditionFile =
  | true
  | string
  | { all: readonly ConditionFile[] }
  | { any: readonly ConditionFile[] }
  | { not: ConditionFile }

/** `F`: a fact by its text, or compiled. A condition that is undefined holds if a person says so. */
type Alternatives<F> = readonly (readonly F[])[]

/** A day, and for whom. The first of a list whose condition holds counts; without one it always holds. */
type DayTexts = {
  on: string
  /** The condition in words. */
  for: string
  source: readonly string[]
  /** The question if it is unknown whether the condition holds. */
  question?: string
}
type DayFile = DayTexts & { when?: ConditionFile }
/** One day for all, null: not known, or days with their conditions. */
type DaysFile = string | null | readonly DayFile[]

export type DueDay = DayTexts & { when: Condition }

/** A part of an act that no rule asks for. */
export type MissingRule = { title: string; source: readonly string[] }

type RuleTexts = {
  /** Never used again for another rule. */
  id: string
  /** The number of the data point in the Commission's list. */
  nr?: number
  title: string
  question: string
  hint?: string
  note?: string
  source: readonly string[]
  /** The coarsest level where the law wants it: a value from further up counts. */
  level: RuleLevel
  /** Who the law wants to see it. */
  audience: readonly Audience[]
  nature?: 'static' | 'dynamic'
  /** Only for these categories. */
  categories?: readonly string[]
  /** Why the rule may differ from its source: nobody has compared it with the paper itself. */
  unverified?: string
  earliest?: Readonly<Record<string, string>>
  /** Due once the product is in use. */
  due?: 'in_use'
  /** Why it is not due yet. */
  pending?: string
}

export type RuleFile = RuleTexts & {
  /** From when it is due; null or absent: with the act. */
  from?: DaysFile
  severity: Severity | Readonly<Record<string, Severity>>
  when?: ConditionFile
  met: Alternatives<string>
  partial?: Alternatives<string>
}

type ActTexts = {
  /** The day when the rules were last compared with the law. */
  version: string
  id: string
  title: string
  duty: 'passport' | 'inform' | 'hold'
  status: 'in_force' | 'framework' | 'draft'
  activation: 'auto' | 'opt_in'
  /** `item`: the act wants a passport for each item. */
  granularity?: 'item'
  expected?: { adoption?: string; application?: string }
  /** The account's settings that the conditions ask for: yes or no, or one of some values. */
  parameters?: Readonly<Record<string, 'boolean' | readonly string[]>>
  default_parameters?: Readonly<Record<string, string | boolean>>
  scope_question?: Readonly<Record<string, string>>
  sources: readonly string[]
  /** Absent: the rules are all that it demands of the product's data. */
  not_modelled?: readonly MissingRule[]
  note?: string
}

export type ActFile = ActTexts & {
  due: DaysFile
  /** The day of small undertakings. */
  due_small?: string
  category: string | readonly string[]
  /** The least severity that counts. Default: `required` for an act in force, else `recommended`. */
  counts?: 'required' | 'recommended'
  applies?: ConditionFile
  /** The kinds of product, in the order in which they are tried. */
  scopes: Readonly<Record<string, ConditionFile>>
  rules: readonly RuleFile[]
}

export type Condition =
  | { kind: 'always' }
  /** Only a person can say. */
  | { kind: 'ask' }
  | { kind: 'fact'; fact: RuleFact }
  | { kind: 'parameter'; fact: ParameterFact }
  | { kind: 'all' | 'any'; of: readonly Condition[] }
  | { kind: 'not'; of: Condition }

export type Rule = RuleTexts & {
  /** None: due with the act. */
  from: readonly DueDay[]
  severityIn: (scope: string) => Severity
  when: Condition
  met: Alternatives<RuleFact>
  partial: Alternatives<RuleFact>
  /** The fields that answer it, the best first. */
  paths: readonly string[]
}

export type Act = ActTexts & {
  /** None: the day is not known. */
  due: readonly DueDay[]
  counts: 'required' | 'recommended'
  applies: Condition
  scopes: ReadonlyMap<string, Condition>
  rules: readonly Rule[]
}
