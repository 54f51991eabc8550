/** The forms of one passport say the same, field by field, and nothing that its reader may not see. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { strFromU8, unzipSync } from 'fflate'
import { allCategories, type CompleteCategory } from '../../src/categories/catalogue.ts'
import { AUDIENCES, type Audience, type Field } from '../../src/categories/field.ts'
import { formatNumber } from '../../src/i18n/format.ts'
import { buildReading } from '../../src/passports/read/build-reading.ts'
import { buildAasx } from '../../src/standards/aas/aasx.ts'
import { buildAasEnvironment } from '../../src/standards/aas/environment.ts'
import { buildEnDocument, buildFullEnDocument } from '../../src/standards/en18223/document.ts'
import { fromEn } from '../../src/standards/en18223/read-document.ts'
import type { Reading } from '../../src/standards/reading.ts'
import { buildRegistryLine } from '../../src/standards/registry/registry-line.ts'
import { buildUntpCredential } from '../../src/standards/untp/untp-0.7.0.ts'
import { type Body, validData } from '../categories/arbitrary.ts'
import { IS_FULL } from '../full.ts'
import { ADDRESSES } from '../harness.ts'
import { read, renderPage, rowOf } from '../site/passport-views.ts'
import { containsText, listPlantedTexts, plant } from '../site/planted.ts'
import { findPageLimit, omitSameCountry } from './form-limits.ts'
import { omitEmpty, readAas, readCredential } from './read-forms.ts'
import { PUBLISHER, READINGS, readData, verifiedIssuer } from './readings.ts'
import { compileSchema } from './schemas.ts'
import { buildExampleReading } from './worked-examples.ts'

const AT = new Date('2026-11-20T10:00:00Z')
const DID = 'did:web:passports.example.org:issuers:k7m2q9x4t6v8'
const assertFacts = compileSchema('untp-0.7.0-facts')

const buildCredential = (reading: Reading) =>
  buildUntpCredential({
    reading,
    publisher: { ...PUBLISHER, did: DID, issuer: verifiedIssuer(reading) },
    status: null,
    validUntil: AT,
  })

/** As its readers parse it. */
const parse = <T>(document: T): T => JSON.parse(JSON.stringify(document))

/** How many forms were compared: a passport without the facts that UNTP requires has no credential. */
function compareForms(reading: Reading): number {
  const { category, data } = reading
  assert.deepEqual(
    fromEn(parse(buildEnDocument(reading, PUBLISHER)), category),
    omitEmpty(category, data),
    'EN',
  )
  assert.deepEqual(
    fromEn(parse(buildFullEnDocument(reading, PUBLISHER)), category),
    omitEmpty(category, data),
    'EN, full',
  )
  const environment = parse(buildAasEnvironment(reading, PUBLISHER))
  assert.deepEqual(readAas(environment, category), omitEmpty(category, data), 'AAS')
  const result = buildCredential(reading)
  if ('missing' in result) return 2
  assertFacts(parse(result.credential))
  assert.deepEqual(
    readCredential(parse(result.credential), category),
    omitSameCountry(omitEmpty(category, data)),
    'UNTP',
  )
  return 3
}

const PLANT = { facilityId: '9521234001003', name: 'Malhas do Norte' }
/** Half of the random plants have what credentials require. */
const addPlant = (data: Body): Body => ({
  ...data,
  manufacturingFacility: { ...PLANT, ...(data.manufacturingFacility as object | undefined) },
})

describe('the forms agree field by field', () => {
  for (const [name, reading] of Object.entries(READINGS)) {
    it(`of ${name}`, () => {
      assert.equal(compareForms(reading), name.startsWith('furniture') ? 2 : 3)
    })
  }

  it('of a textile whose fibres have an origin, with documents that say more', () => {
    const changes = {
      fiberDetails: [
        { fiber: 'merino wool', country: 'NZ' },
        { fiber: 'cotton', country: 'IN' },
      ],
      complianceDocuments: [{ type: 'test_report', url: 'https://docs.example/1.pdf', title: 'Report' }],
    }
    const reading = buildExampleReading('textile', { changes })
    assert.equal(compareForms(reading), 3)
    assert.ok(JSON.stringify(buildCredential(reading)).includes('materialProvenance'))
  })
})

