/**
 * The hash chain of a passport's versions: each hash covers the version's content and the hash before, so that any
 * change of a history is detected. The hashed text is what PostgreSQL writes, the same in every copy. SQL:
 * `migrations/0017_chain.sql`; recipe: `docs/backup.md`.
 */
import { hash } from 'node:crypto'
import type { Fragment, Sql } from '../../kernel/db/database.ts'

type VersionFacts = {
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

/** The hash of a version that follows `before`. Each part has the type of its column. */
export const nextHash = (sql: Sql, version: VersionFacts): Fragment => sql`
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

/** As in an export: `data` and `own` are JSON as PostgreSQL writes it, hashes are hex, times end with `Z`. */
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

/** As jsonb writes it: with a space after each comma. */
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
