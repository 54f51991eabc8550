/** The JSON-LD contexts of documents of EN 18223: published once, and no member of a document is lost by them. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { allCategories } from '../../src/categories/catalogue.ts'
import { AUDIENCES } from '../../src/categories/field.ts'
import type { DataObject } from '../../src/kernel/values/data-object.ts'
import { NAMESPACE_PLACEHOLDER, readEnContexts } from '../../src/site/json-ld/context-versions.ts'
import { renderEnContext } from '../../src/standards/en18223/context.ts'
import { buildEnDocument } from '../../src/standards/en18223/document.ts'
import { getContextVersion } from '../../src/standards/en18223/header.ts'
import { validData } from '../categories/arbitrary.ts'
import { IS_FULL } from '../full.ts'
import { createStrictProcessor, listScalars } from './expand.ts'
import { FURNITURE_PUBLISHER, PUBLISHER, READINGS, readData } from './readings.ts'

const NS = PUBLISHER.nsUrl

/** Digests of `assets/contexts/en18223-*`. Each published context adds a line; no line is ever changed. */
const PUBLISHED: Readonly<Record<string, string>> = {
  'en18223/textile/v1': 'f7c03b148e0a25e1b2b7fe8d82e55a8f61753c93123a5490fd3e706f4684c907',
  'en18223/battery/v1': '657d3f6b698bbf06d7d9afd6ed4645e8bac455e05fa28f640e0e15e19aed100b',
  'en18223/furniture/v1': '7c6c1582f9e66acc4e17b841bcf28f8ae3de4d05fe97055788665a99cdb236e8',
  'en18223/textile/v2': 'eafaa28492ecbdf6e37ddb0e0bacee9bf448a747e79e1a17fd9b72ed1d30208b',
  'en18223/battery/v2': 'ede7412cfaccad5a830b1c04796091f1c18e35974cdacbb4d1e6df53846131a0',
  'en18223/furniture/v2': '684ef778472cdf5d6666ae27cb26393a54e2487e2cdc83502cf1a268fb268318',
  'en18223/textile/v3': '52136181507716ecf2f2b297345217e089e8424cfc8681dcee303488bdc7ebd8',
  'en18223/battery/v3': '0170aaad8d728db36658224fcc8a4c32d77d4439b4cf0e8b599687eb0d0a532d',
  'en18223/furniture/v3': '92e04fa936223a5c24bf1006c583779e6c31e932eacf4709fbf090b9480d96f7',
}

const pathOf = (category: string, version: string) => `en18223/${category}/${version}`

describe('the published contexts of EN 18223', () => {
  test('are unchanged', () => {
    const digests = readEnContexts().map(({ path, buildText }) => [
      path,
      hash('sha256', buildText(NAMESPACE_PLACEHOLDER), 'hex'),
    ])
    assert.deepEqual(Object.fromEntries(digests), PUBLISHED)
  })

  for (const category of allCategories())
    test(`${category.id}: the newest has the current fields, and documents name it`, () => {
      const published = readEnContexts().filter(({ path }) => path.startsWith(pathOf(category.id, '')))
      assert.equal(published.length, getContextVersion(category.id))
      const newest = published.find(({ path }) => path.endsWith(`/v${published.length}`))
      assert.equal(newest?.buildText(NS), renderEnContext(category, NS))
    })
})

const { expand, toQuads } = createStrictProcessor(NS)

/** Expands strictly: an unknown member throws. */
async function assertNothingLost({ '@context': context, ...members }: DataObject) {
  const expanded = await expand({ '@context': context, ...members })
  assert.deepEqual(listScalars(expanded), listScalars(members))
}

describe('a document of EN 18223 as JSON-LD', () => {
  for (const [name, reading] of Object.entries(READINGS))
    test(`${name} loses no member, also as RDF`, async () => {
      const publisher = name.startsWith('furniture') ? FURNITURE_PUBLISHER : PUBLISHER
      const document = buildEnDocument(reading, publisher)
      await assertNothingLost(document)
      assert.ok((await toQuads(document)).split('\n').length > 60)
    })

  test('with a proof it expands, too', async () => {
    const path = join(import.meta.dirname, 'examples/en18223-textile-item.json')
    const [node] = await expand(JSON.parse(readFileSync(path, 'utf8')))
    assert.equal(node['https://w3id.org/security#proof'].length, 1)
  })

  test('has the texts as values with their languages, and our entries for our fields', async () => {
    const [node] = await expand(buildEnDocument(READINGS['battery-item'], PUBLISHER))
    assert.equal(node[`${NS}#safetyInformation`][1]['@language'], 'de')
    assert.equal(node[`${NS}#carbonFootprintPerKwh`][0]['@value'], 82.5)
    assert.equal(
      node[`${NS}#complianceDocuments`][0][`${NS}#documentType`][0]['@value'],
      'declaration_of_conformity',
    )
    assert.ok(node['https://admin-shell.io/idta/cds/lastUpdate/1'])
  })

  test('a member without a term is refused, so these tests can fail', async () => {
    const document = { ...buildEnDocument(READINGS['textile-item'], PUBLISHER), unknown: 1 }
    await assert.rejects(assertNothingLost(document), { name: 'jsonld.ValidationError' })
  })

  for (const category of allCategories())
    test(`${category.id}: random passports lose no member`, async () => {
      await fc.assert(
        fc.asyncProperty(validData(category), fc.constantFrom(...AUDIENCES), async (data, audience) => {
          const document = buildEnDocument(readData(category.id, data, audience), PUBLISHER)
          await assertNothingLost(JSON.parse(JSON.stringify(document)))
        }),
        { numRuns: IS_FULL ? 300 : 15 },
      )
    })
})
