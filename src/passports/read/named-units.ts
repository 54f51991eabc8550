/** Finds the units that the rows of a call name by serial, lot or id. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { isLotOrSerial } from '../../gs1/lot-serial.ts'
import { parseId } from '../../kernel/crypto/ids.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import type { PassportRow } from '../core/record.ts'

export type UnitName = { member: 'id' | 'serial' | 'lot'; value: string }
export type NamedUnit = Pick<PassportRow, 'id' | 'level' | 'category'>

/**
 * Returns a function that finds the unit of a name: all units of a model, or the items of a batch. A name may
 * be the error of parsing it, which names nothing.
 */
export async function findNamedUnits(
  { sql, accountId }: AccountContext,
  parent: Pick<PassportRow, 'id' | 'level' | 'model_id'>,
  names: readonly (UnitName | AppError)[],
): Promise<(name: UnitName) => NamedUnit | undefined> {
  const values = (member: UnitName['member']) =>
    names.flatMap(name => (!(name instanceof AppError) && name.member === member ? [name.value] : []))
  const numbers = (member: UnitName['member']) => values(member).filter(isLotOrSerial)
  const ids = values('id').flatMap(id => parseId(id) ?? [])
  const rows = await sql<(NamedUnit & { lot: string | null; serial: string | null })[]>`
    select id, level, category, lot, serial from passport
    where account_id = ${accountId} and model_id = ${parent.model_id} and level <> 'm'
      and (${parent.level}::text = 'm' or parent_id = ${parent.id})
      and (serial = any(${numbers('serial')}::text[]) or (level = 'b' and lot = any(${numbers('lot')}::text[]))
        or id = any(${ids}::text[]::uuid[]))`
  const found = new Map(
    rows.flatMap(({ lot, serial, ...unit }): [string, NamedUnit][] => [
      [`id ${unit.id}`, unit],
      unit.level === 'i' ? [`serial ${serial}`, unit] : [`lot ${lot}`, unit],
    ]),
  )
  return ({ member, value }) => found.get(`${member} ${member === 'id' ? parseId(value) : value}`)
}
