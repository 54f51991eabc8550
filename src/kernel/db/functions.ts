/**
 * Keeps the functions of the database equal to `migrations/functions/`, which has a file with the present
 * text of each. A comment on the function holds the checksums of its file and of its body.
 */
import type postgres from 'postgres'
import { unavailable } from '../errors/errors.ts'
import { distributeNewObjects, PROPAGATE_SETTINGS } from './citus.ts'
import { lockSchemas } from './create-shard.ts'
import { isDisconnection } from './database.ts'
import { readShards } from './shards.ts'

type Sql = postgres.Sql | postgres.TransactionSql
/** `name`: of the file, such as `functions/carnet_keep.sql`. */
export type FunctionFile = { name: string; text: string; checksum: string }

/**
 * Creates the functions that are missing. Call it before migrations: triggers of their tables call functions.
 * A body may name tables that do not exist yet.
 */
export async function createMissingFunctions(
  sql: postgres.Sql,
  files: readonly FunctionFile[],
): Promise<void> {
  await writeFunctions(sql, files, checksum => checksum === undefined)
}

/**
 * Creates or replaces all functions whose text differs, and returns the names of their files. Call it after
 * all migrations: a body may name any of their tables.
 */
export function replaceChangedFunctions(
  sql: postgres.Sql,
  files: readonly FunctionFile[],
): Promise<string[]> {
  return writeFunctions(sql, files, (checksum, file) => checksum !== file.checksum)
}

/** The names of files whose function is missing or has another text. */
export async function listChangedFunctions(sql: Sql, files: readonly FunctionFile[]): Promise<string[]> {
  const checksums = await readChecksums(sql)
  return files.filter(file => checksums.get(getFunction(file)) !== file.checksum).map(file => file.name)
}

/** In one transaction; of several processes, one writes. `isNeeded`: a missing function has no checksum. */
async function writeFunctions(
  sql: postgres.Sql,
  files: readonly FunctionFile[],
  isNeeded: (checksum: string | undefined, file: FunctionFile) => boolean,
): Promise<string[]> {
  const select = async (from: Sql) => {
    const checksums = await readChecksums(from)
    return files.filter(file => isNeeded(checksums.get(getFunction(file)), file))
  }
  if ((await select(sql)).length === 0) return []
  return sql.begin('isolation level read committed', async tx => {
    await tx.unsafe(PROPAGATE_SETTINGS)
    await tx`set local statement_timeout = 0`
    await tx`set local check_function_bodies = off`
    await lockSchemas(tx)
    const needed = await select(tx)
    for (const file of needed) {
      await tx.unsafe(file.text).catch(error => Promise.reject(explainFailure(file, error)))
      await noteChecksum(tx, file)
    }
    if ((await readShards(tx)).length > 0) await distributeNewObjects(tx)
    return needed.map(file => file.name)
  })
}

const NO_RIGHT = '42501'

/** Whoever lacks a right is told so as for any other statement. */
function explainFailure(file: FunctionFile, error: unknown): unknown {
  if (!(error instanceof Error && 'severity' in error) || isDisconnection(error)) return error
  if ('code' in error && error.code === NO_RIGHT) return error
  return unavailable(`The function in ${file.name} failed, and no function was replaced: ${error.message}.`)
}

const getFunction = ({ name }: FunctionFile): string => name.replace(/^.*\/|\.sql$/g, '')

async function noteChecksum(tx: postgres.TransactionSql, file: FunctionFile): Promise<void> {
  const name = `public.${getFunction(file)}`
  const [row] = await tx<
    { body: string }[]
  >`select md5(prosrc) as body from pg_proc where oid = ${name}::regproc`
  await tx.unsafe(`comment on function ${name} is '${file.checksum} ${row?.body}'`)
}

/** By name; empty for a function that another program or an earlier version has written. */
async function readChecksums(sql: Sql): Promise<Map<string, string>> {
  const rows = await sql<{ name: string; checksum: string }[]>`
    select p.proname::text as name, case when d.comment like '% ' || md5(p.prosrc) then split_part(d.comment, ' ', 1) else '' end as checksum
    from pg_proc p cross join lateral obj_description(p.oid, 'pg_proc') d(comment)
    where p.pronamespace = 'public'::regnamespace and p.proname like 'carnet\\_%'`
  return new Map(rows.map(({ name, checksum }) => [name, checksum]))
}
