/** One process at a time: a lock file that appears whole or not at all, and that a dead holder does not keep. */
import { randomUUID } from 'node:crypto'
import { type FileHandle, link, open, rm, writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { AppError, findErrorCode } from '../errors.ts'
import { findProcess } from './processes.ts'

type Holder = { token: string; pid: number; identity: string }

const POLL_MS = 20

/** `message`: for the caller that has waited in vain. */
type ProcessLock = { path: string; timeoutMs: number; message: string }

/**
 * Runs `work` while this process alone holds the lock file; waits for another's for `timeoutMs`.
 * Throws AppError `unavailable` when that was not enough.
 */
export async function withProcessLock<T>(
  { path, timeoutMs, message }: ProcessLock,
  work: () => Promise<T>,
): Promise<T> {
  const until = performance.now() + timeoutMs
  while (!(await tryToTake(path))) {
    if (performance.now() > until) throw new AppError('unavailable', message)
    await pause(POLL_MS)
  }
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
  }
}

/** A link, like O_EXCL, is made once only; other than a file just opened, it is never seen empty. */
async function tryToTake(path: string): Promise<boolean> {
  const holder: Holder = {
    token: randomUUID(),
    pid: process.pid,
    identity: findProcess(process.pid)?.identity ?? '',
  }
  const draft = `${path}.${holder.token}.draft`
  // A power cut may keep a name and lose what was not synced.
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
 * Removes the lock of a dead holder. Of several who see that it is dead, the one that holds a lock on its token does;
 * the token is read again under that lock, so that nobody removes the successor's.
 */
async function clearIfStale(path: string): Promise<void> {
  const seen = await readHolder(path)
  if (seen === undefined || isAlive(seen)) return
  const right = `${path}.${seen.token}`
  if (!(await tryToTake(right))) return
  try {
    const now = await readHolder(path)
    if (now?.token === seen.token) await rm(path, { force: true })
  } finally {
    await rm(right, { force: true })
  }
}

/** A file that names no holder is one that a power cut has emptied: whoever had it is gone. */
async function readHolder(path: string): Promise<Holder | undefined> {
  let file: FileHandle
  try {
    file = await open(path)
  } catch (error) {
    if (findErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
  try {
    const { ino } = await file.stat()
    return parseHolder(await file.readFile('utf8')) ?? { token: `damaged-${ino}`, pid: 0, identity: '' }
  } finally {
    await file.close()
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

const isAlive = ({ pid, identity }: Holder) => findProcess(pid)?.identity === identity
