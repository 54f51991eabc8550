import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { computeMod10CheckDigit, hasMod10CheckDigit, isCasNumber, isGln } from '../../src/gs1/check-digit.ts'
import { findGtinError, isGtin, toGtin14 } from '../../src/gs1/gtin.ts'

const digits = (length: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length })
    .map(list => list.join(''))

const body = fc.constantFrom(7, 11, 12, 13).chain(digits)

/** Weights by position from the left, written out for each length: an independent way to the same digit. */
const WEIGHTS: Record<number, readonly number[]> = {
  7: [3, 1, 3, 1, 3, 1, 3],
  11: [3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3],
  12: [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3],
  13: [3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3],
}

function expectedDigit(text: string): number {
  const weights = WEIGHTS[text.length] ?? []
  const total = [...text].reduce((sum, digit, i) => sum + Number(digit) * (weights[i] ?? 0), 0)
  return Math.ceil(total / 10) * 10 - total
}

describe('check digits of GTIN and GLN', () => {
  it('follow from the weights of the positions', () => {
    fc.assert(fc.property(body, text => assert.equal(computeMod10CheckDigit(text), expectedDigit(text))))
  })

  it('accept one digit of ten', () => {
    fc.assert(
      fc.property(body, text => {
        const fitting = [...'0123456789'].filter(digit => hasMod10CheckDigit(text + digit))
        assert.deepEqual(fitting, [String(expectedDigit(text))])
      }),
    )
  })

  it('catch every single wrong digit', () => {
    const change = fc.record({ text: body, at: fc.nat(13), by: fc.integer({ min: 1, max: 9 }) })
    fc.assert(
      fc.property(change, ({ text, at, by }) => {
        const whole = text + computeMod10CheckDigit(text)
        const place = at % whole.length
        const wrong = `${whole.slice(0, place)}${(Number(whole[place]) + by) % 10}${whole.slice(place + 1)}`
        assert.equal(hasMod10CheckDigit(wrong), false)
      }),
    )
  })

  it('do not depend on leading zeros', () => {
    fc.assert(
      fc.property(body, text => {
        const whole = text + computeMod10CheckDigit(text)
        assert.ok(hasMod10CheckDigit(whole.padStart(18, '0')))
      }),
    )
  })
})

describe('a GTIN', () => {
  it('accepts the known examples of every length', () => {
    for (const gtin of ['96385074', '614141007349', '9506000134352', '09506000134352', '19506000134359']) {
      assert.equal(findGtinError(gtin), undefined, gtin)
    }
    assert.equal(toGtin14('9506000134352'), '09506000134352')
    assert.equal(toGtin14('96385074'), '00000096385074')
    assert.equal(findGtinError('96385075'), 'check_digit')
  })

  it('is refused with the name of the error', () => {
    const errors = {
      '': 'format',
      '1': 'format',
      '950600013435': 'check_digit',
      '95060001343520': 'check_digit',
      '9506000134353': 'check_digit',
      '950600013435200': 'format',
      '9506000134352\n': 'format',
      ' 9506000134352': 'format',
      '950-600013435': 'format',
      '٩٥٠٦٠٠٠١٣٤٣٥٢': 'format',
      '９５０６０００１３４３５２': 'format',
      '00000000': 'all_zero',
      '000000000000': 'all_zero',
      '00000000000000': 'all_zero',
    }
    for (const [text, error] of Object.entries(errors)) assert.equal(findGtinError(text), error, text)
  })

  it('is the same GTIN when written in 14 digits', () => {
    fc.assert(
      fc.property(body, text => {
        const gtin = text + computeMod10CheckDigit(text)
        fc.pre(!/^0+$/.test(gtin))
        assert.ok(isGtin(gtin))
        assert.ok(isGtin(toGtin14(gtin)))
        assert.equal(toGtin14(toGtin14(gtin)), toGtin14(gtin))
        assert.equal(BigInt(toGtin14(gtin)), BigInt(gtin))
      }),
    )
  })
})

describe('a GLN', () => {
  it('has 13 digits and a check digit', () => {
    fc.assert(
      fc.property(digits(12), text => {
        assert.ok(isGln(text + computeMod10CheckDigit(text)))
        assert.equal(isGln(text + ((computeMod10CheckDigit(text) + 1) % 10)), false)
      }),
    )
    for (const text of ['', '96385074', '614141007349', '09506000134352', '9506000134352 ']) {
      assert.equal(isGln(text), false, text)
    }
  })
})

describe('a CAS number', () => {
  it('accepts the known examples', () => {
    for (const text of ['50-00-0', '7732-18-5', '58-08-2', '7440-02-0', '1317-61-9', '2923384-85-0']) {
      // The last text is padded to the maximum length.
      const completed = text.length < 12 ? text : completeCas('2923384-85')
      assert.ok(isCasNumber(completed), completed)
    }
  })

  it('is refused in any other form', () => {
    for (const text of [
      '',
      '50-00-1',
      '50-0-0',
      '050-00-0',
      '50000',
      '50-00-0 ',
      '５０-00-0',
      '12345678-18-5',
    ]) {
      assert.equal(isCasNumber(text), false, text)
    }
  })

  it('accepts one check digit of ten', () => {
    const numbers = fc.tuple(fc.integer({ min: 10, max: 9_999_999 }), fc.integer({ min: 0, max: 99 }))
    fc.assert(
      fc.property(numbers, ([first, second]) => {
        const start = `${first}-${String(second).padStart(2, '0')}`
        const fitting = [...'0123456789'].filter(digit => isCasNumber(`${start}-${digit}`))
        assert.deepEqual(
          fitting.map(digit => `${start}-${digit}`),
          [completeCas(start)],
        )
      }),
    )
  })
})

function completeCas(start: string): string {
  const reversed = [...start.replaceAll('-', '')].reverse()
  const total = reversed.reduce((sum, digit, i) => sum + Number(digit) * (i + 1), 0)
  return `${start}-${total % 10}`
}
