/**
 * Which passwords everybody tries first: those of published breaches, and common words with what people add to them.
 *
 * `assets/common-passwords.bin` holds 40-bit hashes of 43,940 passwords: all with 12 or more characters among the million
 * most common of Mark Burnett's ten million (from breaches, dedicated to the public domain), in lower case.
 */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const WORDS = new Set(
  `password passwort kennwort passw0rd p@ssw0rd p@ssword pass motdepasse contraseña wachtwoord hunter2 qwerty qwertz
  azerty qwertyuiop qwertzuiop asdfghjkl asdfgh asdf zxcvbnm yxcvbnm zxcvbn 1q2w3e4r5t 1q2w3e4r 1q2w3e 1qaz2wsx qazwsx
  qaz wsx edc abc123 abcdef abcdefgh abcdefghijkl abcd abc a1b2c3d4 123abc iloveyou ichliebedich iloveu loveyou lovely
  love letmein welcome willkommen hello hallo hallo123 admin administrator root master login guest user test tester
  secret geheim changeme default system server access dragon monkey football fussball baseball basketball soccer hockey
  superman batman pokemon starwars princess sunshine shadow michael jordan daniel thomas andrew charlie jennifer ashley
  jessica hannah michelle trustno1 whatever freedom computer internet samsung google summer sommer winter spring autumn
  schatz schalke bayern flower cookie cheese pepper ginger killer mustang harley ranger buster tigger jesus donald matrix
  carnet passport productpassport digitalproductpassport company firma berlin hamburg oldenburg deutschland
  0123456789 1234567890 987654321 9876543210 123456789 12345678 1234567 123456 12345 1234 123 321 654321 4321 00000 000
  0000 111 1111 222 2222 123123 121212 112233 123321 666 777 888 999 555 2024 2025 2026 2027`
    .trim()
    .split(/\s+/),
)

const LONGEST = Math.max(...Array.from(WORDS, word => word.length))
/** A few marks and digits at the end are what everyone adds. */
const USUAL_ENDING = /[^\p{L}]{1,4}$/u

/** `password` in lower case. One character over and over is common too. */
export function isCommonPassword(password: string): boolean {
  if (new Set(password).size < 4 || isBreached(password)) return true
  return isMadeOfWords(password) || isMadeOfWords(password.replace(USUAL_ENDING, ''))
}

/** Whether the text can be cut into common words, one after another; time grows with its length alone. */
function isMadeOfWords(text: string): boolean {
  const reached = [true]
  for (let end = 1; end <= text.length; end++) {
    reached[end] = false
    for (let start = Math.max(0, end - LONGEST); start < end && !reached[end]; start++) {
      reached[end] = reached[start] === true && WORDS.has(text.slice(start, end))
    }
  }
  return text.length > 0 && reached[text.length] === true
}

const HASH_BYTES = 5
let breached: Buffer | undefined

/** One in 25 million passwords that are not in the list has the hash of one that is. */
export const hashCommonPassword = (password: string): Buffer =>
  hash('sha256', password.normalize('NFC'), 'buffer').subarray(0, HASH_BYTES)

/** Binary search: the hashes are sorted and of one length. */
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
