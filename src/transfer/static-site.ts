/**
 * The files of a static export with their manifest. While it is being written, a file beside them says how far it has
 * come: a run that was ended, however it was, is gone on with by the next.
 */
import { hash } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '../kernel/errors.ts'
import type { Place } from '../passports/export-rows.ts'

/** A line for each file, and a last one with the hash of the lines before it. */
const MANIFEST = 'manifest.ndjson'
const UNFINISHED = 'unfinished.json'
const PARTIAL = `${UNFINISHED}.partial`
/** Passports between two notes of how far it has come: half a second of work. */
const MARK_EVERY = 10

/** Whose pages they are, at which address. Pages of two accounts or addresses do not belong into one folder. */
type Owner = { account: number; public_url: string }
/** `last`: the passport that was written last; null before the first. */
type Progress = { last: Place | null; passports: number; left_out: number }
/** `sha256` is of the manifest's lines, each hashed together with the hash before it; `manifest_bytes` their length. */
type Written = { files: number; bytes: number; sha256: string; manifest_bytes: number; shared: string[] }
type Mark = Owner & Progress & Written & { pid: number }

export type Site = {
  /** Where the run before was ended. */
  begun: Progress
  put: (path: string, body: Buffer | string) => Promise<void>
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
  ...{ files: 0, bytes: 0, sha256: hash('sha256', '', 'hex'), manifest_bytes: 0, shared: [] },
}

/** Throws `validation` for a folder that is neither new, empty, nor an unfinished one of the same owner. */
export async function openSite(dir: string, owner: Owner): Promise<Site> {
  const { begun, manifest } = await openFolder(dir, owner)
  const shared = new Set(begun.shared)
  const written = { files: begun.files, bytes: begun.bytes, sha256: begun.sha256 }
  let manifestBytes = begun.manifest_bytes
  const add = async (line: object) => {
    const text = `${JSON.stringify(line)}\n`
    await manifest.write(text)
    manifestBytes += Buffer.byteLength(text)
    return text
  }
  return {
    begun,
    has: path => shared.has(path),
    async put(path, body) {
      // Logos; everything else is asked for once.
      if (path.startsWith('brand/')) shared.add(path)
      const content = Buffer.from(body)
      const at = join(dir, path)
      await mkdir(dirname(at), { recursive: true })
      await writeFile(at, content)
      const line = await add({ path, sha256: hash('sha256', content, 'hex'), bytes: content.length })
      written.sha256 = hash('sha256', written.sha256 + line, 'hex')
      written.files++
      written.bytes += content.length
    },
    async mark(progress) {
      if (progress.passports % MARK_EVERY !== 0) return
      await manifest.datasync()
      const state = { ...progress, ...written, manifest_bytes: manifestBytes, shared: [...shared] }
      await writeMark(dir, { ...owner, ...state, pid: process.pid })
    },
    async finish() {
      await add(written)
      await manifest.sync()
      await rm(join(dir, UNFINISHED))
      return written
    },
    close: () => manifest.close(),
  }
}

async function openFolder(
  dir: string,
  owner: Owner,
): Promise<{ begun: Progress & Written; manifest: FileHandle }> {
  try {
    await mkdir(dir, { recursive: true })
    const names = (await readdir(dir)).filter(name => name !== PARTIAL)
    const begun = names.includes(UNFINISHED) ? await readMark(dir, owner) : NOTHING
    if (begun === NOTHING && names.length > 0) {
      throw new AppError('validation', `${dir} is not empty: name a folder that is new.`)
    }
    await writeMark(dir, { ...owner, ...begun, pid: process.pid })
    const manifest = await open(join(dir, MANIFEST), 'a')
    // What was written after the last mark is written again.
    await manifest.truncate(begun.manifest_bytes)
    return { begun, manifest }
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error
    throw new AppError('validation', `${dir} is no folder that can be written into (${error.code}).`)
  }
}

async function readMark(dir: string, owner: Owner): Promise<Mark> {
  const mark = readJson(await readFile(join(dir, UNFINISHED), 'utf8')) as Mark | undefined
  if (mark === undefined) {
    throw new AppError('validation', `${join(dir, UNFINISHED)} cannot be read: name a folder that is new.`)
  }
  if (mark.account !== owner.account || mark.public_url !== owner.public_url) {
    throw new AppError(
      'validation',
      `${dir} is an unfinished export of account ${mark.account} at ${mark.public_url}: name a folder that is new.`,
    )
  }
  if (mark.pid !== process.pid && isRunning(mark.pid)) {
    throw new AppError(
      'validation',
      `${dir} is being written by process ${mark.pid}: let it finish, or end it.`,
    )
  }
  return mark
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** In one step: a mark that is half written would be worth nothing. */
async function writeMark(dir: string, mark: Mark): Promise<void> {
  await writeFile(join(dir, PARTIAL), JSON.stringify(mark), { flush: true })
  await rename(join(dir, PARTIAL), join(dir, UNFINISHED))
}
