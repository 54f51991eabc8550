/**
 * The models that search engines may list, in files. A file holds what is between two ids, whatever became of
 * it, so that it costs the same at ten thousand models and at ten million, and a model stays in its file. Ids
 * begin with their time: only the last file grows.
 */
import { accountIsIndexable } from '../../accounts/indexing.ts'
import { perDatabase, type Sql } from '../../kernel/db/database.ts'
import { idFromUuid } from '../../kernel/ids.ts'

/** Sitemaps may have 50,000 addresses; a file of this many is read in 20 ms and has a MiB. */
export const MODELS_PER_FILE = 10_000
/** Clocks of several processes differ a little: ids may come into a file that was full. */
const MAX_MODELS_PER_FILE = 50_000

const LOWEST = '00000000-0000-0000-0000-000000000000'
const HIGHEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

type ListedModel = { id: string; updatedAt: Date }

type Files = { starts: string[]; underWay: Promise<number> | undefined }

const files = perDatabase((): Files => ({ starts: [LOWEST], underWay: undefined }))

/**
 * The numbers of the files that name a model, in their order; none is a valid answer. A file costs its first
 * model that may be listed: 20 ms where none of its 10,000 may.
 */
export async function listSitemapFiles(sql: Sql): Promise<number[]> {
  await countSitemapFiles(sql)
  const { starts } = files(sql)
  const rows = await sql<{ n: number }[]>`
    select f.n::int as n from unnest(${starts}::text[]::uuid[], ${[...starts.slice(1), HIGHEST]}::text[]::uuid[])
      with ordinality as f(first, upto, n)
    cross join lateral (
      select p.id from passport p
      where p.level = 'm' and p.id >= f.first and p.id < f.upto and p.status = 'a' and ${accountIsIndexable(sql)}
      order by p.id limit 1) one
    order by f.n`
  return rows.map(({ n }) => n)
}

/**
 * How many files there are, the empty ones too; at least one. Where files begin is found once in a process,
 * then only what is new is walked.
 */
function countSitemapFiles(sql: Sql): Promise<number> {
  const known = files(sql)
  known.underWay ??= findStarts(sql, known.starts).finally(() => {
    known.underWay = undefined
  })
  return known.underWay
}

/** A look-up across accounts, as a directory's: ids alone. */
async function findStarts(sql: Sql, starts: string[]): Promise<number> {
  for (;;) {
    const [next] = await sql<{ id: string }[]>`
      select id from passport where level = 'm' and id >= ${starts.at(-1) ?? LOWEST}
      order by id offset ${MODELS_PER_FILE} limit 1`
    if (next === undefined) return starts.length
    starts.push(next.id)
  }
}

/**
 * The active models in file `n` (from 1) of accounts that want to be found, in the order of their ids;
 * undefined when there is no such file, or none in it. Ids as at the doors.
 */
export async function listSitemapFile(sql: Sql, n: number): Promise<ListedModel[] | undefined> {
  if (n > (await countSitemapFiles(sql))) return undefined
  const { starts } = files(sql)
  const from = starts[n - 1]
  if (from === undefined) return undefined
  const rows = await sql<{ id: string; updated_at: Date }[]>`
    select p.id, p.updated_at from passport p
    where p.level = 'm' and p.id >= ${from} and p.id < ${starts[n] ?? HIGHEST} and p.status = 'a' and ${accountIsIndexable(sql)}
    order by p.id limit ${MAX_MODELS_PER_FILE}`
  return rows.length === 0
    ? undefined
    : rows.map(row => ({ id: idFromUuid(row.id), updatedAt: row.updated_at }))
}
