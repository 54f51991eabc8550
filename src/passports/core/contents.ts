/**
 * Reads the contents of passports after the passports themselves, each statement from a single table by its
 * keys. Citus keeps the plan of such a statement. A join it plans at each call, which takes 0.5 ms.
 */
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import type { PassportRow } from './record.ts'

/** A row with `ownColumns`. */
export type PassportOnly = Omit<PassportRow, 'outdated' | 'gtin' | 'data'> & { content_id: string }

type Content = {
  id: string
  account_id: number
  upto: number
  model_upto: number | null
  gtin: string | null
}
type Correction = Pick<PassportRow, 'id' | 'account_id'> & { last_correction: number }

/** A content never changes, so it may be read after its passports. */
export async function findContents<C>(sql: Sql, passports: readonly PassportOnly[], columns: Fragment) {
  const accounts = [...new Set(passports.map(row => row.account_id))]
  const ids = [...new Set(passports.map(row => row.content_id))]
  // The rows are of these accounts only, so an id alone identifies the row of a single account.
  const keyOf = accounts.length === 1 ? (_accountId: number, id: string) => id : keyInAccount
  const [contents, corrections] = await Promise.all([
    ids.length === 0
      ? []
      : sql<(Content & C)[]>`
      select c.id, c.account_id, c.upto, c.model_upto, c.data->>'gtin' as gtin, ${columns} from content c
      where c.id = any(${ids}::text[]::uuid[]) and c.account_id = any(${accounts}::int[])`,
    readCorrections(sql, passports, { accounts, keyOf }),
  ])
  const found = new Map(contents.map(row => [keyOf(row.account_id, row.id), row]))
  const isCorrected = (accountId: number, id: string, upto: number) =>
    (corrections.get(keyOf(accountId, id)) ?? 0) > upto
  return {
    /** Undefined if the account was deleted meanwhile. */
    find: ({ account_id, content_id }: PassportOnly): (Content & C) | undefined =>
      found.get(keyOf(account_id, content_id)),
    /** As `isOutdated` of `outdated.ts`: the parent of a unit owns its content. */
    isOutdated: (
      { account_id, parent_id, model_id }: PassportOnly,
      { upto, model_upto }: Pick<Content, 'upto' | 'model_upto'>,
    ): boolean =>
      parent_id !== null &&
      (isCorrected(account_id, parent_id, upto) ||
        (model_upto !== null && isCorrected(account_id, model_id, model_upto))),
  }
}

/** The last corrections of the parents and models of units. */
async function readCorrections(
  sql: Sql,
  passports: readonly PassportOnly[],
  { accounts, keyOf }: { accounts: readonly number[]; keyOf: KeyOf },
): Promise<Map<string, number>> {
  const units = passports.filter(row => row.parent_id !== null)
  if (units.length === 0) return new Map()
  const ids = [...new Set(units.flatMap(({ parent_id, model_id }) => [parent_id, model_id]))]
  const rows = await sql<Correction[]>`
    select p.id, p.account_id, p.last_correction from passport p
    where p.id = any(${ids}::text[]::uuid[]) and p.account_id = any(${[...accounts]}::int[])`
  return new Map(rows.map(row => [keyOf(row.account_id, row.id), row.last_correction]))
}

type KeyOf = (accountId: number, id: string) => string

const keyInAccount: KeyOf = (accountId: number, id: string) => `${accountId} ${id}`
