/** Checks of `doctor`: whether files can be stored, and whether all that were are still there. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { MediaPlace } from '../../kernel/config/environment-reader.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { openMediaStore } from '../../media/store/open-media-store.ts'
import { verifyMedia } from '../../media/upkeep/verify-media.ts'
import { withProgress } from '../command-line/progress.ts'
import type { CheckResult } from './verify-store.ts'

type CheckFolder = (folder: string) => Promise<CheckResult>

/** Writes an object, reads it and deletes it, unless the folder would have to be created. */
export async function checkMediaStore(place: MediaPlace, checkFolder: CheckFolder): Promise<CheckResult> {
  const found = 'folder' in place ? await checkFolder(place.folder) : undefined
  if (typeof found === 'object' || ('folder' in place && !existsSync(place.folder))) return found ?? ''
  const store = openMediaStore(place)
  const key = `check/${randomUUID()}`
  const bytes = Buffer.from(key)
  await store.write(key, bytes, 'text/plain')
  const read = await store.read(key)
  await store.delete(key)
  if (read?.equals(bytes)) return found ?? `${store.place} can be written and read`
  return [`${store.place} (MEDIA_URL) does not return what was written to it`]
}

/** Reads every file. */
export async function checkMediaFiles(sql: Sql, place: MediaPlace): Promise<CheckResult> {
  const { files, bytes, problems } = await withProgress(update =>
    verifyMedia(sql, openMediaStore(place), n => update(`files: ${n} read`)),
  )
  return problems.length === 0
    ? `${files} with ${(bytes / 1e6).toFixed(1)} MB are as they were sent`
    : problems
}
