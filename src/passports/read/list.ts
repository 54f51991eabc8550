/**
 * Lists and searches passports. A page is found in a narrow index before its data is read. A search collects
 * its hits before it sorts them: otherwise PostgreSQL may read a million sorted rows to find a rare word.
 */
import { byIdDescending, listAccountShards, readAllShards } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { createBatchLoader } from '../../kernel/db/batch-loader.ts'
import { type Fragment, perDatabase, type Sql, unprepared } from '../../kernel/db/database.ts'
import { metadataColumns, ownColumns } from '../core/columns.ts'
import { findContents, type PassportOnly } from '../core/contents.ts'
import type { PassportRow } from '../core/record.ts'
import {
  filterConditions,
  type Level,
  type ListFilter,
  nothing,
  type Prepare,
  preparedIfFrequent,
  selectGroups,
} from './list-filter.ts'
import { matchesWord } from './match-word.ts'
import { readMerged } from './merge-shards.ts'
import { findPageMark, type PageMark } from './page-marks.ts'
import { hasItemsAmongOthers, selectItemHits, selectMatching, selectNewest } from './select-hits.ts'
import { selectIdsByFacts, selectOutdatedIds } from './select-rare-ids.ts'
import { findTotal } from './totals.ts'

/** A page by its number, the rows after an id and perhaps some more, or the rows just before an id. */
export type PageWindow = { limit: number } & (
  | { page: number }
  | { after: string; skip?: number }
  | { before: string }
)

export type PassportSummary = Omit<PassportRow, 'data'> & {
  product_name: string | null
  sku: string | null
  brand_name: string | null
  /** The file of its first picture. A free-form key of that name in older data may have any text. */
  picture: string | null
}

export type PassportPage = { rows: PassportSummary[]; total: number; totalCapped: boolean }

/** The maximum number of hits of `q` that are counted. */
export const MAX_COUNTED = 10_000

/** One page, newest first, and the total, which is counted up to `upTo` if no counter has it. */
export async function listPassports(
  ctx: AccountContext,
  filter: ListFilter,
  window: PageWindow,
  upTo?: number,
): Promise<PassportPage> {
  // The units of a passport are where it is.
  if (ctx.spread !== undefined && filter.parentId === undefined) return listMerged(ctx, filter, window, upTo)
  if (filter.q !== undefined) return search(ctx, filter, window)
  const selectRows = (total: number, mark?: PageMark) =>
    readSummaries(ctx, selectPageIds(ctx, filter, window, { total, mark }), preparedIfFrequent(filter))
  if (!('page' in window) || window.page === 1) {
    const [count, rows] = await Promise.all([
      countUpTo(ctx, filter, upTo),
      selectRows(Number.POSITIVE_INFINITY),
    ])
    return { rows, ...count }
  }
  const count = await countUpTo(ctx, filter, upTo)
  const total = count.totalCapped ? Number.POSITIVE_INFINITY : count.total
  const mark = await findPageMark(ctx, filter, placePage(window, total))
  return { rows: await selectRows(total, mark), ...count }
}

/** The ids of a page, for who reads the passports anyway: names of a summary cost as much as the data. */
export async function listPassportIds(
  ctx: AccountContext,
  filter: ListFilter,
  window: PageWindow,
): Promise<string[]> {
  const isPlain = ctx.spread === undefined && filter.q === undefined
  const rows = isPlain
    ? await preparedIfFrequent(filter)(
        ctx.sql<{ id: string }[]>`${selectPageIds(ctx, filter, window, { total: Number.POSITIVE_INFINITY })}`,
      )
    : (await listPassports(ctx, filter, window)).rows
  return rows.map(row => row.id)
}

async function listMerged(
  ctx: AccountContext,
  filter: ListFilter,
  window: PageWindow,
  upTo?: number,
): Promise<PassportPage> {
  const shards = listAccountShards(ctx)
  const { limit } = window
  const isBackwards = 'before' in window
  const first = 'page' in window ? { limit, page: 1 } : window
  const pages = await Promise.all(shards.map(at => listPassports(at, filter, first, upTo)))
  const compare = (a: PassportSummary, b: PassportSummary) => (a.id > b.id === isBackwards ? 1 : -1)
  const read: Parameters<typeof readMerged<PassportSummary>>[0]['read'] = async (at, { after, ...next }) =>
    (await listPassports(at, filter, { ...next, after: after?.id ?? LAST_ID }, 0)).rows
  const skip = 'page' in window ? (window.page - 1) * limit : 0
  const counted = sumCapped(pages, filter, upTo)
  if (skip > 0 && skip >= counted.total && !counted.totalCapped) return { rows: [], ...counted }
  const nearest =
    skip === 0
      ? pages
          .flatMap(({ rows }) => rows)
          .sort(compare)
          .slice(0, limit)
      : await readMerged({ shards, compare, read }, skip, limit)
  return { rows: isBackwards ? nearest.reverse() : nearest, ...counted }
}

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

