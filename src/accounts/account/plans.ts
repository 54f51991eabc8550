/** Plans: the rows that say what an account may do, and an account's own quotas that override them. */
import type { Sql } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors/errors.ts'

export const LEVELS = ['model', 'batch', 'item'] as const
export type PassportLevel = (typeof LEVELS)[number]
export type LevelLetter = 'm' | 'b' | 'i'
export const LEVEL_LETTER = { model: 'm', batch: 'b', item: 'i' } as const satisfies Record<
  PassportLevel,
  LevelLetter
>

/** Quotas of an account that replace its plan's. An absent level keeps the plan's. */
export type QuotaOverrides = Partial<Record<PassportLevel, number>>

/** Throws `not_found` with the list of plans. */
export async function requirePlan(sql: Sql, plan: string): Promise<void> {
  const plans = await sql<{ id: string }[]>`select id from plan order by requests_per_minute, id`
  if (plans.some(one => one.id === plan)) return
  throw new AppError(
    'not_found',
    `There is no plan "${plan}". The plans are ${plans.map(one => one.id).join(', ')}.`,
  )
}
