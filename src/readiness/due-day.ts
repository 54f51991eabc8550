/** From when an act or a rule is due, where that depends on the product or the company. */
import type { Condition, DueDay } from './act.ts'
import type { Truth } from './truth.ts'

/** `applies`: whether its condition holds; undefined: unknown. */
type JudgedDay = { day: DueDay; applies: Truth }

export type FoundDay = {
  /** Null: not known. */
  on: string | null
  days: readonly JudgedDay[]
  /** The question that decides whether a day before the chosen one in the list counts. */
  question?: string
}

/** The first day whose condition holds. One that is unknown is passed over, as the general day comes last. */
export function findDueDay(days: readonly DueDay[], evaluate: (condition: Condition) => Truth): FoundDay {
  const judged = days.map(day => ({ day, applies: evaluate(day.when) }))
  const chosen = judged.findIndex(({ applies }) => applies === true)
  const before = chosen === -1 ? judged : judged.slice(0, chosen)
  const question = before.find(({ applies }) => applies === undefined)?.day.question
  return { on: judged[chosen]?.day.on ?? null, days: judged, ...(question !== undefined && { question }) }
}
