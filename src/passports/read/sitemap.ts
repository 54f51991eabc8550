/**
 * The models that search engines may list, in files with fixed ranges of ids. Ids begin with their time, so a
 * model stays in its file, and only the last file grows.
 */
import { accountIsIndexable } from '../../accounts/account/indexing.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { perDatabase, type Sql } from '../../kernel/db/database.ts'
import { listShards } from '../../kernel/db/shards.ts'

/** A sitemap may have 50,000 addresses. A file of this size is read in 20 ms and has 1 MiB. */
export const MODELS_PER_FILE = 10_000
/** A full file may still get a few models, because clocks of processes differ. */
const MAX_MODELS_PER_FILE = 50_000

const LOWEST = '00000000-0000-0000-0000-000000000000'
const HIGHEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

type ListedModel = { id: string; updatedAt: Date }

/** `listed`: the numbers of the last answer. */
type Files = { starts: string[]; underWay: Promise<number> | undefined; listed?: number[] }

const files = perDatabase((): Files => ({ starts: [LOWEST], underWay: undefined }))

/**
 * The numbers of the files that list a model. A file costs one look-up, or 20 ms if none of its 10,000 models
 * may be listed.
 */
export async function listSitemapFiles(sql: Sql): Promise<number[]> {
  const shards = listShards(sql)
  const numbers = await Promise.all(
    shards.map(async (shard, i) => {
      const known = files(shard)
      try {
        known.listed = await listFilesOf(shard)
      } catch (error) {
        // A machine that is lost for a while takes no file out of the sitemap.
        if (shards.length === 1 || known.listed === undefined) throw error
      }
      return known.listed.map(n => (n - 1) * shards.length + i + 1)
    }),
  )
  return numbers.flat().sort((a, b) => a - b)
}

/** The files of one shard, from 1. Files of several shards alternate, so that a number never changes. */
async function listFilesOf(sql: Sql): Promise<number[]> {
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

/** The number of files, at least one. A process reads all starts once, then only new ones. */
function countSitemapFiles(sql: Sql): Promise<number> {
  const known = files(sql)
  known.underWay ??= findStarts(sql, known.starts).finally(() => {
    known.underWay = undefined
  })
  return known.underWay
}

/** Reads only ids, of all accounts. */
async function findStarts(sql: Sql, starts: string[]): Promise<number> {
  for (;;) {
    const [next] = await sql<{ id: string }[]>`
      select id from passport where level = 'm' and id >= ${starts.at(-1) ?? LOWEST}
      order by id offset ${MODELS_PER_FILE} limit 1`
    if (next === undefined) return starts.length
    starts.push(next.id)
  }
}

/** The listed models of file `n` (from 1) with public ids, ordered by id; undefined if there are none. */
export async function listSitemapFile(sql: Sql, n: number): Promise<ListedModel[] | undefined> {
  const shards = listShards(sql)
  const shard = shards[(n - 1) % shards.length]
  return shard && readFile(shard, Math.floor((n - 1) / shards.length) + 1)
}

async function readFile(sql: Sql, n: number): Promise<ListedModel[] | undefined> {
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
