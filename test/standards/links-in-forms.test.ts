/**
 * Tests the rule for links of readers in the forms of standards, over each field of each category that holds
 * an address: an address that pages do not link is text there, too, and in no form the type of a link.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { allCategories, type CompleteCategory } from '../../src/categories/catalogue.ts'
import type { Field } from '../../src/categories/field.ts'
import { renderJsonLd } from '../../src/site/json-ld/document.ts'
import { buildAasEnvironment } from '../../src/standards/aas/environment.ts'
import { buildEnDocument as buildEn, buildFullEnDocument } from '../../src/standards/en18223/document.ts'
import { buildUntpCredential } from '../../src/standards/untp/untp-0.7.0.ts'
import { type Body, validData } from '../categories/arbitrary.ts'
import { ADDRESSES } from '../harness.ts'
import { MADE_AT, read } from '../site/passport-views.ts'
import { rowAt } from '../site/random-places.ts'
import { NS } from '../site/strict-json-ld.ts'
import { buildDatedReading, PUBLISHER } from './all-forms.ts'
import { createStrictProcessor } from './expand.ts'
import { mapFields } from './form-limits.ts'
import { verifiedIssuer } from './readings.ts'

const LINKS = ['https://shop.example/a.pdf', `${ADDRESSES.publicUrl}/d/${'f'.repeat(64)}`]
const NO_LINKS = [
  'http://localhost/a.pdf',
  'https://wiki/a.pdf',
  'https://10.1.2.3/a.pdf',
  'https://printer.local/a.pdf',
  'https://shop.example/\u202efdp.exe',
]

const isAddress = ({ format, localized }: Field): boolean => format === 'url' && localized !== true

/** The paths of all fields with addresses. */
const listAddresses = (fields: readonly Field[], before = ''): string[] =>
  fields.flatMap(field => {
    const path = before + field.name
    if (isAddress(field)) return [path]
    return listAddresses([...(field.fields ?? []), ...(field.of ?? [])], `${path}.`)
  })

/** Data with as many fields as random data has, and facts that credentials need. */
function sampleData({ fields }: CompleteCategory, sampled: readonly Body[], address: string): Body[] {
  const plant = { facilityId: '9521234001003', name: 'Malhas do Norte' }
  return sampled.map(data =>
    mapFields(fields, { ...data, manufacturingFacility: plant }, (field, value) =>
      isAddress(field) ? address : value,
    ),
  )
}

function listFound(fields: readonly Field[], data: Body, before = ''): string[] {
  return Object.entries(data).flatMap(([name, value]) => {
    const field = fields.find(one => one.name === name)
    if (field === undefined || field.localized) return []
    const path = before + name
    if (isAddress(field)) return [path]
    const inner = [...(field.fields ?? []), ...(field.of ?? [])]
    const values = Array.isArray(value) ? value : [value]
    return values.flatMap(one =>
      typeof one === 'object' && one !== null ? listFound(inner, one as Body, `${path}.`) : [],
    )
  })
}

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any

const buildEnDocument: (...input: Parameters<typeof buildEn>) => Any = buildEn

/** Every object in a document. */
function* walk(value: Any): Generator<Any> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value
  for (const one of Object.values(value)) yield* walk(one)
}

/** The address in each form, as a link or by its type. */
function findTyped(category: CompleteCategory, data: Body, address: string): Record<string, boolean> {
  const place = { level: 'm' as const, lot: null, serial: null, outdated: false, ofBatch: false, from: 0 }
  const row = rowAt(category.id as 'textile', data, place, { schema_version: category.schemaVersion })
  const reading = buildDatedReading(row, 'owner')
  const has = (form: Any, isTyped: (one: Any) => boolean) =>
    [...walk(JSON.parse(JSON.stringify(form)))].some(isTyped)
  const publisher = { ...PUBLISHER, issuer: verifiedIssuer(reading) }
  const untp = buildUntpCredential({ reading, publisher, status: null, validUntil: MADE_AT })
  const jsonLd = JSON.parse(renderJsonLd(read(row), NS))
  const environment = buildAasEnvironment(reading, PUBLISHER)
  return {
    'EN 18223': has(
      buildFullEnDocument(reading, PUBLISHER),
      one => one.valueDataType === 'xsd:anyURI' && one.value === address,
    ),
    AAS: has(
      environment,
      one => one.value === address && (one.valueType === 'xs:anyURI' || one.modelType === 'File'),
    ),
    UNTP: 'credential' in untp && has(untp.credential, one => one.linkURL === address),
    'JSON-LD': has(jsonLd, one => one['@id'] === new URL(address).href),
  }
}

