/**
 * Pictures and documents beside backups: a pack for each file, with all its objects. Packs never change, so
 * all backups in a folder share them, and a backup only writes the packs of new files.
 */
import { hash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError, findErrorCode, invalidInput } from '../../kernel/errors/errors.ts'
import { syncNewFolders } from '../../kernel/process/new-folders.ts'
import { writePrivateFile } from '../../kernel/process/private-file.ts'
import { tryParseJson } from '../../kernel/text/try-parse-json.ts'
import { isObject } from '../../kernel/values/data-object.ts'
import { listObjectKeys } from '../../media/files/media-file.ts'
import { detectMediaType } from '../../media/files/media-type.ts'
import { VARIANT_TYPES } from '../../media/files/prepared-file.ts'
import type { MediaStore } from '../../media/store/media-store.ts'

const FOLDER = 'carnet-files'
const FIRST_LINE = 'carnet-files 1\n'
const ORIGINAL = 'original'
/** `ID.SHA256`: the id of the file, and the digest of the pack. */
const PACK_NAME = /^([0-9a-f]{64})\.([0-9a-f]{64})$/

/** A row of `media`. */
type StoredFile = { accountId: number; id: string; width: number | null }

/** `pack`: the SHA-256 of the pack; null if the file was not in the store. */
export type PackedFile = { account: number; id: string; pack: string | null }

export type FilePacks = ReturnType<typeof openFilePacks>

/** The packs beside the backup at `backupPath`. */
export function openFilePacks(backupPath: string) {
  const folder = join(dirname(backupPath), FOLDER)
  const getFolder = (id: string) => join(folder, id.slice(0, 2))
  const getPath = (id: string, pack: string) => join(getFolder(id), `${id}.${pack}`)
  /** The packs of the folder that was read last: files come in the order of their ids. */
  let listed: { folder: string; packs: Promise<Map<string, string>> } | undefined
  const find = async (id: string): Promise<string | undefined> => {
    if (listed?.folder !== getFolder(id)) listed = { folder: getFolder(id), packs: listPacks(getFolder(id)) }
    return (await listed.packs).get(id)
  }
  return {
    /**
     * Writes the pack of a file unless there is one. `now` becomes its time: which backup has needed it last.
     * Returns its digest; undefined if an object is missing or is not what was sent.
     */
    async add(mediaStore: MediaStore, file: StoredFile, now: Date): Promise<string | undefined> {
      const found = await find(file.id)
      if (found !== undefined) {
        await utimes(getPath(file.id, found), now, now)
        return found
      }
      const bytes = await readPack(mediaStore, file)
      if (bytes === undefined) return undefined
      const pack = hash('sha256', bytes, 'hex')
      const path = getPath(file.id, pack)
      syncNewFolders(dirname(path), await mkdir(dirname(path), { recursive: true, mode: 0o700 }))
      await writePrivateFile(path, put => put(bytes))
      await utimes(path, now, now)
      if (listed?.folder === getFolder(file.id)) (await listed.packs).set(file.id, pack)
      return pack
    },
    /** Writes the objects of a pack to the store. Throws `validation` if it is missing or damaged. */
    async restore(
      mediaStore: MediaStore,
      { account, id, pack }: PackedFile & { pack: string },
    ): Promise<void> {
      const path = getPath(id, pack)
      const bytes = await readFile(path).catch(error => {
        throw explainMissing(error, path)
      })
      const objects = hash('sha256', bytes, 'hex') === pack ? parsePack(bytes) : undefined
      const original = objects?.find(({ name }) => name === ORIGINAL)
      if (objects === undefined || original === undefined || hash('sha256', original.bytes, 'hex') !== id)
        throw invalidInput(`${path} is damaged: its checksum does not match. Nothing was restored.`)
      for (const { name, bytes: object } of objects)
        await mediaStore.write(`${account}/${id}/${name}`, object, findType(name, object))
    },
    /** Deletes packs that no backup has needed since this time. Returns how many. */
    async deleteOlderThan(time: Date): Promise<number> {
      let deleted = 0
      for (const prefix of await listNames(folder)) {
        for (const name of await listNames(join(folder, prefix))) {
          const path = join(folder, prefix, name)
          if (!PACK_NAME.test(name.replace(/\.[0-9a-f]{16}\.partial$/, ''))) continue
          const found = await stat(path)
          if (found.mtime >= time) continue
          await rm(path, { force: true })
          deleted++
        }
      }
      return deleted
    },
  }
}

function explainMissing(error: unknown, path: string): unknown {
  if (error instanceof AppError || findErrorCode(error) !== 'ENOENT') return error
  return invalidInput(
    `${path} is missing: copy the folder ${FOLDER} together with the backup. If the files are still where MEDIA_URL leads to, restore with --without-files.`,
  )
}

const listPacks = async (folder: string): Promise<Map<string, string>> =>
  new Map(
    (await listNames(folder)).flatMap(name => {
      const [, id = '', pack = ''] = PACK_NAME.exec(name) ?? []
      return id === '' ? [] : [[id, pack] as const]
    }),
  )

async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (findErrorCode(error) === 'ENOENT') return []
    throw error
  }
}

/** A format line, a line of JSON with the names and lengths of the objects, and their bytes. */
async function readPack(mediaStore: MediaStore, file: StoredFile): Promise<Buffer | undefined> {
  const names: [string, number][] = []
  const objects: Buffer[] = []
  for (const key of listObjectKeys(file.accountId, file)) {
    const object = await mediaStore.read(key)
    const name = key.slice(key.lastIndexOf('/') + 1)
    if (object === undefined || (name === ORIGINAL && hash('sha256', object, 'hex') !== file.id))
      return undefined
    names.push([name, object.length])
    objects.push(object)
  }
  const head = Buffer.from(`${FIRST_LINE}${JSON.stringify({ objects: names })}\n`)
  return Buffer.concat([head, ...objects])
}

function parsePack(bytes: Buffer): { name: string; bytes: Buffer }[] | undefined {
  if (bytes.toString('latin1', 0, FIRST_LINE.length) !== FIRST_LINE) return undefined
  const end = bytes.indexOf(10, FIRST_LINE.length)
  const head: unknown = tryParseJson(bytes.toString('utf8', FIRST_LINE.length, end))
  if (!isObject(head) || !Array.isArray(head.objects)) return undefined
  let at = end + 1
  return head.objects.map(([name, length]: [string, number]) => {
    at += length
    return { name, bytes: bytes.subarray(at - length, at) }
  })
}

function findType(name: string, bytes: Buffer): string {
  const type = Object.entries(VARIANT_TYPES).find(([ending]) => name.endsWith(`.${ending}`))?.[1]
  return type ?? detectMediaType(bytes) ?? 'application/octet-stream'
}
