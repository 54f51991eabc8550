/** Tests which GTIN is found in what scanners and people give in its place. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { explainGtinKind } from '../../src/categories/check/explain-gtin.ts'
import { FORMAT_RULES } from '../../src/categories/schema/formats.ts'
import { findMeantGtin, readScannedGtin } from '../../src/gs1/meant-gtin.ts'
import { normalizeSpelling } from '../../src/transfer/spreadsheets/files/cell.ts'

const GTIN = '09506000134352'
const SCANNED = [
  `(01)${GTIN}(10)LOT-7(21)A1`,
  `(01) ${GTIN} (21) A1`,
  `01${GTIN}`,
  `01${GTIN}10LOT-7\u001d21A1`,
  `\u001d01${GTIN}10LOT-7`,
  `]C101${GTIN}`,
  `]d201${GTIN}21A1`,
  `]Q301${GTIN}`,
  `https://id.gs1.org/01/${GTIN}/10/LOT-7?17=301231`,
  `https://passport.example/some/01/${GTIN}`,
]

describe('a scanned code', () => {
  for (const text of SCANNED) {
    test(`${JSON.stringify(text)} has the GTIN`, () => {
      assert.equal(readScannedGtin(text), GTIN)
      // Imports and forms take it; the API accepts digits only, and names them.
      assert.equal(normalizeSpelling(text, 'gtin'), GTIN)
      const found = FORMAT_RULES.gtin.findViolation(text)
      assert.deepEqual(
        [found?.code, found?.problem],
        ['format', { key: 'gtin_meant', facts: { meant: GTIN } }],
      )
    })
  }

  test('without a valid GTIN stays as it is', () => {
    const wrong = [
      '(01)09506000134353',
      '0109506000134353',
      '(10)LOT',
      'https://id.gs1.org/01/09506000134353',
      '',
    ]
    for (const text of [...wrong, `(01)${GTIN}${'0'.repeat(600)}`]) {
      assert.equal(findMeantGtin(text), undefined, text)
      assert.equal(FORMAT_RULES.gtin.findViolation(text)?.problem.key.startsWith('gtin_meant'), false)
    }
  })
})

test('digits with spaces or hyphens, and a UPC-E, are suggested and not taken', () => {
  // By each rule that leaves out zeros, but the last: there the check digits of UPC-E and GTIN-8 are the same.
  for (const [text, meant] of [
    ['950-6000-13435 2', '9506000134352'],
    ['04252605', '042000005265'],
    ['04252614', '042100005264'],
    ['01278931', '012700000891'],
    ['04567840', '045670000080'],
    ['16543214', '165100004324'],
  ] as const) {
    assert.equal(findMeantGtin(text), meant)
    assert.equal(readScannedGtin(text), undefined)
  }
})

test('a number of a shop that may be a UPC-E: the warning names its 12 digits', () => {
  assert.deepEqual(explainGtinKind('04252696'), {
    key: 'gtin_upc_e',
    facts: { prefix: '0', meant: '042526000096' },
  })
  assert.equal(explainGtinKind('20252694')?.key, 'gtin_restricted')
})

test('a GTIN is nothing else', () => {
  for (const gtin of [GTIN, '9506000134352', '96385074', '614141007349'])
    assert.equal(findMeantGtin(gtin), undefined)
})
