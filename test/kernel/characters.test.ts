/**
 * Tests which characters are allowed in a one-line text, and how foreign texts are escaped for a terminal.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapeForTerminal, escapeJsonForTerminal, isOneLine } from '../../src/kernel/values/characters.ts'

const DECEPTIVE = [
  '\n',
  '\u001b[2J',
  '\u0085',
  '\u2028',
  '\u2029',
  '\u202a',
  '\u202e',
  '\u2066',
  '\u2069',
  '\ud800',
]

test('a single line may contain no control or bidirectional characters, in any script', () => {
  for (const one of DECEPTIVE) assert.equal(isOneLine(`Customs${one}x`), false, JSON.stringify(one))
  for (const one of ['Zoll', 'جمارك ميناء', 'מכס 7\u200f', '税関', '👩‍🔬 Labor'])
    assert.equal(isOneLine(one), true, one)
})

test('output to a terminal escapes control characters: no cursor moves, no text is reversed, and JSON keeps its value', () => {
  const hostile = 'Nordlicht\u001b[2J\u009b2J\u202etxt.exe\u2066\r'
  assert.equal(
    escapeForTerminal(`${hostile}\n\t`),
    'Nordlicht\\u{1b}[2J\\u{9b}2J\\u{202e}txt.exe\\u{2066}\\u{d}\n\t',
  )
  const json = escapeJsonForTerminal(JSON.stringify({ name: hostile }, null, 2))
  assert.doesNotMatch(json, /[\u0080-\u009f\u202e\u2066]/)
  assert.deepEqual(JSON.parse(json), { name: hostile })
})
