/** The private folder of the database's socket. Its path is short, because a socket's address is limited. */
import { existsSync } from 'node:fs'
import { chmod, lchown, lstat, mkdir, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { sha256Hex } from '../crypto/crypto.ts'
import { findErrorCode, unavailable } from '../errors/errors.ts'
import type { ServerUser } from './launcher.ts'

/** Part of the socket's file name; there is no TCP port. */
export const SOCKET_PORT = 5432

/** A socket's address may have 103 bytes on macOS and 107 on Linux. */
const MAX_ADDRESS_BYTES = 100

/** The folder from before a crash, where others may be waiting; else a new one in the temporary folder. */
export function chooseSocketDirectory(pgDir: string, before: string | undefined): string {
  const name = `carnet-${sha256Hex(pgDir).slice(0, 16)}`
  if (before !== undefined && basename(before) === name && existsSync(dirname(before))) return before
  const wanted = join(tmpdir(), name)
  return Buffer.byteLength(getSocketPath(wanted)) <= MAX_ADDRESS_BYTES ? wanted : join('/tmp', name)
}

export const getSocketPath = (folder: string) => join(folder, `.s.PGSQL.${SOCKET_PORT}`)

/** Creates the empty folder. Call it while no server runs. Throws AppError if it belongs to another user. */
export async function makeSocketDirectory(path: string, user: ServerUser): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (findErrorCode(error) !== 'EEXIST') throw error
    await checkOwner(path, [user.uid, process.getuid?.() ?? user.uid])
  }
  await lchown(path, user.uid, user.gid)
  await chmod(path, 0o700)
  for (const name of await readdir(path)) await rm(join(path, name), { force: true })
}

/** Throws `unavailable` unless the server's user owns the folder and nobody else may enter it. */
export async function checkSocketDirectory(path: string, user: ServerUser): Promise<void> {
  await checkOwner(path, [user.uid])
  const { mode } = await lstat(path)
  if (mode & 0o077) throw foreignFolderError(path)
}

async function checkOwner(path: string, owners: readonly number[]): Promise<void> {
  const found = await lstat(path)
  if (!found.isDirectory() || !owners.includes(found.uid)) throw foreignFolderError(path)
}

/** Throws AppError if the folder for temporary files is missing. */
export function requireTemporaryFolder(folder: string): void {
  if (existsSync(folder)) return
  throw unavailable(
    `${folder}, the folder for temporary files, does not exist: create it, or set TMPDIR to another folder.`,
  )
}

const foreignFolderError = (path: string) =>
  unavailable(
    `${path}, the folder for the database's socket, was created by another user: remove it, or set TMPDIR to another folder.`,
  )
