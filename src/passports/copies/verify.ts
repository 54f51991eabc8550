/** Checks that counters agree with the passports, and that every history is intact. */

import { idFromUuid } from '../../kernel/crypto/ids.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { LEVEL_NAME, type PassportRow } from '../core/record.ts'

const MAX_REPORTED = 20

/** Compares the counters in `table` with the passports. `columns`: the counters' key. */
const findDifferences = <K extends object>(sql: Sql, table: string, columns: Fragment, counted: Fragment) =>
  sql<(K & { account_id: number; kept: number; counted: number })[]>`
    select ${columns}, coalesce(k.n, 0) as kept, coalesce(r.n, 0) as counted
    from (select ${columns}, count(*)::bigint as n from passport where ${counted} group by ${columns}) r
    full join ${sql(table)} k using (${columns})
    where coalesce(k.n, 0) <> coalesce(r.n, 0)
    order by ${columns} limit ${MAX_REPORTED}`

/** Sentences about wrong counters of lists. Reads every passport's narrow row. */
export async function findWrongCounts(sql: Sql): Promise<string[]> {
  const columns = sql`account_id, level, status, category`
  const rows = await findDifferences<Pick<PassportRow, 'level'> & { status: string; category: string }>(
    sql,
    'passport_count',
    columns,
    sql`true`,
  )
  return rows.map(
    row =>
      `account ${row.account_id} has ${row.counted} ${row.category} ${LEVEL_NAME[row.level]} rows of status ${row.status}, but its counter says ${row.kept}`,
  )
}

/** Sentences about wrong unit counts of contents. Reads every passport's narrow row. */
export async function findWrongUnitCounts(sql: Sql): Promise<string[]> {
  const rows = await findDifferences<{ content_id: string }>(
    sql,
    'content_units',
    sql`account_id, content_id`,
    sql`parent_id is not null`,
  )
  return rows.map(
    row =>
      `account ${row.account_id} has ${row.counted} units on content ${row.content_id}, but its counter says ${row.kept}`,
  )
}

/** How many passports each account has on each level, as `account level` → number. */
export async function countRows(sql: Sql): Promise<Map<string, number>> {
  const rows = await sql<{ account_id: number; level: PassportRow['level']; n: number }[]>`
    select account_id, level, count(*)::bigint as n from passport group by account_id, level`
  return new Map(rows.map(row => [`${row.account_id} ${LEVEL_NAME[row.level]}`, row.n]))
}

/** How many passports and versions exist; version 1 counts even without a row. */
export async function countHistories(sql: Sql): Promise<{ passports: number; versions: number }> {
  const [row] = await sql<{ passports: number; versions: number }[]>`
    select count(*)::bigint as passports, coalesce(sum(version_no), 0)::bigint as versions from passport`
  return row ?? { passports: 0, versions: 0 }
}

/** Sentences about passports without data or with a gap in their versions. Reads every version's row. */
export async function findBrokenHistories(sql: Sql): Promise<string[]> {
  const rows = await sql<{ id: string; version_no: number; kept: number; has_content: boolean }[]>`
    select p.id, p.version_no, coalesce(v.n, 0) as kept, c.id is not null as has_content
    from passport p
    left join (
      select account_id, passport_id, count(*)::bigint as n, max(version_no) as last from passport_version
      group by account_id, passport_id
    ) v on v.account_id = p.account_id and v.passport_id = p.id
    left join content c on c.id = p.content_id and c.account_id = p.account_id
    where c.id is null or (p.version_no > 1 and (v.n is distinct from p.version_no or v.last <> p.version_no))
      or (p.version_no = 1 and v.n is not null)
    order by p.id limit ${MAX_REPORTED}`
  return rows.map(row =>
    row.has_content
      ? `product ${idFromUuid(row.id)} is at version ${row.version_no}, but ${row.kept} are stored`
      : `product ${idFromUuid(row.id)} has lost its data`,
  )
}

/** The tables that are checked, or one account's rows in them. `look`: a join with one row of another. */
type CheckedRows = {
  contents: Fragment
  versions: Fragment
  passports: Fragment
  look: (table: Fragment, name: Fragment, condition: Fragment) => Fragment
}

