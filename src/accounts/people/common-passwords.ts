/**
 * Common passwords: common words with usual endings, and breached ones, of which
 * `assets/common-passwords.bin` has hashes.
 */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import words from '../../../assets/common-words.json' with { type: 'json' }

const WORDS = new Set(words)

const MAX_WORD_LENGTH = Math.max(...Array.from(WORDS, word => word.length))
/** Endings that most people add. */
const USUAL_ENDING = /[^\p{L}]{1,4}$/u

/** `password` is in lower case. */
export function isCommonPassword(password: string): boolean {
  if (new Set(password).size < 4 || isBreached(password)) return true
  return isMadeOfWords(password) || isMadeOfWords(password.replace(USUAL_ENDING, ''))
}

/** Returns true if the text consists of common words; takes time in proportion to its length. */
function isMadeOfWords(text: string): boolean {
  const reached = [true]
  for (let end = 1; end <= text.length; end++) {
    reached[end] = false
    for (let start = Math.max(0, end - MAX_WORD_LENGTH); start < end && !reached[end]; start++) {
      reached[end] = reached[start] === true && WORDS.has(text.slice(start, end))
    }
  }
  return text.length > 0 && reached[text.length] === true
}

const HASH_BYTES = 5
let breached: Buffer | undefined

/** 40 bits: one in 25 million other passwords has the hash of one in the list. */
export const hashCommonPassword = (password: string): Buffer =>
  hash('sha256', password.normalize('NFC'), 'buffer').subarray(0, HASH_BYTES)

/**
 * A binary search among 43,940 sorted hashes: all passwords with 12 or more characters, in lower case, among
 * the million most common of Mark Burnett's ten million breached ones (public domain).
 */
function isBreached(password: string): boolean {
  breached ??= readFileSync(new URL('../../../assets/common-passwords.bin', import.meta.url))
  const wanted = hashCommonPassword(password)
  let low = 0
  let high = breached.length / HASH_BYTES
  while (low < high) {
    const middle = (low + high) >>> 1
    const order = wanted.compare(breached, middle * HASH_BYTES, (middle + 1) * HASH_BYTES)
    if (order === 0) return true
    if (order < 0) high = middle
    else low = middle + 1
  }
  return false
}
