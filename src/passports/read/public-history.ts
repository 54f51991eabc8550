/** The history that everyone may see: when each version was made and whether it corrects; never by whom. */
import type { Sql } from '../../kernel/db/database.ts'
import { creationTime, type PassportRow } from '../core/record.ts'

export type PublicVersion = { versionNo: number; kind: 'first' | 'change' | 'correction'; at: Date }

/** Newest first; `total` includes versions that are not listed. */
export type PublicHistory = { versions: readonly PublicVersion[]; total: number }

const MAX_VERSIONS_SHOWN = 20

/** A refresh gives a unit the corrections of its model or batch. */
const KIND = { n: 'first', h: 'change', c: 'correction', r: 'correction' } as const

type Subject = Pick<PassportRow, 'id' | 'account_id' | 'version_no'>

/** The newest 20 versions of a passport up to the one given. */
export async function readPublicHistory(sql: Sql, passport: Subject): Promise<PublicHistory> {
  const total = passport.version_no
  if (total === 1)
    return { versions: [{ versionNo: 1, kind: 'first', at: creationTime(passport.id) }], total }
  const rows = await sql<{ version_no: number; kind: keyof typeof KIND; created_at: Date }[]>`
    select version_no, kind, created_at from passport_version
    where passport_id = ${passport.id} and account_id = ${passport.account_id}
      and version_no <= ${total} and version_no > ${total - MAX_VERSIONS_SHOWN}
    order by version_no desc`
  return {
    versions: rows.map(row => ({ versionNo: row.version_no, kind: KIND[row.kind], at: row.created_at })),
    total,
  }
}
