/**
 * A lock for one process at a time. It appears complete or not at all, and is taken from a dead holder. It is
 * a symbolic link whose target names the holder: it can be taken and released on a full disk, where no file
 * can be written. Earlier versions wrote a file.
 */
import { randomBytes } from 'node:crypto'
import { open, readlink, rm, symlink } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { sha256Hex } from '../crypto/crypto.ts'
import { findErrorCode, unavailable } from '../errors/errors.ts'
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

/** ext4 keeps a target of up to 59 bytes where it needs no block. */
const TARGET = /^(\d+)\.([0-9a-f]{16})\.([0-9a-f]{16})$/

const hashIdentity = (identity: string) => sha256Hex(identity).slice(0, 16)

/** A link is created only once, complete, also after a power cut: its target is part of it. */
async function tryToTake(path: string): Promise<boolean> {
  const identity = hashIdentity(findProcess(process.pid)?.identity ?? '')
  try {
    await symlink([process.pid, identity, randomBytes(8).toString('hex')].join('.'), path)
    return true
  } catch (error) {
    if (findErrorCode(error) !== 'EEXIST') throw error
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
  if (seen === undefined || isRunning(seen)) return
  const right = `${path}.${seen.token}`
  if (!(await tryToTake(right))) return
  try {
    const now = await readHolder(path)
    if (now?.token === seen.token) await rm(path, { force: true })
  } finally {
    await rm(right, { force: true })
  }
}

function isRunning({ pid, identity }: Holder): boolean {
  const found = findProcess(pid)?.identity
  return found !== undefined && (identity === hashIdentity(found) || identity === found)
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    const [, pid, identity, token] = TARGET.exec(await readlink(path)) ?? []
    return { token: token ?? 'damaged', pid: Number(pid ?? 0), identity: identity ?? '' }
  } catch (error) {
    const code = findErrorCode(error)
    if (code === 'ENOENT') return undefined
    if (code !== 'EINVAL') throw error
    return readFileOfEarlierVersion(path)
  }
}

/** A power cut may have emptied the file; its holder is gone. */
async function readFileOfEarlierVersion(path: string): Promise<Holder | undefined> {
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
