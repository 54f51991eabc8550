import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { LANGUAGES } from '../../src/i18n/catalogue.ts'
import {
  formatCountry,
  formatDate,
  formatLanguage,
  formatMinute,
  formatMonths,
  formatNumber,
  formatPercent,
  formatUnit,
} from '../../src/i18n/format.ts'

const CODES = LANGUAGES.map(({ code }) => code)

/** The decimal sign is the character before the 5 of 0.5. */
function parseBack(code: (typeof CODES)[number], text: string): number {
  const sign = formatNumber(code, 0.5).replace(/[05]/g, '')
  const [whole = '', fraction = ''] = text.split(sign)
  return Number(`${whole.replace(/[^\d−-]/g, '').replace('−', '-')}.${fraction}`)
}

describe('formatNumber', () => {
  it('keeps every digit in every language', () => {
    const spread = [
      0, 1, 0.1, 33.33, 33.3, 0.30000000000000004, 1e-7, 5e-20, 1234.5, 1234567.125, 1e20, -12.5,
    ]
    for (const code of CODES)
      for (const n of spread) assert.equal(parseBack(code, formatNumber(code, n)), n, code)
  })

  it('keeps every digit of any number of ordinary size', () => {
    const size = fc.double({ min: 1e-20, max: 1e20, noNaN: true })
    fc.assert(
      fc.property(fc.constantFrom(...CODES), size, fc.boolean(), (code, n, negative) => {
        const signed = negative ? -n : n
        assert.equal(parseBack(code, formatNumber(code, signed)), signed)
      }),
    )
  })

  it("uses the language's decimal and grouping signs", () => {
    assert.equal(formatNumber('en', 1234567.89), '1,234,567.89')
    assert.equal(formatNumber('de', 1234567.89), '1.234.567,89')
    assert.equal(formatNumber('pt', 12345.5), '12\u00a0345,5')
    assert.equal(formatNumber('fr', 12345.5), '12\u202f345,5')
  })

  it('writes the very large and the very small with an exponent', () => {
    assert.equal(formatNumber('de', 1.25e300), '1,25E300')
    assert.equal(formatNumber('en', 1.25e-30), '1.25E-30')
  })
})

describe('formatMinute', () => {
  it('shows the day, the minute and UTC in every language', () => {
    const time = new Date('2027-01-01T00:05:59Z')
    for (const code of CODES) {
      const text = formatMinute(code, time)
      assert.ok(text.includes(formatDate(code, '2027-01-01')), `${code}: ${text}`)
      assert.match(text, /00[.:]05(?: ч\.)?\u00a0UTC$/, code)
    }
    assert.equal(formatMinute('de', time), '1. Januar 2027 um 00:05\u00a0UTC')
    assert.equal(formatMinute('el', time), '1 Ιανουαρίου 2027 στις 00:05\u00a0UTC')
  })
})

describe('formatPercent', () => {
  it('places the percent sign as the language does, and does not round', () => {
    assert.equal(formatPercent('en', 33.33), '33.33%')
    assert.equal(formatPercent('de', 33.33), '33,33\u00a0%')
    assert.equal(formatPercent('fr', 100), '100\u00a0%')
  })
})

describe('formatMonths', () => {
  it('has the plural of the language', () => {
    assert.equal(formatMonths('de', 1), '1 Monat')
    assert.equal(formatMonths('sl', 24), '24 mesecev')
    assert.equal(formatMonths('pl', 24), '24 miesiące')
    assert.equal(formatMonths('ro', 24), '24 de luni')
  })

  it('is written out in Maltese too', () => {
    const texts = [1, 2, 6, 24].map(n => formatMonths('mt', n))
    assert.deepEqual(texts, ['1 xahar', '2 xahrejn', '6 xhur', '24 xahar'])
  })

  it('starts with the number in every language', () => {
    for (const code of CODES) assert.match(formatMonths(code, 1200), /^1[.,\s]?200\s\p{L}/u, code)
  })
})

describe('formatDate', () => {
  it('shows the known parts of a partial date', () => {
    assert.equal(formatDate('en', '2026'), '2026')
    assert.equal(formatDate('en', '2026-05'), 'May 2026')
    assert.equal(formatDate('en', '2026-05-03'), '3 May 2026')
    assert.equal(formatDate('pt', '2026-05-03'), '3 de maio de 2026')
    assert.equal(formatDate('fi', '2026-05'), 'toukokuu 2026')
  })

  it('shows the UTC date of a date-time', () => {
    assert.equal(formatDate('en', '2026-05-03T23:30:00-02:00'), '4 May 2026')
    assert.equal(formatDate('en', '2026-05-03T23:59:59.999Z'), '3 May 2026')
  })

  it('returns anything else unchanged', () => {
    const odd = [
      '',
      'soon',
      '2026-13',
      '2026-02-30',
      '2026-5-3',
      '0026',
      '2026-05-03T10:00',
      '2026-05-03T99:00Z',
    ]
    for (const text of odd) assert.equal(formatDate('de', text), text)
    fc.assert(fc.property(fc.string({ unit: 'binary' }), text => typeof formatDate('de', text) === 'string'))
  })
})

describe('formatCountry', () => {
  it('is translated in every language', () => {
    assert.equal(formatCountry('de', 'PT'), 'Portugal')
    assert.equal(formatCountry('el', 'PT'), 'Πορτογαλία')
    for (const code of CODES) assert.notEqual(formatCountry(code, 'GR'), 'GR', code)
  })

  it('returns the code if there is no name', () => {
    for (const code of ['', 'QQ', 'pt', 'Portugal', '<b>', '001'])
      assert.equal(formatCountry('fr', code), code)
  })
})

describe('formatLanguage', () => {
  it('is translated in every language', () => {
    assert.equal(formatLanguage('fr', 'de'), 'allemand')
    for (const code of CODES) assert.notEqual(formatLanguage(code, 'sv'), 'sv', code)
  })

  it('returns the tag if there is no name', () => {
    for (const tag of ['', 'qqq', 'not a tag', 'x'.repeat(1000), 'de_', 'und', 'und-Latn'])
      assert.equal(formatLanguage('fr', tag), tag)
  })
})

describe('formatUnit', () => {
  it('prints one symbol in all languages', () => {
    assert.equal(formatUnit('kg CO2e'), 'kg CO₂e')
    assert.equal(formatUnit('kg CO2e/kWh'), 'kg CO₂e/kWh')
    for (const unit of ['kg', 'g', 'Ah', 'Wh', 'V', 'cm', '%']) assert.equal(formatUnit(unit), unit)
    assert.equal(formatUnit('months'), '')
  })
})
