import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import {
  fillPlaceholders,
  findLabel,
  getLabels,
  isLanguage,
  LANGUAGES,
  type Labels,
  type Language,
  listMissingLabels,
} from '../../src/i18n/catalogue.ts'

const LOCALES_URL = new URL('../../locales/', import.meta.url)
const english = getLabels('en')

/** Abbreviations and names of fibres and elements that many languages spell alike. */
const INTERNATIONAL = words(
  'GTIN, FSC, PEFC, alfa, alginate, alpaca, angora, aramid, cashgora, cashmere, chlorofibre, cupro, elastolefin, ' +
    'elastomultiester, fluorofibre, guanaco, henequen, jute, kapok, llama, lyocell, maguey, melamine, metal, modal, ' +
    'mohair, otter, polyacrylate, polyamide, polycarbamide, polyester, polyimide, polylactide, protein, ramie, sisal, ' +
    'sunn, trivinyl, vicuna, vinylal, viscose, yak, Beryllium, Cadmium (Cd), Gallium, Germanium, Hafnium, Niobium, ' +
    'Scandium, Strontium, Vanadium, {label}: {value}',
)

/** Words that a language really shares with English. Any other text equal to English was forgotten. */
const SHARED: Partial<Record<Language, string>> = {
  cs: 'Aerosol, Distributor, E-mail, Helium, Lithium, Model, Region, Role, Symbol',
  da:
    'Aerosol, Anode, Batch, Bismuth, Distribution, Due diligence, E-mail, Helium, Link, Lithium, Magnesium, ' +
    'Metal, Model, Original, Rattan, Region, Sand, Separator, Sofa, Standard, Status, Symbol, T-shirts, ' +
    'Version, Version {version}',
  de:
    'Aerosol, Anode, Binder, Cobalt, Helium, Link, Lithium, Magnesium, Material, Name, Nickel, Rattan, Recycling, ' +
    'Region, Sand, Separator, Sofa, Status, Symbol, Version, Version {version}, Website',
  es: 'Aerosol, Material, Metal, No, Original, Total',
  et: 'EORI number, Link, Mass, Number, Standard',
  fi: 'Helium, Magnesium',
  fr:
    'Description, Documents, Anode, Arsenic, Bismuth, Cathode, Cobalt, Contact, Date, Dimensions, Distribution, Fibre, Graphite, Latitude, ' +
    'Lithium, Longitude, Nickel, Nickel-cadmium (NiCd), Recyclable, Sodium-ion, Source, Substance, T-shirts, Table, Textile, ' +
    'Total, Version, Version {version}, Zinc-air',
  hr: 'Aerosol, Metal, Model, Separator, Status',
  hu: 'Link, Rattan',
  it: 'Aerosol, E-mail, File, Link, Manganese, No, per kWh, Rattan',
  lt: 'Sofa',
  mt: 'Aerosol, Boron, Link, Rattan, Standard, Total',
  nl:
    'Aerosol, Alkaline, Anode, Bed, Contact, E-mail, Helium, Link, Lithium, Magnesium, Model, per kWh, Recycler, ' +
    'Recycling, Rubber, Separator, Status, T-shirts, Water, Website',
  pl: 'E-mail, Importer, Link, Metal, Model, Rattan, Region, Separator, Sofa, Status, Symbol',
  pt: 'Latitude, Longitude, Material, Metal, Original, Total',
  ro:
    'Aerosol, Cobalt, Contact, E-mail, Link, Material, Metal, Model, per kWh, Plastic, Separator, Standard, Textile, ' +
    'Total, Tungsten',
  sk: 'E-mail, Model, Symbol',
  sl: 'Aerosol, Material, Model, Separator, Standard',
  sv:
    'Aerosol, Distribution, Helium, Magnesium, Material, Nickel, per kWh, Region, Sand, Separator, Spinning, ' +
    'Standard, Status, Symbol, Version, Version {version}',
}

describe('the 24 languages', () => {
  it('are in the order of their codes, each with a file and a name of its own', () => {
    const codes = LANGUAGES.map(({ code }) => code)
    assert.equal(codes.length, 24)
    assert.deepEqual(codes, codes.toSorted())
    assert.deepEqual(
      readdirSync(LOCALES_URL)
        .filter(name => name.endsWith('.json'))
        .toSorted(),
      codes.map(code => `${code}.json`),
    )
    assert.equal(new Set(LANGUAGES.map(({ name }) => name)).size, 24)
  })

  it('are recognised by their exact code', () => {
    for (const { code } of LANGUAGES) assert.ok(isLanguage(code))
    for (const text of ['', 'DE', 'de-DE', 'no', 'constructor', '__proto__'])
      assert.ok(!isLanguage(text), text)
  })
})

