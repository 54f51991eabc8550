/**
 * Generates `assets/common-passwords.bin` from a list with one password per line: the sorted short hashes of
 * all that are long enough for Carnet. `node scripts/common-passwords.ts LIST`
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { hashCommonPassword } from '../src/accounts/people/common-passwords.ts'
import { MIN_PASSWORD_LENGTH } from '../src/accounts/people/password.ts'

const [list] = process.argv.slice(2)
if (list === undefined) throw new Error('usage: node scripts/common-passwords.ts LIST')
const passwords = readFileSync(list, 'utf8')
  .split(/\r?\n/)
  .filter(one => [...one.normalize('NFC')].length >= MIN_PASSWORD_LENGTH)
const hashes = new Map(
  passwords.map(one => hashCommonPassword(one.toLowerCase())).map(one => [one.toString('hex'), one]),
)
const sorted = [...hashes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, bytes]) => bytes)
writeFileSync(new URL('../assets/common-passwords.bin', import.meta.url), Buffer.concat(sorted))