const selectAll = (sql: Sql): CheckedRows => ({
  contents: sql`content`,
  versions: sql`passport_version`,
  passports: sql`passport`,
  look: (table, name, condition) => sql`left join ${table} ${name} on ${condition}`,
})

/**
 * From the account's passports to the rest, each row by its key: only passports have an index by account,
 * and a join could read the whole shard. The condition on `updated_at` always holds; the index has it, too.
 */
function selectOfAccount(sql: Sql, accountId: number): CheckedRows {
  const passports = sql`(select * from passport where account_id = ${accountId} and updated_at > '-infinity' offset 0)`
  return {
    passports,
    contents: sql`(select c.* from ${passports} o cross join lateral (
      select * from content where owner_id = o.id and account_id = o.account_id offset 0) c where o.level <> 'i')`,
    versions: sql`(select v.* from ${passports} o cross join lateral (
      select * from passport_version where passport_id = o.id and account_id = o.account_id offset 0) v
      where o.version_no > 1)`,
    look: (table, name, condition) =>
      sql`left join lateral (select * from ${table} ${name} where ${condition} offset 0) ${name} on true`,
  }
}

/**
 * Sentences about altered histories and passports. Hashes every content and version, of one account or of
 * all.
 */
export async function findBrokenChains(sql: Sql, accountId?: number): Promise<string[]> {
  const rows = accountId === undefined ? selectAll(sql) : selectOfAccount(sql, accountId)
  const { look } = rows
  const content = look(sql`content`, sql`c`, sql`c.id = x.content_id and c.account_id = x.account_id`)
  const passport = look(sql`passport`, sql`p`, sql`p.id = x.passport_id and p.account_id = x.account_id`)
  const current = sql`v.passport_id = x.id and v.account_id = x.account_id and v.version_no = x.version_no`
  const contents = await sql<{ owner_id: string; upto: number }[]>`
    select owner_id, upto from ${rows.contents} c
    where hash is distinct from carnet_content_hash(owner_id, upto, model_upto, own_fields, data)
    order by owner_id, upto limit ${MAX_REPORTED}`
  const versions = await sql<{ passport_id: string; version_no: number }[]>`
    select passport_id, min(version_no) as version_no
    from (
      select x.passport_id, x.version_no, x.hash,
        carnet_chain(carnet_birth_hash(p.id, p.level, p.category, p.model_id, p.parent_id, p.lot, p.serial),
          carnet_version_facts(x.version_no, x.kind, x.created_at, x.created_by, c.hash, x.own, x.note, x.changed))
          over (partition by x.passport_id, x.account_id order by x.version_no) as should
      from ${rows.versions} x ${passport} ${content}
    ) w
    where hash is distinct from should
    group by passport_id order by passport_id limit ${MAX_REPORTED}`
  const currents = await sql<{ id: string; version_no: number }[]>`
    select x.id, x.version_no from ${rows.passports} x ${look(sql`passport_version`, sql`v`, current)}
    where v.passport_id is not null
      and ((v.content_id, v.created_by) is distinct from (x.content_id, x.created_by) or v.own is distinct from x.own)
    order by x.id limit ${MAX_REPORTED}`
  const foreign = await sql<{ id: string }[]>`
    select x.id from ${rows.passports} x ${content}
    where c.owner_id <> coalesce(x.parent_id, x.id)
    union
    select x.passport_id from ${rows.versions} x ${passport} ${content}
    where c.owner_id <> coalesce(p.parent_id, p.id)
    order by id limit ${MAX_REPORTED}`
  return [
    ...contents.map(
      ({ owner_id, upto }) => `the data of product ${idFromUuid(owner_id)} at version ${upto} was altered`,
    ),
    ...versions.map(
      ({ passport_id, version_no }) =>
        `the history of product ${idFromUuid(passport_id)} was altered at version ${version_no}`,
    ),
    ...foreign.map(
      ({ id }) => `product ${idFromUuid(id)} has data that was inherited from the wrong product`,
    ),
    ...currents.map(
      ({ id, version_no }) => `product ${idFromUuid(id)} differs from its version ${version_no}`,
    ),
  ]
}
