/** Finds passports by the identifiers that they had in other systems. */
import { createBatchLoader } from '../../kernel/db/batch-loader.ts'
import { perDatabase, type Sql } from '../../kernel/db/database.ts'
import { getShard } from '../../kernel/db/shards.ts'

const lookUps = perDatabase((shared: Sql) =>
  createBatchLoader(async (keys: readonly string[]) => {
    const rows = await shared<{ key: string; passport_id: string }[]>`
      select key, passport_id from dpp_alias where key = any(${[...keys]}::text[])`
    const found = new Map(rows.map(({ key, passport_id }) => [key, passport_id]))
    return keys.map(key => found.get(key))
  }),
)

/** The UUID of the passport with this identifier, in its normal form. */
export const findByAlias = (sql: Sql, key: string): Promise<string | undefined> =>
  lookUps(getShard(sql, null))(key)
