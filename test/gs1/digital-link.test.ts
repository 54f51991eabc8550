import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { computeMod10CheckDigit } from '../../src/gs1/check-digit.ts'
import { buildGs1Path, parseDigitalLink } from '../../src/gs1/digital-link.ts'
import { isLotOrSerial } from '../../src/gs1/lot-serial.ts'

const GTIN = '09506000134352'
const CSET_82 = '!"%&\'()*+,-./0123456789:;<=>?ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'

const gtin14 = fc
  .stringMatching(/^[0-9]{13}$/)
  .filter(text => !/^0+$/.test(text))
  .map(text => text + computeMod10CheckDigit(text))
const value = fc
  .string({ unit: fc.constantFrom(...CSET_82), minLength: 1, maxLength: 20 })
  .filter(text => text !== '.' && text !== '..')

describe('lot and serial', () => {
  it('are 1 to 20 of the 82 characters', () => {
    assert.equal(CSET_82.length, 82)
    for (let code = 0; code < 0x250; code++) {
      const character = String.fromCharCode(code)
      assert.equal(isLotOrSerial(`a${character}`), CSET_82.includes(character), `U+${code.toString(16)}`)
    }
    for (const text of ['', '.', '..', 'a'.repeat(21), 'a\n', '😀'])
      assert.equal(isLotOrSerial(text), false, text)
    for (const text of ['...', 'a', 'a'.repeat(20), '.a', '/../']) assert.ok(isLotOrSerial(text), text)
  })
})

describe('buildGs1Path', () => {
  it('has the documented forms', () => {
    assert.equal(buildGs1Path(GTIN), `/01/${GTIN}`)
    assert.equal(buildGs1Path(GTIN, { lot: 'LOT-7' }), `/01/${GTIN}/10/LOT-7`)
    assert.equal(buildGs1Path(GTIN, { lot: 'LOT-7', serial: 'SN1' }), `/01/${GTIN}/10/LOT-7/21/SN1`)
    assert.equal(buildGs1Path(GTIN, { serial: 'SN1' }), `/01/${GTIN}/21/SN1`)
  })

  it('escapes all characters except the unreserved ones, in capitals', () => {
    const encoded = [...CSET_82].map(character => buildGs1Path(GTIN, { lot: character }).split('/')[4])
    const expected = [...CSET_82].map(character =>
      /[A-Za-z0-9._-]/.test(character)
        ? character
        : `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    )
    assert.deepEqual(encoded, expected)
  })

  it('survives a URL parser unchanged', () => {
    fc.assert(
      fc.property(gtin14, value, value, (gtin, lot, serial) => {
        const path = buildGs1Path(gtin, { lot, serial })
        assert.equal(new URL(path, 'https://dpp.example').pathname, path)
      }),
    )
  })
})

describe('parseDigitalLink', () => {
  const parts = fc.record({ lot: value, serial: value }, { requiredKeys: [], noNullPrototype: true })

  it('parses what buildGs1Path writes, after any prefix', () => {
    const stem = fc.constantFrom('', '/x', '/01', '/shop/01', `/01/${GTIN}`, '/01/10')
    fc.assert(
      fc.property(
        stem,
        gtin14,
        parts,
        fc.constantFrom('', '/', '?a=1', '#b'),
        (before, gtin, qualifiers, after) => {
          assert.deepEqual(parseDigitalLink(before + buildGs1Path(gtin, qualifiers) + after), {
            gtin14: gtin,
            ...qualifiers,
          })
        },
      ),
    )
  })

  it('parses the variant, and lower-case or needless escapes', () => {
    assert.deepEqual(parseDigitalLink(`/01/${GTIN}/22/2A/10/L/21/S`), {
      gtin14: GTIN,
      cpv: '2A',
      lot: 'L',
      serial: 'S',
    })
    assert.deepEqual(parseDigitalLink(`/01/${GTIN}/10/%4c%2fa`), { gtin14: GTIN, lot: 'L/a' })
    assert.deepEqual(parseDigitalLink(`/01/${GTIN}/10/a+b`), { gtin14: GTIN, lot: 'a+b' })
  })

  it('parses a lot that looks like a key as a lot', () => {
    assert.deepEqual(parseDigitalLink(`/01/${GTIN}/10/01`), { gtin14: GTIN, lot: '01' })
    assert.deepEqual(parseDigitalLink(`/01/${GTIN}/10/01/21/01`), { gtin14: GTIN, lot: '01', serial: '01' })
  })

  it('names the error', () => {
    const errors: Record<string, string> = {
      '': 'no_key',
      '/': 'no_key',
      '/01': 'no_key',
      [`/gtin/${GTIN}`]: 'no_key',
      [`/01/${GTIN}/foo`]: 'no_key',
      [`/01/${GTIN}/10`]: 'no_key',
      [`/01/${GTIN}/lot/L`]: 'unknown_qualifier',
      [`/01/${GTIN}/235/X`]: 'unknown_qualifier',
      [`/01/${GTIN}/17/261231`]: 'unknown_qualifier',
      [`/01/${GTIN}/21/S/10/L`]: 'wrong_order',
      [`/01/${GTIN}/10/L/22/V`]: 'wrong_order',
      [`/01/${GTIN}/10/L/10/M`]: 'wrong_order',
      '/01/9506000134352': 'bad_gtin',
      '/01/09506000134353': 'bad_gtin',
      '/01/00000000000000': 'bad_gtin',
      '/01/': 'no_key',
      [`/01/${GTIN}/10/%`]: 'bad_escape',
      [`/01/${GTIN}/10/%zz`]: 'bad_escape',
      [`/01/${GTIN}/10/%ff`]: 'bad_escape',
      [`/01/${GTIN}/10/.`]: 'bad_lot',
      [`/01/${GTIN}/10/%2E%2E/21/S`]: 'bad_lot',
      [`/01/${GTIN}/10/a%20b`]: 'bad_lot',
      [`/01/${GTIN}/10//21/S`]: 'bad_lot',
      [`/01/${GTIN}/22/${'v'.repeat(21)}`]: 'bad_cpv',
      [`/01/${GTIN}/21/%00`]: 'bad_serial',
      [`/01/${GTIN}/21/%C3%A4`]: 'bad_serial',
    }
    for (const [path, error] of Object.entries(errors))
      assert.deepEqual(parseDigitalLink(path), { error }, path)
  })

  it('never throws', () => {
    const piece = fc.oneof(fc.constantFrom('/', '01', '10', '21', '22', GTIN, '%', '%2', '..'), fc.string())
    fc.assert(fc.property(fc.array(piece), pieces => void parseDigitalLink(pieces.join(''))))
  })
})
