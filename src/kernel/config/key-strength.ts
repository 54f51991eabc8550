/** Rejects weak SECRET_KEYs: short, made of few characters, or copied from our documentation. */

const MIN_KEY_LENGTH = 32
const MIN_DIFFERENT_CHARACTERS = 8

/** Example keys in `docs/` and in messages. */
const EXAMPLES = new Set([
  'set it in .env, at least 32 characters',
  '32 random bytes or more, for example from `openssl rand -base64 32`',
])

/**
 * Why a key is too weak, as the end of a sentence that begins with the key's name; undefined for a strong
 * key.
 */
export function findKeyWeakness(key: string): string | undefined {
  if (key.length < MIN_KEY_LENGTH) return `is too short: it needs at least ${MIN_KEY_LENGTH} characters.`
  const different = new Set(key).size
  if (different < MIN_DIFFERENT_CHARACTERS)
    return `is easy to guess: it has only ${different} different characters, and needs at least ${MIN_DIFFERENT_CHARACTERS}.`
  if (EXAMPLES.has(key)) return 'is an example that everybody can read in the documentation of Carnet.'
  return undefined
}

/** How to replace a weak key without losing the encrypted secrets. `old` says where the current one is. */
export const replaceKeyAdvice = (old: string) =>
  `Set SECRET_KEY to what "openssl rand -base64 32" prints. If Carnet has run with ${old}, set OLD_SECRET_KEY to that key and run "carnet secrets reseal": webhook secrets and backups stay readable.`
