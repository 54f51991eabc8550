/** Each document that is JSON-LD expands strictly: no member is lost for want of a term. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { allCategories } from '../../src/categories/catalogue.ts'
import { AUDIENCES } from '../../src/categories/field.ts'
import type { DataObject } from '../../src/kernel/values/data-object.ts'
import { renderJsonLd } from '../../src/site/json-ld/document.ts'
import { buildEnDocument } from '../../src/standards/en18223/document.ts'
import type { Reading } from '../../src/standards/reading.ts'
import { addProof } from '../../src/standards/signing/data-integrity.ts'
import { buildStatusListCredential, createStatusBits } from '../../src/standards/signing/status-list.ts'
import { buildUntpCredential } from '../../src/standards/untp/untp-0.7.0.ts'
import { validData } from '../categories/arbitrary.ts'
import { IS_FULL } from '../full.ts'
import { ADDRESSES } from '../harness.ts'
import { read, rowOf } from '../site/passport-views.ts'
import { plant } from '../site/planted.ts'
import { createStrictProcessor, listScalars } from './expand.ts'
import { PUBLISHER, READINGS, readData, verifiedIssuer } from './readings.ts'
import { TEST_DID, testSigner } from './signing-examples.ts'
import { parseExample } from './worked-examples.ts'

const { expand, toQuads } = createStrictProcessor(PUBLISHER.nsUrl)
const LIST_URL = `${PUBLISHER.publicUrl}/issuers/k7m2q9x4t6v8/status/1`
const AT = new Date('2026-11-20T10:00:00Z')
const END = new Date('2027-02-15T00:00:00Z')
const sign = (document: DataObject) => addProof(document, testSigner, AT, END)

function requireCredential(reading: Reading): DataObject {
  const publisher = { ...PUBLISHER, did: TEST_DID, issuer: verifiedIssuer(reading) }
  const result = buildUntpCredential({
    reading,
    publisher,
    status: { listUrl: LIST_URL, index: 7 },
    validUntil: END,
  })
  assert.ok('credential' in result, JSON.stringify(result))
  return JSON.parse(JSON.stringify(result.credential))
}

/** Types, and contexts inside of proofs, are no values of their own in the expanded form. */
const omitTypes = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, one) => (key === 'type' || key === '@context' ? undefined : one)))

/** Expanding adds types and addresses of types, but drops no value. */
async function assertNothingLost(document: DataObject): Promise<void> {
  const found = listScalars(await expand(document))
  for (const scalar of listScalars(omitTypes(document))) {
    const at = found.indexOf(scalar)
    assert.ok(at >= 0 || isExpandedEnum(scalar), `${scalar} is lost`)
    if (at >= 0) found.splice(at, 1)
  }
}

/** Its term is an address in the expanded form. */
const isExpandedEnum = (scalar: string) => scalar === '"assertionMethod"'

const LEVELS = ['model', 'batch', 'item'] as const
const levelOf = (level: (typeof LEVELS)[number]) => ({
  level,
  lot: level === 'model' ? null : 'L1',
  serial: level === 'item' ? 'S1' : null,
})

/** With what UNTP requires of each passport. */
const complete = (data: DataObject): DataObject => ({
  ...data,
  manufacturingFacility: { facilityId: '9521234001003', name: 'Malhas do Norte' },
})

describe('a document as strict JSON-LD', () => {
  for (const { id, fields } of allCategories())
    for (const level of LEVELS)
      it(`${id}, ${level}: every field, for each audience, in EN 18223 and UNTP`, async () => {
        const data = complete(plant(fields, () => 3))
        for (const audience of AUDIENCES) {
          const reading = { ...readData(id, data, audience), ...levelOf(level) }
          await assertNothingLost(await sign(buildEnDocument(reading, PUBLISHER)))
          await assertNothingLost(await sign(requireCredential(reading)))
        }
      })

  for (const { id, ...category } of allCategories())
    it(`${id}: credentials of random passports`, async () => {
      await fc.assert(
        fc.asyncProperty(
          validData({ id, ...category }),
          fc.constantFrom(...AUDIENCES),
          fc.constantFrom(...LEVELS),
          async (data, audience, level) => {
            const reading = { ...readData(id, complete(data), audience), ...levelOf(level) }
            await assertNothingLost(requireCredential(reading))
          },
        ),
        { numRuns: IS_FULL ? 300 : 10 },
      )
    })

  for (const file of ['untp-dpp-textile-item.json', 'untp-dpp-battery-item.json'])
    it(`the worked example ${file}, also as RDF`, async () => {
      const example = parseExample(file)
      await assertNothingLost(example)
      assert.ok((await toQuads(example)).split('\n').length > 40)
    })

  for (const { id, ...category } of allCategories())
    it(`${id}: the page of random passports`, async () => {
      const nsUrl = `${ADDRESSES.publicUrl}/ns/dpp`
      const processor = createStrictProcessor(nsUrl)
      await fc.assert(
        fc.asyncProperty(
          validData({ id, ...category }),
          fc.constantFrom(...AUDIENCES),
          fc.constantFrom({ level: 'm' }, { level: 'b', lot: 'L1' }, { level: 'i', serial: 'S1' } as const),
          async (data, audience, unit) => {
            const row = rowOf(id as 'textile', data, {
              schema_version: category.schemaVersion,
              ...unit,
            } as object)
            const document = JSON.parse(renderJsonLd(read(row, audience), nsUrl))
            assert.equal((await processor.expand(document)).length, 1)
          },
        ),
        { numRuns: IS_FULL ? 300 : 15 },
      )
    })

  it('the list of revoked credentials', async () => {
    const validUntil = new Date(AT.getTime() + 7 * 86_400_000)
    const bits = createStatusBits()
    const list = buildStatusListCredential({
      url: LIST_URL,
      did: TEST_DID,
      bits,
      validFrom: AT,
      validUntil,
    })
    await assertNothingLost(await sign(JSON.parse(JSON.stringify(list))))
    assert.ok((await toQuads(list)).includes('BitstringStatusList'))
  })

  it('is refused with a member without a term, or a party without its type', async () => {
    const credential = requireCredential(READINGS['textile-item'])
    await assert.rejects(expand({ ...credential, unknown: 1 }), { name: 'jsonld.ValidationError' })
    const text = JSON.stringify(credential).replace('"type":["Party"],', '')
    assert.ok(!text.includes('["Party"]'))
    await assert.rejects(expand(JSON.parse(text)), { name: 'jsonld.ValidationError' })
  })
})
