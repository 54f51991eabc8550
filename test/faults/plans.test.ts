/**
 * No statement of a read, a write, an import, an export, a copy or a scheduled task reads the rows of another
 * account, which has stored many in one go, without new statistics: plans that were made for small tables are
 * still used.
 */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type postgres from 'postgres'
import type { AccountContext } from '../../src/accounts/account/context.ts'
import { endAll } from '../cli/processes.ts'
import { isOwnServer } from '../database.ts'
import { fill, fillItems } from '../fill-database.ts'
import { type Folder, temporaryFolder } from '../transfer/stores.ts'
import { waitUntil } from '../waiting.ts'
import { exportElsewhere, importAccount, makeCopies, runTasks, writePassports } from './plan-work.ts'
import type { WorstCall } from './worst/call.ts'
import { copyRows } from './worst/copy-rows.ts'
import { listAllCalls } from './worst/run-calls.ts'
import { send } from './worst/send.ts'
import { openWorstStand, type Stand } from './worst/stand.ts'
import { createWorld, openAccount, type World } from './worst/world.ts'

/** The account that is called has few rows of each kind. */
const SMALL = { models: 20, otherItems: 30, units: 20, versions: 3, offers: 3, people: 2, places: 20 }
/** So many that even the narrowest table has more pages than a statement may touch. */
const OTHER_ROWS = 16_000
/** An index has up to four levels, and a statement looks for the few rows of an account in several tables. */
const MAX_PAGES = 100
/** Before version 17, PostgreSQL descends an index for each element of a list. */
const MAX_PAGES_BEFORE_17 = 150
const MAX_PAGES_OF_ROW = 20

/** Statements that read more, by a part of their text. */
const ALLOWED: Readonly<Record<string, string>> = {
  pg_stat: 'is of this test',
  'from pg_': 'asks PostgreSQL about itself',
  'from gtin_claim\n    where account_id <> $': 'looks for conflicts among all claims, for an operator alone',
  'public.carnet_': 'is the sum of the statements of a function, each of which is counted here, too',
  'from issuer_key k where k.account_id':
    'gathers all keys of an account in a row, and the copied one has thousands',
  'from webhook_endpoint w cross join lateral': 'looks at each endpoint of a shard, once in five minutes',
  'update webhook_endpoint set': 'looks at each endpoint of a shard, once in five minutes',
  'delete from webhook_endpoint w where w.status': 'looks at each endpoint of a shard, once in five minutes',
  'with part as materialized': 'looks at the next thousand files, once in five minutes',
  'sum(version_no)': 'counts all passports, once in each backup',
  'copy (select': 'reads a whole table, with its deleted rows, once in each backup',
  'pg_table_size(': 'asks PostgreSQL about itself',
  'insert into approved_name': 'writes as many as a hundred names',
  'update draft set data': 'writes a text of many pages',
  'with deleted as (\n      delete from person': 'reads all challenges, which expire within a minute',
  'order by id offset': 'counts as many models as are in a file of the sitemap',
  'from passport_status\n  where passport_id = any':
    'looks up 500 passports, once for each page of an export',
  'delete from rate_share': 'reads the whole table, which has only the keys used in the last minutes',
}

/** Calls whose headers or queries are long, not different for the database. */
const IS_SAME_STATEMENT = /^(long |15 kB|many parameters|escaped query|one long parameter)/
/** Answered without a statement, or by the processor time of pictures. */
const WITHOUT_STATEMENT = /^GET \/(ns|docs|healthz|favicon|robots|m|d|brand)\b/
/** The figures of hundreds of rows, while `writePassports` writes few. */
const IS_BULK = /^\w+ \/api\S*\/(bulk|children|children\/update)$/
const CALLS_OF_ROUTE = 3
/** One call of these is enough: they take seconds, mostly without the database. */
const IS_SLOW = /\/(labels|export)\/file$/
/** The connection of this process to the database. */
const OWN_CONNECTIONS = 4

type Statement = { text: string; calls: number; pages: number; rows: number }

