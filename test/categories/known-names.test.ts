import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { allCategories, findCategory } from '../../src/categories/catalogue.ts'
import { validateData } from '../../src/categories/check/validate.ts'
import type { Field } from '../../src/categories/field.ts'
import { normalizeName } from '../../src/categories/names/name-lookup.ts'
import {
  listFibreNames,
  recogniseFibre,
  recogniseKnownFibre,
  recogniseName,
  toCanonicalName,
} from '../../src/categories/names/recognise-names.ts'
import {
  COUNTRY_SYNONYMS,
  FIBRE_KINDS,
  FIBRE_SYNONYMS,
  VALUE_SYNONYMS,
} from '../../src/categories/names/synonyms.ts'
import { findLabel, getLabels, LANGUAGES, listFibreCodes } from '../../src/i18n/catalogue.ts'
import { COUNTRIES, COUNTRIES_BY_ALPHA_3, isCountry } from '../../src/kernel/values/countries.ts'

const fieldAt = (category: string, path: string): Field => {
  const [first, member] = path.split('.')
  const field = findCategory(category)?.fields.find(({ name }) => name === first)
  const found = member === undefined ? field : field?.of?.find(({ name }) => name === member)
  assert.ok(found, path)
  return found
}
const MATERIAL = 'materialComposition.material'

describe('fibres', () => {
  test('are recognised by their names in all 24 languages, however they are written', () => {
    for (const { code: language } of LANGUAGES) {
      for (const code of listFibreCodes()) {
        const name = findLabel(getLabels(language), 'fibres', code) ?? ''
        for (const written of [name, name.toUpperCase(), ` ${name} `, name.normalize('NFD')]) {
          assert.deepEqual(
            recogniseFibre(written),
            { code, certainty: 'exact' },
            `${language}: ${written} is ${code}`,
          )
        }
      }
    }
  })

  test('have no name in common, so the language is not needed', () => {
    const meanings = Map.groupBy(listFibreNames(), ([name]) => normalizeName(name))
    const ambiguous = Array.from(
      meanings,
      ([name, of]) => [name, new Set(of.map(([, { code }]) => code))] as const,
    )
      .filter(([name, codes]) => name !== '' && codes.size > 1)
      .map(([name, codes]) => `${name}: ${[...codes].join(', ')}`)
    assert.deepEqual(ambiguous, [])
  })

  test('synonyms and short codes are exact; brands and varieties say more than the fibre', () => {
    const codeOf = (text: string) => recogniseFibre(text)
    for (const [text, code] of [
      ['Baumwolle', 'cotton'],
      ['Elasthan', 'elastane'],
      ['elasthanne', 'elastane'],
      ['lin', 'flax'],
      ['Linen', 'flax'],
      ['Leinen', 'flax'],
      ['nylon', 'polyamide'],
      ['spandex', 'elastane'],
      ['CO', 'cotton'],
      ['POLY-ESTER', 'polyester'],
      ['ΠΟΛΥΕΣΤΕΡΑΣ', 'polyester'],
      ['welna', 'wool'],
    ] as const) {
      assert.deepEqual(codeOf(text), { code, certainty: 'exact' }, text)
    }
    for (const [text, code] of [
      ['Organic cotton', 'cotton'],
      ['Bio-Baumwolle', 'cotton'],
      ['merino wool', 'wool'],
      ['Merinowolle', 'wool'],
      ['recycled polyester (GRS)', 'polyester'],
      ['polyester recyclé', 'polyester'],
      ['laine de mérinos', 'wool'],
      ['polyamide 6.6', 'polyamide'],
      ['Lycra', 'elastane'],
    ] as const) {
      assert.deepEqual(codeOf(text), { code, certainty: 'qualified' }, text)
    }
  })

  test('misspelt names are only guesses, and pages do not use them', () => {
    assert.deepEqual(recogniseFibre('coton'), { code: 'cotton', certainty: 'exact' })
    assert.deepEqual(recogniseFibre('cottonn'), { code: 'cotton', certainty: 'similar' })
    assert.deepEqual(recogniseFibre('Baumwole'), { code: 'cotton', certainty: 'similar' })
    assert.equal(recogniseKnownFibre('Baumwole'), undefined)
  })

  test('other texts are not recognised, however similar', () => {
    for (const text of [
      'leather',
      'moon dust',
      'faux silk',
      'organic',
      '100 %',
      '',
      ' ',
      'constructor',
      '__proto__',
    ]) {
      assert.equal(recogniseKnownFibre(text), undefined, text)
    }
    assert.equal(recogniseFibre('x'.repeat(500)), undefined)
    assert.equal(recogniseFibre('cotton '.repeat(80)), undefined)
  })
})

