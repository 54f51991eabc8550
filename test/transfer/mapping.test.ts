/** What columns of other people's sheets are taken for. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { allCategories, findCategory } from '../../src/categories/catalogue.ts'
import { fieldLabel, fieldWords, spokenKey } from '../../src/categories/spoken.ts'
import { LANGUAGES } from '../../src/i18n/catalogue.ts'
import { columnsOf, findColumn, templateExtent } from '../../src/transfer/columns.ts'
import { guessMapping, headerKey } from '../../src/transfer/mapping.ts'

const textile = findCategory('textile')
assert.ok(textile)
const guess = (...titles: string[]) => guessMapping(textile, titles)

describe('a title', () => {
  const meant: Record<string, string | null> = {
    productName: 'productName',
    'careInstructions.pt-br': 'careInstructions.pt-BR',
    'fiberComposition[2].percentage': 'fiberComposition[2].percentage',
    product_name: 'productName',
    'Product Name': 'productName',
    Produktname: 'productName',
    Artikelnummer: 'sku',
    SKU: 'sku',
    'Nom du produit': fieldLabel('fr', 'productName') === 'Nom du produit' ? 'productName' : null,
    GTIN: 'gtin',
    Marke: 'brandName',
    'Pflegehinweise (de)': 'careInstructions.de',
    'Pflegehinweise DE': 'careInstructions.de',
    Pflegehinweise: 'careInstructions',
    'Faser 2': 'fiberComposition[2].fiber',
    'Faserzusammensetzung 2 Anteil': 'fiberComposition[2].percentage',
    Faserzusammensetzung: 'fiberComposition',
    'Wirtschaftsakteur: Land': 'economicOperator.country',
    Herstellungsland: 'countryOfManufacture',
    'Kontakt-E-Mail': 'economicOperator.contactEmail',
    prodcutName: 'productName',
    brandNmae: 'brandName',
    passport_url: null,
    what_is_wrong: null,
    'Preis in Euro': null,
    '': null,
    constructor: null,
  }
  for (const [title, name] of Object.entries(meant)) {
    test(`“${title}” is ${name}`, () => assert.deepEqual(guess(title), [name]))
  }

  test('of two that seem one field the surer is it, wherever it stands', () => {
    assert.deepEqual(guess('prodctName', 'productName'), [null, 'productName'])
    assert.deepEqual(guess('Marke', 'Brand name', 'brandName'), [null, null, 'brandName'])
  })

  test('what was chosen before goes first', () => {
    const remembered = new Map([
      [headerKey('Preis'), 'weightGrams'],
      [headerKey('Marke'), null],
      [headerKey('Alt'), 'noSuchField'],
    ])
    assert.deepEqual(guessMapping(textile, ['Preis', ' MARKE', 'Alt'], remembered), [
      'weightGrams',
      null,
      null,
    ])
  })
})

for (const category of allCategories()) {
  describe(category.id, () => {
    test('the columns of its template are taken for themselves, in any order', () => {
      const names = columnsOf(category, templateExtent(category, ['de', 'en', 'pt-BR'])).map(one => one.name)
      assert.ok(names.length > 30)
      assert.deepEqual(guessMapping(category, names), names)
      assert.deepEqual(guessMapping(category, names.toReversed()), names.toReversed())
    })

    test('labels of fields at the top in all 24 languages lead to them, where they are no other’s too', () => {
      const words = fieldWords(category)
      let tried = 0
      for (const { name, localized, type } of category.fields) {
        if (type === 'object' || (type === 'list' && findColumn(category, name) === undefined)) continue
        for (const { code } of LANGUAGES) {
          const label = fieldLabel(code, name) ?? ''
          const [first, ...others] = (words.get(spokenKey(label)) ?? []).filter(path => !path.includes('.'))
          if (others.length > 0) continue
          assert.equal(first, name, label)
          assert.equal(guessMapping(category, [label])[0], name, `${code} ${label} ${localized}`)
          tried++
        }
      }
      assert.ok(tried > 150)
    })
  })
}
