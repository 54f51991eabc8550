/** The passport of exactly the level that a GS1 address names: no unknown unit leads to its model. */
import type { DigitalLink } from '../../gs1/digital-link.ts'
import type { Sql } from '../../kernel/db/database.ts'
import type { PublicPassportRow } from './find.ts'
import { readPublicPassport } from './public-passport.ts'
import { resolveAddress } from './resolve.ts'

/** Undefined for an unknown one. A serial is found whatever its lot, unless the address names another lot. */
export async function findExactPassport(
  sql: Sql,
  link: DigitalLink,
  now: Date,
): Promise<PublicPassportRow | undefined> {
  const { lot, serial } = link
  const found = await resolveAddress(sql, link, now)
  const id = serial !== undefined ? found?.item : lot !== undefined ? found?.batch : found?.model
  const row = id ? await readPublicPassport(sql, id, now) : undefined
  return lot !== undefined && row?.lot !== lot ? undefined : row
}
