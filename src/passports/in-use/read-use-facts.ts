/** Reads what rules ask of the use of an item: what was measured, and what its log of events says. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { getInUseTable } from '../../categories/in-use/table.ts'
import type { PassportRow } from '../core/record.ts'
import type { SlotValues } from './measurement.ts'

/** `measured`: names of metrics, and `events` if somebody has written one. */
export type UseFacts = { measured: ReadonlySet<string>; isPutIntoService: boolean }

export const NO_USE: UseFacts = { measured: new Set(), isPutIntoService: false }

type UseRow = { values: SlotValues | null; has_events: boolean; is_put_into_service: boolean }

/** Without a statement for models and batches, which are not used. */
export async function readUseFacts(
  { sql, accountId }: AccountContext,
  { id, level, category }: Pick<PassportRow, 'id' | 'level' | 'category'>,
): Promise<UseFacts> {
  if (level !== 'i') return NO_USE
  const [row] = await sql<UseRow[]>`
    select (select l."values" from measurement_latest l where l.account_id = ${accountId} and l.passport_id = ${id}) as values,
      exists (select from life_event e where e.account_id = ${accountId} and e.passport_id = ${id}
        and e.kind not in ('correction', 'handed_over')) as has_events,
      exists (select from life_event e where e.account_id = ${accountId} and e.passport_id = ${id}
        and e.kind = 'put_into_service' and not exists (select from life_event c
          where c.account_id = ${accountId} and c.passport_id = ${id} and c.corrects = e.number)) as is_put_into_service`
  if (row === undefined) return NO_USE
  const values = row.values ?? []
  const { metrics } = getInUseTable(category)
  const names = metrics.filter(({ slot }) => typeof values[slot] === 'number').map(({ name }) => name)
  return {
    measured: new Set(row.has_events ? [...names, 'events'] : names),
    isPutIntoService: row.is_put_into_service,
  }
}
