/** The folder of a mirror. `.carnet-mirror` has the hashes of its files, and how far a killed run came. */
import { existsSync } from 'node:fs'
import { type FileHandle, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findErrorCode } from '../../kernel/errors/errors.ts'
import { syncFolder } from '../../kernel/process/sync-folder.ts'
import { tryParseJson } from '../../kernel/text/try-parse-json.ts'
import { MIRROR_PATHS } from '../../passports/documents/sign-manifest.ts'
import type { ChangePosition } from '../../passports/read/list-changes.ts'
import { invalidFolder, type SafeFolder } from '../static/safe-folder.ts'
import {
  compareFiles,
  type GroupOptions,
  type GroupStore,
  type JournalLine,
  type MirrorGroup,
  openMirrorGroup,
  parseFiles,
} from './mirror-group.ts'

const STATE_FOLDER = MIRROR_PATHS.state
const STATE_FILE = `${STATE_FOLDER}/state.json`
/** Its name changes when it is written anew. */
const getJournalPath = (number: number) => `${STATE_FOLDER}/files-${number}.ndjson`
const FORMAT = 1
/** Lines of the journal beyond twice the number of groups; then it is written anew. */
const MAX_OLD_LINES = 1_000

/** A folder must not mix pages of two accounts or two public addresses. */
type Owner = { account: number; public_url: string }

/** A pass over the passports that changed since a time. Times are ISO 8601. */
export type MirrorPass = {
  since: string
  /** Changes before this time are in the mirror when the pass is complete. */
  settled: string
  /** A hash of what pages depend on besides passports. */
  settings: string
  /** The last passport that is written; null before the first. */
  after: ChangePosition | null
}

type MirrorState = Owner & {
  format: typeof FORMAT
  /** The time of the last complete pass; null before the first. */
  last: Omit<MirrorPass, 'since'> | null
  pass: MirrorPass | null
  /** Proofs of versions of before this time (ISO 8601) are in the mirror. Old mirrors have none. */
  proven_through?: string | null
  journal: number
  journal_bytes: number
}

export type MirrorFolder = Awaited<ReturnType<typeof openMirrorFolder>>

type Place = { dir: string; folder: SafeFolder }

/** Throws `validation` unless the folder is empty or a mirror of this account. */
export async function openMirrorFolder({ dir, folder }: Place, owner: Owner) {
  const state = await readState(dir, folder, owner)
  await folder.replace(STATE_FILE, JSON.stringify(state))
  const journal = await folder.open(getJournalPath(state.journal), 'append')
  const { groups, unsure, lines } = await readJournal(journal, state.journal_bytes)
  await journal.truncate(state.journal_bytes)
  const counts = { written: 0, removed: 0, bytes: 0, lines }
  const touchedFolders = new Set<string>()

  const append = async (line: JournalLine) => {
    const text = `${JSON.stringify(line)}\n`
    await journal.write(text)
    counts.lines++
    state.journal_bytes += Buffer.byteLength(text)
  }
  for (const [of, paths] of unsure) await append({ of, writing: [...paths] })
  const store: GroupStore = {
    folder,
    groups,
    unsure,
    append,
    countWritten(path, bytes) {
      touchedFolders.add(dirname(path))
      counts.written++
      counts.bytes += bytes
    },
    countRemoved(path) {
      touchedFolders.add(dirname(path))
      counts.removed++
    },
  }
  let shared: MirrorGroup | undefined
  const save = async () => {
    await shared?.remember()
    for (const path of touchedFolders) if (existsSync(join(dir, path))) syncFolder(join(dir, path))
    touchedFolders.clear()
    await journal.datasync()
    await folder.replace(STATE_FILE, JSON.stringify(state))
  }

  return {
    state,
    counts,
    openGroup: (of: string, options: GroupOptions) => openMirrorGroup(store, of, options),
    /** Returns true if a file of a group was written, and not by a run that was killed meanwhile. */
    hasFile: (of: string, path: string): boolean =>
      !unsure.has(of) && parseFiles(groups.get(of)).some(([name, sha256]) => name === path && sha256 !== ''),
    /** The files that many passports share. */
    async openShared(options: GroupOptions): Promise<MirrorGroup> {
      shared = await openMirrorGroup(store, 'shared', options)
      return shared
    },
    save,
    /** All files, in the order of their paths. */
    listFiles(): { path: string; sha256: string }[] {
      const all = [...groups.values()].flatMap(parseFiles)
      return all.sort(compareFiles).map(([path, sha256]) => ({ path, sha256 }))
    },
    /** Writes the manifest and ends the pass. */
    async finish(manifest: string, pass: MirrorPass): Promise<void> {
      await folder.replace(MIRROR_PATHS.manifest, manifest)
      touchedFolders.add('.')
      const { since: _, ...last } = pass
      Object.assign(state, { last, pass: null })
      await save()
      if (counts.lines > 2 * groups.size + MAX_OLD_LINES) await compact(folder, state, groups)
    },
    close: () => journal.close(),
  }
}

/** Writes the journal anew, with one line for each group. */
async function compact(folder: SafeFolder, state: MirrorState, groups: Map<string, string>): Promise<void> {
  const old = getJournalPath(state.journal)
  const lines = Array.from(groups, ([of, files]) => `{"of":${JSON.stringify(of)},"files":${files}}\n`)
  const body = lines.join('')
  state.journal++
  await folder.replace(getJournalPath(state.journal), body)
  state.journal_bytes = Buffer.byteLength(body)
  await folder.replace(STATE_FILE, JSON.stringify(state))
  await folder.remove(old)
}

async function readState(dir: string, folder: SafeFolder, owner: Owner): Promise<MirrorState> {
  const names = (await readdir(dir)).filter(name => !name.startsWith('unfinished.lock'))
  const text = names.includes(STATE_FOLDER) ? await readText(folder, STATE_FILE) : undefined
  if (text === undefined) {
    if (names.some(name => name !== STATE_FOLDER)) throw invalidFolder(`${dir} is not empty.`)
    return { format: FORMAT, ...owner, last: null, pass: null, journal: 1, journal_bytes: 0 }
  }
  const state: MirrorState | null | undefined = tryParseJson(text)
  if (state?.format !== FORMAT || typeof state.journal_bytes !== 'number')
    throw invalidFolder(`${join(dir, STATE_FILE)} cannot be read.`)
  if (state.account !== owner.account || state.public_url !== owner.public_url)
    throw invalidFolder(`${dir} is a mirror of account ${state.account} at ${state.public_url}.`)
  return state
}

async function readText(folder: SafeFolder, path: string): Promise<string | undefined> {
  try {
    await using file = await folder.open(path, 'read')
    return await file.readFile('utf8')
  } catch (error) {
    if (findErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** `unsure`: files that a killed run may have written. */
async function readJournal(journal: FileHandle, savedBytes: number) {
  const groups = new Map<string, string>()
  const unsure = new Map<string, Set<string>>()
  let at = 0
  let lines = 0
  for await (const text of journal.readLines({ start: 0, autoClose: false })) {
    at += Buffer.byteLength(text) + 1
    lines++
    const line: JournalLine | null | undefined = tryParseJson(text)
    if (typeof line?.of !== 'string') continue
    const { of, writing, files } = line
    if (at <= savedBytes && files !== undefined) groups.set(of, JSON.stringify(files))
    if (at <= savedBytes) continue
    const paths = unsure.get(of) ?? new Set()
    for (const one of writing ?? files?.map(([name]) => name) ?? []) paths.add(one)
    unsure.set(of, paths)
  }
  return { groups, unsure, lines }
}
