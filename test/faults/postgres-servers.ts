/** Servers of a cluster of scripts/citus.sh that are killed, stopped, restarted, or replaced by a standby. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chown, mkdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { CitusNode } from '../citus/cluster.ts'
import { connect } from '../database.ts'
import { childrenOf } from '../descendants.ts'

const PROGRAMS = 'install/usr/lib/postgresql/15/bin'
const STANDBY_TRIES = 300
const run = promisify(execFile)

/** Where the node's server keeps its data. Read it before the node is killed. */
export async function findDataDir({ sql }: CitusNode): Promise<string> {
  const [row] = await sql<{ path: string }[]>`select current_setting('data_directory') as path`
  return row?.path ?? ''
}

function findServer(dataDir: string): number {
  const pid = Number(readFileSync(join(dataDir, 'postmaster.pid'), 'latin1').split('\n')[0])
  if (!(pid > 1)) throw new Error(`There is no server in ${dataDir}.`)
  return pid
}

/** Ends a server of PostgreSQL at once, as a lost machine. */
export const killServer = (dataDir: string): void => void process.kill(findServer(dataDir), 'SIGQUIT')

/** Stops all processes of a server, as a machine that hangs. Returns a function that lets them continue. */
export function hangServer(dataDir: string): () => void {
  const server = findServer(dataDir)
  process.kill(server, 'SIGSTOP')
  const all = [server, ...childrenOf(server).map(({ pid }) => pid)]
  for (const pid of all) process.kill(pid, 'SIGSTOP')
  return () => {
    for (const pid of all) process.kill(pid, 'SIGCONT')
  }
}

/** Starts a server that was killed. Its port is in its settings. */
export const startServer = (dataDir: string): Promise<void> => startProgram(dataDir, [])

/** A server and the address where it is, or will be. */
export type Place = { dataDir: string; host: string; port: number }

/** Copies the primary to `standby`, which then gets every commit before it is acknowledged. */
export async function startStandby(url: string, primary: Place, standby: Place): Promise<void> {
  await rm(standby.dataDir, { recursive: true, force: true })
  await mkdir(standby.dataDir, { mode: 0o700 })
  const { uid, gid } = await stat(primary.dataDir)
  await chown(standby.dataDir, uid, gid)
  const source = `${withPort(url, primary.port)}?application_name=standby`
  const copying = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync', `--dbname=${source}`]
  await runProgram(standby.dataDir, 'pg_basebackup', [`--pgdata=${standby.dataDir}`, ...copying])
  await startProgram(standby.dataDir, [`--options=-p ${standby.port}`])
  await ask(url, primary, `alter system set synchronous_standby_names = 'standby'`)
  await ask(url, primary, 'select pg_reload_conf()')
  for (let tries = 0; tries < STANDBY_TRIES; tries++) {
    const [row] = await ask(url, primary, 'select sync_state from pg_stat_replication')
    if (row?.sync_state === 'sync') return
    await pause(100)
  }
  throw new Error('The standby does not follow its primary.')
}

/** The standby becomes a primary without a standby. */
export const promote = (standby: Place): Promise<void> =>
  runProgram(standby.dataDir, 'pg_ctl', ['promote', '--silent', '--wait', `--pgdata=${standby.dataDir}`])

const startProgram = (dataDir: string, options: readonly string[]): Promise<void> => {
  const log = `--log=${join(dataDir, 'server.log')}`
  return runProgram(dataDir, 'pg_ctl', [
    'start',
    '--silent',
    '--wait',
    `--pgdata=${dataDir}`,
    log,
    ...options,
  ])
}

/** PostgreSQL refuses to run as root. Nodes sign in at each other by the password file. */
async function runProgram(dataDir: string, program: string, words: readonly string[]): Promise<void> {
  const folder = dirname(dataDir)
  const command = ['env', `PGPASSFILE=${join(folder, 'pgpass')}`, join(folder, PROGRAMS, program), ...words]
  const isRoot = process.getuid?.() === 0
  const [name = '', ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command
  await run(name, rest)
}

async function ask(url: string, { port }: Place, statement: string) {
  const sql = connect({ url: withPort(url, port) })
  try {
    return await sql.unsafe<{ sync_state?: string }[]>(statement)
  } finally {
    await sql.end()
  }
}

function withPort(url: string, port: number): string {
  const found = new URL(url)
  found.port = String(port)
  return found.href
}
