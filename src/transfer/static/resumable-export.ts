/** Writes a static export with its manifest, and a progress file that lets the next run resume. */
import { createHash, hash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import type { AudienceProfile } from '../../accounts/account/audience-profile.ts'
import { findErrorCode, invalidInput } from '../../kernel/errors/errors.ts'
import { withProcessLock } from '../../kernel/process/process-lock.ts'
import { tryParseJson } from '../../kernel/text/try-parse-json.ts'
import type { Clock } from '../../kernel/values/clock.ts'
import type { ExportPosition } from '../../passports/copies/export-rows.ts'
import { isSharedFile, type StaticFile } from './passport-pages.ts'
import { invalidFolder, openSafeFolder, type SafeFolder } from './safe-folder.ts'

/** A line for each file, and a last line with the SHA-256 of all lines before. */
const MANIFEST = 'manifest.ndjson'
const PROGRESS_FILE = 'unfinished.json'
const PARTIAL_PROGRESS_FILE = `${PROGRESS_FILE}.partial`
const LOCK_FILE = 'unfinished.lock'
/** Long enough to detect that the holder is dead. */
const LOCK_TIMEOUT_MS = 500
/** Passports between two writes of the progress file. */
const PASSPORTS_PER_SAVE = 10
/** A writer on another machine whose progress file is older than this has ended. */
const WRITER_TIMEOUT_MS = 60_000

/** A folder must not mix pages of two accounts or two public addresses. */
type Owner = { account: number; public_url: string }
/** `last`: the newest passport that was written; null before the first. */
type Progress = {
  last: ExportPosition | null
  passports: number
  left_out: number
  /** The state of the account when the pages were written; absent in files of earlier versions. */
  audience_profile?: AudienceProfile
  /** How often a file of the account had been withdrawn; absent for never. */
  withdrawn_files?: number
}
type SavedProgress = Owner &
  Progress & { files: number; bytes: number; manifest_bytes: number } & {
    /** The host of the current run; null once the run has ended. */
    host: string | null
    at: string
  }

/** `dir`: the folder as the operator wrote it. */
type StaticFolder = { clock: Clock; dir: string; folder: SafeFolder }

/** Runs `work` as the only writer of the folder. Throws `unavailable` and `validation`. */
export async function withFolderLock<T>(dir: string, work: (folder: SafeFolder) => Promise<T>): Promise<T> {
  const message = `${dir} is being written by another export. Wait until it finishes.`
  let isInside = false
  try {
    const folder = await openSafeFolder(dir)
    return await withProcessLock({ path: join(dir, LOCK_FILE), timeoutMs: LOCK_TIMEOUT_MS, message }, () => {
      isInside = true
      return work(folder)
    })
  } catch (error) {
    if (isInside || !(error instanceof Error && 'syscall' in error && 'code' in error)) throw error
    throw invalidInput(`${dir} is not a folder that Carnet can write to (${error.code}).`)
  }
}

/**
 * Call it inside `withFolderLock`. Throws `validation` unless the folder is empty or an unfinished export.
 */
export async function openStaticExport(target: StaticFolder, owner: Owner) {
  const { folder } = target
  const resumed = await findProgress(target, owner)
  const state = { ...resumed }
  const shared = new Set<string>()
  let saved = await saveProgress(target, resumed)
  const manifest = await folder.open(MANIFEST, 'append')
  await manifest.truncate(resumed.manifest_bytes)
  const digest = createHash('sha256')
  for await (const line of manifest.readLines({ start: 0, autoClose: false })) {
    digest.update(`${line}\n`)
    const { path } = JSON.parse(line)
    if (isSharedFile(path)) shared.add(path)
  }
  let isFinished = false
  const saver = createSaver()
  return {
    resumed,
    /** Counts all files up to now. */
    written: state,
    /** Returns true if a file that many pages share is already written. */
    has: (path: string): boolean => shared.has(path),
    async put(...files: readonly StaticFile[]): Promise<void> {
      let lines = ''
      const encoded = files.map(({ path, body }) => ({ path, body: Buffer.from(body) }))
      for (const { path, body } of encoded) {
        if (isSharedFile(path)) shared.add(path)
        state.files++
        state.bytes += body.length
        lines += formatLine({ path, sha256: hash('sha256', body, 'hex'), bytes: body.length })
      }
      // The manifest is written first, so that a resumed run can delete the files that it lists, and no
      // others.
      await manifest.write(lines)
      digest.update(lines)
      state.manifest_bytes += Buffer.byteLength(lines)
      for (const { path, body } of encoded) folder.write(path, body)
    },
    /** Saves that all passports up to `last` are written, while the next ones are written. */
    async save(progress: Progress): Promise<void> {
      if (progress.passports % PASSPORTS_PER_SAVE !== 0) return saver.check()
      const next = { ...state, ...progress }
      saver.start(async () => {
        await manifest.datasync()
        saved = await saveProgress(target, next)
      })
    },
    async finish(): Promise<{ files: number; bytes: number; sha256: string }> {
      await saver.end()
      saver.check()
      const { files, bytes } = state
      const end = { files, bytes, sha256: digest.digest('hex') }
      await manifest.write(formatLine(end))
      await manifest.sync()
      await folder.remove(PROGRESS_FILE)
      isFinished = true
      return end
    },
    /** Releases the folder, whether or not the export is finished. */
    async close(): Promise<void> {
      await saver.end()
      await manifest.close()
      // On a full disk the host stays in the file, which does not prevent this host from resuming.
      if (!isFinished) await saveProgress(target, saved, null).catch(() => undefined)
    },
  }
}

/** One save at a time, beside other work. A disk that needs longer is asked less often. */
function createSaver() {
  let saving: Promise<void> | undefined
  let failure: { reason: unknown } | undefined
  const check = () => {
    if (failure !== undefined) throw failure.reason
  }
  return {
    /** Throws what prevented an earlier save. */
    check,
    start(save: () => Promise<void>): void {
      check()
      saving ??= save()
        .catch(reason => {
          failure = { reason }
        })
        .finally(() => {
          saving = undefined
        })
    },
    /** Waits for the save that runs. */
    end: async (): Promise<void> => saving,
  }
}

const formatLine = (value: object) => `${JSON.stringify(value)}\n`

async function findProgress({ clock, dir, folder }: StaticFolder, owner: Owner): Promise<SavedProgress> {
  const names = (await readdir(dir)).filter(
    name => !name.startsWith(LOCK_FILE) && name !== PARTIAL_PROGRESS_FILE,
  )
  if (names.length === 0) {
    const nothing = {
      last: null,
      passports: 0,
      left_out: 0,
      files: 0,
      bytes: 0,
      manifest_bytes: 0,
    }
    return { ...owner, ...nothing, host: null, at: '' }
  }
  if (!names.includes(PROGRESS_FILE)) throw invalidFolder(`${dir} is not empty.`)
  const mark = parseProgress(await readText(folder, PROGRESS_FILE), { dir, owner, now: clock.now() })
  await deleteUnsaved(folder, mark.manifest_bytes)
  return mark
}

function parseProgress(
  found: string,
  { dir, owner, now }: { dir: string; owner: Owner; now: Date },
): SavedProgress {
  const mark: SavedProgress | null | undefined = tryParseJson(found)
  if (typeof mark?.account !== 'number') throw invalidFolder(`${join(dir, PROGRESS_FILE)} cannot be read.`)
  if (mark.account !== owner.account || mark.public_url !== owner.public_url)
    throw invalidFolder(`${dir} is an unfinished export of account ${mark.account} at ${mark.public_url}.`)
  // The lock already excludes other processes on this machine.
  const isElsewhere = mark.host !== null && mark.host !== hostname()
  if (isElsewhere && now.getTime() - Date.parse(mark.at) < WRITER_TIMEOUT_MS) {
    throw invalidInput(
      `A process on ${mark.host} wrote to ${dir} a moment ago. Wait until it finishes. If it was stopped, try again in a minute.`,
    )
  }
  return mark
}

/** Deletes the files written after the last save: they are written again, or no longer needed. */
async function deleteUnsaved(folder: SafeFolder, manifestBytes: number): Promise<void> {
  for (const line of (await readText(folder, MANIFEST, manifestBytes)).split('\n')) {
    const entry: { path?: unknown } | null | undefined = tryParseJson(line)
    if (typeof entry?.path === 'string') await folder.remove(entry.path)
  }
}

async function readText(folder: SafeFolder, path: string, start = 0): Promise<string> {
  try {
    return await textOf((await folder.open(path, 'read')).createReadStream({ start }))
  } catch (error) {
    if (findErrorCode(error) !== 'ENOENT') throw error
    return ''
  }
}

/** Replaces the progress file atomically, because an incomplete one would be useless. */
async function saveProgress(
  { clock, folder }: StaticFolder,
  progress: SavedProgress,
  host: string | null = hostname(),
): Promise<SavedProgress> {
  const saved = { ...progress, host, at: clock.now().toISOString() }
  await folder.replace(PROGRESS_FILE, JSON.stringify(saved))
  return saved
}
