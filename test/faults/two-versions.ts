/**
 * An upgrade without a stop: the next version starts beside this one on the same PostgreSQL, migrates it
 * under load, and takes over.
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startEmbeddedPostgres } from '../../src/kernel/postgres-server/embedded-postgres.ts'
import { carnet, emptyFolder, type Served, type Settings, serve } from '../cli/processes.ts'
import { copyTree } from '../cli/tree.ts'
import { lookThrough, say, tell } from './look-through.ts'
import { freePort, SETTINGS, type Stand, standOn, untilReady } from './stand.ts'

const LOAD_MS = 2_000
/** Like building an index on a large table: longer than the timeout of requests that wait for its locks. */
const MIGRATES_S = 12

/** Returns the number of losses. */
export async function twoVersions(): Promise<number> {
  const folder = await emptyFolder()
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder.path, 'database'), log: () => {} })
  const env = {
    ...SETTINGS,
    DATABASE_URL: `postgres:///${postgres.database}`,
    SECRET_KEY: 'of-both-versions'.repeat(3),
    PGHOST: postgres.socketDir,
    PGPORT: String(postgres.port),
    PGUSER: postgres.user,
    PGPASSWORD: postgres.password,
    DATA_DIR: folder.path,
  }
  try {
    const stand = await standOn(folder.path, env)
    const tree = copyTree(join(folder.path, 'tree'))
    const { version } = tree.upgrade(MIGRATES_S)
    const settings = { cwd: folder.path, main: tree.main, env: { ...env, PORT: String(await freePort()) } }
    return await upgrade(stand, settings, version)
  } finally {
    await postgres.stop()
    await folder.remove()
  }
}

async function upgrade(stand: Stand, settings: Settings, version: string): Promise<number> {
  const { clients, receiver } = stand
  const old = stand.server()
  clients.start()
  await pause(LOAD_MS)
  const began = performance.now()
  const next = await serve(settings)
  say(`  ${version} is up after ${Math.round(performance.now() - began)} ms, migrated under load`)
  takeTurns(stand, [old, next])
  await pause(LOAD_MS)
  clients.url = () => next.url
  await old.stop('SIGTERM')
  await pause(LOAD_MS)
  const found = await lookThrough(stand, { settings, untilReady: () => untilReady(next) })
  const lost = tell('two versions at once', clients, [
    ...found,
    ...(await isUpgraded(stand, next, version)),
    ...(clients.unanswered === 0 ? [] : [`${clients.unanswered} requests were cut off`]),
    ...said(old, 'cached plan'),
  ])
  await next.stop('SIGTERM')
  receiver.close()
  return lost
}

function takeTurns({ clients }: Stand, servers: readonly Served[]): void {
  let turn = 0
  clients.url = () => servers[turn++ % servers.length]?.url ?? ''
}

/** Checks that the next version serves and the previous one cannot start again. */
async function isUpgraded(stand: Stand, next: Served, version: string): Promise<string[]> {
  const answer = await fetch(`${next.url}/api/v1/health`)
  const { data } = (await answer.json()) as { data: { version: string } }
  const { code, stderr } = await carnet(['accounts', 'list'], stand.settings)
  return [
    ...(data.version === version ? [] : [`${data.version} answers`]),
    ...(code === 1 && stderr.includes('newer Carnet') ? [] : [`the old one was let in: ${stderr}`]),
  ]
}

/** Log lines that contain this text. */
const said = ({ said: { stderr } }: Served, what: string): string[] =>
  stderr.split('\n').filter(line => line.includes(what))
