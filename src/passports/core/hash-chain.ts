/**
 * The hash chain of a passport's versions: each version has a hash of its content and of the hash before, so
 * that every change, removal or insertion in a history can be detected. The hashed text is what PostgreSQL
 * writes, which is the same in every copy; the functions are in `migrations/0017_chain.sql`, the recipe in
 * `docs/backup.md`.
 */
import { hash } from 'node:crypto'
import type { Fragment, Sql } from '../../kernel/db/database.ts'

type VersionFacts = {
  versionNo: Fragment
  kind: Fragment
  createdAt: Fragment
  createdBy: Fragment
  contentHash: Fragment
  own: Fragment
  note: Fragment
  changed: Fragment
}

/** The hash of a version that follows on `before`; every part is of the type of its column. */
export const nextHash = (sql: Sql, version: VersionFacts & { before: Fragment }): Fragment => sql`
  carnet_link(${version.before}, carnet_version_facts(${version.versionNo}, ${version.kind}, ${version.createdAt},
    ${version.createdBy}, ${version.contentHash}, ${version.own}, ${version.note}, ${version.changed}))`

/**
 * The hash of version 1, which has no row before version 2 is written, from the columns of `of` and its
 * content's hash.
 */
export const firstHash = (
  sql: Sql,
  first: { of: Fragment; createdAt: Fragment; createdBy: Fragment; contentHash: Fragment },
): Fragment =>
  nextHash(sql, {
    before: sql`carnet_birth_hash(${first.of}.id, ${first.of}.level, ${first.of}.category, ${first.of}.model_id,
      ${first.of}.parent_id, ${first.of}.lot, ${first.of}.serial)`,
    versionNo: sql`1`,
    kind: sql`'n'::"char"`,
    createdAt: first.createdAt,
    createdBy: first.createdBy,
    contentHash: first.contentHash,
    own: sql`${first.of}.own`,
    note: sql`null::text`,
    changed: sql`null::text[]`,
  })

/**
 * Texts as an export has them: `data` and `own` are JSON as PostgreSQL writes it, hashes are hex, times end
 * with `Z`.
 */
type HashedContent = {
  owner: string
  upto: number
  modelUpto: number | null
  ownFields: readonly string[] | null
  data: string
}
type HashedIdentity = {
  uuid: string
  level: string
  category: string
  model: string
  parent: string | null
  lot: string | null
  serial: string | null
}
type HashedVersion = {
  versionNo: number
  kind: string
  createdAt: string
  createdBy: number
  contentHash: string
  own: string | null
  note: string | null
  changed: readonly string[] | null
}

const hashLines = (lines: readonly (string | number | null)[]) =>
  hash('sha256', lines.map(line => line ?? '').join('\n'), 'hex')

/** JSON as jsonb writes it: a space after each comma. */
const toJsonbText = (list: readonly string[] | null) =>
  list === null ? null : `[${list.map(one => JSON.stringify(one)).join(', ')}]`

export const hashContent = (content: HashedContent) =>
  hashLines([content.owner, content.upto, content.modelUpto, toJsonbText(content.ownFields), content.data])

export const hashIdentity = ({ uuid, level, category, model, parent, lot, serial }: HashedIdentity) =>
  hashLines([uuid, level, category, model, parent, lot, serial])

export const hashVersion = (before: string, version: HashedVersion) =>
  hashLines([
    before,
    version.versionNo,
    version.kind,
    version.createdAt,
    version.createdBy,
    version.contentHash,
    version.own,
    version.note === null ? null : JSON.stringify(version.note),
    toJsonbText(version.changed),
  ])
