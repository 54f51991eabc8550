/** The files of an account in its export, and storing them for another account. */
import type { AccountContext } from '../../accounts/account/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { unavailable } from '../../kernel/errors/errors.ts'
import { KIND_LETTER } from '../files/media-file.ts'
import type { MediaType } from '../files/media-type.ts'
import type { PreparedFile } from '../files/prepared-file.ts'
import type { MediaStore } from '../store/media-store.ts'
import { writeObjects } from './add-media.ts'

const PAGE_ROWS = 500

/** `id`: SHA-256 of the bytes as they were sent; `bytes`: how many; `created_by`: actor. */
export type ExportedFile = {
  id: string
  media_type: MediaType
  bytes: number
  created_at: Date
  created_by: number
}

/** Those that are ready, at the account's home. */
export async function* exportMediaFiles(sql: Sql, accountId: number): AsyncGenerator<ExportedFile> {
  for (let after = ''; ; ) {
    const rows: ExportedFile[] = await sql<ExportedFile[]>`
      select encode(id, 'hex') as id, type as media_type, bytes, created_at, created_by from media
      where account_id = ${accountId} and status = 'r' and id > decode(${after}, 'hex')
      order by id limit ${PAGE_ROWS}`
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE_ROWS) return
    after = last.id
  }
}

/** The clean-up deletes what was begun an hour ago. A long import finishes before this time and that hour. */
const IMPORT_TIME_MS = 24 * 3_600_000

type ImportContext = Omit<AccountContext, 'actorId'> & { mediaStore: MediaStore }
type ImportedFile = { id: string; bytes: Buffer; prepared: PreparedFile }

/**
 * Stores the bytes for an account that another transaction creates, and a row that is not ready. `ctx.sql`
 * must not be in that transaction, so that the clean-up finds what a killed import has left.
 */
export async function storeImportedFile(
  { sql, accountId, clock, mediaStore }: ImportContext,
  { id, bytes, prepared }: ImportedFile,
): Promise<void> {
  const { width, height, color } =
    prepared.kind === 'picture' ? prepared : { width: null, height: null, color: null }
  const until = new Date(clock.now().getTime() + IMPORT_TIME_MS)
  await sql`
    insert into media (account_id, id, kind, status, type, bytes, width, height, color, created_at, created_by)
    values (${accountId}, decode(${id}, 'hex'), ${KIND_LETTER[prepared.kind]}::text::"char", 'p', ${prepared.type},
      ${bytes.length}, ${width}, ${height}, ${color}, ${until}, 0)`
  await writeObjects({ mediaStore, accountId }, id, bytes, prepared)
}

/** In the transaction that creates the account. Counts the file, whatever the quota is. */
export async function finishImportedFile(
  sql: Sql,
  accountId: number,
  {
    id,
    bytes,
    created_at,
    created_by,
  }: Pick<ExportedFile, 'id' | 'bytes' | 'created_by'> & { created_at: string },
): Promise<void> {
  const { count } = await sql`
    update media set status = 'r', created_at = ${created_at}::text::timestamptz, created_by = ${created_by}::int
    where account_id = ${accountId} and id = decode(${id}, 'hex') and status = 'p'`
  if (count !== 1)
    throw unavailable('A file was deleted while it was being imported. Import the account again.')
  await sql`
    insert into media_usage (account_id, files, bytes) values (${accountId}, 1, ${bytes})
    on conflict (account_id) do update
      set files = media_usage.files + 1, bytes = media_usage.bytes + excluded.bytes`
}

/** For an import that has failed: the clean-up then deletes the rows and the bytes. */
export async function discardImportedFiles(sql: Sql, accountId: number): Promise<void> {
  await sql`update media set status = 'd' where account_id = ${accountId} and status = 'p'`
}
