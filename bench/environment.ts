/**
 * The environment of the benchmarks: an embedded PostgreSQL with fsync on, databases by size, and servers in
 * their own processes.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import project from '../package.json' with { type: 'json' }
import { createAccount } from '../src/accounts/account/accounts.ts'
import { createKey } from '../src/accounts/keys/keys.ts'
import { type DatabaseTarget, openPool, type Sql } from '../src/kernel/db/database.ts'
import { migrate } from '../src/kernel/db/migrate.ts'
import { startEmbeddedPostgres } from '../src/kernel/postgres-server/embedded-postgres.ts'
import { systemClock } from '../src/kernel/values/clock.ts'

export type Tenant = { accountId: number; key: string }
export type BenchDatabase = { target: DatabaseTarget; sql: Sql }
export type Server = { port: number; pid: number; stop: () => Promise<void> }

export type BenchEnvironment = {
  log: (line: string) => void
  /** A migrated database with this name, created at first use. */
  openDatabase: (name: string) => Promise<BenchDatabase>
  /** An account with a key, without rate limit or quota; or a new key of an account. */
  createTenant: (hall: BenchDatabase, accountId?: number) => Promise<Tenant>
  /** A server in its own process: `ours`, or one of the bare servers. */
  startServer: (hall: BenchDatabase, file: string, settings?: Record<string, unknown>) => Promise<Server>
  close: () => Promise<void>
}

/** `ratio` is `ours` divided by `limit`; `unit` says what is compared. */
export type BenchRow = { row: string; ours: number; limit: number; ratio: number; unit: string }
export type Bench = (stage: BenchEnvironment) => Promise<BenchRow[]>

/** The same flags as `npm start`. */
const NODE_FLAGS = project.config.nodeFlags.split(' ')

export const ROUNDS = 5

/** A plan without limits: otherwise the benchmark would measure rejected requests. */
export const PLAN = 'bench'

/** With a folder, its databases are there at the next run too. */
export async function openEnvironment(log: (line: string) => void, kept?: string): Promise<BenchEnvironment> {
  const folder = kept ?? (await mkdtemp(join(tmpdir(), 'carnet-bench-')))
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => {} })
  const admin = openPool(postgres, { max: 1, name: 'bench' })
  const halls = new Map<string, Promise<BenchDatabase>>()
  const servers = new Set<Server>()
  const openHall = async (name: string): Promise<BenchDatabase> => {
    const found = await admin`select from pg_database where datname = ${name}`
    if (found.length === 0) await admin.unsafe(`create database ${name}`)
    const target = { ...postgres, database: name }
    const sql = openPool(target, { max: 4, name: 'bench' })
    await migrate(sql, join(import.meta.dirname, '../migrations'), systemClock.now())
    await sql`insert into plan (id, api, requests_per_minute) values (${PLAN}, true, null) on conflict do nothing`
    return { target, sql }
  }
  return {
    log,
    openDatabase(name) {
      const hall = halls.get(name) ?? openHall(name)
      halls.set(name, hall)
      return hall
    },
    async createTenant({ sql }, existing) {
      const ctx = { sql, clock: systemClock }
      const accountId = existing ?? Number((await createAccount(ctx, { name: 'Bench', plan: PLAN })).id)
      const made = await createKey(ctx, {
        accountId,
        name: 'bench',
        scope: 'full',
        expiresAt: undefined,
        createdBy: 'bench',
      })
      return { accountId, key: made.key }
    },
    async startServer(hall, file, settings = {}) {
      const server = await start(file, { ...settings, target: hall.target })
      servers.add(server)
      const stop = server.stop
      server.stop = () => {
        servers.delete(server)
        return stop()
      }
      return server
    },
    async close() {
      await Promise.all([...servers].map(server => server.stop()))
      for (const hall of halls.values()) await (await hall).sql.end()
      await admin.end()
      await postgres.stop()
      if (kept === undefined) await rm(folder, { recursive: true, force: true })
    },
  }
}

function start(file: string, settings: Record<string, unknown>): Promise<Server> {
  const child: ChildProcess = spawn(
    process.execPath,
    [...NODE_FLAGS, join(import.meta.dirname, file), JSON.stringify(settings)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  return new Promise((resolve, reject) => {
    child.once('exit', code => reject(new Error(`${file} ended with ${code} before it listened`)))
    child.stdout?.once('data', chunk => {
      resolve({
        port: Number(String(chunk)),
        pid: child.pid ?? 0,
        stop: () => {
          child.kill()
          return ended
        },
      })
    })
  })
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}

/**
 * Runs the contenders in turns after one warm-up each, and returns the median of each. Every other round runs
 * in reverse order, because a machine becomes faster or slower over time.
 */
export async function measureInTurns<K extends string>(
  contenders: Record<K, () => Promise<number>>,
  rounds = ROUNDS,
): Promise<Record<K, number>> {
  const names = Object.keys(contenders) as K[]
  const figures = Object.fromEntries(names.map(name => [name, [] as number[]])) as Record<K, number[]>
  for (const name of names) await contenders[name]()
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed())
      figures[name].push(await contenders[name]())
  }
  return Object.fromEntries(names.map(name => [name, median(figures[name])])) as Record<K, number>
}
