/** Tests what GTINs stand for, over all prefixes in the list of GS1. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { computeMod10CheckDigit } from '../../src/gs1/check-digit.ts'
import { toGtin14 } from '../../src/gs1/gtin.ts'
import { classifyGtin, derivePieceGtin, isWorldwideGtin } from '../../src/gs1/gtin-kind.ts'

/**
 * Three digits that GS1 gave to organisations, as of September 2026, by public copies of its list (GS1 General
 * Specifications 1.4.2, "GS1 Company Prefix").
 */
const GIVEN = [
  '001-019 030-039 060-139 300-380 383 385 387 389 390 400-440 450-471 474-509 520-521 528-531 535 539-549 560',
  '569-579 590 594 599-601 603-609 611-613 615-632 640-649 680-681 690-709 729-746 750 754-755 759-771 773 775',
  '777-780 784 786 789-790 800-850 858-860 865 867-881 883-885 887-888 890 893-894 896 899-919 930-952 955 958',
  '960-969',
].join(' ')
const SPECIAL = {
  restricted: '020-029 040-049 200-299',
  coupon: '980-984 990-999',
  reserved: '050-059 951',
  publication: '977-979',
}

function has(ranges: string, prefix: number): boolean {
  return ranges.split(' ').some(range => {
    const [from, to = from] = range.split('-').map(Number)
    return from !== undefined && to !== undefined && prefix >= from && prefix <= to
  })
}

function kindOf(prefix: number): string | undefined {
  const special = Object.entries(SPECIAL).find(([, ranges]) => has(ranges, prefix))
  return special?.[0] ?? (has(GIVEN, prefix) ? undefined : 'unlisted')
}

const complete = (digits: string) => digits + computeMod10CheckDigit(digits)
const three = (prefix: number) => String(prefix).padStart(3, '0')
const PREFIXES = Array.from({ length: 999 }, (_, i) => i + 1)

describe('the kind of a GTIN', () => {
  test('follows from each prefix of three digits, in 12, 13 and 14 digits', () => {
    for (const prefix of PREFIXES) {
      const gtin = complete(`${three(prefix)}104637285`)
      const forms = gtin.startsWith('0') ? [gtin, gtin.slice(1), toGtin14(gtin)] : [gtin, toGtin14(gtin)]
      for (const form of forms) assert.equal(classifyGtin(form)?.kind, kindOf(prefix), form)
    }
  })

  test('follows from each prefix of a GTIN-8', () => {
    for (let prefix = 0; prefix < 1000; prefix++) {
      const gtin = complete(`${three(prefix)}1046`)
      const isLocal = prefix < 100 || (prefix >= 200 && prefix < 300)
      const usual = has(GIVEN, prefix) || prefix === 951 ? undefined : 'unlisted'
      const expected = isLocal ? 'restricted' : prefix >= 977 ? 'reserved' : usual
      for (const form of [gtin, gtin.padStart(13, '0'), toGtin14(gtin)])
        assert.equal(classifyGtin(form)?.kind, expected, form)
    }
  })

  test('is usual for short prefixes of GS1 US', () => {
    for (const gtin of ['00001104637', '00009104637', '00010104637', '00090104637']) {
      assert.equal(classifyGtin(complete(gtin)), undefined, gtin)
    }
  })

  test('names the digits that decide', () => {
    assert.deepEqual(classifyGtin('2111532859047'), { kind: 'restricted', prefix: '2' })
    assert.deepEqual(classifyGtin(complete('21115328590')), { kind: 'restricted', prefix: '02' })
    assert.deepEqual(classifyGtin(complete('0012345')), { kind: 'restricted', prefix: '0' })
    assert.deepEqual(classifyGtin(complete('978316148410')), { kind: 'publication', prefix: '978' })
    assert.deepEqual(classifyGtin(complete('6701046')), { kind: 'unlisted', prefix: '67' })
  })

  test('of 14 digits is that of a package, unless its prefix says more', () => {
    for (const indicator of '12345678') {
      const gtin = complete(`${indicator}950600013435`)
      assert.deepEqual(classifyGtin(gtin), { kind: 'package', prefix: indicator })
      assert.equal(derivePieceGtin(gtin), '9506000134352')
      assert.equal(classifyGtin(complete(`${indicator}211153285904`))?.kind, 'restricted')
    }
    assert.equal(derivePieceGtin(complete('1000009638507')), '96385074')
    assert.deepEqual(classifyGtin(complete('9950600013435')), { kind: 'variable', prefix: '9' })
  })

  test('tells which ones are unique in the world', () => {
    const local = new Set<string | undefined>(['restricted', 'coupon', 'reserved'])
    for (const prefix of PREFIXES)
      for (const start of [`0${three(prefix)}`, `7${three(prefix)}`, `000000${three(prefix)}`]) {
        const gtin = complete(start.padEnd(13, '7'))
        assert.equal(isWorldwideGtin(gtin), !local.has(classifyGtin(gtin)?.kind), gtin)
      }
  })
})