function sumCapped(counts: readonly CappedCount[], filter: ListFilter, upTo?: number): CappedCount {
  const sum = counts.reduce((all, { total }) => all + total, 0)
  const max = filter.q !== undefined ? MAX_COUNTED : needsCounting(filter) ? upTo : undefined
  const totalCapped = max !== undefined && (sum > max || counts.some(one => one.totalCapped))
  return { total: totalCapped ? max : sum, totalCapped }
}

export type CappedCount = Pick<PassportPage, 'total' | 'totalCapped'>

/** How many passports of each level match, counted as in `listPassports`. No model is ever outdated. */
export async function countLevels(
  ctx: AccountContext,
  filter: Omit<ListFilter, 'levels'>,
  upTo: number,
): Promise<Record<Level, CappedCount>> {
  const count = async (level: Level): Promise<CappedCount> => {
    const ofLevel = { ...filter, levels: [level] }
    if (ctx.spread !== undefined) {
      const counts = await Promise.all(listAccountShards(ctx).map(at => countLevels(at, filter, upTo)))
      return sumCapped(
        counts.map(one => one[level]),
        ofLevel,
        upTo,
      )
    }
    if (level === 'm' && filter.outdated) return { total: 0, totalCapped: false }
    if (filter.q !== undefined) return search(ctx, ofLevel, { limit: 1, page: 1 })
    return countUpTo(ctx, ofLevel, upTo)
  }
  const [m, b, i] = await Promise.all([count('m'), count('b'), count('i')])
  return { m, b, i }
}

/** Up to a hundred passports by their UUIDs; missing ones are left out. */
export async function findSummaries(
  ctx: AccountContext,
  uuids: readonly string[],
): Promise<PassportSummary[]> {
  if (uuids.length === 0) return []
  return readAllShards(ctx, byIdDescending, async ({ sql, accountId }) => {
    const ids = sql`
      select p.id from passport p where p.account_id = ${accountId} and p.id = any(${[...uuids]}::text[]::uuid[])`
    return readSummaries({ sql, accountId }, ids)
  })
}

type PageStart = { total: number; mark?: PageMark | undefined }

/** A page beyond the middle is counted from the end, so that the last page is as fast as the first. */
function selectPageIds(
  ctx: AccountContext,
  filter: ListFilter,
  window: PageWindow,
  { total, mark }: PageStart,
): Fragment {
  const { sql } = ctx
  if (!('page' in window)) {
    const skip = 'skip' in window ? (window.skip ?? 0) : 0
    const walk = { ...walkDirection(sql, window), maxRows: window.limit + skip }
    return sql`${selectOrderedIds(ctx, filter, walk)} limit ${window.limit} ${offsetBy(sql, skip)}`
  }
  const { after, before, size } = placePage(window, total)
  if (after >= total) return sql`select p.id from passport p where false`
  if (mark === undefined && after <= total / 2) {
    const ids = selectOrderedIds(ctx, filter, { descending: true, maxRows: after + window.limit })
    return sql`${ids} limit ${window.limit} offset ${after}`
  }
  const offset = before - (mark?.position ?? 0)
  const beyond = mark === undefined ? nothing(sql) : sql`and p.id > ${mark.id}`
  const ids = selectOrderedIds(ctx, filter, { descending: false, maxRows: offset + size, beyond })
  return sql`${ids} limit ${size} offset ${offset}`
}

/** How many passports are newer than those of a page, how many are older, and how many are on it. */
function placePage({ page, limit }: { page: number; limit: number }, total: number) {
  const after = (page - 1) * limit
  const size = Math.min(limit, total - after)
  return { after, before: total - after - size, size, total }
}

const offsetBy = (sql: Sql, skip = 0): Fragment => (skip === 0 ? nothing(sql) : sql`offset ${skip}`)

type Walk = { descending: boolean; maxRows: number; beyond?: Fragment }

function walkDirection(sql: Sql, window: PageWindow): Pick<Walk, 'descending' | 'beyond'> {
  if ('after' in window) return { descending: true, beyond: sql`and p.id < ${window.after}` }
  if ('before' in window) return { descending: false, beyond: sql`and p.id > ${window.before}` }
  return { descending: true }
}

