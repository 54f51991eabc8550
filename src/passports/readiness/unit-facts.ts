/** The facts of the active units under one product, grouped: at any depth, as far as the bounds reach. */
import type { AccountContext } from '../../accounts/account/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { unprepared } from '../../kernel/db/database.ts'
import { selectContents } from '../core/outdated.ts'
import type { PassportRow } from '../core/record.ts'
import type { Level } from '../read/list-filter.ts'
import { encodeFacts, type FactSubject, hasChildren, listFactBits } from './facts.ts'

type Owner = Pick<PassportRow, 'id' | 'account_id' | 'model_id' | 'level'>

export type UnitFacts = {
  level: Level
  has_children: boolean
  facts_version: number
  bits: Buffer
  n: number
}

/** For each kind of unit that has a row of its own. A model with more is counted in part. */
const MAX_UNITS = 5_000
const MAX_CONTENTS = 200
/** Units whose facts are not written yet are read here. */
const MAX_READ = 500
const READ_AT_ONCE = 100

type UnitRow = Omit<UnitFacts, 'bits'> & FactSubject & { bits: Buffer | null }

/** None for an item. */
export async function findUnitFacts(
  { sql, accountId }: Pick<AccountContext, 'sql' | 'accountId'>,
  owner: Owner,
): Promise<{ groups: UnitFacts[]; isComplete: boolean }> {
  const rows = await unprepared(
    sql<(UnitRow & { is_complete: boolean })[]>`
    with contents as materialized (
      select id from (${selectContents(sql, owner)}) c order by id desc limit ${MAX_CONTENTS + 1}
    ), special as materialized (${selectSpecialUnits(sql, owner)}), subjects as (
      select s.level, case when s.has_own then 'u'::"char" else 'c'::"char" end as kind,
        case when s.has_own then s.id else s.content_id end as subject,
        case when s.has_own then s.version_no else 0 end as version_no,
        case when s.level = 'b' then s.id end as parent, 1::bigint as n
      from special s where s.status = 'a'
      union all
      select 'i', 'c', u.content_id, 0, null, sum(u.n)::bigint
      from (
        select content_id, n from content_units
        where account_id = ${accountId} and content_id = any(array(select id from contents))
        union all
        select content_id, -1 from special where content_id = any(array(select id from contents))) u
      group by u.content_id having sum(u.n) > 0
    ), found as (
      select s.level, s.kind, s.subject, s.n, f.facts_version, f.bits, ${hasChildren(sql, accountId)} as has_children
      from subjects s left join lateral (
        select f.facts_version, f.bits from readiness_facts f
        where f.account_id = ${accountId} and f.kind = s.kind and f.subject = s.subject and f.version_no = s.version_no
          and f.facts_version = any(${[...listFactBits().keys()]}::int[]) limit 1) f on true
    )
    select level, has_children, facts_version, bits, case when bits is null then kind end as kind,
      case when bits is null then subject end as subject, sum(n)::bigint as n,
      (select count(*) from contents) <= ${MAX_CONTENTS} and (select count(*) from special) <= ${MAX_UNITS} as is_complete
    from found group by 1, 2, 3, 4, 5, 6`,
  )
  const known = rows.flatMap(({ bits, ...row }) => (bits === null ? [] : [{ ...row, bits }]))
  const unread = rows.filter(({ bits }) => bits === null)
  const read = await readFacts({ sql, accountId }, unread.slice(0, MAX_READ))
  const isComplete = rows.every(row => row.is_complete) && unread.length <= MAX_READ
  return { groups: [...known, ...read], isComplete }
}

/** Units that the counters of contents do not tell: with own fields, batches, and archived items. */
function selectSpecialUnits(sql: Sql, { id, account_id, model_id, level }: Owner): Fragment {
  const limit = sql`limit ${MAX_UNITS + 1}`
  const under = level === 'm' ? sql`model_id = ${id}` : sql`model_id = ${model_id} and parent_id = ${id}`
  return sql`
    (select id, content_id, level, status, version_no, true as has_own from passport
    where account_id = ${account_id} and ${under} and own is not null and parent_id is not null ${limit})
    union all
    (select id, content_id, level, status, version_no, false from passport
    where account_id = ${account_id} and parent_id = ${id} and level = 'b' and own is null ${limit})
    union all
    (select id, content_id, level, status, version_no, false from passport
    where account_id = ${account_id} and content_id = any(array(select id from contents))
      and status = 'x' and level = 'i' and own is null ${limit})`
}

async function readFacts(
  account: Pick<AccountContext, 'sql' | 'accountId'>,
  rows: readonly UnitRow[],
): Promise<UnitFacts[]> {
  const found: UnitFacts[] = []
  for (let i = 0; i < rows.length; i += READ_AT_ONCE) {
    const some = rows.slice(i, i + READ_AT_ONCE)
    const encoded = new Map((await encodeFacts(account, some)).map(one => [one.kind + one.subject, one]))
    for (const { kind, subject, ...row } of some) {
      const facts = encoded.get(kind + subject)
      if (facts !== undefined) found.push({ ...row, facts_version: facts.facts_version, bits: facts.bits })
    }
  }
  return found
}
