/** Columns of passports, from `passport p`, `content c` and `joinOwners`. */
import { allCategories } from '../../categories/catalogue.ts'
import { type Fragment, perDatabase, type Sql } from '../../kernel/db/database.ts'
import { isOutdated } from './outdated.ts'

/** Columns from `passport p` alone. */
export const ownColumns = perDatabase(
  (sql): Fragment => sql`
  p.id, p.account_id, p.version_no, p.created_by, p.parent_id, p.model_id, p.schema_version, p.level, p.status,
  p.category, p.lot, p.serial, p.updated_at`,
)

export const metadataColumns = perDatabase(
  (sql): Fragment => sql`${ownColumns(sql)}, ${isOutdated(sql)} as outdated, c.data->>'gtin' as gtin`,
)

export const passportColumns = (sql: Sql, data = allData(sql)): Fragment => sql`
  ${metadataColumns(sql)}, ${data} as data`

/** A passport's effective data as JSON text. */
export const allData = (sql: Sql): Fragment => sql`${mergeOwn(sql, sql`p.own`)}::text`

/** The data of content `c` with the `own` data of a unit, which may be null. */
export const mergeOwn = (sql: Sql, own: Fragment): Fragment => sql`coalesce(c.data || ${own}, c.data)`

/** Field names of all categories; disclosure selects those of the passport's own category. */
const FIELD_NAMES = [...new Set(allCategories().flatMap(({ fields }) => fields.map(field => field.name)))]

/** Drops free-form keys, which may be huge and which no public reader sees. */
export const dropFreeFormKeys = (sql: Sql, data: Fragment): Fragment => sql`
  (select coalesce(jsonb_object_agg(known.key, known.value), '{}') from jsonb_each(${data}) known
    where known.key = any(${FIELD_NAMES}::text[]))::text`

/** Drops the names of free-form keys from `names`, a text[]. Null stays null. */
export const dropFreeFormNames = (sql: Sql, names: Fragment): Fragment => sql`
  (select array_agg(known) from unnest(${names}) known where known = any(${FIELD_NAMES}::text[]))`
