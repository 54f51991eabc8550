/** Two servers with different addresses name the same things by the same ids. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { allCategories } from '../../src/categories/catalogue.ts'
import { renderTerms } from '../../src/site/json-ld/vocabulary.ts'
import { buildAasEnvironment } from '../../src/standards/aas/environment.ts'
import { buildTermUrn } from '../../src/standards/term-urn.ts'
import { plant } from '../site/planted.ts'
import { createStrictProcessor } from './expand.ts'
import { PUBLISHER, readData } from './readings.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any

const HOSTS = ['https://passports.example.org', 'https://other.example:8443/carnet']

/** The semantic ids of each submodel and element with the names on the way to it. */
function* walk(elements: readonly Any[], parent: string): Generator<[place: string, id: string]> {
  for (const [i, { idShort = i, semanticId, submodelElements, value }] of elements.entries()) {
    const place = `${parent}/${idShort}`
    if (semanticId !== undefined) yield [place, semanticId.keys[0].value]
    const inner = submodelElements ?? value
    if (Array.isArray(inner) && inner[0]?.modelType !== undefined) yield* walk(inner, place)
  }
}

/** As a server at this address writes it. */
function listSemanticIds(category: string, data: Record<string, unknown>, host: string): string[][] {
  const reading = readData(category, data, 'authority')
  const moved = { ...reading, url: `${host}/p/${reading.id}`, gs1Url: null }
  const publisher = { ...PUBLISHER, publicUrl: host, nsUrl: `${host}/ns/dpp` }
  const { submodels } = JSON.parse(JSON.stringify(buildAasEnvironment(moved, publisher)))
  return [...walk(submodels, '')]
}

describe('servers at two addresses', () => {
  for (const { id, fields } of allCategories()) {
    it(`give ${id} the same semantic ids, none of which has the address`, () => {
      const data = plant(fields, () => 3)
      const [one, other] = HOSTS.map(host => listSemanticIds(id, data, host))
      assert.ok(one !== undefined && one.length > 80, `${one?.length} elements`)
      assert.deepEqual(one, other)
      assert.ok(!JSON.stringify(one).includes(HOSTS[0] ?? ''))
    })
  }

  it('give each term of JSON-LD and each entry of the dictionary the same name, at ns/dpp/terms', async () => {
    const names = HOSTS.map(host => {
      const { '@graph': graph } = JSON.parse(renderTerms(`${host}/ns/dpp`))
      return graph.map((node: Any) => [node['@id'], Object.values<Any>(node).at(-1)['@id']])
    })
    assert.deepEqual(names[0], names[1])
    assert.ok(names[0].length > 200, `${names[0].length} terms`)
    for (const column of [0, 1])
      assert.equal(new Set(names[0].map((row: Any) => row[column])).size, names[0].length, 'each once')
  })

  it('say it so that a processor of JSON-LD finds the address of the term', async () => {
    const nsUrl = `${HOSTS[0]}/ns/dpp`
    const nodes = await createStrictProcessor(nsUrl).expand(JSON.parse(renderTerms(nsUrl)))
    const care = nodes.find((node: Any) => node['@id'] === `${nsUrl}#careInstructions`)
    assert.deepEqual(care['http://www.w3.org/2002/07/owl#equivalentProperty'], [
      { '@id': buildTermUrn('careInstructions') },
    ])
  })
})

describe('a URN of a term', () => {
  it('is a UUID of version 5, as another implementation computes it, and never changes', () => {
    assert.equal(buildTermUrn('careInstructions'), 'urn:uuid:0e4a6d5e-2e9d-552a-84fe-ed9f756823fa')
    assert.equal(buildTermUrn('aas/Nameplate/v1'), 'urn:uuid:a5c953dd-7663-58a8-afa7-e456df68229c')
  })
})
