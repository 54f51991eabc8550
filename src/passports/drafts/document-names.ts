/** Names documents as their uses do: a file itself has no name. */
import { atHome, listAccountShards } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { pickText } from '../../categories/pick-text.ts'
import { asObject, type DataObject, isObject } from '../../kernel/values/data-object.ts'
import { listNewestUses } from '../../media/uses/list-uses.ts'
import { mergeOwn } from '../core/columns.ts'
import { getPrimaryLanguage } from '../read/build-reading.ts'

/** The title in the primary language, or only the kind of an entry without a title. */
export type DocumentName = { title: string; language: string | undefined } | { kind: string }
export type DocumentNames = ReadonlyMap<string, DocumentName>

const LISTS = ['documents', 'complianceDocuments', 'authorityDocuments'] as const

/**
 * Names these files, by id: as the newest passport that uses the file names it, else the newest draft. A file
 * that neither names is left out.
 */
export async function findDocumentNames(ctx: AccountContext, ids: readonly string[]): Promise<DocumentNames> {
  const names = new Map<string, DocumentName>()
  if (ids.length === 0) return names
  for (const shard of listAccountShards(ctx)) collectNames(names, await readPassports(shard, ids))
  const left = ids.filter(id => !names.has(id))
  if (left.length > 0) collectNames(names, await readDrafts(atHome(ctx), left))
  return names
}

/** `used`: the file that the data is read for. */
type Use = { used: string; data: DataObject }

function collectNames(names: Map<string, DocumentName>, uses: readonly Use[]): void {
  for (const { used, data } of uses) {
    const name = names.has(used) ? undefined : findName(used, data)
    if (name !== undefined) names.set(used, name)
  }
}

function findName(id: string, data: DataObject): DocumentName | undefined {
  const entries = LISTS.flatMap(list => {
    const value = data[list]
    return Array.isArray(value) ? value.filter(isObject).filter(({ media }) => media === id) : []
  })
  for (const { title, type } of entries) {
    if (typeof title === 'string' && title !== '') return { title, language: undefined }
    const picked = pickText(title, [], getPrimaryLanguage(data))
    if (picked !== undefined) return { title: picked.text, language: picked.language }
    if (typeof type === 'string' && type !== '') return { kind: type }
  }
  return undefined
}

const COLUMNS = [...LISTS, 'languages']

async function readPassports(ctx: AccountContext, ids: readonly string[]): Promise<Use[]> {
  const passports = await listNewestUses(ctx, ids)
  if (passports.size === 0) return []
  const { sql, accountId } = ctx
  const data = mergeOwn(sql, sql`p.own`)
  const rows = await sql<{ id: string; data: unknown }[]>`
    select p.id, (select jsonb_object_agg(k, ${data} -> k) from unnest(${COLUMNS}::text[]) k) as data
    from passport p join content c on c.id = p.content_id and c.account_id = p.account_id
    where p.account_id = ${accountId} and p.id = any(${[...new Set(passports.values())]}::text[]::uuid[])`
  const found = new Map(rows.map(row => [row.id, asObject(row.data)]))
  return [...passports].map(([used, passport]) => ({ used, data: found.get(passport) ?? {} }))
}

async function readDrafts({ sql, accountId }: AccountContext, ids: readonly string[]): Promise<Use[]> {
  const rows = await sql<{ used: string; data: unknown }[]>`
    select distinct on (i) i as used, (select jsonb_object_agg(k, d.data -> k) from unnest(${COLUMNS}::text[]) k) as data
    from draft d join unnest(${[...ids]}::text[]) i on position(i in d.data::text) > 0
    where d.account_id = ${accountId} order by i, d.id desc`
  return rows.map(({ used, data }) => ({ used, data: asObject(data) }))
}
