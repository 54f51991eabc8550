/**
 * The files of a static export with their manifest. While it is being written, a file beside them says how far it has
 * come: a run that was ended, however it was, is gone on with by the next.
 */

import { createHash, hash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import type { Clock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import { withProcessLock } from '../../kernel/process/process-lock.ts'
import type { ExportPosition } from '../../passports/copies/export-rows.ts'
import { openSafeFolder, type SafeFolder } from './safe-folder.ts'

/** A line for each file, and a last one with the SHA-256 of all before it. */
const MANIFEST = 'manifest.ndjson'
const UNFINISHED = 'unfinished.json'
/** The same while it is written. */
const PARTIAL = `${UNFINISHED}.partial`
const LOCK = 'unfinished.lock'
/** Enough to see that a holder is dead. */
const LOCK_WITHIN_MS = 500
/** Passports between two notes of how far it has come: half a second of work. */
const MARK_EVERY = 10
/** A writer on another machine or in another container that has said nothing for so long has ended. */
const SILENT_MS = 60_000

/** Whose pages they are, at which address. Pages of two accounts or addresses do not belong into one folder. */
type Owner = { account: number; public_url: string }
/** `last`: the passport that was written last; null before the first. */
type Progress = { last: ExportPosition | null; passports: number; left_out: number }
type Written = { files: number; bytes: number; manifest_bytes: number; shared: string[] }
/** Where it is written, and when that was last said; no `host` once it has been let go. */
type Writer = { host: string | null; at: string }
type Mark = Owner & Progress & Written & Writer

/** `dir` is what the operator called the folder. */
export type SiteTarget = { clock: Clock; dir: string; folder: SafeFolder }

export type SiteFile = { path: string; body: Buffer | string }

export type Site = {
  /** Where the run before was ended. */
  begun: Progress
  put: (...files: readonly SiteFile[]) => Promise<void>
  /** Whether a file that many pages share is there already. */
  has: (path: string) => boolean
  /** Everything up to `last` has been put. */
  mark: (progress: Progress) => Promise<void>
  finish: () => Promise<{ files: number; bytes: number; sha256: string }>
  /** Lets go of the folder, finished or not. */
  close: () => Promise<void>
}

const NOTHING: Progress & Written = {
  ...{ last: null, passports: 0, left_out: 0 },
  ...{ files: 0, bytes: 0, manifest_bytes: 0, shared: [] },
}

/**
 * Does `work` on the folder, as its only writer; it is made if it is not there. Throws `unavailable` while another
 * process writes there, `validation` for what is no folder that can be written into.
 */
export async function inFolder<T>(dir: string, work: (folder: SafeFolder) => Promise<T>): Promise<T> {
  const message = `${dir} is being written by another export: let that finish.`
  let isInside = false
  try {
    const folder = await openSafeFolder(dir)
    return await withProcessLock({ path: join(dir, LOCK), timeoutMs: LOCK_WITHIN_MS, message }, () => {
      isInside = true
      return work(folder)
    })
  } catch (error) {
    if (isInside || !(error instanceof Error && 'syscall' in error && 'code' in error)) throw error
    throw new AppError('validation', `${dir} is no folder that can be written into (${error.code}).`)
  }
}

/** Throws `validation` for a folder that is neither empty nor an unfinished one of the same owner. Within `inFolder`. */
export async function openSite(target: SiteTarget, owner: Owner): Promise<Site> {
  const { folder } = target
  const begun = await findBegun(target, owner)
  await writeMark(target, { ...owner, ...begun })
  const manifest = await folder.open(MANIFEST, 'append')
  await manifest.truncate(begun.manifest_bytes)
  const shared = new Set(begun.shared)
  const written = { files: begun.files, bytes: begun.bytes, manifest_bytes: begun.manifest_bytes }
  const digest = createHash('sha256')
  for await (const piece of manifest.createReadStream({ start: 0, autoClose: false })) digest.update(piece)
  let marked = { ...owner, ...begun }
  let isFinished = false
  const add = async (lines: string) => {
    await manifest.write(lines)
    digest.update(lines)
    written.manifest_bytes += Buffer.byteLength(lines)
  }
  return {
    begun,
    has: path => shared.has(path),
    async put(...files) {
      const lines = files.map(({ path, body }) => {
        // Logos; everything else is asked for once.
        if (path.startsWith('brand/')) shared.add(path)
        const bytes = Buffer.byteLength(body)
        written.files++
        written.bytes += bytes
        return lineOf({ path, sha256: hash('sha256', body, 'hex'), bytes })
      })
      // First the lines: what they name can be taken away, what nobody names cannot.
      await add(lines.join(''))
      await Promise.all(files.map(({ path, body }) => folder.write(path, body)))
    },
    async mark(progress) {
      if (progress.passports % MARK_EVERY !== 0) return
      await manifest.datasync()
      marked = { ...owner, ...progress, ...written, shared: [...shared] }
      await writeMark(target, marked)
    },
    async finish() {
      const { files, bytes } = written
      const end = { files, bytes, sha256: digest.digest('hex') }
      await manifest.write(lineOf(end))
      await manifest.sync()
      await folder.remove(UNFINISHED)
      isFinished = true
      return end
    },
    async close() {
      await manifest.close()
      // Where the disk is full, the host stays said: to this one it makes no difference.
      if (!isFinished) await writeMark(target, marked, { host: null }).catch(() => undefined)
    },
  }
}

const lineOf = (value: object) => `${JSON.stringify(value)}\n`

async function findBegun({ clock, dir, folder }: SiteTarget, owner: Owner): Promise<Progress & Written> {
  const names = (await readdir(dir)).filter(name => !name.startsWith(LOCK) && name !== PARTIAL)
  if (names.length === 0) return NOTHING
  if (!names.includes(UNFINISHED)) {
    throw new AppError('validation', `${dir} is not empty: name a folder that is new.`)
  }
  const mark = readMark(await readText(folder, UNFINISHED), { dir, owner, now: clock.now() })
  await takeAway(folder, mark.manifest_bytes)
  return mark
}

function readMark(found: string, { dir, owner, now }: { dir: string; owner: Owner; now: Date }): Mark {
  const mark = readJson(found) as Mark | null | undefined
  if (typeof mark?.account !== 'number') {
    throw new AppError('validation', `${join(dir, UNFINISHED)} cannot be read: name a folder that is new.`)
  }
  if (mark.account !== owner.account || mark.public_url !== owner.public_url) {
    throw new AppError(
      'validation',
      `${dir} is an unfinished export of account ${mark.account} at ${mark.public_url}: name a folder that is new.`,
    )
  }
  // Of this machine's processes the lock has told already.
  const isElsewhere = mark.host !== null && mark.host !== hostname()
  if (isElsewhere && now.getTime() - Date.parse(mark.at) < SILENT_MS) {
    throw new AppError(
      'validation',
      `${dir} was written to a moment ago, on ${mark.host}. Let that finish; if it has ended, try again in a minute.`,
    )
  }
  return mark
}

/** The files that were put after the last mark: they are written anew, or are no longer there to be written. */
async function takeAway(folder: SafeFolder, manifestBytes: number): Promise<void> {
  for (const line of (await readText(folder, MANIFEST, manifestBytes)).split('\n')) {
    const { path } = (readJson(line) ?? {}) as { path?: unknown }
    if (typeof path === 'string') await folder.remove(path)
  }
}

/** Empty when the file is not there. */
async function readText(folder: SafeFolder, path: string, start = 0): Promise<string> {
  try {
    const file = await folder.open(path, 'read')
    return await textOf(file.createReadStream({ start }))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    return ''
  }
}

function readJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** In one step: a mark that is half written would be worth nothing. */
async function writeMark(
  { clock, folder }: SiteTarget,
  mark: Owner & Progress & Written,
  by: Partial<Writer> = {},
): Promise<void> {
  const whole: Mark = { ...mark, host: hostname(), at: clock.now().toISOString(), ...by }
  await folder.replace(UNFINISHED, JSON.stringify(whole))
}