for (const { code } of LANGUAGES) {
  describe(`locales/${code}.json`, () => {
    const labels: Labels = JSON.parse(readFileSync(new URL(`${code}.json`, LOCALES_URL), 'utf8'))

    it('has the keys of English in the same order, so that two files can be read side by side', () => {
      const missing = listMissingLabels().find(({ language }) => language === code)?.keys ?? []
      assert.deepEqual(
        keysOf(labels),
        keysOf(english).filter(key => !missing.includes(key)),
      )
    })

    it('repeats no key', () => {
      const source = readFileSync(new URL(`${code}.json`, LOCALES_URL), 'utf8')
      // A file has one line per label, two lines per section (its key, its end), and the outer braces.
      const frame = 2 * Object.keys(labels).length + 2
      assert.equal(source.trimEnd().split('\n').length - frame, entriesOf(labels).length)
    })

    it('has clean texts with the placeholders of English', () => {
      const originals = new Map(entriesOf(english))
      for (const [key, text] of entriesOf(labels)) {
        assert.ok(text !== '' && text === text.trim() && !/\s\s|[\n\t<>]/.test(text), `${key}: ${text}`)
        assert.equal(text, text.normalize('NFC'), key)
        assert.deepEqual(placeholdersOf(text), placeholdersOf(originals.get(key) ?? ''), key)
      }
    })

    it('is not in English', { skip: code === 'en' }, () => {
      const allowed = words(SHARED[code] ?? '')
      const originals = new Map(entriesOf(english))
      const same = entriesOf(labels).filter(([key, text]) => originals.get(key) === text)
      const forgotten = same.filter(([, text]) => !INTERNATIONAL.has(text) && !allowed.has(text))
      assert.deepEqual(forgotten, [])
      const used = new Set(same.map(([, text]) => text))
      assert.deepEqual(
        [...allowed].filter(word => !used.has(word)),
        [],
        'allowed but not needed',
      )
    })

    it('is written in its own script', () => {
      const script =
        { bg: /\p{Script=Cyrillic}/u, el: /\p{Script=Greek}/u }[code as string] ?? /\p{Script=Latin}/u
      const foreign = { bg: /\p{Script=Greek}/u, el: /\p{Script=Cyrillic}/u }[code as string]
      for (const [key, text] of entriesOf(labels)) {
        if (INTERNATIONAL.has(text)) continue
        assert.match(text, script, key)
        assert.doesNotMatch(text, foreign ?? /[\p{Script=Cyrillic}\p{Script=Greek}]/u, key)
      }
    })
  })
}

describe('findLabel', () => {
  it('finds labels by section and key', () => {
    assert.equal(findLabel(getLabels('de'), 'fields', 'countryOfManufacture'), 'Herstellungsland')
    assert.equal(findLabel(getLabels('fr'), 'values', 'packaging.recyclable'), 'Recyclable')
  })

  it('is undefined for unknown keys and inherited names', () => {
    for (const key of ['', 'nothing', 'constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      assert.equal(findLabel(english, 'fields', key), undefined, key)
    }
  })
})

describe('the expiry of an access link', () => {
  it('is an exact time, so that no language includes a whole day', () => {
    for (const { code } of LANGUAGES) {
      assert.doesNotMatch(getLabels(code).ui.audienceFor, /tot en met|til og med|till och med|inclus|včetně/)
    }
  })
})

describe('fillPlaceholders', () => {
  it('replaces every placeholder once and leaves the rest', () => {
    assert.equal(fillPlaceholders('for {label}, until {date}', { label: 'A', date: 'B' }), 'for A, until B')
    assert.equal(fillPlaceholders('{label} {date}', { label: '{date}$&', date: 7 }), '{date}$& 7')
    assert.equal(fillPlaceholders('{label} {toString}', {}), '{label} {toString}')
  })
})

function words(list: string): Set<string> {
  return new Set(list.split(', ').filter(word => word !== ''))
}

function entriesOf(labels: Labels): [string, string][] {
  return Object.entries(labels).flatMap(([section, entries]) =>
    Object.entries(entries).map(([key, text]): [string, string] => [`${section}.${key}`, text]),
  )
}

function keysOf(labels: Labels): string[] {
  return entriesOf(labels).map(([key]) => key)
}

function placeholdersOf(text: string): string[] {
  return (text.match(/\{[^}]*\}/g) ?? []).toSorted()
}
