/**
 * The hash chain of versions: each hash covers the content and the previous hash, so that any change of a
 * history is detected. SQL: `migrations/0017_chain.sql`; recipe: `docs/backup.md`.
 */
import type { Fragment, Sql } from '../../kernel/db/database.ts'

type VersionFields = {
  before: Fragment
  versionNo: Fragment
  kind: Fragment
  createdAt: Fragment
  createdBy: Fragment
  contentHash: Fragment
  own: Fragment
  note: Fragment
  changed: Fragment
}

/**
 * The hash of the version that follows the version with the hash `before`. Each part has the type of its
 * column.
 */
export const nextHash = (sql: Sql, version: VersionFields): Fragment => sql`
  carnet_link(${version.before}, carnet_version_facts(${version.versionNo}, ${version.kind}, ${version.createdAt},
    ${version.createdBy}, ${version.contentHash}, ${version.own}, ${version.note}, ${version.changed}))`

/** The hash of version 1 of `passport p`, which has no row before version 2 is written. */
export const firstHash = (sql: Sql, contentHash: Fragment): Fragment =>
  nextHash(sql, {
    before: sql`carnet_birth_hash(p.id, p.level, p.category, p.model_id, p.parent_id, p.lot, p.serial)`,
    versionNo: sql`1`,
    kind: sql`'n'::"char"`,
    createdAt: sql`carnet_created_at(p.id)`,
    createdBy: sql`p.created_by`,
    contentHash,
    own: sql`p.own`,
    note: sql`null::text`,
    changed: sql`null::text[]`,
  })