/** Each level has an index in this order; of several levels, the first `maxRows` of each are merged. */
function selectOrderedIds(
  ctx: AccountContext,
  filter: ListFilter,
  { descending, maxRows, ...walk }: Walk,
): Fragment {
  const { sql } = ctx
  const { beyond = nothing(sql) } = walk
  const order = descending ? sql`order by id desc` : sql`order by id`
  const select = (selected: ListFilter) => {
    const rest = { beyond, order, maxRows }
    if (selected.outdated === true) return selectOutdatedIds(ctx, selected, rest)
    if (selected.parentId === undefined && selected.levels.some(one => selected.facts?.rare.includes(one)))
      return selectIdsByFacts(ctx, selected, rest)
    return sql`select p.id from passport p where ${filterConditions(ctx, selected)} ${beyond} ${order}`
  }
  if (filter.levels.length === 1 || filter.parentId !== undefined) return select(filter)
  const [first = sql``, ...others] = filter.levels.map(
    level => sql`(${select({ ...filter, levels: [level] })} limit ${maxRows})`,
  )
  const merged = others.reduce((all, next) => sql`${all} union all ${next}`, first)
  return sql`select id from (${merged}) merged ${order}`
}

/** At most ten full pages, so that a small page does not wait for many large ones. */
const CONTENT_BATCHES = { maxBatch: 10 }

const NAMES = ['product_name', 'sku', 'brand_name', 'picture'] as const
type Names = Pick<PassportSummary, (typeof NAMES)[number]>

/** The ids are in an array, because a join would be planned for a page of unknown size. */
async function readSummaries(
  { sql, accountId }: Pick<AccountContext, 'sql' | 'accountId'>,
  ids: Fragment,
  prepare: Prepare = statement => statement,
): Promise<PassportSummary[]> {
  const rows = await prepare(sql<(PassportSummary & PassportOnly)[]>`
    select ${ownColumns(sql)}, p.content_id, ${nameColumns(sql).own} from passport p
    where p.id = any(array(${ids})) and p.account_id = ${accountId} order by p.id desc`)
  const contents = await contentNames(sql)(rows)
  return rows.filter(row => {
    const content = contents.find(row)
    if (content === undefined) return false
    row.gtin = content.gtin
    row.outdated = contents.isOutdated(row, content)
    for (const name of NAMES) row[name] ??= content[name]
    return true
  })
}

/** Lists that are read at once share the statement for their contents. */
const contentNames = perDatabase((sql: Sql) =>
  createBatchLoader(async (pages: readonly (readonly PassportOnly[])[]) => {
    const contents = await findContents<Names>(sql, pages.flat(), nameColumns(sql).content)
    return pages.map(() => contents)
  }, CONTENT_BATCHES),
)

const nameColumns = perDatabase((sql: Sql) => {
  const select = (data: Fragment) => sql`
    ${data}->>'productName' as product_name, ${data}->>'sku' as sku, ${data}->>'brandName' as brand_name, ${data}#>>'{pictures,0,media}' as picture`
  return { own: select(sql`p.own`), content: select(sql`c.data`) }
})

/** Columns of a `PassportSummary`, from `passport p`, `content c` and `joinOwners`. */
export const summaryColumns = perDatabase((sql): Fragment => {
  const either = (path: Fragment) => sql`coalesce(p.own#>>${path}, c.data#>>${path})`
  return sql`
    ${metadataColumns(sql)}, ${either(sql`'{productName}'`)} as product_name, ${either(sql`'{sku}'`)} as sku,
    ${either(sql`'{brandName}'`)} as brand_name, ${either(sql`'{pictures,0,media}'`)} as picture`
})

async function countUpTo(ctx: AccountContext, filter: ListFilter, upTo?: number): Promise<CappedCount> {
  const counted = await countAll(ctx, filter, upTo)
  const totalCapped = upTo !== undefined && needsCounting(filter) && counted > upTo
  return { total: totalCapped ? upTo : counted, totalCapped }
}

async function countAll(ctx: AccountContext, filter: ListFilter, upTo?: number): Promise<number> {
  if (!needsCounting(filter)) {
    if (filter.facts !== undefined) return selectGroups(ctx, filter).reduce((sum, { n }) => sum + n, 0)
    return findTotal(ctx.sql)({ ...filter, accountId: ctx.accountId })
  }
  const [row] = await countRows(ctx, filter, upTo)
  return row?.n ?? 0
}

function countRows(ctx: AccountContext, filter: ListFilter, upTo?: number) {
  const { sql } = ctx
  const matching = sql`from passport p where ${filterConditions(ctx, filter)}`
  return preparedIfFrequent(filter)(
    upTo === undefined
      ? sql<{ n: number }[]>`select count(*)::bigint as n ${matching}`
      : sql<
          { n: number }[]
        >`select count(*)::bigint as n from (select 1 ${matching} limit ${upTo + 1}) capped`,
  )
}

