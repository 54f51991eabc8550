/** The key that signs cookies and encrypts secrets: from the setting, else made once and kept where only its owner reads it. */
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
import { syncFolder } from '../../kernel/process/sync-folder.ts'
import { CommandError } from '../command-line/command.ts'

const FILE = 'secret-key'
const MIN_LENGTH = 32
const GROUP_AND_OTHERS = 0o077

/** The setting, or the key kept in `dataDir`, made at first use. Throws Refusal when that file is open to others. */
export function getOrCreateSecretKey(settings: { secretKey: string | undefined; dataDir: string }): string {
  if (settings.secretKey !== undefined) return settings.secretKey
  const path = join(settings.dataDir, FILE)
  return readKey(path) ?? makeKey(settings.dataDir, path)
}

/** Whether there is a kept key; makes none. Throws Refusal when it is open to others or damaged. */
export const hasSecretKey = (dataDir: string): boolean => readKey(join(dataDir, FILE)) !== undefined

/** The path of a key that a power cut has left under the name it was made under; undefined without one, or with several. */
export function findUnlinkedKey(dataDir: string): string | undefined {
  const prefix = `.${FILE}-`
  const names = existsSync(dataDir) ? readdirSync(dataDir).filter(name => name.startsWith(prefix)) : []
  const [name] = names
  return name === undefined || names.length > 1 ? undefined : join(dataDir, name)
}

/** Whether `secretKey` would make one. */
export const isKeyMissing = (settings: { secretKey: string | undefined; dataDir: string }): boolean =>
  settings.secretKey === undefined && !existsSync(join(settings.dataDir, FILE))

function readKey(path: string): string | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw new CommandError(`${path} cannot be read: ${error instanceof Error ? error.message : error}.`)
  }
  if (process.platform !== 'win32' && (statSync(path).mode & GROUP_AND_OTHERS) !== 0) {
    throw new CommandError(`${path} can be read by others. Run: chmod 600 ${path}`)
  }
  if (text.length < MIN_LENGTH) {
    throw new CommandError(
      `${path} is damaged: it must hold at least ${MIN_LENGTH} characters. Restore it from where you keep a copy.`,
    )
  }
  const weakness = findKeyWeakness(text)
  if (weakness !== undefined)
    throw new CommandError(`The key in ${path} ${weakness} ${replaceKeyAdvice('that file')}`)
  return text
}

/** Written beside its place and linked into it: two that start at once agree on one key, and none is ever half there. */
function makeKey(dataDir: string, path: string): string {
  const beside = join(dataDir, `.${FILE}-${process.pid}-${randomBytes(4).toString('hex')}`)
  const file = openSync(beside, 'wx', 0o600)
  try {
    chmodSync(beside, 0o600)
    writeSync(file, `${randomBytes(32).toString('base64')}\n`)
    fsyncSync(file)
    linkSync(beside, path)
    // Without it a power cut takes the name, and leaves the data that is sealed with the key.
    syncFolder(dataDir)
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  } finally {
    closeSync(file)
    unlinkSync(beside)
  }
  const key = readKey(path)
  if (key === undefined) throw new CommandError(`${path} was taken away while it was made.`)
  return key
}

const isCode = (error: unknown, code: string) =>
  error instanceof Error && 'code' in error && error.code === code
