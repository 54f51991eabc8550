/** Pictures that an import of a spreadsheet fetches: noted by its check, fetched by the worker in its run. */
import { atHome } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { newUuid } from '../../kernel/crypto/ids.ts'
import { KIND_LETTER } from '../files/media-file.ts'
import type { FetchFailure } from './download-file.ts'

/** Notes addresses, each once for an import. Nothing is fetched before `startImportFetches`. */
export async function noteImportFetches(
  ctx: AccountContext,
  importId: string,
  addresses: readonly string[],
): Promise<void> {
  if (addresses.length === 0) return
  const { sql, accountId, actorId, clock } = atHome(ctx)
  const now = clock.now()
  const ids = addresses.map(() => newUuid(now.getTime()))
  await sql`
    insert into media_fetch (account_id, id, import_id, source_url, status, attempts, due_at, created_at, created_by)
    select ${accountId}, new.id, ${importId}, new.url, 'n', 0, ${now}, ${now}, ${actorId}
    from unnest(${ids}::uuid[], ${[...addresses]}::text[]) as new (id, url)
    on conflict do nothing`
}

/** Lets the worker fetch what was noted. */
export async function startImportFetches(ctx: AccountContext, importId: string): Promise<void> {
  const { sql, accountId, clock } = atHome(ctx)
  await sql`
    update media_fetch set status = 'f', due_at = ${clock.now()}
    where account_id = ${accountId} and import_id = ${importId} and status = 'n'`
}

/** Forgets what was noted, and what is not fetched yet. */
export async function stopImportFetches(ctx: AccountContext, importId: string): Promise<void> {
  const { sql, accountId } = atHome(ctx)
  await sql`
    delete from media_fetch
    where account_id = ${accountId} and import_id = ${importId} and status in ('n', 'f')`
}

/** `done`: fetched, or given up. */
export type ImportFetchCount = { all: number; done: number }

export async function countImportFetches(ctx: AccountContext, importId: string): Promise<ImportFetchCount> {
  const { sql, accountId } = atHome(ctx)
  const [row] = await sql<ImportFetchCount[]>`
    select count(*)::int as all, (count(*) filter (where status in ('r', 'x')))::int as done
    from media_fetch where account_id = ${accountId} and import_id = ${importId}`
  return row ?? { all: 0, done: 0 }
}

/** The result for an address: the id of a picture, or the reason that no picture came of it. */
export type FetchedPicture = { id: string } | { failure: FetchFailure; reason: string }

/** Those of these addresses that are no longer fetched. */
export async function readImportFetches(
  ctx: AccountContext,
  importId: string,
  addresses: readonly string[],
): Promise<Map<string, FetchedPicture>> {
  if (addresses.length === 0) return new Map()
  const { sql, accountId } = atHome(ctx)
  const rows = await sql<FetchRow[]>`
    select f.source_url as url, encode(f.media_id, 'hex') as id, m.kind, f.failure, coalesce(f.reason, '') as reason
    from media_fetch f left join media m on m.account_id = f.account_id and m.id = f.media_id
    where f.account_id = ${accountId} and f.import_id = ${importId} and f.status in ('r', 'x')
      and f.source_url = any(${[...addresses]}::text[])`
  return new Map(rows.map(row => [row.url, toFetchedPicture(row)]))
}

type FetchRow = {
  url: string
  id: string | null
  kind: string | null
  failure: FetchFailure | null
  reason: string
}

function toFetchedPicture({ id, kind, failure, reason }: FetchRow): FetchedPicture {
  if (id === null) return { failure: failure ?? 'other', reason }
  return kind === KIND_LETTER.document
    ? { failure: 'no_picture', reason: 'The address leads to a PDF.' }
    : { id }
}
