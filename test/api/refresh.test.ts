import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { findUuid, newUuid } from '../../src/kernel/ids.ts'
import { refreshesEnded, resumeRefreshes } from '../../src/passports/refresh-job.ts'
import { startUnitStand, type UnitStand } from './unit-stand.ts'

let s: UnitStand
before(async () => {
  s = await startUnitStand()
})
after(() => s.close())

const uuid = (id: string) => findUuid(id) ?? ''
const refresh = (id: string) => s.ask('POST', `/${id}/refresh`)
const outdated = async (id: string) => (await s.call('GET', `/${id}/refresh`)).outdated

/** Versions, data and events of the units under a model: how often each was refreshed. */
async function census(model: string) {
  const rows = await s.t.sql<{ version_no: number; versions: number; events: number; n: number }[]>`
    select p.version_no, v.n as versions, e.n as events, count(*)::int as n from passport p
    join lateral (select count(*)::int as n from passport_version v where v.passport_id = p.id and v.account_id = p.account_id) v on true
    join lateral (select count(*)::int as n from event e where e.account_id = p.account_id and e.type = 'product.updated'
      and e.data->>'id' = any(${await idsUnder(model)}::text[])) e on true
    where p.model_id = ${uuid(model)} and p.parent_id is not null group by 1, 2, 3 order by 1`
  return rows.map(({ version_no, versions, n }) => ({ version_no, versions, n }))
}

async function idsUnder(model: string): Promise<string[]> {
  const { data } = (await s.ask('GET', `/${model}/children?limit=100`)).json
  return data.map((one: { id: string }) => one.id)
}

const updatedEvents = async (accountId = s.account.id) =>
  (
    await s.t.sql<{ n: number }[]>`
      select count(*)::int as n from event where account_id = ${accountId} and type = 'product.updated'`
  )[0]?.n ?? 0
