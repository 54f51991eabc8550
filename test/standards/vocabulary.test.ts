/** Each entry of our dictionary that a document refers to has its place on the page of the vocabulary. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { allCategories } from '../../src/categories/catalogue.ts'
import type { Field } from '../../src/categories/field.ts'
import { prepareNamespace } from '../../src/site/json-ld/namespace.ts'
import { buildAasEnvironment } from '../../src/standards/aas/environment.ts'
import { buildDictionaryReference } from '../../src/standards/en18223/dictionary.ts'
import { buildEnDocument, buildFullEnDocument } from '../../src/standards/en18223/document.ts'
import { RECORD_FIELD } from '../../src/standards/en18223/header.ts'
import { buildUntpCredential } from '../../src/standards/untp/untp-0.7.0.ts'
import { plant } from '../site/planted.ts'
import { createStrictProcessor } from './expand.ts'
import { PUBLISHER, readData, verifiedIssuer } from './readings.ts'
import { TEST_DID } from './signing-examples.ts'

const { publicUrl, nsUrl } = PUBLISHER
const { expand } = createStrictProcessor(nsUrl)

const page = prepareNamespace(publicUrl, nsUrl)[0].response.identity.body.toString()
const anchors = Array.from(page.matchAll(/<div id="([^"]+)"/g), ([, anchor = '']) => anchor)

/** Addresses below the namespace, wherever they are in a document. */
const listReferences = (document: unknown): string[] =>
  Array.from(JSON.stringify(document).matchAll(/"([^"]*)"/g), ([, text = '']) => text).filter(text =>
    text.startsWith(`${nsUrl}#`),
  )

function assertAnchors(references: readonly string[]): void {
  const missing = references.filter(one => !anchors.includes(one.slice(nsUrl.length + 1)))
  assert.deepEqual([...new Set(missing)], [])
}

const listFieldReferences = (fields: readonly Field[]): string[] =>
  fields.flatMap(field => [
    ...(field.name === '' ? [] : [buildDictionaryReference(field, nsUrl)]),
    ...listFieldReferences(field.fields ?? field.of ?? []),
  ])

describe('the page of the vocabulary', () => {
  it('has each anchor once', () => {
    assert.ok(anchors.length > 80, `${anchors.length} anchors`)
    assert.equal(new Set(anchors).size, anchors.length)
  })

  for (const { id, fields } of allCategories()) {
    it(`${id}: has the dictionary entry of each field, and of the passport's record`, () => {
      const references = listFieldReferences([...fields, RECORD_FIELD]).filter(one => one.startsWith(nsUrl))
      assert.ok(references.length > 20)
      assertAnchors(references)
    })

    it(`${id}: has what documents of EN 18223, UNTP and AAS refer to`, async () => {
      const data = plant(fields, () => 3)
      const reading = readData(id, data, 'authority')
      const publisher = { ...PUBLISHER, did: TEST_DID, issuer: verifiedIssuer(reading) }
      const credential = buildUntpCredential({
        reading,
        publisher,
        status: null,
        validUntil: reading.changedAt,
      })
      const documents = [
        await expand(buildEnDocument(reading, publisher)),
        buildFullEnDocument(reading, publisher),
        buildAasEnvironment(reading, publisher),
        credential,
      ]
      for (const document of documents) {
        const references = listReferences(document)
        assert.ok(references.length > 0)
        assertAnchors(references)
      }
    })
  }

  it('names the unit of an entry that differs from the term of JSON-LD', () => {
    const textOf = (name: string) => page.match(new RegExp(`<div id="${name}">(.*?)</div>`, 's'))?.[1] ?? ''
    assert.match(textOf('carbonFootprintPerKwh'), /kWh/)
    assert.match(textOf('carbonFootprintStagePerKwh'), /kWh/)
    assert.match(textOf('weightGrams'), /grams/i)
  })

  it('lacks what is not in the field table, so these tests can fail', () => {
    assert.throws(() => assertAnchors([`${nsUrl}#nothingSuch`]))
  })
})
