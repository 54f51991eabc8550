/** Password rules, and argon2id hashes that carry their parameters, so that these can be raised later. */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { Semaphore } from '../../kernel/concurrency/semaphore.ts'
import { AppError, invalid } from '../../kernel/errors/errors.ts'
import { isCommonPassword } from './common-passwords.ts'

export const MIN_PASSWORD_LENGTH = 12
export const MAX_PASSWORD_LENGTH = 128

export type PasswordProblem = 'short' | 'long' | 'common' | 'email'

/** Returns the problem of a new password, or undefined. Length counts code points. */
export function findPasswordProblem(password: string, email: string): PasswordProblem | undefined {
  const length = [...password.normalize('NFC')].length
  if (length < MIN_PASSWORD_LENGTH) return 'short'
  if (length > MAX_PASSWORD_LENGTH) return 'long'
  const lower = password.toLowerCase()
  if (email !== '' && lower.includes(email.toLowerCase())) return 'email'
  return isCommonPassword(lower) ? 'common' : undefined
}

/** Throws `validation` for a password that is not accepted. */
export function requireValidPassword(password: string, email: string): void {
  const problem = findPasswordProblem(password, email)
  if (problem === undefined) return
  throw invalid([{ path: ['password'], code: 'length', message: PASSWORD_PROBLEM_SENTENCES[problem] }])
}

const PASSWORD_PROBLEM_SENTENCES = {
  short: `The password needs at least ${MIN_PASSWORD_LENGTH} characters.`,
  long: `The password must have at most ${MAX_PASSWORD_LENGTH} characters.`,
  common: 'The password is one of the most common ones, or made of them. Choose another one.',
  email: 'The password must not contain the e-mail address.',
} as const satisfies Record<PasswordProblem, string>

type Parameters = { memory: number; passes: number; parallelism: number }

/** OWASP's Password Storage Cheat Sheet: 19 MiB (in KiB here), two passes, one lane; 90 ms here. */
const CURRENT: Parameters = { memory: 19_456, passes: 2, parallelism: 1 }
const CURRENT_PREFIX = `$argon2id$v=19$m=${CURRENT.memory},t=${CURRENT.passes},p=${CURRENT.parallelism}$`
const SALT_BYTES = 16
const HASH_BYTES = 32

/** Bounds a flood of sign-ins to twice 19 MiB and two threads. */
const MAX_CONCURRENT = 2
const MAX_WAITING = 40

const permits = new Semaphore({ capacity: MAX_CONCURRENT, maxWaiting: MAX_WAITING })

/** `$argon2id$v=19$m=…,t=…,p=…$salt$hash` (PHC format). Throws `unavailable` if too many wait. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const digest = await derive(password, salt, CURRENT)
  return `${CURRENT_PREFIX}${base64(salt)}$${base64(digest)}`
}

/** Returns true if the password matches the hash. Without a hash it does the same work and returns false. */
export async function verifyPassword(password: string, encoded: string | undefined): Promise<boolean> {
  const known = encoded === undefined ? undefined : decode(encoded)
  const salt = known?.salt ?? randomBytes(SALT_BYTES)
  const digest = await derive(password, salt, known?.parameters ?? CURRENT)
  return timingSafeEqual(digest, known?.digest ?? randomBytes(HASH_BYTES)) && known !== undefined
}

/** Returns true if a hash was made with other parameters than today's. */
export const isOutdatedHash = (encoded: string): boolean => !encoded.startsWith(CURRENT_PREFIX)

const ENCODED =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/

function decode(encoded: string): { parameters: Parameters; salt: Buffer; digest: Buffer } {
  const [, memory, passes, parallelism, salt, digest] = ENCODED.exec(encoded) ?? []
  if (salt === undefined || digest === undefined)
    throw new Error('a stored password hash has an unknown format')
  return {
    parameters: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    digest: Buffer.from(digest, 'base64'),
  }
}

const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

const run = promisify(argon2)

async function derive(password: string, nonce: Buffer, parameters: Parameters): Promise<Buffer> {
  const message = Buffer.from(password.normalize('NFC'))
  const digest = await permits.run(() =>
    run('argon2id', { message, nonce, tagLength: HASH_BYTES, ...parameters }),
  )
  if (digest !== undefined) return digest
  const busy = 'Too many people are signing in. Try again in a few seconds.'
  throw new AppError('unavailable', busy, undefined, 5_000)
}