describe('the page and the documents', () => {
  for (const category of allCategories())
    it(`the page of ${category.id} has each value that the documents have`, () => {
      const data: Body = { ...plant(category.fields, () => 5), gtin: '9521001200370' }
      const { schemaVersion, id } = category
      const row = rowOf(id as 'textile', data, { schema_version: schemaVersion })
      const planted = listPlantedTexts(category.fields, { ...data, gtin: undefined })
      for (const audience of AUDIENCES) {
        const view = read(row, audience)
        const reading = { ...buildReading(ADDRESSES, row, audience), changedAt: AT, versionCommitment: null }
        assert.deepEqual(reading.data, view.data)
        const document = buildEnDocument(reading, PUBLISHER)
        assert.deepEqual(fromEn(parse(document), category), omitEmpty(category, view.data))
        const page = ['en', 'de'].map(language => renderPage(view, language as 'en')).join()
        const different = planted.filter(
          ({ text }) => containsText(JSON.stringify(document), text) !== isOnPage(page, text),
        )
        assert.deepEqual(
          different.filter(({ path }) => findPageLimit(path) === undefined),
          [],
          audience,
        )
      }
    })
})

/** Pages write numbers as people do. */
const isOnPage = (page: string, text: string): boolean =>
  containsText(page, text) || containsText(page, formatNumber('en', Number(text)))

/** Everything made of a reading, as text. */
async function renderForms(reading: Reading): Promise<string> {
  const line = buildRegistryLine({
    reading,
    publisher: PUBLISHER,
    action: 'register',
    contentHash: '0'.repeat(64),
    backupBaseUrl: 'https://backup.example.net',
  })
  const credential = buildCredential(reading)
  assert.ok('line' in line && 'credential' in credential)
  const files = Object.values(unzipSync(await buildAasx(reading, PUBLISHER))).map(bytes => strFromU8(bytes))
  return JSON.stringify([
    buildEnDocument(reading, PUBLISHER),
    buildFullEnDocument(reading, PUBLISHER),
    credential,
    line,
    ...files,
  ])
}

const CANARY = 'CANARY-7c1f'

/**
 * The data with a canary under keys that no field has, also of objects inside, and in each place that the
 * audience, if there is one, may not see.
 */
function plantCanaries(fields: readonly Field[], data: Body, audience: Audience | null): Body {
  const planted: Body = { ...data, freeNote: CANARY, [`key ${CANARY}`]: { inner: [CANARY] } }
  for (const { name, audience: readers, type, fields: members, of } of fields) {
    const value = data[name]
    if (audience !== null && readers?.includes(audience) === false) planted[name] = CANARY
    else if (type === 'object' && value !== undefined)
      planted[name] = plantCanaries(members ?? [], value as Body, audience)
    else if (Array.isArray(value) && of?.[0]?.name !== '')
      planted[name] = value.map(entry => plantCanaries(of ?? [], entry, audience))
  }
  return planted
}

describe('no form has what its reader may not see', () => {
  const complete = (category: CompleteCategory, data: Body): Body => {
    const { economicOperator } = data
    return addPlant({
      commodityCode: '61099020',
      ...data,
      economicOperator: { ...(economicOperator as object), registryId: { scheme: 'vat', value: 'DE1' } },
      languages: data.languages ?? [category.id],
    })
  }

  for (const category of allCategories()) {
    for (const audience of AUDIENCES) {
      it(`${category.id}, ${audience}: withheld values change nothing`, async () => {
        const build = (hidden: number) => {
          const data = plant(category.fields, leaf => (leaf.audience.includes(audience) ? 2 : hidden))
          return renderForms(readData(category.id, complete(category, data), audience))
        }
        assert.equal(await build(4), await build(7))
      })

      it(`${category.id}, ${audience}: planted values do not appear`, async () => {
        await fc.assert(
          fc.asyncProperty(validData(category), async valid => {
            const planted = plantCanaries(category.fields, complete(category, valid), audience)
            const reading = readData(category.id, planted, audience)
            assert.ok(!(await renderForms(reading)).includes(CANARY), 'as the audience reads it')
            const data = plantCanaries(category.fields, { ...reading.data }, null)
            assert.ok(!(await renderForms({ ...reading, data })).includes(CANARY), 'keys that no field has')
          }),
          { numRuns: IS_FULL ? 300 : 10 },
        )
      })
    }
  }
})
