/** A server as a process of its own on the database of a harness, with callers of every kind. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import project from '../../package.json' with { type: 'json' }
import { setPlan } from '../../src/accounts/accounts.ts'
import { listKeys, revokeKey } from '../../src/accounts/keys.ts'
import type { Harness } from '../harness.ts'
import type { Callers } from './requests.ts'

const SERVER = join(import.meta.dirname, '../cli/api-process.ts')

export type Served = {
  port: number
  pid: number
  isAlive: () => boolean
  /** Lines that the server has logged so far: warnings and errors. */
  logged: string[]
  stop: () => Promise<void>
}

/** With the flags that `npm start` gives it. */
export async function serve(t: Harness): Promise<Served> {
  const flags = ['--disable-warning=ExperimentalWarning', ...project.config.nodeFlags.split(' ')]
  const child: ChildProcess = spawn(process.execPath, [...flags, SERVER, JSON.stringify(t.target)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let isAlive = true
  const ended = once(child, 'exit').then(() => {
    isAlive = false
  })
  const logged: string[] = []
  const port = await new Promise<number>(resolve => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (/^\d+\n/.test(text)) resolve(Number.parseInt(text, 10))
      else if (logged.length < 100) logged.push(text)
    })
    child.stderr?.setEncoding('utf8').on('data', text => logged.push(text))
    ended.then(() => resolve(0))
  })
  return {
    ...{ port, pid: child.pid ?? 0, logged },
    isAlive: () => isAlive,
    async stop() {
      child.kill()
      await ended
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
    // Mostly of one account, whose ids the others do not have.
    unlimited: [one.key, one.key, one.key, one.key, one.key, other.key],
    reader: await t.apiKey(one, 'read'),
    narrow: [limited.key, small.key, free.key, revoked.key, 'dpp_live_mistyped'],
  }
}
