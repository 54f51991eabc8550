/** A server in its own process on the database of a harness, with callers of every kind. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import project from '../../package.json' with { type: 'json' }
import { setPlan } from '../../src/accounts/account/accounts.ts'
import { listKeys, revokeKey } from '../../src/accounts/keys/keys.ts'
import type { MediaStore } from '../../src/media/store/media-store.ts'
import { openMediaStore } from '../../src/media/store/open-media-store.ts'
import type { Harness } from '../harness.ts'
import type { Callers } from './requests.ts'

const SERVER = join(import.meta.dirname, '../cli/api-process.ts')

export type Served = {
  port: number
  pid: number
  isAlive: () => boolean
  /** Where the server stores files. */
  mediaStore: MediaStore
  /** The server's log lines so far: warnings and errors, except expected security events. */
  logged: string[]
  stop: () => Promise<void>
}

const MAX_LOGGED = 100
/** The exact format of a security event in docs/security.md; any other line is an error. */
const SECURITY_EVENT = new RegExp(
  '^{"level":40,"time":"[^"]+","event":"(?:key_refused|right_refused|cross_site_refused|link_refused)",' +
    '"request_id":"[0-9a-z]{26}","network":"[0-9a-f]{12}","unlogged_before":\\d+,"msg":"security event"}$',
)
export const isSecurityEvent = (line: string) => SECURITY_EVENT.test(line)

/** Starts the server with the flags of `npm start`. */
export async function serve(t: Harness): Promise<Served> {
  const flags = ['--disable-warning=ExperimentalWarning', ...project.config.nodeFlags.split(' ')]
  const folder = join(tmpdir(), `carnet-hammer-${randomUUID()}`)
  const child: ChildProcess = spawn(
    process.execPath,
    [...flags, SERVER, JSON.stringify(t.database), folder],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let isAlive = true
  const ended = once(child, 'exit').then(() => {
    isAlive = false
  })
  const logged: string[] = []
  const port = await new Promise<number>(resolve => {
    for (const input of [child.stdout, child.stderr]) {
      if (input === null) continue
      createInterface({ input }).on('line', line => {
        if (/^\d+$/.test(line)) resolve(Number(line))
        else if (!isSecurityEvent(line) && logged.length < MAX_LOGGED) logged.push(line)
      })
    }
    ended.then(() => resolve(0))
  })
  return {
    port,
    pid: child.pid ?? 0,
    logged,
    mediaStore: openMediaStore({ folder }),
    isAlive: () => isAlive,
    async stop() {
      child.kill()
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export async function makeCallers(t: Harness): Promise<Callers> {
  const operator = { sql: t.sql, clock: t.clock }
  const [one, other] = [await t.account({ plan: 'enterprise' }), await t.account({ plan: 'enterprise' })]
  const limited = await t.account({ plan: 'pro', isLimited: true })
  const small = await t.account({ plan: 'beta' })
  await setPlan(operator, {
    accountId: small.id,
    plan: 'beta',
    quota: { model: 5, batch: 5, item: 5 },
    requestsPerMinute: 1_000_000,
  })
  const free = await t.account({ plan: 'free' })
  const revoked = await t.account()
  const [key] = await listKeys(operator, revoked.id)
  await revokeKey(operator, key?.id ?? '')
  return {
    // Mostly one account, so that some ids belong to another account.
    unlimited: [one.key, one.key, one.key, one.key, one.key, other.key],
    reader: await t.apiKey(one, 'read'),
    narrow: [limited.key, small.key, free.key, revoked.key, 'dpp_live_mistyped'],
  }
}
