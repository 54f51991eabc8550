/** Random passports of all levels as rows: models, batches, and items below a model or a batch. */
import fc from 'fast-check'
import { newUuid } from '../../src/kernel/crypto/ids.ts'
import type { PublicPassportRow } from '../../src/passports/read/find.ts'
import type { Body } from '../categories/arbitrary.ts'
import { MADE_AT, rowOf } from './passport-views.ts'

/** GS1's character set 82, without `.` and `..`, which are names of folders. */
const GS1_82 = `!"%&'()*+,-./0123456789:;<=>?ABCXYZ_abcxyz`
const lotOrSerial = fc
  .string({ unit: fc.constantFrom(...GS1_82), minLength: 1, maxLength: 20 })
  .filter(one => one !== '.' && one !== '..')

export type Place = Pick<PublicPassportRow, 'level' | 'lot' | 'serial' | 'outdated'> & {
  ofBatch: boolean
  from: number
}

export const place: fc.Arbitrary<Place> = fc
  .record({
    level: fc.constantFrom('m' as const, 'b' as const, 'i' as const),
    lot: lotOrSerial,
    serial: lotOrSerial,
    ofBatch: fc.boolean(),
    outdated: fc.boolean(),
    from: fc.nat(),
  })
  .map(({ level, lot, serial, ofBatch, outdated, from }) => ({
    level,
    lot: level === 'b' || (level === 'i' && ofBatch) ? lot : null,
    serial: level === 'i' ? serial : null,
    ofBatch: level === 'i' && ofBatch,
    outdated: level !== 'm' && outdated,
    from,
  }))

/** The fields come alternately from the unit itself, its batch and the model, starting at `from`. */
export function rowAt(
  category: Parameters<typeof rowOf>[0],
  data: Body,
  { from, ofBatch, ...place }: Place,
  more: Partial<PublicPassportRow> = {},
): PublicPassportRow {
  if (place.level === 'm') return rowOf(category, data, more)
  const names = (remainder: number) => Object.keys(data).filter((_, i) => (i + from) % 3 === remainder)
  const model = newUuid(MADE_AT.getTime())
  return rowOf(category, data, {
    ...place,
    model_id: model,
    parent_id: ofBatch ? newUuid(MADE_AT.getTime()) : model,
    unit_fields: names(0),
    batch_fields: ofBatch ? names(1) : null,
    ...more,
  })
}
