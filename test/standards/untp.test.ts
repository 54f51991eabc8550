/** UNTP credentials, before they are signed. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Reading } from '../../src/standards/reading.ts'
import { buildUntpCredential } from '../../src/standards/untp/untp-0.7.0.ts'
import { PUBLISHER, UNVERIFIED, verifiedIssuer } from './readings.ts'
import { compileSchema } from './schemas.ts'
import { buildExampleReading, parseExample } from './worked-examples.ts'

const DID = 'did:web:passports.example.org:issuers:k7m2q9x4t6v8'
const STATUS_LIST = `${PUBLISHER.publicUrl}/issuers/k7m2q9x4t6v8/status/1`
const END = new Date('2027-02-15T00:00:00Z')
const assertFacts = compileSchema('untp-0.7.0-facts')

/** The credential, checked against the schema. */
function requireCredential(reading: Reading, index?: number, issuer = verifiedIssuer(reading)) {
  const status = index === undefined ? null : { listUrl: STATUS_LIST, index }
  const result = buildUntpCredential({
    reading,
    publisher: { ...PUBLISHER, did: DID, issuer },
    status,
    validUntil: END,
  })
  assert.ok('credential' in result, JSON.stringify(result))
  assertFacts(result.credential)
  // biome-ignore lint/suspicious/noExplicitAny: a document of any shape
  return result.credential as any
}

const requireSubject = (reading: Reading) => requireCredential(reading).credentialSubject

function listMissing(reading: Reading): string[] {
  const result = buildUntpCredential({
    reading,
    publisher: { ...PUBLISHER, did: DID, issuer: UNVERIFIED },
    status: null,
    validUntil: END,
  })
  return 'missing' in result ? result.missing : []
}

const TEXTILE = buildExampleReading('textile')
const FACILITY = { facilityId: '9521234001003', name: 'Malhas do Norte', country: 'PT' }
const changeTextile = (changes: Record<string, unknown>) => buildExampleReading('textile', { changes })