describe('listed values', () => {
  test('of chemistries and materials are recognised by labels and trade names', () => {
    const chemistry = (text: string) =>
      recogniseName('cellChemistry', fieldAt('battery', 'cellChemistry'), text)
    const material = (text: string) => recogniseName(MATERIAL, fieldAt('furniture', MATERIAL), text)
    assert.deepEqual(chemistry('NMC811'), { code: 'nmc', certainty: 'exact' })
    assert.deepEqual(chemistry('nmc-622'), { code: 'nmc', certainty: 'exact' })
    assert.deepEqual(chemistry('LiFePO4'), { code: 'lfp', certainty: 'exact' })
    assert.deepEqual(chemistry('Blei-Säure'), { code: 'lead_acid', certainty: 'exact' })
    assert.deepEqual(chemistry('Alkali-Mangan'), { code: 'alkaline', certainty: 'exact' })
    assert.equal(chemistry('sodium-iom'), undefined)
    assert.deepEqual(material('Holz'), { code: 'wood', certainty: 'exact' })
    assert.deepEqual(material('MDF'), { code: 'engineeredWood', certainty: 'exact' })
    assert.deepEqual(material('Stainless steel'), { code: 'metal', certainty: 'exact' })
    assert.equal(material('moon dust'), undefined)
  })

  test('have synonyms that each mean one value', () => {
    for (const [path, synonyms] of Object.entries(VALUE_SYNONYMS)) {
      const category = allCategories().find(({ fields }) =>
        fields.some(({ name }) => name === path.split('.')[0]),
      )
      const field = fieldAt(category?.id ?? '', path)
      for (const [code, names] of Object.entries(synonyms)) {
        assert.ok(field.values?.includes(code), `${code} is a value of ${path}`)
        for (const name of names) {
          assert.deepEqual(recogniseName(path, field, name), { code, certainty: 'exact' }, name)
        }
      }
    }
  })

  test('are suggested when a synonym is refused', () => {
    const said = (category: string, data: Record<string, unknown>) => {
      const found = findCategory(category)
      assert.ok(found)
      return validateData(found, data)
        .errors.map(({ message }) => message)
        .join('\n')
    }
    assert.match(said('battery', { cellChemistry: 'NMC811' }), /did you mean nmc\?/)
    assert.match(said('battery', { cellChemistry: 'Blei-Säure' }), /did you mean lead_acid\?/)
    const materialComposition = [{ material: 'Stahl', percentage: 100 }]
    assert.match(said('furniture', { materialComposition }), /did you mean metal\?/)
    assert.match(said('furniture', { countryOfManufacture: 'Niemcy' }), /write DE\./)
    assert.match(said('furniture', { countryOfManufacture: 'UK' }), /write GB\./)
  })

  test('of countries are recognised by their names', () => {
    const country = (text: string) =>
      recogniseName('countryOfManufacture', fieldAt('textile', 'countryOfManufacture'), text)
    assert.deepEqual(country('Österreich'), { code: 'AT', certainty: 'exact' })
    assert.deepEqual(country('osterreich'), { code: 'AT', certainty: 'exact' })
    assert.deepEqual(country('UK'), { code: 'GB', certainty: 'exact' })
    assert.equal(country('Portugall'), undefined)
    for (const [code, names] of Object.entries(COUNTRY_SYNONYMS)) {
      assert.ok(COUNTRIES.includes(code))
      for (const name of names) assert.deepEqual(country(name), { code, certainty: 'exact' }, name)
    }
  })
})

