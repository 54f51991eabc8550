/**
 * Tests that the sentence of each documented error stands in the code, as it is or as a template. A complete run
 * also tells which of them no test has seen sent.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { ERROR_CATALOGUE } from '../../src/api/endpoint/error-catalogue.ts'
import type { ErrorCode } from '../../src/kernel/errors/errors.ts'

const SOURCE = join(import.meta.dirname, '../../src')
/** A template with fewer fixed characters would fit any sentence. */
const MIN_FIXED = 12
/** Put together from several texts, each of which is named here. */
const COMPOSED: Partial<Record<ErrorCode, readonly string[]>> = {
  bad_request: ['The body is not valid JSON: ', 'it is empty.'],
  validation: ['is missing; every'],
  unavailable: ['The database does not answer right now', 'send it again unchanged'],
}

describe('the example sentence of an error', () => {
  let texts: readonly string[]
  let patterns: readonly RegExp[]
  before(() => {
    texts = globSync('**/*.ts', { cwd: SOURCE }).flatMap(file => listTexts(join(SOURCE, file)))
    patterns = texts.flatMap(buildPattern)
  })
  const isWritten = (sentence: string) => patterns.some(pattern => pattern.test(sentence))

  for (const [code, { sentence }] of Object.entries(ERROR_CATALOGUE))
    test(`of ${code} is written in the code`, () => {
      const parts = COMPOSED[code as ErrorCode]
      if (parts === undefined) assert.ok(isWritten(sentence), `Correct assets/api/errors.json: ${sentence}`)
      for (const part of parts ?? []) {
        assert.ok(sentence.includes(part), `${sentence} It has no "${part}".`)
        assert.ok(
          texts.some(text => text.includes(part)),
          `no text of the code has "${part}"`,
        )
      }
    })

  test('is missed if the code has another one', () => {
    const { sentence } = ERROR_CATALOGUE.gone
    assert.equal(isWritten(sentence), true)
    assert.equal(isWritten(sentence.replace('withdrawn', 'removed')), false)
    assert.equal(isWritten('There was no such product.'), false)
  })
})

/** In quotation marks of each kind; those of comments, too, which do no harm. */
const listTexts = (file: string): string[] =>
  readFileSync(file, 'utf8').match(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g) ?? []

function buildPattern(text: string): RegExp[] {
  const fixed = text.slice(1, -1).split(/\$\{[^}]*\}/)
  if (fixed.join('').length < MIN_FIXED) return []
  return [new RegExp(`^${fixed.map(RegExp.escape).join('.+')}$`, 's')]
}