describe('UNTP credentials', () => {
  for (const [id, index] of [
    ['textile', 93417],
    ['battery', 11260],
  ] as const) {
    it(`of ${id} equal the worked example`, () => {
      const { proof: _, ...expected } = parseExample(`untp-dpp-${id}-item.json`)
      const credential = requireCredential(buildExampleReading(id), index)
      assert.equal(credential.validUntil, '2027-02-15T00:00:00Z')
      // The example has no end, and is of before all translations were among the characteristics.
      for (const one of [credential, expected]) delete one.credentialSubject.characteristics
      delete credential.validUntil
      assert.equal(JSON.stringify(credential, null, 1), JSON.stringify(expected, null, 1))
    })
  }

  it('have the place in the status list as the integer that the schema wants', () => {
    const credential = requireCredential(TEXTILE, 93417)
    assert.equal(credential.credentialStatus.statusListIndex, 93417)
    credential.credentialStatus.statusListIndex = '93417'
    assert.throws(() => assertFacts(credential), /statusListIndex/)
  })

  it('name each required fact that is missing', () => {
    const operator = TEXTILE.data.economicOperator as Record<string, unknown>
    const cases: [Record<string, unknown>, string[]][] = [
      [
        { manufacturingFacility: undefined },
        ['manufacturingFacility.facilityId', 'manufacturingFacility.name'],
      ],
      [
        { manufacturingFacility: { name: 'Plant', otherId: 'not an address' } },
        ['manufacturingFacility.facilityId'],
      ],
      [{ manufacturingFacility: { facilityId: '9521234001003' } }, ['manufacturingFacility.name']],
      [{ countryOfManufacture: undefined }, ['countryOfManufacture']],
      [{ productName: undefined }, ['productName']],
      [{ economicOperator: { ...operator, legalName: undefined } }, ['economicOperator.legalName']],
    ]
    for (const [changes, missing] of cases) assert.deepEqual(listMissing(changeTextile(changes)), missing)
    assert.deepEqual(listMissing({ ...TEXTILE, serial: null }), ['serial'])
    assert.deepEqual(listMissing({ ...TEXTILE, level: 'batch', lot: null }), ['lot'])
    assert.deepEqual(listMissing({ ...TEXTILE, level: 'model', lot: null, serial: null }), [])
  })

  it('know a plant by another identifier if that is an address', () => {
    const otherId = 'duns:123456789'
    const manufacturingFacility = { otherId, name: 'Plant', locality: 'Guimarães', country: 'ES' }
    const { producedAtFacility, characteristics } = requireSubject(changeTextile({ manufacturingFacility }))
    assert.deepEqual(producedAtFacility, { type: ['Facility'], id: otherId, name: 'Plant' })
    assert.deepEqual(characteristics.manufacturingFacility, { locality: 'Guimarães', country: 'ES' })
  })

  it('keep what they do not say elsewhere of a plant with a GLN', () => {
    const manufacturingFacility = { ...FACILITY, otherId: 'duns:123456789' }
    const { characteristics } = requireSubject(changeTextile({ manufacturingFacility }))
    assert.deepEqual(characteristics.manufacturingFacility, { otherId: 'duns:123456789' })
    assert.ok(!('manufacturingFacility' in requireSubject(TEXTILE).characteristics))
  })

  it('identify a product without a GTIN by its address', () => {
    const { id, idScheme } = requireSubject({ ...TEXTILE, gs1Url: null, gtin: null })
    assert.equal(id, TEXTILE.url)
    assert.equal(idScheme.id, `${PUBLISHER.publicUrl}/p/`)
  })

  it('name the category where there is no commodity code, and tell HS from CN', () => {
    const categoryOf = (changes: Record<string, unknown>) =>
      requireSubject(changeTextile(changes)).productCategory
    assert.equal(categoryOf({ commodityCode: undefined })[0].code, 'textile')
    assert.equal(categoryOf({ commodityCode: '610990' })[0].schemeName, 'Harmonized System')
    assert.equal(categoryOf({})[0].schemeName, 'EU Combined Nomenclature')
  })

  it('name as related party manufacturers alone', () => {
    const operator = TEXTILE.data.economicOperator as Record<string, unknown>
    const importer = { ...operator, role: 'importer' }
    const other = { role: 'manufacturer', legalName: 'Malhas do Norte', operatorId: '9521234001003' }
    const imported = requireSubject(changeTextile({ economicOperator: importer }))
    assert.ok(!('relatedParty' in imported))
    assert.deepEqual(imported.characteristics.economicOperator, importer)
    const changes = { economicOperator: importer, operators: [other, { ...other, role: 'recycler' }] }
    const parties = requireSubject(changeTextile(changes)).relatedParty
    assert.deepEqual(
      // biome-ignore lint/suspicious/noExplicitAny: a document of any shape
      parties.map(({ role, party }: any) => [role, party.id]),
      [['manufacturer', 'https://id.gs1.org/417/9521234001003']],
    )
  })

  it('name nobody as issuer whom the operator has not verified, and keep what the account states', () => {
    for (const id of ['textile', 'battery'] as const) {
      const reading = buildExampleReading(id)
      const { issuer, credentialSubject } = requireCredential(reading, undefined, UNVERIFIED)
      assert.deepEqual(issuer, { type: ['CredentialIssuer'], id: DID, name: UNVERIFIED.name })
      assert.equal(credentialSubject.relatedParty[0].party.name, verifiedIssuer(reading).name)
      assert.notEqual(credentialSubject.relatedParty[0].party.id, DID)
    }
  })

  it('give the DID of the account no name that is not verified', () => {
    const { operatorId: _, ...operator } = TEXTILE.data.economicOperator as Record<string, unknown>
    const reading = changeTextile({ economicOperator: operator })
    const other = { ...UNVERIFIED, isVerified: true, name: 'Another GmbH' }
    for (const issuer of [UNVERIFIED, other]) {
      const { credentialSubject } = requireCredential(reading, undefined, issuer)
      assert.ok(!('relatedParty' in credentialSubject))
      assert.equal(credentialSubject.characteristics.economicOperator.legalName, 'Nordfaden GmbH')
    }
  })

  it('identify a manufacturer without a GLN by the DID of its account', () => {
    const { operatorId: _, ...operator } = TEXTILE.data.economicOperator as Record<string, unknown>
    const { issuer, credentialSubject } = requireCredential(changeTextile({ economicOperator: operator }))
    assert.ok(!('issuerAlsoKnownAs' in issuer))
    const [{ party }] = credentialSubject.relatedParty
    assert.deepEqual(party, { type: ['Party'], id: DID, name: 'Nordfaden GmbH' })
  })

  it('have a production date only where the day is known', () => {
    const day = requireSubject(changeTextile({ manufacturingDate: '2026-09-01' }))
    assert.equal(day.productionDate, '2026-09-01')
    assert.ok(!('manufacturingDate' in day.characteristics))
    const month = requireSubject(changeTextile({ manufacturingDate: '2026-09' }))
    assert.ok(!('productionDate' in month))
    assert.equal(month.characteristics.manufacturingDate, '2026-09')
  })

  it('measure furniture with codes of units', () => {
    const reading = buildExampleReading('furniture', { changes: { manufacturingFacility: FACILITY } })
    const subject = requireSubject(reading)
    assert.deepEqual(subject.dimensions, {
      weight: { value: 5.4, unit: 'KGM' },
      length: { value: 52, unit: 'CMT' },
      width: { value: 45, unit: 'CMT' },
      height: { value: 82, unit: 'CMT' },
    })
    assert.deepEqual(subject.characteristics.careInstructions[0], {
      value: 'Mit feuchtem Tuch abwischen.',
      language: 'de',
    })
    assert.equal(subject.idGranularity, 'model')
  })

  it('give materials an origin only if each has one known country', () => {
    const originsOf = (fiberDetails: unknown) => requireSubject(changeTextile({ fiberDetails }))
    const wool = { fiber: 'merino wool', country: 'NZ' }
    const cotton = { fiber: 'cotton', country: 'IN', certificate: 'GOTS 1' }
    const known = originsOf([wool, cotton])
    assert.deepEqual(known.materialProvenance, [
      { name: 'merino wool', originCountry: { countryCode: 'NZ' }, massFraction: 0.7 },
      { name: 'cotton', originCountry: { countryCode: 'IN' }, massFraction: 0.3 },
    ])
    assert.ok(!('fiberComposition' in known.characteristics))
    assert.deepEqual(known.characteristics.fiberDetails, [wool, cotton])
    for (const details of [
      undefined,
      [wool],
      [wool, { fiber: 'cotton' }],
      [wool, cotton, { ...cotton, country: 'TR' }],
      [wool, cotton, { fiber: 'cotton', certificate: 'GOTS 2' }],
    ]) {
      const subject = originsOf(details)
      assert.ok(!('materialProvenance' in subject))
      assert.deepEqual(subject.characteristics.fiberComposition, TEXTILE.data.fiberComposition)
    }
  })

  it('know the origin of wood by its certificate and its harvest, if they agree', () => {
    const base = {
      manufacturingFacility: FACILITY,
      materialComposition: [{ material: 'wood', percentage: 100 }],
    }
    const materialsOf = (changes: Record<string, unknown>) =>
      requireSubject(buildExampleReading('furniture', { changes: { ...base, ...changes } }))
        .materialProvenance
    const expected = [{ name: 'wood', originCountry: { countryCode: 'SE' }, massFraction: 1 }]
    assert.deepEqual(materialsOf({}), expected)
    const woodOrigins = [{ scientificName: 'Picea abies', country: 'SE' }]
    assert.deepEqual(materialsOf({ woodOrigins }), expected)
    assert.equal(
      materialsOf({ woodOrigins: [...woodOrigins, { scientificName: 'Pinus', country: 'FI' }] }),
      undefined,
    )
    assert.equal(materialsOf({ woodCertification: { scheme: 'none' } }), undefined)
  })

  it('link documents by their title, and keep what more is known of them', () => {
    const document = { type: 'test_report', url: 'https://docs.example/a.PDF?x=1#y', title: 'Report 7' }
    const subject = requireSubject(changeTextile({ complianceDocuments: [document] }))
    assert.deepEqual(subject.relatedDocument, [
      {
        linkURL: document.url,
        linkName: 'Report 7',
        mediaType: 'application/pdf',
        linkType: `${PUBLISHER.nsUrl}#complianceDocument`,
      },
    ])
    const { contentType: _, resourceTitle: __, ...kept } = subject.characteristics.complianceDocuments[0]
    assert.deepEqual(kept, document)
  })

  it('show the first picture of the product, and link to the others', () => {
    const pictures = ['a', 'b'].map(letter => ({
      media: letter.repeat(64),
      alt: { en: `From ${letter}` },
      url: `https://passports.example.org/m/${letter.repeat(64)}/1280.jpg`,
    }))
    const reading = changeTextile({ complianceDocuments: [] })
    const subject = requireSubject({ ...reading, data: { ...reading.data, pictures } })
    const [first, second] = pictures.map(({ url, alt }) => ({
      linkURL: url,
      linkName: alt.en,
      mediaType: 'image/jpeg',
      linkType: `${PUBLISHER.nsUrl}#picture`,
    }))
    assert.deepEqual([subject.productImage, subject.relatedDocument], [first, [second]])
    assert.deepEqual(
      // biome-ignore lint/suspicious/noExplicitAny: a document of any shape
      subject.characteristics.pictures.map(({ media, alt }: any) => [media, alt[0].value]),
      pictures.map(({ media, alt }) => [media, alt.en]),
    )
  })

  it('have no member for what is empty', () => {
    const subject = requireSubject(
      changeTextile({ complianceDocuments: [], supplyChainStages: [], weightGrams: undefined }),
    )
    for (const name of ['relatedDocument', 'dimensions', 'productionDate']) assert.ok(!(name in subject))
    assert.ok(!('supplyChainStages' in subject.characteristics))
  })

  it('say that there are none where an empty list says so', () => {
    const { characteristics } = requireSubject(changeTextile({ substancesOfConcern: [] }))
    assert.deepEqual(characteristics.substancesOfConcern, [])
  })
})
