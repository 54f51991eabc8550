/**
 * Tests JSON-LD with a strict processor: documents are expanded and turned into RDF with our context alone.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { AUDIENCES } from '../../src/categories/field.ts'
import type { PublicPassportRow } from '../../src/passports/read/find.ts'
import { renderJsonLd } from '../../src/site/json-ld/document.ts'
import { ADDRESSES } from '../harness.ts'
import { FULL, read, rowOf } from './passport-views.ts'
import { assertKnown, expand, NS, toQuads } from './strict-json-ld.ts'

const CATEGORIES = ['textile', 'battery', 'furniture'] as const

/** All nodes of an expanded document that have properties. A node with only an `@id` is a reference. */
function nodesIn(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn)
  if (typeof value !== 'object' || value === null) return []
  const node = value as Record<string, unknown>
  const isReference = '@id' in node && Object.keys(node).length === 1
  const inner = Object.values(node).flatMap(nodesIn)
  return '@value' in node || isReference ? inner : [node, ...inner]
}

const OWN_CLASSES = {
  textile: ['Durability', 'EndOfLife', 'FiberShare', 'Repair', 'SubstanceOfConcern', 'SupplyChainStage'],
  battery: ['CarbonFootprintStage', 'EndOfLife', 'HazardousSubstance', 'RecycledMaterial'],
  furniture: ['EndOfLife', 'MaterialShare', 'Repair', 'SubstanceOfConcern', 'WoodCertification'],
}

const documentOf = (row: PublicPassportRow, audience: (typeof AUDIENCES)[number] = 'public') =>
  JSON.parse(renderJsonLd(read(row, audience), NS))

describe('a passport as JSON-LD', () => {
  for (const category of CATEGORIES) {
    for (const audience of AUDIENCES) {
      test(`${category} for ${audience}: expands, converts to RDF, and the context has every term`, async () => {
        const document = documentOf(rowOf(category, FULL[category]), audience)
        assertKnown(await expand(document))
        const quads = await toQuads(document)
        assert.ok(quads.split('\n').length > 30)
        assert.doesNotMatch(quads, /"66\.7E|xsd:decimal/)
      })
    }
  }

  for (const category of CATEGORIES) {
    test(`${category}: every node has a type, so that it can be found by class`, async () => {
      const nodes = nodesIn(await expand(documentOf(rowOf(category, FULL[category]), 'authority')))
      for (const node of nodes) assert.ok([node['@type']].flat()[0], JSON.stringify(node))
      const found = new Set(nodes.flatMap(node => node['@type'] as string[]))
      const own = [...found].filter(type => type.startsWith(`${NS}#`)).map(type => type.slice(NS.length + 1))
      assert.deepEqual(own.sort(), OWN_CLASSES[category])
    })
  }

  test('contains random texts in random languages', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter(one => one.trim() !== '')
    const tag = fc.constantFrom('de', 'pt-BR', 'id', 'zh-Hant-TW', 'sr-Latn', 'mt')
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(tag, text),
        text,
        fc.webUrl({ withQueryParameters: true }),
        async (texts, name, url) => {
          const document = documentOf(
            rowOf('furniture', {
              productName: name,
              careInstructions: { en: 'Wipe.', ...texts },
              complianceDocuments: [{ type: name, url }],
            }),
          )
          const expanded = await expand(document)
          assertKnown(expanded)
          const care = expanded[`${NS}#careInstructions`] as { '@language': string; '@value': string }[]
          assert.equal(care.length, Object.keys({ en: '', ...texts }).length)
          await toQuads(document)
        },
      ),
      { numRuns: 50 },
    )
  })

  test('a model is identified by its GS1 address, else by a part of its page', async () => {
    const withGtin = await expand(documentOf(rowOf('textile', { gtin: '9521001200370' })))
    assert.equal(withGtin['@id'], `${ADDRESSES.publicUrl}/01/09521001200370`)
    assert.deepEqual(withGtin['https://ref.gs1.org/voc/gtin'], [{ '@value': '09521001200370' }])
    assert.deepEqual(withGtin['http://schema.org/gtin'], [{ '@value': '9521001200370' }])
    const row = rowOf('textile')
    const without = await expand(documentOf(row))
    assert.match(without['@id'], /\/p\/[0-9a-z]{26}#product$/)
    assert.deepEqual(without['@type'], ['http://schema.org/Product', 'http://schema.org/ProductModel'])
    const [page] = without['http://schema.org/subjectOf']
    assert.equal(`${page['@id']}#product`, without['@id'])
    assert.ok(page['@type'].includes('http://schema.org/DigitalProductPassport'))
  })

  test('an item names its model and its batch', async () => {
    const model = rowOf('battery', { gtin: '9521001302593' })
    const batch = rowOf('battery')
    const unit = {
      level: 'i',
      lot: 'L/1',
      serial: 'S 1'.replace(' ', '+'),
      model_id: model.id,
      parent_id: batch.id,
      // The batch has the corrected GTIN, the item still has the old one.
      model_gtin: '09521001302593',
      batch_gtin: '9521001302609',
    } as const
    const item = await expand(documentOf(rowOf('battery', { gtin: '9521001302593' }, unit)))
    assert.ok(item['@type'].includes('http://schema.org/IndividualProduct'))
    assert.equal(item['@id'], `${ADDRESSES.publicUrl}/01/09521001302593/10/L%2F1/21/S%2B1`)
    assert.deepEqual(item['http://schema.org/model'], [{ '@id': `${ADDRESSES.publicUrl}/01/09521001302593` }])
    assert.deepEqual(item[`${NS}#batch`], [{ '@id': `${ADDRESSES.publicUrl}/01/09521001302609/10/L%2F1` }])
    assert.deepEqual(item['https://ref.gs1.org/voc/hasSerialNumber'], [{ '@value': 'S+1' }])
  })

  test('uses terms of general vocabularies where they exist', async () => {
    const { '@context': _, ...textile } = documentOf(rowOf('textile', FULL.textile))
    assert.deepEqual(textile.brand, { '@type': 'Brand', name: 'Testmarke' })
    assert.deepEqual(textile.weight, {
      '@type': 'QuantitativeValue',
      value: 228,
      unitCode: 'GRM',
      unitText: 'g',
    })
    assert.deepEqual(textile.material, ['wool', 'polyamide'])
    assert.equal(textile.countryOfOrigin, 'PT')
    assert.equal(textile['dpp:countryOfManufacture'], 'PT')
    assert.deepEqual(textile.manufacturer, { '@id': textile['dpp:economicOperator']['@id'] })
    assert.equal(textile['dpp:economicOperator'].globalLocationNumber, '9521000010000')
    assert.deepEqual(textile['dpp:complianceDocuments'], [
      {
        '@type': 'DigitalDocument',
        'dpp:documentType': 'test_report',
        url: { '@id': 'https://docs.example/report.pdf' },
      },
    ])
    const furniture = documentOf(rowOf('furniture', FULL.furniture))
    assert.equal(furniture.height.value, 83.5)
    assert.equal(furniture.weight.unitCode, 'KGM')
    const battery = documentOf(rowOf('battery', FULL.battery))
    assert.equal(battery['dpp:carbonFootprint'].unitText, 'kg CO2e/kWh')
    assert.equal(battery.productionDate, '2026-05')
  })

  test('these tests detect a misspelt term', async () => {
    const document = documentOf(rowOf('textile'))
    assert.throws(() => assertKnown({ [`${NS}#fooo`]: [] }))
    await assert.rejects(expand({ ...document, fooo: 'x' }))
  })
})
