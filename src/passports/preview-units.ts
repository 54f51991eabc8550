/** What issuing units would come to as things are now: which lots and serials are taken, and how many the quota has room for. */
import type { AccountContext } from '../accounts/context.ts'
import { findRoom } from '../accounts/limits/quota.ts'
import { LETTER, nameOf, type Outcome, overQuota, type Row } from './insert-units.ts'
import type { UnitLevel } from './new-units.ts'
import type { State } from './state.ts'

/** As `insertUnits` would answer; nothing is written. */
export async function previewUnits(
  { sql, accountId }: AccountContext,
  wish: { giver: State; level: UnitLevel; rows: readonly Row[] },
): Promise<Outcome> {
  const { giver, level, rows } = wish
  const names = rows.map(row => nameOf(row.unit, level))
  const left = await findRoom(sql, { accountId, level: LETTER[level] })
  const there = await sql<{ name: string }[]>`
    select coalesce(serial, lot) as name from passport
    where account_id = ${accountId} and model_id = ${giver.row.model_id} and level = ${LETTER[level]}::text::"char"
      and (serial = any(${names}::text[]) or (level = 'b' and lot = any(${names}::text[])))`
  const taken = new Set(there.map(row => row.name))
  const free = rows.filter(row => !taken.has(nameOf(row.unit, level)))
  return {
    written: new Set(free.slice(0, left).map(row => row.id)),
    refused: new Map(free.slice(left).map(row => [row.id, overQuota(level)])),
  }
}
