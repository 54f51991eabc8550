/** What an account may do is data: its plan's row, and what the account was given over it. */
import type { Sql } from '../kernel/db/database.ts'
import { AppError } from '../kernel/errors.ts'

export const LEVELS = ['model', 'batch', 'item'] as const
export type Level = (typeof LEVELS)[number]
export type LevelLetter = 'm' | 'b' | 'i'
export const LEVEL_LETTER = { model: 'm', batch: 'b', item: 'i' } as const satisfies Record<
  Level,
  LevelLetter
>

/** Absolute quotas of an account in place of its plan's; absent means the plan's. */
export type QuotaOverrides = Partial<Record<Level, number>>

/** Throws a sentence naming the plans there are. */
export async function requirePlan(sql: Sql, plan: string): Promise<void> {
  const plans = await sql<{ id: string }[]>`select id from plan order by requests_per_minute, id`
  if (plans.some(one => one.id === plan)) return
  throw new AppError(
    'not_found',
    `There is no plan "${plan}". The plans are ${plans.map(one => one.id).join(', ')}.`,
  )
}
