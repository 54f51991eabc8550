/** Pictures and documents beside an account's export: each in a folder as it was sent, under its SHA-256. */
import { hash } from 'node:crypto'
import { constants, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sql } from '../../kernel/db/database.ts'
import { findErrorCode, invalidInput } from '../../kernel/errors/errors.ts'
import { syncNewFolders } from '../../kernel/process/new-folders.ts'
import type { Clock } from '../../kernel/values/clock.ts'
import { MEDIA_ID, originalKey } from '../../media/files/media-file.ts'
import { MAX_MEDIA_BYTES } from '../../media/files/prepared-file.ts'
import type { MediaStore } from '../../media/store/media-store.ts'
import {
  discardImportedFiles,
  type ExportedFile,
  finishImportedFile,
  storeImportedFile,
} from '../../media/upkeep/export-files.ts'
import type { MediaServices } from '../../media/upkeep/media-services.ts'
import { explainFileError, writeNewFile } from '../new-file.ts'

export type FileFolder = { folder: string; mediaStore: MediaStore }

/**
 * Copies a file from the store into the folder, unless it is there already. Returns false if it is not in the
 * store as it was sent. Throws `validation` if it cannot be written.
 */
export async function copyFileTo(
  { folder, mediaStore }: FileFolder,
  accountId: number,
  id: string,
): Promise<boolean> {
  const path = join(folder, id)
  if (isIntact(await readRegularFile(path), id)) return true
  const bytes = await mediaStore.read(originalKey(accountId, id))
  if (bytes === undefined || !isIntact(bytes, id)) return false
  await createFolder(folder)
  await writeNewFile(path, put => put(bytes))
  return true
}

async function createFolder(folder: string): Promise<void> {
  try {
    syncNewFolders(folder, await mkdir(folder, { recursive: true, mode: 0o700 }))
  } catch (error) {
    throw explainFileError(error, folder, 'written')
  }
}

const isIntact = (bytes: Buffer | 'missing' | 'unusable', id: string): boolean =>
  typeof bytes !== 'string' && hash('sha256', bytes, 'hex') === id

/** Follows no symlink, because it may lead out of the folder. `unusable`: no file, or longer than ours. */
async function readRegularFile(path: string): Promise<Buffer | 'missing' | 'unusable'> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const found = await file.stat()
    return found.isFile() && found.size <= MAX_MEDIA_BYTES ? await file.readFile() : 'unusable'
  } catch (error) {
    const code = findErrorCode(error) ?? ''
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing'
    if (code === 'ELOOP') return 'unusable'
    throw explainFileError(error, path, 'read')
  }
}

const NOTHING_IMPORTED = 'Nothing was imported.'

/** Throws `validation` for a file that is missing or is not what its name says. */
async function readExportedFile(folder: string, id: string): Promise<Buffer> {
  if (!MEDIA_ID.test(id))
    throw invalidInput(
      `The export has a file whose id is not a SHA-256, so it was not written by Carnet. ${NOTHING_IMPORTED}`,
    )
  const path = join(folder, id)
  const bytes = await readRegularFile(path)
  if (bytes === 'missing')
    throw invalidInput(
      `${path} is missing. Copy the folder of files together with the export, or name it with --files. With --without-files, passports keep their references, and you send the files again later. ${NOTHING_IMPORTED}`,
    )
  if (bytes === 'unusable' || !isIntact(bytes, id))
    throw invalidInput(
      `${path} is damaged: its SHA-256 is not its name. Copy it from the export again. ${NOTHING_IMPORTED}`,
    )
  return bytes
}

/** A line of the type `file`. */
export type FileLine = Omit<ExportedFile, 'created_at'> & { type: string; created_at: string }

export type ImportedFolder = MediaServices & { folder: string }
export type FileImport = ReturnType<typeof createFileImport>

/** `sql`: the home of the new account, outside of the transaction that creates it. */
export function createFileImport(
  { sql: outside, clock }: { sql: Sql; clock: Clock },
  { folder, preparer, mediaStore }: ImportedFolder,
) {
  const added = new Set<string>()
  let newAccount: number | undefined
  return {
    /** Throws `validation` if any file is missing or damaged. */
    async check(ids: AsyncIterable<string>): Promise<void> {
      for await (const id of ids) await readExportedFile(folder, id)
    },
    /** Stores a file; it is ready when the transaction of `sql` is. */
    async add(sql: Sql, accountId: number, line: FileLine): Promise<void> {
      const { id } = line
      newAccount = accountId
      const bytes = await readExportedFile(folder, id)
      if (added.has(id)) throw invalidInput(`The export has two lines of the file ${id}. ${NOTHING_IMPORTED}`)
      added.add(id)
      const prepared = await preparer.prepare(bytes)
      if ('rejection' in prepared)
        throw invalidInput(
          `${join(folder, id)} cannot be stored. ${prepared.rejection.message} With --without-files, the account is imported without its files. ${NOTHING_IMPORTED}`,
        )
      await storeImportedFile({ sql: outside, accountId, clock, mediaStore }, { id, bytes, prepared })
      await finishImportedFile(sql, accountId, { ...line, bytes: bytes.length })
    },
    /** After an import that has failed. */
    async discard(): Promise<void> {
      if (newAccount !== undefined) await discardImportedFiles(outside, newAccount)
    },
  }
}
