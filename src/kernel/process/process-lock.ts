/**
 * A lock file for one process at a time. It appears complete or not at all, and is taken from a dead holder.
 */
import { randomUUID } from 'node:crypto'
import { link, open, rm, writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { findErrorCode, unavailable } from '../errors.ts'
import { findProcess } from './processes.ts'

type Holder = { token: string; pid: number; identity: string }

const POLL_MS = 20

/** Runs `work` while holding the lock file. Throws `unavailable` with `message` after `timeoutMs`. */
export async function withProcessLock<T>(
  { path, timeoutMs, message }: { path: string; timeoutMs: number; message: string },
  work: () => Promise<T>,
): Promise<T> {
  const until = performance.now() + timeoutMs
  while (!(await tryToTake(path))) {
    if (performance.now() > until) throw unavailable(message)
    await pause(POLL_MS)
  }
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
  }
}

/** Like O_EXCL, a link is created only once, but unlike a newly opened file it is never empty. */
async function tryToTake(path: string): Promise<boolean> {
  const holder: Holder = {
    token: randomUUID(),
    pid: process.pid,
    identity: findProcess(process.pid)?.identity ?? '',
  }
  const draft = `${path}.${holder.token}.draft`
  // A power cut may keep a file's name and lose unsynced content.
  await writeFile(draft, JSON.stringify(holder), { flag: 'wx', flush: true })
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if (findErrorCode(error) !== 'EEXIST') throw error
  } finally {
    await rm(draft, { force: true })
  }
  await clearIfStale(path)
  return false
}

/**
 * Removes the lock of a dead holder. If several processes try, a lock on its token admits only one, which
 * reads the token again, so that it does not remove a successor's lock.
 */
async function clearIfStale(path: string): Promise<void> {
  const seen = await readHolder(path)
  if (seen === undefined || findProcess(seen.pid)?.identity === seen.identity) return
  const right = `${path}.${seen.token}`
  if (!(await tryToTake(right))) return
  try {
    const now = await readHolder(path)
    if (now?.token === seen.token) await rm(path, { force: true })
  } finally {
    await rm(right, { force: true })
  }
}

/** A power cut may have emptied the file; its holder is gone. */
async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    await using file = await open(path)
    const { ino } = await file.stat()
    return parseHolder(await file.readFile('utf8')) ?? { token: `damaged-${ino}`, pid: 0, identity: '' }
  } catch (error) {
    if (findErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    const { token, pid, identity }: Record<string, unknown> = JSON.parse(text)
    if (typeof token !== 'string' || !/^[\w-]{1,64}$/.test(token)) return undefined
    return typeof pid === 'number' && typeof identity === 'string' ? { token, pid, identity } : undefined
  } catch {
    return undefined
  }
}
