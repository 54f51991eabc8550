/** Pictures and documents in backups: which ones a backup needs, and writing them back. */
import type { Sql } from '../../kernel/db/database.ts'
import { readShards } from '../../kernel/db/shards.ts'
import { inTransaction } from '../../kernel/db/transaction.ts'
import type { MediaStore } from '../../media/store/media-store.ts'
import { hasMediaTable } from '../../media/upkeep/restored-media.ts'
import { forEachOf, listRowPages, readRowPage } from '../../media/upkeep/verify-media.ts'
import { enterSchema, withPool } from '../snapshot.ts'
import type { BackupOptions, BackupSetup } from './backup-setup.ts'
import { openFilePacks, type PackedFile } from './file-packs.ts'

/**
 * Packs the files of a snapshot, page by page. A row exists only for bytes that are stored, objects never
 * change, and a file that a version refers to is never deleted. So all that the versions of a snapshot name
 * can still be read after it; a file that cannot was deleted since, and no version in the backup needs it.
 */
export const packFiles = (sql: Sql, setup: BackupSetup, options: BackupOptions) =>
  packPages(after => readRowPage(sql, after), setup, options)

async function* packPages(
  readPage: Parameters<typeof listRowPages>[0],
  { mediaStore, clock }: BackupSetup,
  { path, packsBeside = path, signal, progress }: BackupOptions,
): AsyncGenerator<PackedFile[]> {
  const packs = openFilePacks(packsBeside)
  const now = clock.now()
  let n = 0
  for await (const rows of listRowPages(readPage)) {
    const packed: PackedFile[] = []
    await forEachOf(rows, async row => {
      signal?.throwIfAborted()
      const pack = (await packs.add(mediaStore, row, now)) ?? null
      packed.push({ account: row.accountId, id: row.id, pack })
      progress?.('files', ++n)
    })
    yield packed
  }
}

/** Before the snapshot, which would otherwise be open for as long as many new files take. */
export const packNewFiles = (setup: BackupSetup, options: BackupOptions): Promise<void> =>
  withPool(setup.openPool, async pool => {
    const shards = await readShards(pool)
    for (const shard of shards.length > 0 ? shards : [null]) {
      const readPage = (after: Parameters<typeof readRowPage>[1]) =>
        inTransaction(pool, async tx => {
          await enterSchema(tx, shard)
          return (await hasMediaTable(tx)) ? readRowPage(tx, after) : []
        })
      for await (const _ of packPages(readPage, setup, options));
    }
  })

/** `path`: of the backup. */
export type RestoringFiles = { mediaStore: MediaStore; path: string }

/** Restores the files of a part; undefined: leaves them alone. */
export function createFileSink(target: RestoringFiles | undefined) {
  const missing: PackedFile[] = []
  let done = 0
  return {
    /** Those that the backup does not have. */
    missing,
    /** Returns how many there were until now. */
    async add(files: readonly PackedFile[]): Promise<number> {
      if (target === undefined) return 0
      missing.push(...(await restoreFiles(target, files)))
      done += files.length
      return done
    },
    countRestored: () => done - missing.length,
  }
}

/** Writes files to the store. Returns those that the backup does not have. Throws `validation`. */
async function restoreFiles(
  { mediaStore, path }: RestoringFiles,
  files: readonly PackedFile[],
): Promise<PackedFile[]> {
  const packs = openFilePacks(path)
  const missing: PackedFile[] = []
  await forEachOf(files, async file => {
    const { pack } = file
    if (pack === null) missing.push(file)
    else await packs.restore(mediaStore, { ...file, pack })
  })
  return missing
}
