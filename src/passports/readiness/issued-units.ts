/**
 * Finds values that units lack although their model has them: a change did not reach them, or a correction
 * waits.
 */
import type { AccountContext } from '../../accounts/account/context.ts'
import type { DataObject } from '../../kernel/values/data-object.ts'
import type { Rule } from '../../readiness/act.ts'
import type { RecordMember } from '../../readiness/fact.ts'
import { type ActReport, holdsAny } from '../../readiness/report.ts'
import type { IssuedUnits } from '../../readiness/report-json.ts'
import { buildSubject, type Subject } from '../../readiness/subject.ts'
import { isOutdated, joinOwners, selectContents } from '../core/outdated.ts'
import type { PassportRow } from '../core/record.ts'

/** Units that inherit the same content. */
type UnitGroup = { data: DataObject; n: number; outdated: boolean }

/** Enough for the versions from which a usual model has issued units. The newest are read. */
const MAX_GROUPS = 20
const MAX_BYTES = 1_048_576

/** The units under a model or batch by their content, as far as the bounds reach; none for an item. */
export async function findIssuedUnits(
  { sql, accountId }: AccountContext,
  row: Pick<PassportRow, 'id' | 'account_id' | 'level'>,
): Promise<UnitGroup[]> {
  if (row.level === 'i') return []
  const groups = await sql<(Omit<UnitGroup, 'data'> & { data: string })[]>`
    with issued as materialized (
      select u.content_id, u.n from content_units u
      where u.account_id = ${accountId} and u.n > 0 and u.content_id = any(array(${selectContents(sql, row)}))
      order by u.content_id desc limit ${MAX_GROUPS}
    ), weighed as (
      select i.n, c.data::text as data, ${isOutdated(sql)} as outdated,
        sum(octet_length(c.data::text)) over (order by c.id desc) - octet_length(c.data::text) as before
      from issued i
      join content c on c.id = i.content_id and c.account_id = ${accountId}
      join lateral (select c.owner_id as parent_id, o.model_id, o.account_id from passport o
        where o.id = c.owner_id and o.account_id = c.account_id) p on true ${joinOwners(sql)}
    )
    select n, data, outdated from weighed where before < ${MAX_BYTES}`
  return groups.map(group => ({ ...group, data: JSON.parse(group.data) }))
}

/** By rule: how many issued units lack, in what they inherit, what their model or batch says. */
export function countLackingUnits(
  reports: readonly ActReport[],
  units: readonly UnitGroup[],
  owner: Subject,
): ReadonlyMap<string, IssuedUnits> {
  const groups = units.map(({ data, n, outdated }) => {
    const source = { data, record: new Set<RecordMember>(), measured: new Set<string>() }
    return { subject: buildSubject(source, 'item', false), n, outdated }
  })
  const lacking = new Map<string, IssuedUnits>()
  for (const { rule } of reports.flatMap(report => (report.applies === true ? report.results : []))) {
    const without = groups.filter(group => isLacking(rule, owner, group.subject))
    if (without.length === 0) continue
    lacking.set(rule.id, {
      lacking: without.reduce((total, group) => total + group.n, 0),
      fill_by: without.every(({ outdated }) => outdated) ? 'refresh' : 'children/update',
    })
  }
  return lacking
}

function isLacking({ id, met }: Rule, owner: Subject, unit: Subject): boolean {
  if (owner.isDeclared(id)) return !unit.isDeclared(id)
  const ofData = met.filter(facts => facts.every(({ field }) => field !== undefined))
  return holdsAny(ofData, owner) && !holdsAny(ofData, unit)
}