describe('countries', () => {
  const country = fieldAt('textile', 'countryOfManufacture')
  const store = (text: string) => toCanonicalName('countryOfManufacture', country, text)

  test('are recognised by their names in 24 languages and by both codes', () => {
    const ambiguous = new Set<string>()
    for (const { code: language } of LANGUAGES) {
      const names = new Intl.DisplayNames([language], { type: 'region' })
      for (const code of COUNTRIES) {
        const stored = store(names.of(code) ?? '')
        if (!isCountry(stored)) ambiguous.add(names.of(code) ?? '')
        else assert.equal(stored, code, `${language}: ${names.of(code)}`)
      }
    }
    assert.deepEqual([...ambiguous].toSorted(), ['Congo', 'Kongo', 'Saint Martin', 'Saint-Martin'])
    assert.deepEqual([...COUNTRIES_BY_ALPHA_3.values()], COUNTRIES)
    for (const [long, short] of COUNTRIES_BY_ALPHA_3) assert.equal(store(long), short)
    for (const [long, short] of Object.entries({ DEU: 'DE', CHE: 'CH', MNE: 'ME', ZWE: 'ZW', ATA: 'AQ' }))
      assert.equal(store(long), short)
  })

  test('are recognised as labels, papers and programs name them', () => {
    const written = {
      IT: ['Made in Italy', 'MADE IN ITALY', 'Prodotto in Italia', 'Italy (IT)', 'IT - Italien', 'ita'],
      CN: ['PRC', 'P.R.C.', 'Made in P.R. China', 'VR China', "China, People's Republic of", 'CN / China'],
      MM: ['Burma', 'Birmanie', 'Myanmar', 'Myanmar (Burma)'],
      SZ: ['Swaziland'],
      LK: ['Ceylon'],
      NL: ['Netherlands (the)', 'The Netherlands'],
      KR: ['Korea, Republic of'],
      RS: ['XS'],
      GB: ['XI'],
      DE: ['Hergestellt in Deutschland', 'Made in DE', 'de'],
      FR: ['Fabriqué en France'],
    }
    for (const [code, names] of Object.entries(written))
      for (const name of names) assert.equal(store(name), code, name)
  })

  test('stay as written if they are unknown, several, or not there any more', () => {
    const texts = ['N/A', 'na', 'n.a.', '-', 'Made in EU', 'Italy, France', 'IT/DE', 'Congo', 'Yugoslavia']
    for (const text of [...texts, 'XK', 'Kosovo', 'Italy '.repeat(40)]) assert.equal(store(text), text)
  })

  test('Kosovo is named with the code that its products may carry', () => {
    const textile = findCategory('textile')
    assert.ok(textile)
    for (const text of ['XK', 'xk', 'Kosovo', 'Made in Kosovo', 'Κοσσυφοπέδιο'])
      assert.match(
        validateData(textile, { countryOfManufacture: text })
          .errors.map(one => one.message)
          .join(),
        /countryOfManufacture must be .+ no code for Kosovo: XK is a code of EU customs.+ Write RS,/,
        text,
      )
  })
})

describe('stored values', () => {
  test('are codes for exact names, and the text as written otherwise', () => {
    const fibre = fieldAt('textile', 'fiberComposition.fiber')
    const store = (text: string) => toCanonicalName('fiberComposition.fiber', fibre, text)
    assert.equal(store('Baumwolle'), 'cotton')
    assert.equal(store('organic cotton'), 'organic cotton')
    assert.equal(store('cottonn'), 'cottonn')
    assert.equal(toCanonicalName('productName', fieldAt('textile', 'productName'), 'Baumwolle'), 'Baumwolle')
    assert.equal(toCanonicalName(MATERIAL, fieldAt('furniture', MATERIAL), 'Stahl'), 'metal')
    const country = fieldAt('textile', 'countryOfManufacture')
    assert.equal(toCanonicalName('countryOfManufacture', country, 'Deutschland'), 'DE')
  })

  test('the lists of synonyms name existing fibres', () => {
    for (const code of [...Object.keys(FIBRE_SYNONYMS), ...Object.keys(FIBRE_KINDS)]) {
      assert.ok(listFibreCodes().includes(code), code)
    }
  })
})
