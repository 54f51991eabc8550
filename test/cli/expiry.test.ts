import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { UsageError } from '../../src/cli/command-line/command.ts'
import { parseExpiry } from '../../src/cli/command-line/parse-times.ts'

const NOW = new Date('2026-11-21T10:00:00.000Z')
const parsed = (text: string) => parseExpiry(text, NOW).toISOString()

describe('parseExpiry', () => {
  test('reads a date as 0:00 UTC of that day', () => {
    assert.equal(parsed('2027-01-31'), '2027-01-31T00:00:00.000Z')
    assert.equal(parsed('2028-02-29'), '2028-02-29T00:00:00.000Z')
  })

  test('reads a date-time with its offset, and as UTC without one', () => {
    assert.equal(parsed('2027-01-31T12:30:00Z'), '2027-01-31T12:30:00.000Z')
    assert.equal(parsed('2027-01-31T12:30:00+01:00'), '2027-01-31T11:30:00.000Z')
    assert.equal(parsed('2027-01-31T12:30'), '2027-01-31T12:30:00.000Z')
    assert.equal(parsed('2027-01-31 12:30:15.25'), '2027-01-31T12:30:15.250Z')
  })

  test('reads a duration from now', () => {
    assert.equal(parsed('7d'), '2026-11-28T10:00:00.000Z')
    assert.equal(parsed('12h'), '2026-11-21T22:00:00.000Z')
    assert.equal(parsed('30m'), '2026-11-21T10:30:00.000Z')
  })

  for (const text of [
    '',
    '7',
    'd',
    '7w',
    '-7d',
    '1.5h',
    '7 d',
    '7D',
    '0d',
    '999999d',
    '2026-11-21',
    '2020-01-01',
    '2027-02-29',
    '2027-13-01',
    '2027-1-1',
    '01/02/2027',
    '2027-01-31T25:00:00Z',
    '2027-01-31T12:30:00+99:00',
    '3000-01-01',
    '0000-01-01',
    '9999-12-31T23:59:59-23:59',
    'tomorrow',
    '７d',
  ]) {
    test(`refuses ${JSON.stringify(text)}`, () => {
      assert.throws(() => parseExpiry(text, NOW), UsageError)
    })
  }

  test('reads back every time that it can produce', () => {
    const moment = fc.date({
      min: new Date(NOW.getTime() + 1),
      max: new Date('2126-01-01T00:00:00Z'),
      noInvalidDate: true,
    })
    fc.assert(fc.property(moment, date => parsed(date.toISOString()) === date.toISOString()))
  })

  test('throws nothing but a usage error, whatever the text', () => {
    fc.assert(
      fc.property(fc.string(), text => {
        try {
          return parseExpiry(text, NOW) > NOW
        } catch (error) {
          return error instanceof UsageError
        }
      }),
    )
  })
})
