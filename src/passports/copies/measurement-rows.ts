/** Exports and imports the measurements of an account: a line for each item and month. */
import { getInUseTable } from '../../categories/in-use/table.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { invalidInput } from '../../kernel/errors/errors.ts'

/** Without a value for a metric, null. */
type MeasurementCells = [
  at: string,
  revision: number,
  source: string,
  occasion: string | null,
  actor: number,
  stored_at: string,
  ...values: (number | null)[],
]

/** `metrics`: those of the values in each row, in their order. `month`: YYYY-MM, in UTC. */
export type MeasurementLine = {
  passport: string
  category: string
  month: string
  metrics: string[]
  rows: MeasurementCells[]
}

type ExportedRow = {
  passport: string
  category: string
  at: Date
  revision: number
  source: string
  occasion: string | null
  actor: number
  stored_at: Date
  values: (number | null)[]
}

const ITEMS_PER_PAGE = 50
const ROWS_PER_PAGE = 5_000
const FIRST = '00000000-0000-0000-0000-000000000000'

export async function* exportMeasurements(sql: Sql, accountId: number): AsyncGenerator<MeasurementLine> {
  let held: ExportedRow[] = []
  for await (const row of readRows(sql, accountId)) {
    const [first] = held
    if (first !== undefined && keyOf(first) !== keyOf(row)) {
      yield toLine(held)
      held = []
    }
    held.push(row)
  }
  if (held.length > 0) yield toLine(held)
}

const monthOf = ({ at }: Pick<ExportedRow, 'at'>): string => at.toISOString().slice(0, 7)
const keyOf = (row: ExportedRow): string => `${row.passport} ${monthOf(row)}`

/** In the order of items, then of time. */
async function* readRows(sql: Sql, accountId: number): AsyncGenerator<ExportedRow> {
  for (let after = FIRST; ; ) {
    const items = await sql<{ id: string }[]>`
      select passport_id as id from measurement_latest
      where account_id = ${accountId} and passport_id > ${after} order by passport_id limit ${ITEMS_PER_PAGE}`
    const last = items.at(-1)
    if (last === undefined) return
    yield* readItems(
      sql,
      accountId,
      items.map(({ id }) => id),
    )
    after = last.id
  }
}

async function* readItems(sql: Sql, accountId: number, ids: readonly string[]): AsyncGenerator<ExportedRow> {
  for (let after: Pick<ExportedRow, 'passport' | 'at' | 'revision'> | undefined; ; ) {
    const { passport, at, revision } = after ?? { passport: FIRST, at: new Date(0), revision: 0 }
    const page = await sql<ExportedRow[]>`
      select m.passport_id as passport, m.at, m.revision, m.source, m.occasion, m.actor, m.stored_at, m."values",
        (select p.category from passport p where p.id = m.passport_id and p.account_id = m.account_id) as category
      from measurement m
      where m.account_id = ${accountId} and m.passport_id = any(${[...ids]}::text[]::uuid[])
        and (m.passport_id, m.at, m.revision) > (${passport}::uuid, ${at}::timestamptz, ${revision}::int)
      order by m.passport_id, m.at, m.revision limit ${ROWS_PER_PAGE}`
    yield* page
    after = page.at(-1)
    if (after === undefined) return
  }
}

/** Slots that the table does not know any more are left out: nothing reads them. */
function toLine(rows: readonly ExportedRow[]): MeasurementLine {
  const { passport = '', category = '' } = rows[0] ?? {}
  const metrics = getInUseTable(category).metrics.filter(({ slot }) =>
    rows.some(({ values }) => typeof values[slot] === 'number'),
  )
  return {
    passport,
    category,
    month: rows[0] === undefined ? '' : monthOf(rows[0]),
    metrics: metrics.map(({ name }) => name),
    rows: rows.map(({ at, revision, source, occasion, actor, stored_at, values }) => [
      at.toISOString(),
      revision,
      source,
      occasion,
      actor,
      stored_at.toISOString(),
      ...metrics.map(({ slot }) => values[slot] ?? null),
    ]),
  }
}

/** Throws `validation` for a metric that the category does not have here. */
export async function importMeasurements(
  sql: Sql,
  accountId: number,
  lines: readonly MeasurementLine[],
): Promise<void> {
  for (const line of lines) {
    await sql`
      insert into measurement (at, stored_at, passport_id, account_id, actor, revision, source, occasion, "values")
      select r.at, r.stored_at, ${line.passport}, ${accountId}, r.actor, r.revision, r.source, r.occasion, r."values"
      from jsonb_to_recordset(${JSON.stringify(toRows(line))}::text::jsonb) as r(at timestamptz, stored_at timestamptz,
        actor int, revision smallint, source "char", occasion "char", "values" float8[])
      order by r.at, r.revision`
  }
}

function toRows({ category, metrics, rows }: MeasurementLine): object[] {
  const { metricByName } = getInUseTable(category)
  const slots = metrics.map(name => {
    const metric = metricByName.get(name)
    if (metric !== undefined) return metric.slot
    throw invalidInput(
      `The file has measurements of ${name}, which is no metric of ${category} here. Add it to a table in RULES_DIR first.`,
    )
  })
  return rows.map(([at, revision, source, occasion, actor, stored_at, ...cells]) => {
    const values: (number | null)[] = []
    for (const [place, slot] of slots.entries()) {
      const cell = cells[place] ?? null
      if (cell !== null) values[slot] = cell
    }
    return {
      at,
      revision,
      source,
      occasion,
      actor,
      stored_at,
      values: Array.from(values, one => one ?? null),
    }
  })
}

/** Finds the newest value of each metric of all items of the account, which has none yet. */
export async function fillLatestMeasurements(sql: Sql, accountId: number): Promise<void> {
  await sql`
    with newest as materialized (
      select m.passport_id, m.at, m."values" from passport p cross join lateral (
        select distinct on (m.at) m.passport_id, m.at, m."values" from measurement m
        where m.passport_id = p.id and m.account_id = p.account_id order by m.at, m.revision desc
      ) m
      where p.account_id = ${accountId} and p.level = 'i'
    ), cell as materialized (
      select distinct on (n.passport_id, v.slot) n.passport_id, v.slot, v.value,
        (extract(epoch from n.at) - 946684800)::integer as seconds
      from newest n cross join lateral unnest(n."values") with ordinality v(value, slot)
      where v.value is not null order by n.passport_id, v.slot, n.at desc
    ), item as materialized (
      select n.passport_id, min(n.at) as first_at, max(n.at) as last_at,
        (select max(c.slot) from cell c where c.passport_id = n.passport_id) as slots
      from newest n group by n.passport_id
    )
    insert into measurement_latest (account_id, passport_id, "values", seconds, bits, first_at, last_at)
    select ${accountId}::int, i.passport_id, array_agg(c.value order by g.slot), array_agg(c.seconds order by g.slot),
      bit_or(case when c.value is null then 0::bigint else 1::bigint << (g.slot - 1)::integer end), i.first_at, i.last_at
    from item i cross join lateral generate_series(1, i.slots) g(slot)
    left join cell c on c.passport_id = i.passport_id and c.slot = g.slot
    group by i.passport_id, i.first_at, i.last_at`
}
