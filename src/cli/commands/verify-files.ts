/** Reads the files that `carnet verify` is given, and compares those of a mirror with its manifest. */
import { createHash, X509Certificate } from 'node:crypto'
import { createReadStream, readFileSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { findErrorCode } from '../../kernel/errors/errors.ts'
import { tryParseJson } from '../../kernel/text/try-parse-json.ts'
import { type DataObject, isObject } from '../../kernel/values/data-object.ts'
import { isOwnFile, type MirroredFile } from '../../standards/signing/mirror-manifest.ts'
import { CommandError } from '../command-line/command.ts'

/** The values of options that name files. */
export type VerifyPaths = Readonly<
  Record<'did' | 'files' | 'status' | 'timeStamp' | 'authorities', string | undefined>
>

const MAX_SIGNED_BYTES = 256 * 1024 * 1024

export function readFile(path: string): Buffer {
  try {
    if (statSync(path).size <= MAX_SIGNED_BYTES) return readFileSync(path)
  } catch (error) {
    throw new CommandError(`The file ${path} cannot be read (${findErrorCode(error) ?? error}).`)
  }
  throw new CommandError(`The file ${path} is too large: at most ${MAX_SIGNED_BYTES} bytes can be checked.`)
}

export function readDidDocument(path: string): DataObject {
  const document: unknown = tryParseJson(readFile(path).toString())
  if (isObject(document) && typeof document.id === 'string') return document
  throw new CommandError(`The file ${path} of --did is not a DID document.`)
}

export function readCertificateFile(path: string): X509Certificate[] {
  const bytes = readFile(path)
  const blocks = bytes.toString('latin1').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)
  try {
    return (blocks ?? [bytes]).map(one => new X509Certificate(one))
  } catch {
    throw new CommandError(`The file ${path} of --tsa-ca has no certificates that can be read.`)
  }
}

/** `wrong`: paths that differ or are missing. `unlisted`: what is in the folder and nobody vouches for. */
export type ComparedFiles = { wrong: string[]; unlisted: string[] }

export async function compareWithFolder(
  folder: string,
  files: readonly MirroredFile[],
): Promise<ComparedFiles> {
  const wrong: string[] = []
  for (const { path, sha256 } of files) {
    if ((await hashFile(join(folder, path))) !== sha256) wrong.push(path)
  }
  const listed = new Set(files.map(({ path }) => path))
  const unlisted = (await listFiles(folder)).filter(path => !listed.has(path) && !isOwnFile(path))
  return { wrong, unlisted }
}

async function hashFile(path: string): Promise<string | undefined> {
  const hash = createHash('sha256')
  try {
    await pipeline(createReadStream(path), hash)
  } catch {
    return undefined
  }
  return hash.digest('hex')
}

/** With slashes, sorted. Empty if the folder cannot be read: then each listed file is missing. */
async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter(entry => !entry.isDirectory())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
}