describe('pages that statements touch', { skip: !existsSync('/proc/self/schedstat') }, () => {
  let stand: Stand | undefined
  let root: postgres.Sql | undefined
  let folder: Folder
  before(async () => {
    folder = await temporaryFolder()
  })
  after(async () => {
    await folder.remove()
    await root?.end()
    await stand?.close()
    await endAll()
  })

  test('are as many as the rows of the account need, beside an account with many', async t => {
    stand = await openWorstStand()
    root = stand.openConnection()
    const isCounted = await countStatements(stand, root)
    assert.ok(isCounted || !isOwnServer(), 'test/run.ts starts its server with pg_stat_statements')
    if (!isCounted) return t.skip('the given server does not load pg_stat_statements')
    const world = await createWorld(stand, SMALL)
    const few = await openAccount(stand, 'Few')
    await fill(few.sql, { accountId: few.accountId, count: 2, word: 'Hemp' })
    const [first = '', second = ''] = await exportElsewhere(folder, 2)
    const calls = await listCalls(world)
    // The server prepares its statements while all tables are small.
    await work(world, calls, first)
    const { crowd, empty } = await fillOther(stand, world, root)
    await root`select pg_stat_statements_reset()`
    await work(world, calls, second)
    await makeCopies(stand, few.accountId, crowd)
    const statements = await listStatements(root)
    t.diagnostic(`${statements.length} statements; no rows in ${empty.join(', ')}`)
    assert.ok(statements.length > 100)
    const maxPages = await findMaxPages(root)
    const excessive = statements.filter(one => isExcessive(one, maxPages))
    assert.deepEqual(excessive.map(describeStatement), [])
  })
})

/** In the database of this test only. False if the server has no such statistics. */
async function countStatements({ sql, ...stand }: Stand, root: postgres.Sql): Promise<boolean> {
  const [row] = await root<{ libraries: string; name: string }[]>`
    select current_setting('shared_preload_libraries') as libraries, current_database() as name`
  if (row?.libraries.includes('pg_stat_statements') !== true) return false
  await root.unsafe('create extension pg_stat_statements')
  await root.unsafe(`alter database "${row.name}" set pg_stat_statements.track = 'all'`)
  // Only sessions that begin now have the setting.
  await root`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`
  await waitUntil('server and test are connected again', async () => {
    const own = await Promise.allSettled(Array.from({ length: OWN_CONNECTIONS }, () => sql`select 1`))
    const status = await send(stand, { method: 'GET', path: '/readyz' })
    return status === 200 && own.every(one => one.status === 'fulfilled')
  })
  return true
}

/** Some reads of each route, and the accepted write. */
const listCalls = async (world: World): Promise<readonly WorstCall[]> =>
  (await listAllCalls(world))
    .filter(
      ({ route }) => !WITHOUT_STATEMENT.test(route) && !(IS_BULK.test(route) && !route.startsWith('GET ')),
    )
    .flatMap(({ route, calls }) => {
      const count = route.startsWith('GET ') && !IS_SLOW.test(route) ? CALLS_OF_ROUTE : 1
      return calls.filter(({ name }) => !IS_SAME_STATEMENT.test(name)).slice(0, count)
    })

async function work(world: World, calls: readonly WorstCall[], file: string): Promise<void> {
  const { stand } = world
  for (const call of calls) await send(stand, await call.make())
  await writePassports(world)
  await runTasks(stand)
  await importAccount(stand, file)
}

/** Returns the account with many rows, and the tables that stay without rows. */
async function fillOther(
  stand: Stand,
  { ctx }: World,
  root: postgres.Sql,
): Promise<{ crowd: AccountContext; empty: string[] }> {
  const crowd = await openAccount(stand, 'Crowd')
  const { sql, accountId } = crowd
  const models = await fill(sql, { accountId, count: OTHER_ROWS / 4, word: 'Linen', rare: 'rare' })
  await fillItems(sql, { accountId, models: models.slice(0, 20), each: OTHER_ROWS / 20, prefix: 'H' })
  // The next create would put the last of these, which are not in the tree of the index yet, into it.
  await root`select gin_clean_pending_list('passport_search'::regclass)`
  return { crowd, empty: await copyRows(root, { from: ctx.accountId, to: accountId, count: OTHER_ROWS }) }
}

/** For each call of each statement, also those of functions. */
const listStatements = (root: postgres.Sql): Promise<Statement[]> => root<Statement[]>`
  select query as text, sum(calls)::float as calls, (sum(shared_blks_hit + shared_blks_read) / sum(calls))::float as pages,
    (sum(rows) / sum(calls))::float as rows
  from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database()) group by query`

async function findMaxPages(root: postgres.Sql): Promise<number> {
  const [row] = await root<{ isOld: boolean }[]>`
    select current_setting('server_version_num')::int < 170000 as "isOld"`
  return row?.isOld ? MAX_PAGES_BEFORE_17 : MAX_PAGES
}

const isExcessive = ({ text, pages, rows }: Statement, maxPages: number) =>
  pages > maxPages + MAX_PAGES_OF_ROW * rows && !Object.keys(ALLOWED).some(part => text.includes(part))

const describeStatement = ({ text, calls, pages, rows }: Statement) =>
  `${pages.toFixed(0)} pages for ${rows.toFixed(1)} rows, ${calls} calls: ${text}`
