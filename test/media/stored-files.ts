/** Files of accounts for tests that need a row alone: their bytes are nowhere, or are no picture. */
import type { Sql } from '../../src/kernel/db/database.ts'
import { listObjectKeys } from '../../src/media/files/media-file.ts'
import type { MediaStore } from '../../src/media/store/media-store.ts'
import { FILE_IDS } from '../categories/format-values.ts'
import type { Harness, TestAccount } from '../harness.ts'

type Files = { kind: 'picture' | 'document'; ids: readonly string[] }

export async function storeFileRows(
  { sql, accountId }: { sql: Sql; accountId: number },
  { kind, ids }: Files,
  status: 'r' | 'p' = 'r',
): Promise<void> {
  const size = kind === 'picture' ? 800 : null
  for (const id of ids) {
    await sql`
      insert into media (account_id, id, kind, status, type, bytes, width, height, color, created_at, created_by)
      values (${accountId}, decode(${id}, 'hex'), ${kind === 'picture' ? 'p' : 'd'}::text::"char", ${status}::text::"char",
        ${kind === 'picture' ? 'image/jpeg' : 'application/pdf'}, 1000, ${size}, ${size}, ${size && '#8d7b6a'},
        '2026-11-24T08:00:00Z', 1)
      on conflict do nothing`
  }
}

/** Those that random data refers to. */
export async function storeRandomFiles(
  t: Pick<Harness, 'sql'>,
  account: Pick<TestAccount, 'id'>,
): Promise<void> {
  for (const kind of ['picture', 'document'] as const)
    await storeFileRows({ sql: t.sql, accountId: account.id }, { kind, ids: FILE_IDS[kind] })
}

/** Those that planted data refers to. */
export async function storeFilesOf(
  t: Pick<Harness, 'sql'>,
  account: Pick<TestAccount, 'id'>,
  data: Readonly<Record<string, unknown>>,
): Promise<void> {
  const findIds = (name: string) =>
    (Array.isArray(data[name]) ? data[name] : []).flatMap(({ media }: { media?: string }) => media ?? [])
  const at = { sql: t.sql, accountId: account.id }
  await storeFileRows(at, { kind: 'picture', ids: findIds('pictures') })
  for (const name of ['documents', 'complianceDocuments', 'authorityDocuments'])
    await storeFileRows(at, { kind: 'document', ids: findIds(name) })
}

/** Gives each object of all files of the account some bytes, so that it can be served. */
export async function storeBytes(
  { sql, mediaStore }: { sql: Sql; mediaStore: MediaStore },
  accountId: number,
): Promise<void> {
  const rows = await sql<{ id: string; width: number | null; type: string }[]>`
    select encode(id, 'hex') as id, width, type from media where account_id = ${accountId}`
  for (const { type, ...file } of rows) {
    for (const key of listObjectKeys(accountId, file)) await mediaStore.write(key, Buffer.from(key), type)
  }
}
