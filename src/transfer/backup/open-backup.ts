/** Opens a backup: a file, or the folder of a database with shards, all of whose files must fit together. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { invalidInput } from '../../kernel/errors/errors.ts'
import { explainFileError } from '../new-file.ts'
import { type BackupPart, getPartFile, listParts, SHARED_PART } from './backup-parts.ts'
import { hashParts } from './create-backup-set.ts'
import { type BackupFile, openBackupFile, type ReadOptions } from './read-backup-file.ts'

/** `parts`: in the order of a restore; the only one of a database without shards. */
export type Backup = Pick<BackupFile, 'header' | 'sha256' | 'bytes' | 'isSealed'> & {
  parts: readonly { part: BackupPart; file: BackupFile }[]
  hasShards: boolean
}

/** Throws `validation` like `openBackupFile`, and for a missing, swapped or foreign part, with its name. */
export async function openBackup(options: ReadOptions): Promise<Backup> {
  const { path } = options
  const found = await stat(path).catch(error => {
    throw explainFileError(error, path, 'read')
  })
  if (found.isDirectory()) return openBackupSet(options)
  const file = await openBackupFile(options)
  const { header, sha256, bytes, isSealed } = file
  if (header.set !== undefined)
    throw invalidInput(
      `${path} is one part of a backup of a database with shards (${header.set.part}). Restore the folder with all of its parts.`,
    )
  return { header, sha256, bytes, isSealed, hasShards: false, parts: [{ part: SHARED_PART, file }] }
}

async function openBackupSet(options: ReadOptions): Promise<Backup> {
  const { path } = options
  const names = await readdir(path)
  const open = (part: BackupPart) => {
    const name = getPartFile(part)
    if (!names.includes(name)) throw invalidInput(`The backup ${path} is incomplete: ${name} is missing.`)
    return openBackupFile({ ...options, path: join(path, name) })
  }
  const { header, isSealed } = await open(SHARED_PART)
  const { set } = header
  if (set?.part !== SHARED_PART.name)
    throw invalidInput(`${join(path, getPartFile(SHARED_PART))} is not the first part of a backup.`)
  const expected = listParts(set.shards)
  const foreign = names.find(
    name => name.endsWith('.backup') && !expected.some(part => getPartFile(part) === name),
  )
  if (foreign !== undefined)
    throw invalidInput(`${join(path, foreign)} is not a part of this backup. Remove it from the folder.`)
  const parts: { part: BackupPart; file: BackupFile }[] = []
  for (const part of expected) {
    const file = await open(part)
    const own = file.header.set
    if (own?.id !== set.id)
      throw invalidInput(
        `${join(path, getPartFile(part))} belongs to another backup, made ${file.header.created_at}.`,
      )
    if (own.part !== part.name)
      throw invalidInput(
        `${join(path, getPartFile(part))} is another part of the backup, renamed: ${own.part}.`,
      )
    parts.push({ part, file })
  }
  const bytes = parts.reduce((sum, { file }) => sum + file.bytes, 0)
  const sha256 = hashParts(parts.map(({ part, file }) => ({ part, sha256: file.sha256 })))
  return { header, sha256, bytes, isSealed, hasShards: true, parts }
}