const needsCounting = ({ updatedSince, outdated, sku, gtin14, lot, serial, parentId }: ListFilter): boolean =>
  [updatedSince, outdated, sku, gtin14, lot, serial, parentId].some(value => value !== undefined)

/** A word is common if half of this many newest rows contain it. */
const SAMPLE_SIZE = 200
/** A common word is counted in this many of the newest rows. Beyond them the index is faster. */
const MAX_WALKED = 3 * MAX_COUNTED

/**
 * A rare word is found by the trigram index. For a common word the index would collect a million hits (150
 * ms), while a scan from the newest finds enough at once. A sample of the newest decides.
 */
async function search(ctx: AccountContext, filter: ListFilter, window: PageWindow): Promise<PassportPage> {
  const { sql } = ctx
  if ('before' in window) throw new Error('hits are listed by page or by cursor, never backwards')
  const word = matchesWord(sql, filter)
  const matching = selectMatching(ctx, filter)
  const newest = selectNewest(ctx, filter)
  const sample = sql`select count(*)::int as n from (${newest} limit ${SAMPLE_SIZE}) s where ${word}`
  const prepare = preparedIfFrequent(filter)
  // `offset 0` keeps the planner from turning the scan into a sort of everything.
  const hits = [sql`select id from (${newest} offset 0) w where ${word}`]
  if (hasItemsAmongOthers(filter)) hits.push(selectItemHits(ctx, filter))
  // The index of serials is found also without statistics.
  const context = { sql, window, prepare: filter.levels.join() === 'i' ? prepare : unprepared }
  const ifRare = sql`${matching} and (select n from sample) < ${SAMPLE_SIZE / 2}`
  let found = await findHits(context, ifRare, sample)
  if (found.sampled >= SAMPLE_SIZE / 2) {
    const walked = sql`select 1 from (${newest} limit ${MAX_WALKED}) w where ${word} limit ${MAX_COUNTED + 1}`
    const [row] = await prepare(sql<{ n: number }[]>`select count(*)::bigint as n from (${walked}) walked`)
    if ((row?.n ?? 0) > MAX_COUNTED) return searchCommonWord(ctx, prepare, hits, window)
    found = await findHits(context, matching, sql`select 0 as n`)
  }
  if (found.n > MAX_COUNTED) return searchCommonWord(ctx, prepare, hits, window)
  const ids = sql`select unnest(${found.ids ?? []}::text[]::uuid[]) as id`
  return {
    rows: found.ids ? await readSummaries(ctx, ids) : [],
    total: found.n,
    totalCapped: false,
  }
}

type ForwardWindow = Exclude<PageWindow, { before: string }>
type Hits = { n: number; ids: string[] | null; sampled: number }

type SearchContext = { sql: Sql; window: ForwardWindow; prepare: Prepare }

/**
 * Texts are searched by a plan of each call: one made for a small table reads all of it, also when it has
 * grown. `matching`: a table `p` with conditions, which may name `sample`.
 */
async function findHits(
  { sql, window, prepare }: SearchContext,
  matching: Fragment,
  sample: Fragment,
): Promise<Hits> {
  const { beyond, limit } = pageClauses(sql, window)
  const [row] = await prepare(sql<Hits[]>`
    with sample as materialized (${sample}),
      hits as materialized (select p.id from ${matching} limit ${MAX_COUNTED + 1})
    select count(*)::bigint as n, (select array_agg(id) from (select id from hits where true ${beyond} order by id desc ${limit}) newest) as ids,
      (select n from sample) as sampled
    from hits`)
  return row ?? { n: 0, ids: null, sampled: 0 }
}

/** PostgreSQL merges the ordered hits of each statement. Planned anew for each word. */
async function searchCommonWord(
  ctx: AccountContext,
  prepare: Prepare,
  [first = nothing(ctx.sql), ...others]: readonly Fragment[],
  window: ForwardWindow,
): Promise<PassportPage> {
  const { sql } = ctx
  const { beyond, limit } = pageClauses(sql, window)
  const merged = others.reduce((all, next) => sql`(${all}) union all (${next})`, first)
  const ids =
    others.length === 0
      ? sql`${first} ${beyond} ${limit}`
      : sql`select id from (${merged}) hits where true ${beyond} order by id desc ${limit}`
  return {
    rows: await readSummaries(ctx, ids, others.length === 0 ? prepare : unprepared),
    total: MAX_COUNTED,
    totalCapped: true,
  }
}

const pageClauses = (sql: Sql, window: ForwardWindow) =>
  'after' in window
    ? {
        beyond: sql`and id < ${window.after}`,
        limit: sql`limit ${window.limit} ${offsetBy(sql, window.skip)}`,
      }
    : { beyond: sql``, limit: sql`limit ${window.limit} offset ${(window.page - 1) * window.limit}` }
