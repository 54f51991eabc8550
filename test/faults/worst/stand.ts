/**
 * A real server with a probe, on a database that this process writes too; what a request costs is measured
 * here.
 */
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type postgres from 'postgres'
import project from '../../../package.json' with { type: 'json' }
import type { Sql } from '../../../src/kernel/db/database.ts'
import { emptyFolder, type Served, type Settings, serve } from '../../cli/processes.ts'
import {
  cloneDatabase,
  connect as connectTo,
  endPools,
  openPools,
  type TestDatabase,
} from '../../database.ts'
import { startForwarder } from '../../forwarder.ts'
import { freePort, untilReady } from '../stand.ts'
import type { LoopFigures, ProbeCommand, ProbedRoute } from './probe.ts'

export const SECRET_KEY = 'a key of the worst calls, long enough to be one'

export type Stand = {
  server: Served
  port: number
  url: string
  /** The server's, and what commands on its store are started with. */
  database: TestDatabase
  settings: Settings
  /** The pool of this process for the server's database. */
  sql: Sql
  routes: () => Promise<ProbedRoute[]>
  begin: () => Promise<void>
  end: () => Promise<LoopFigures>
  /** Collects the server's garbage. */
  collect: () => Promise<void>
  /** Milliseconds that the server's processor takes for a fixed piece of work. */
  measureUnit: () => Promise<number>
  /** Opens another connection to the database, which the caller ends. */
  openConnection: () => postgres.Sql
  /** Milliseconds of processor time that all connections to the database have used. */
  readDatabaseMs: () => Promise<number>
  close: () => Promise<void>
}

export async function openWorstStand(): Promise<Stand> {
  const folder = await emptyFolder()
  const database = await cloneDatabase()
  const cleaners = [folder.remove, database.drop]
  const close = async () => {
    for (const clean of cleaners.toReversed()) await clean()
  }
  try {
    await freezeStatistics(database)
    const sql = await openPools(database, { max: 4 })
    cleaners.push(() => endPools(sql))
    const watcher = connectTo(database.target)
    cleaners.push(() => watcher.end())
    const forwarder = await startForwarder(database.target)
    cleaners.push(forwarder.cut)
    const port = await freePort()
    const socket = join(folder.path, 'probe')
    const env = listSettings({ url: forwarder.target.url, port, socket, folder: folder.path })
    const server = await serve({ cwd: folder.path, env })
    cleaners.push(async () => void (await server.stop('SIGTERM')))
    await untilReady(server)
    const ask = await openProbe(socket)
    return {
      server,
      port,
      url: server.url,
      sql,
      close,
      database,
      settings: { cwd: folder.path, env: pickStoreSettings(env) },
      routes: () => ask<ProbedRoute[]>('routes'),
      begin: () => ask('begin'),
      end: () => ask<LoopFigures>('end'),
      collect: () => ask('collect'),
      measureUnit: () => ask<number>('unit'),
      openConnection: () => connectTo(database.target),
      readDatabaseMs: () => readDatabaseMs(watcher),
    }
  } catch (error) {
    await close()
    throw error
  }
}

type Place = { url: string; port: number; socket: string; folder: string }

const listSettings = ({ url, port, socket, folder }: Place) => ({
  PORT: String(port),
  DATABASE_URL: url,
  SECRET_KEY,
  DATA_DIR: join(folder, 'data'),
  LOG_LEVEL: 'warn',
  SLOW_QUERY_MS: '0',
  TRUSTED_PROXIES: '127.0.0.1',
  PROBE_SOCKET: socket,
  ALLOW_INSECURE_WEBHOOKS: 'true',
  MALLOC_ARENA_MAX: '2',
  // The same as `npm start`.
  NODE_OPTIONS: `--import ${join(import.meta.dirname, 'probe.ts')} ${project.config.nodeFlags}`,
})

function pickStoreSettings({ DATABASE_URL, SECRET_KEY, DATA_DIR }: ReturnType<typeof listSettings>) {
  return { DATABASE_URL, SECRET_KEY, DATA_DIR }
}

/**
 * Statistics stay those of an empty database, because no plan may depend on when they were gathered. Without
 * parallel workers, a statement's processor time is that of its connection.
 */
async function freezeStatistics({ target }: TestDatabase): Promise<void> {
  const sql = connectTo(target)
  try {
    const tables = await sql<{ name: string }[]>`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')`
    for (const { name } of tables) await sql.unsafe(`alter table ${name} set (autovacuum_enabled = off)`)
    const [row] = await sql<{ name: string }[]>`select current_database() as name`
    await sql.unsafe(`alter database "${row?.name}" set max_parallel_workers_per_gather = 0`)
  } finally {
    await sql.end()
  }
}

/** Sends a command and resolves with its answer; one at a time. */
async function openProbe(path: string): Promise<<T = void>(command: ProbeCommand) => Promise<T>> {
  const socket: Socket = connect(path)
  await once(socket, 'connect')
  const lines = createInterface(socket)
  let last: Promise<unknown> = Promise.resolve()
  return <T>(command: ProbeCommand) => {
    const answer = last.then(async () => {
      const line = once(lines, 'line')
      socket.write(`${command}\n`)
      const [text] = (await line) as [string]
      return JSON.parse(text) as T
    })
    last = answer.catch(() => undefined)
    return answer
  }
}

/** By backend, so that one that ended does not make the sum smaller. */
const usedMs = new Map<number, number>()

async function readDatabaseMs(sql: postgres.Sql): Promise<number> {
  const rows = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and backend_type = 'client backend'`
  for (const { pid } of rows) {
    const ns = readOrUndefined(`/proc/${pid}/schedstat`)?.split(' ')[0]
    if (ns !== undefined) usedMs.set(pid, Number(ns) / 1e6)
  }
  return [...usedMs.values()].reduce((sum, ms) => sum + ms, 0)
}

function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

const readKb = (pid: number | undefined, name: string) =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readOrUndefined(`/proc/${pid}/status`) ?? '')?.[1] ?? 0)

export const readRssMb = ({ server }: Stand) => readKb(server.child.pid, 'VmRSS') / 1_024

/** Lets the kernel forget the process's peak of memory, which `readPeakMb` then has from now on. */
export const forgetPeak = ({ server }: Stand) => writeFileSync(`/proc/${server.child.pid}/clear_refs`, '5')

export const readPeakMb = ({ server }: Stand) => readKb(server.child.pid, 'VmHWM') / 1_024
