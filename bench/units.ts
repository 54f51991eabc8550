/** Models with units under them, for the rows that measure what units cost. */
import type { AccountContext } from '../src/accounts/context.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { idFromUuid } from '../src/kernel/ids.ts'
import { createChildren } from '../src/passports/create-children.ts'
import { request } from './load.ts'
import { fill } from './loader.ts'
import type { Hall, Tenant } from './stage.ts'

/** As many as a call may bring. */
export const CALL = 500

/** A serial as a line prints it: `L1-0000042`. */
export const serialOf = (prefix: string, n: number) => `${prefix}-${String(n).padStart(7, '0')}`

/** The UUIDs of new models. */
export const models = (hall: Hall, { accountId }: Tenant, count: number): Promise<string[]> =>
  fill(hall.sql, { accountId, count, word: 'units' })

export type Issue = { under: string; level: 'batch' | 'item'; count: number; prefix?: string }

/** Issues plain units in calls of 500, past HTTP; returns the UUIDs of the first 10,000. */
export async function issue(hall: Hall, tenant: Tenant, wish: Issue): Promise<string[]> {
  const ctx: AccountContext = { sql: hall.sql, clock: systemClock, accountId: tenant.accountId, actorId: 1 }
  const { under, level, count, prefix = 'L1' } = wish
  const kept: string[] = []
  for (let done = 0; done < count; done += CALL) {
    const units = Array.from({ length: Math.min(CALL, count - done) }, (_, i) => ({
      [level === 'item' ? 'serial' : 'lot']: serialOf(prefix, done + i),
    }))
    const { created, errors } = await createChildren(ctx, {
      parentUuid: under,
      level,
      units,
      bulk: true,
      strict: false,
    })
    if (errors[0]) throw errors[0].error
    if (kept.length < 10_000) kept.push(...created.map(one => one.passport.id))
  }
  return kept
}

/** A bulk call of 500 plain items. */
export function bulkRequest(tenant: Tenant, model: string, prefix: string, from: number): string {
  const items = Array.from({ length: CALL }, (_, i) => ({ serial: serialOf(prefix, from + i) }))
  return ask(tenant, 'POST', `${idFromUuid(model)}/children`, { level: 'item', items })
}

/** A request about a product with the tenant's key. */
export const ask = (tenant: Tenant, method: string, path: string, body?: object): string =>
  request(
    method,
    `/api/v1/products/${path}`,
    { authorization: `Bearer ${tenant.key}` },
    body && JSON.stringify(body),
  )

/** A correction of a model that differs each time. */
export const correction = (tenant: Tenant, model: string, n: number): string =>
  ask(tenant, 'PATCH', idFromUuid(model), { data: { weightGrams: 100 + n }, change_type: 'correction' })
