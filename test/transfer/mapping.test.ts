/** Tests which fields are recognised from the column titles of foreign spreadsheets. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import titles from '../../assets/spreadsheets/column-titles.json' with { type: 'json' }
import { allCategories, findCategory } from '../../src/categories/catalogue.ts'
import { findFieldLabel, getFieldNames, normalizeName } from '../../src/categories/names/name-lookup.ts'
import { LANGUAGES } from '../../src/i18n/catalogue.ts'
import { NO_TRAITS } from '../../src/transfer/spreadsheets/columns/column-traits.ts'
import {
  buildTemplateLayout,
  findColumn,
  listColumns,
} from '../../src/transfer/spreadsheets/columns/columns.ts'
import { guessMapping } from '../../src/transfer/spreadsheets/columns/guess-mapping.ts'
import { normalizeTitle } from '../../src/transfer/spreadsheets/columns/mapping.ts'

const textile = findCategory('textile')
assert.ok(textile)
const guess = (...titles: string[]) => guessMapping(textile, titles)

test('every meaning of a known title maps to existing fields', () => {
  const tables = [titles.common, ...titles.sources.flatMap(({ headers, onlyHere }) => [headers, onlyHere])]
  const meanings = tables.flatMap(table => Object.keys(table)).map(one => one.split('|')[0] ?? '')
  assert.deepEqual(new Set(meanings).difference(new Set(Object.keys(titles.meanings))), new Set())
})

describe('the title of a column', () => {
  const meant: Record<string, string | null> = {
    productName: 'productName',
    'careInstructions.pt-br': 'careInstructions.pt-BR',
    'fiberComposition[2].percentage': 'fiberComposition[2].percentage',
    product_name: 'productName',
    'Product Name': 'productName',
    Produktname: 'productName',
    Artikelnummer: 'sku',
    SKU: 'sku',
    'Nom du produit': findFieldLabel('fr', 'productName') === 'Nom du produit' ? 'productName' : null,
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
    prodcutName: null,
    'Weight (kg)': 'weightGrams|kg',
    weightKg: 'weightGrams|kg',
    'Gewicht in kg': 'weightGrams|kg',
    'Mass (g)': 'weightGrams|g',
    weightGrams: 'weightGrams',
    weight: 'weightGrams|?',
    Gewicht: 'weightGrams|?',
    recycledContentPct: 'recycledContentPercentage',
    passport_url: null,
    what_is_wrong: null,
    'Preis in Euro': null,
    '': null,
    constructor: null,
  }
  for (const [title, name] of Object.entries(meant)) {
    test(`“${title}” is ${name}`, () => assert.deepEqual(guess(title), [name]))
  }

  test('if two columns seem to be one field, the better match wins, whatever their order', () => {
    assert.deepEqual(guess('name', 'productName'), [null, 'productName'])
    assert.deepEqual(guess('Marke', 'Brand name', 'brandName'), [null, null, 'brandName'])
  })

  test('an earlier choice comes first', () => {
    const remembered = new Map([
      [normalizeTitle('Preis'), 'weightGrams|kg'],
      [normalizeTitle('Vendor'), null],
      [normalizeTitle('Alt'), 'noSuchField'],
    ])
    assert.deepEqual(guessMapping(textile, ['Preis', ' VENDOR', 'Alt'], remembered), [
      'weightGrams|kg',
      null,
      null,
    ])
  })

  test('an ignored column is mapped again if its title is exactly that of a field', () => {
    const remembered = new Map([
      [normalizeTitle('Marke'), null],
      [normalizeTitle('economicOperator.legalName'), null],
    ])
    assert.deepEqual(guessMapping(textile, ['Marke', 'economicOperator.legalName'], remembered), [
      'brandName',
      'economicOperator.legalName',
    ])
  })

  test('a single generic word never means a member of a group or list', () => {
    const bare =
      'type url link note stage value share country address role instructions scheme material substance facility'
    for (const category of allCategories()) {
      for (const title of [...bare.split(' '), 'Type', 'Link', 'Adresse', 'Land', 'Stoff', 'Material 1 %']) {
        assert.deepEqual(guessMapping(category, [title]), [null], `${category.id}: ${title}`)
      }
      for (const title of ['name', 'Name', 'title', 'Title'])
        assert.deepEqual(guessMapping(category, [title]), ['productName'])
      assert.deepEqual(guessMapping(category, ['product_number']), ['sku'])
    }
  })

  test('the source of a spreadsheet decides what an ambiguous title means', () => {
    assert.deepEqual(guess('id', 'title', 'brand'), [null, 'productName', 'brandName'])
    assert.deepEqual(guess('id', 'title', 'brand', 'image_link', 'availability').slice(0, 3), [
      'sku',
      'productName',
      'brandName',
    ])
    assert.deepEqual(guess('manufacturerName'), ['economicOperator.legalName'])
    assert.deepEqual(guess('manufacturer_name', 'product_number', 'tax_rate'), ['brandName', 'sku', null])
  })
})

describe('the unit of a column', () => {
  const battery = findCategory('battery')
  assert.ok(battery)

  test('energy is not capacity, whatever the title says', () => {
    assert.deepEqual(guessMapping(battery, ['ratedCapacityKwh', 'nominalCapacityAh']), [
      'energyWh|kWh',
      'ratedCapacity|Ah',
    ])
    assert.deepEqual(guessMapping(battery, ['Capacity Rated (mAh)', 'Energy']), [
      'ratedCapacity|mAh',
      'energyWh|?',
    ])
  })

  test('is taken from the column beside it, or from every cell', () => {
    assert.deepEqual(guess('weight', 'weight-unit'), ['weightGrams|@weight-unit', null])
    const traits = { ...NO_TRAITS, withUnits: [0] }
    assert.deepEqual(guessMapping(textile, ['weight'], new Map(), traits), ['weightGrams'])
  })

  test('of percentages is asked for if all are at most 1, and columns of the same list are not larger', () => {
    const traits = { ...NO_TRAITS, fractions: [0, 1], others: [2] }
    const titles = ['recycledContentPercentage', 'fiberComposition[1].percentage']
    assert.deepEqual(
      guessMapping(textile, titles, new Map(), traits),
      titles.map(one => `${one}|?`),
    )
    const more = [...titles, 'fiberComposition[2].percentage']
    assert.deepEqual(guessMapping(textile, more, new Map(), traits).slice(1), more.slice(1))
  })

  test('of our export is known: nothing is asked, and no earlier choice applies', () => {
    const titles = ['recycledContentPercentage', 'weightGrams']
    const traits = { ...NO_TRAITS, fractions: [0, 1] }
    const remembered = new Map([
      [normalizeTitle('recycledContentPercentage'), 'recycledContentPercentage|fraction'],
      [normalizeTitle('weightGrams'), 'weightGrams|kg'],
    ])
    const chosen = [...remembered.values(), null]
    const guessed = (...told: string[]) => guessMapping(textile, [...titles, ...told], remembered, traits)
    assert.deepEqual(guessed('passport_url'), [...titles, null])
    assert.deepEqual(guessed('url'), chosen)
    assert.deepEqual(guessed('passport_url', 'what_is_wrong'), [...chosen, null])
  })

  test('a remembered choice without a unit, from an older version, leads to the question once', () => {
    const remembered = new Map([[normalizeTitle('Gewicht'), 'weightGrams']])
    assert.deepEqual(guessMapping(textile, ['Gewicht'], remembered), ['weightGrams|?'])
  })
})

for (const category of allCategories()) {
  describe(category.id, () => {
    test('the columns of the template map to themselves, in any order', () => {
      const names = listColumns(category, buildTemplateLayout(category, ['de', 'en', 'pt-BR'])).map(
        one => one.name,
      )
      assert.ok(names.length > category.fields.length)
      assert.deepEqual(guessMapping(category, names), names)
      assert.deepEqual(guessMapping(category, names.toReversed()), names.toReversed())
    })

    test('labels of top-level fields in all 24 languages map to them unless another field has the same', () => {
      const words = getFieldNames(category)
      let tried = 0
      for (const { name, localized, type } of category.fields) {
        if (type === 'object' || (type === 'list' && findColumn(category, name) === undefined)) continue
        for (const { code } of LANGUAGES) {
          const label = findFieldLabel(code, name) ?? ''
          const [first, ...others] = (words.get(normalizeName(label)) ?? []).filter(
            path => !path.includes('.'),
          )
          if (others.length > 0) continue
          assert.equal(first, name, label)
          assert.equal(
            guessMapping(category, [label])[0]?.replace('|?', ''),
            name,
            `${code} ${label} ${localized}`,
          )
          tried++
        }
      }
      assert.ok(tried > 150)
    })
  })
}
