/** The budget of a call that is alone, and where another part of the server still has to keep to it. */
import type { Figures } from './measure.ts'

export type Budget = { blockedMs: number; databaseMs: number; rssMb: number }

export const BUDGET: Budget = { blockedMs: 100, databaseMs: 1_000, rssMb: 64 }

/** By method and address: budgets of single routes that may cost more, each with its reason. */
export const OVERRIDES: Readonly<Record<string, Partial<Budget> & { reason: string }>> = {
  'GET /issuers/:name/messages/:n': {
    databaseMs: 3_000,
    reason: 'a full list has 131,072 places; a process reads one at a time, for all readers of half a minute',
  },
}

export const getBudget = (route: string): Budget => ({ ...BUDGET, ...OVERRIDES[route] })

/** The measures beyond the budget. `scale`: how much slower this machine is than the one of the budget. */
export function findExcess(figures: Figures, budget: Budget, blockedMs: number, scale = 1): string[] {
  return [
    blockedMs > budget.blockedMs * scale ? `blocked ${blockedMs.toFixed(0)} ms` : [],
    figures.databaseMs > budget.databaseMs * scale ? `database ${figures.databaseMs.toFixed(0)} ms` : [],
    figures.rssMb > budget.rssMb ? `memory + ${figures.rssMb.toFixed(0)} MB` : [],
  ].flat()
}
