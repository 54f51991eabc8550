/** The key that signs and encrypts: SECRET_KEY, or a generated key in a file only its owner reads. */
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { findKeyWeakness, replaceKeyAdvice } from '../../kernel/config/key-strength.ts'
import { findErrorCode, toError } from '../../kernel/errors/errors.ts'
import { syncFolder } from '../../kernel/process/sync-folder.ts'
import { CommandError } from '../command-line/command.ts'

const FILE = 'secret-key'
const MIN_LENGTH = 32
const GROUP_AND_OTHERS = 0o077

type KeySettings = { secretKey: string | undefined; dataDir: string }

/** The setting, or the key in `dataDir`, created at first use. Throws CommandError if others read it. */
export function getOrCreateSecretKey({ secretKey, dataDir }: KeySettings): string {
  const path = join(dataDir, FILE)
  return secretKey ?? readKey(path) ?? createKey(dataDir, path)
}

/** Creates no key. Throws CommandError when the file is damaged or others can read it. */
export const hasSecretKey = (dataDir: string): boolean => readKey(join(dataDir, FILE)) !== undefined

/**
 * The path of the only key that a power cut left under a temporary name; undefined if there is not exactly
 * one.
 */
export function findUnlinkedKey(dataDir: string): string | undefined {
  const names = existsSync(dataDir) ? readdirSync(dataDir) : []
  const [name, ...others] = names.filter(one => one.startsWith(`.${FILE}-`))
  return name === undefined || others.length > 0 ? undefined : join(dataDir, name)
}

/** Returns true if `getOrCreateSecretKey` would create one. */
export const isKeyMissing = ({ secretKey, dataDir }: KeySettings): boolean =>
  secretKey === undefined && !existsSync(join(dataDir, FILE))

function readKey(path: string): string | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (findErrorCode(error) === 'ENOENT') return undefined
    throw new CommandError(`${path} cannot be read: ${toError(error).message}.`)
  }
  requireUnreadableByOthers(path, path)
  if (text.length < MIN_LENGTH) {
    throw new CommandError(
      `${path} is damaged: it must have at least ${MIN_LENGTH} characters. Restore it from your copy.`,
    )
  }
  const weakness = findKeyWeakness(text)
  if (weakness !== undefined)
    throw new CommandError(`The key in ${path} ${weakness} ${replaceKeyAdvice('that file')}`)
  return text
}

/** Throws CommandError otherwise, with a sentence that begins with `subject`. */
export function requireUnreadableByOthers(path: string, subject: string): void {
  if (process.platform === 'win32' || (statSync(path).mode & GROUP_AND_OTHERS) === 0) return
  throw new CommandError(`${subject} can be read by others. Run: chmod 600 ${path}`)
}

/** Links a complete temporary file, so two processes agree on one key and none is half written. */
function createKey(dataDir: string, path: string): string {
  const beside = join(dataDir, `.${FILE}-${process.pid}-${randomBytes(4).toString('hex')}`)
  const file = openSync(beside, 'wx', 0o600)
  try {
    chmodSync(beside, 0o600)
    writeSync(file, `${randomBytes(32).toString('base64')}\n`)
    fsyncSync(file)
    linkSync(beside, path)
    // Without this, a power cut may lose the file's name after data was encrypted with the key.
    syncFolder(dataDir)
  } catch (error) {
    if (findErrorCode(error) !== 'EEXIST') throw error
  } finally {
    closeSync(file)
    unlinkSync(beside)
  }
  const key = readKey(path)
  if (key === undefined) throw new CommandError(`${path} was removed while Carnet created it.`)
  return key
}
