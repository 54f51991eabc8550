/** Remembers where each metric is stored: a later table must not give its place to another one. */
import { getInUseTables } from '../../categories/in-use/table.ts'
import { RuleFileError } from '../../kernel/config/rule-files.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { getSharedDatabase } from '../../kernel/db/shards.ts'

type MetricSlot = { category: string; name: string; slot: number; unit: string }

/**
 * Call it when a server starts. Throws RuleFileError for a metric that has another slot or unit than before,
 * or the slot of another one.
 */
export async function keepMetricSlots(sql: Sql): Promise<void> {
  const shared = getSharedDatabase(sql)
  const wanted = [...getInUseTables().byCategory.values()].flatMap(({ category, metrics }) =>
    metrics.map(({ name, slot, unit }): MetricSlot => ({ category, name, slot, unit })),
  )
  const read = () => shared<MetricSlot[]>`select category, name, slot, unit from metric_slot`
  const isKnown = (all: readonly MetricSlot[], one: MetricSlot) =>
    all.some(({ category, name }) => category === one.category && name === one.name)
  const before = await read()
  const missing = wanted.filter(one => !isKnown(before, one))
  if (missing.length > 0)
    await shared`
      insert into metric_slot (category, name, slot, unit)
      select r.category, r.name, r.slot, r.unit
      from jsonb_to_recordset(${JSON.stringify(missing)}::text::jsonb) as r(category text, name text, slot smallint, unit text)
      order by r.category, r.name
      on conflict do nothing`
  const stored = missing.length > 0 ? await read() : before
  for (const one of wanted) requireSameSlot(one, stored)
}

function requireSameSlot(one: MetricSlot, stored: readonly MetricSlot[]): void {
  const own = stored.find(({ category, name }) => category === one.category && name === one.name)
  const wanted = `the metric ${one.name} of ${one.category} at slot ${one.slot} in ${one.unit}`
  if (own === undefined) {
    const other = stored.find(({ category, slot }) => category === one.category && slot === one.slot)
    throw new RuleFileError(
      `The table of products in use has ${wanted}, but this slot is that of ${other?.name}. Give it a free one.`,
    )
  }
  if (own.slot !== one.slot || own.unit !== one.unit)
    throw new RuleFileError(
      `The table of products in use has ${wanted}, but measurements are stored at slot ${own.slot} in ${own.unit}. Name another metric.`,
    )
}