describe('an address is a link or has the type of one', () => {
  for (const category of allCategories()) {
    const sampled = fc.sample(validData(category), { numRuns: 60, seed: 18_223 })

    test(`${category.id}: in every form, if readers get it as a link`, () => {
      const found = new Set<string>()
      for (const address of LINKS) {
        const seen: Record<string, boolean> = {}
        for (const data of sampleData(category, sampled, address)) {
          for (const path of listFound(category.fields, data)) found.add(path)
          for (const [form, isTyped] of Object.entries(findTyped(category, data, address)))
            seen[form] ||= isTyped
        }
        const all = { 'EN 18223': true, AAS: true, UNTP: true, 'JSON-LD': true }
        assert.deepEqual(seen, all, address)
      }
      assert.deepEqual([...found].sort(), listAddresses(category.fields).sort(), 'each field was filled')
    })

    test(`${category.id}: in no form, if readers get it as text`, () => {
      const none = { 'EN 18223': false, AAS: false, UNTP: false, 'JSON-LD': false }
      for (const address of NO_LINKS)
        for (const data of sampleData(category, sampled.slice(0, 15), address))
          assert.deepEqual(findTyped(category, data, address), none, JSON.stringify(data))
    })
  }
})

const { expand, toQuads } = createStrictProcessor(PUBLISHER.nsUrl)

describe('the compressed form of EN 18223 as JSON-LD', () => {
  for (const category of allCategories()) {
    const sampled = fc.sample(validData(category), { numRuns: 60, seed: 18_223 })
    const build = (data: Body) => {
      const place = { level: 'm' as const, lot: null, serial: null, outdated: false, ofBatch: false, from: 0 }
      const row = rowAt(category.id as 'textile', data, place, { schema_version: category.schemaVersion })
      return buildEnDocument(buildDatedReading(row, 'owner'), PUBLISHER)
    }
    /** As few passports as have the address in each field that may hold one. */
    const selectSamples = (address: string): Body[] => {
      const missing = new Set(listAddresses(category.fields))
      const selected = sampleData(category, sampled, address).filter(data => {
        const found = listFound(category.fields, data).filter(path => missing.delete(path))
        return found.length > 0
      })
      assert.deepEqual([...missing], [])
      return selected
    }
    const findTypes = async (data: Body, address: string) => {
      const nodes = [...walk(await expand(build(data)))]
      return {
        isId: nodes.some(one => one['@id'] === address),
        isText: nodes.some(one => one['@value'] === address),
      }
    }

    test(`${category.id}: an address that is a link is an id`, async () => {
      for (const address of LINKS)
        for (const data of selectSamples(address)) {
          assert.equal(build(data)['@context'].length, 2)
          assert.deepEqual(await findTypes(data, address), { isId: true, isText: false })
        }
    })

    test(`${category.id}: any other is a text, and no statement is lost`, async () => {
      for (const address of NO_LINKS)
        for (const data of selectSamples(address)) {
          assert.deepEqual(await findTypes(data, address), { isId: false, isText: true })
          const quads = await toQuads(build(data))
          assert.ok(quads.includes(`"${address}"`) && !quads.includes(`<${address}>`), address)
        }
    })
  }

  test('an address that is a text leaves the ids of other fields', async () => {
    const battery = allCategories().find(({ id }) => id === 'battery')
    assert.ok(battery)
    const samples = fc.sample(validData(battery), { numRuns: 1, seed: 1 })
    const [sample] = sampleData(battery, samples, 'https://shop.example/')
    const row = rowAt(
      'battery',
      {
        ...sample,
        carbonFootprintStudyUrl: 'https://shop.example/study.pdf',
        complianceDocuments: [{ type: 'test_report', url: 'http://localhost/a.pdf' }],
      },
      { level: 'm', lot: null, serial: null, outdated: false, ofBatch: false, from: 0 },
      { schema_version: battery.schemaVersion },
    )
    const document = buildEnDocument(buildDatedReading(row, 'owner'), PUBLISHER)
    assert.deepEqual(Object.keys(document['@context'][2]), ['complianceDocuments'])
    const nodes = [...walk(await expand(document))]
    assert.ok(nodes.some(one => one['@id'] === 'https://shop.example/study.pdf'))
    assert.ok(nodes.some(one => one['@value'] === 'http://localhost/a.pdf'))
  })
})
