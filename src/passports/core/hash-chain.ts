/**
 * The hash chain of versions: each hash covers the content and the previous hash, so that any change of a
 * history is detected. SQL: `migrations/functions/`; recipe: `docs/backup.md`.
 */
import type { Fragment, Sql } from '../../kernel/db/database.ts'

/** The hash of version 1 of `passport p`, which has no row before version 2 is written. */
export const firstHash = (sql: Sql, contentHash: Fragment): Fragment => sql`
  carnet_link(carnet_birth_hash(p.id, p.level, p.category, p.model_id, p.parent_id, p.lot, p.serial),
    carnet_version_facts(1, 'n', carnet_created_at(p.id), p.created_by, ${contentHash}, p.own, null, null))`
