/** Counts the passports with a value in one field, for a page about changing who sees the field. */
import { listAccountShards } from '../../accounts/account/account-shard.ts'
import { type AccountContext, withTransaction } from '../../accounts/account/context.ts'
import type { CompleteCategory } from '../../categories/catalogue.ts'
import { findErrorCode } from '../../kernel/errors/errors.ts'

/** More are not counted. */
export const MAX_COUNTED_WITH_FIELD = 10_000
/** Reads one shard. Found ones are counted much faster; a large account may have few, or none, to find. */
const COUNT_TIMEOUT = '1s'
const QUERY_CANCELED = '57014'

/** `path`: names separated by dots, also of members of entries. */
type CountedField = { category: CompleteCategory; path: string }

/**
 * By their current versions, archived ones too. Above `MAX_COUNTED_WITH_FIELD`, how far above says nothing;
 * undefined if counting takes too long.
 */
export async function countWithField(ctx: AccountContext, field: CountedField): Promise<number | undefined> {
  const counts = await Promise.all(listAccountShards(ctx).map(at => countInShard(at, field)))
  return counts.includes(undefined) ? undefined : counts.reduce<number>((sum, n) => sum + (n ?? 0), 0)
}

/** `updated_at` makes an index of the account usable; without passports of the category nothing is read. */
async function countInShard(ctx: AccountContext, field: CountedField): Promise<number | undefined> {
  const { category, path } = field
  const names = path.split('.')
  const since = category.fields.find(({ name }) => name === names[0])?.since ?? 1
  const jsonPath = `$.${names.map(name => JSON.stringify(name)).join('.')} ? (@ != null)`
  try {
    return await withTransaction(ctx, async ({ sql, accountId }) => {
      await sql`select set_config('statement_timeout', ${COUNT_TIMEOUT}, true)`
      const [row] = await sql<{ n: number }[]>`
        select count(*)::int as n from (
          select from passport p join content c on c.id = p.content_id and c.account_id = p.account_id
          where p.account_id = ${accountId} and p.category = ${category.id} and p.schema_version >= ${since}
            and p.updated_at > '-infinity'
            and jsonb_path_exists(coalesce(c.data || p.own, c.data), ${jsonPath}::text::jsonpath)
            and exists (select from passport_count k
              where k.account_id = ${accountId} and k.category = ${category.id} and k.n > 0)
          limit ${MAX_COUNTED_WITH_FIELD + 1}) found`
      return row?.n ?? 0
    })
  } catch (error) {
    if (findErrorCode(error) === QUERY_CANCELED) return undefined
    throw error
  }
}
