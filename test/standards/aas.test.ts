/** Environments of the Asset Administration Shell, and packages of them. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import fc from 'fast-check'
import { strFromU8, type Unzipped, unzipSync } from 'fflate'
import { allCategories, completeCategory } from '../../src/categories/catalogue.ts'
import { AUDIENCES, type Category } from '../../src/categories/field.ts'
import { buildAasx } from '../../src/standards/aas/aasx.ts'
import { buildAasEnvironment, renderAasEnvironment } from '../../src/standards/aas/environment.ts'
import { DPP_METADATA } from '../../src/standards/aas/names.ts'
import type { Reading } from '../../src/standards/reading.ts'
import { buildTermUrn } from '../../src/standards/term-urn.ts'
import { validData } from '../categories/arbitrary.ts'
import { IS_FULL } from '../full.ts'
import { PUBLISHER, READINGS, readData } from './readings.ts'
import { compileSchema } from './schemas.ts'
import { buildExampleReading, readExample } from './worked-examples.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any

const assertSchema = compileSchema('idta-aas-3.1')

/** The environment as a reader parses it, checked against the schema. */
function requireEnvironment(reading: Reading): Any {
  const environment = JSON.parse(renderAasEnvironment(reading, PUBLISHER))
  assertSchema(environment)
  return environment
}

const findSubmodel = (reading: Reading, idShort: string): Any =>
  requireEnvironment(reading).submodels.find((one: Any) => one.idShort === idShort)

/** The elements of a submodel, by name. */
const readElements = (reading: Reading, idShort: string): Record<string, Any> =>
  Object.fromEntries(
    (findSubmodel(reading, idShort)?.submodelElements ?? []).map((one: Any) => [one.idShort, one]),
  )

const listSubmodels = (reading: Reading): string[] =>
  requireEnvironment(reading).submodels.map((one: Any) => one.idShort)

const TEXTILE = buildExampleReading('textile')
const BATTERY = buildExampleReading('battery')

/** Every element inside, with its neighbours. */
function* walk(elements: readonly Any[]): Generator<{ element: Any; siblings: readonly Any[] }> {
  for (const element of elements) {
    yield { element, siblings: elements }
    if (Array.isArray(element.value) && element.value[0]?.modelType !== undefined) yield* walk(element.value)
  }
}

describe('environments', () => {
  it('equal the worked example byte for byte', () => {
    assert.equal(renderAasEnvironment(BATTERY, PUBLISHER), readExample('aas-battery-item.json'))
  })

  it('are valid for the examples, with the submodels of their category', () => {
    const short = ['DppMetadata', 'Nameplate', 'ProductData', 'PassportRecord']
    assert.deepEqual(listSubmodels(TEXTILE), short)
    assert.deepEqual(listSubmodels(READINGS['furniture-model']), short)
    const handover = ['Circularity', 'HandoverDocumentation']
    assert.deepEqual(listSubmodels(READINGS['battery-item-authority']), [
      'DppMetadata',
      'Nameplate',
      'TechnicalData',
      'CarbonFootprint',
      'MaterialComposition',
      ...handover,
      'PassportRecord',
    ])
  })

  it('are valid for any data, with names that differ from those beside them', () => {
    for (const category of allCategories()) {
      fc.assert(
        fc.property(validData(category), fc.constantFrom(...AUDIENCES), (data, audience) => {
          for (const { submodelElements } of requireEnvironment(readData(category.id, data, audience))
            .submodels) {
            for (const { element, siblings } of walk(submodelElements)) {
              const names = siblings.flatMap(one => one.idShort ?? [])
              assert.equal(new Set(names).size, names.length, `${element.idShort} is unique`)
            }
          }
        }),
        { numRuns: IS_FULL ? 1000 : 30 },
      )
    }
  })

  it('tell model, batch and item apart, and give the ids of the asset', () => {
    const assetOf = (reading: Reading) =>
      requireEnvironment(reading).assetAdministrationShells[0].assetInformation
    assert.equal(assetOf({ ...TEXTILE, level: 'model' }).assetKind, 'Type')
    assert.equal(assetOf({ ...TEXTILE, level: 'batch' }).assetKind, 'NotApplicable')
    assert.equal(assetOf(TEXTILE).assetKind, 'Instance')
    assert.deepEqual(
      assetOf(TEXTILE).specificAssetIds.map((id: Any) => [id.name, id.value]),
      [
        ['gtin', '9506000134352'],
        ['batchNumber', 'L2026-09'],
        ['serialNumber', 'A0001'],
        ['manufacturerPartId', 'MT-100-BLU-M'],
      ],
    )
  })

  it('hold what little is known of a passport without data', () => {
    const reading = { ...TEXTILE, data: {}, gs1Url: null, gtin: null, lot: null, serial: null }
    const [shell] = requireEnvironment(reading).assetAdministrationShells
    assert.deepEqual(shell.assetInformation, { assetKind: 'Instance', globalAssetId: TEXTILE.url })
    assert.deepEqual(listSubmodels(reading), ['DppMetadata', 'Nameplate', 'PassportRecord'])
    assert.deepEqual(Object.keys(readElements(reading, 'Nameplate')), ['URIOfTheProduct'])
    assert.deepEqual(listSubmodels({ ...BATTERY, data: {} }), ['DppMetadata', 'Nameplate', 'PassportRecord'])
  })
})

describe('submodels', () => {
  it('are those of IDTA only if every element of the template is known', () => {
    const semanticsOf = (reading: Reading) => findSubmodel(reading, 'DppMetadata').semanticId.keys[0].value
    assert.equal(semanticsOf(TEXTILE), DPP_METADATA)
    const unknown = buildExampleReading('textile', { changes: { manufacturingFacility: undefined } })
    assert.equal(semanticsOf(unknown), buildTermUrn('aas/DppMetadata/v1'))
    assert.equal(findSubmodel(TEXTILE, 'DppMetadata').supplementalSemanticIds, undefined)
    assert.ok(!('facilityId' in readElements(unknown, 'DppMetadata')))
    for (const { idShort, semanticId } of requireEnvironment(BATTERY).submodels.slice(1))
      assert.equal(semanticId.keys[0].value, buildTermUrn(`aas/${idShort}/v1`))
  })

  it('name the templates that they are near to, and the address of before, as supplemental semantic ids', () => {
    const othersOf = (reading: Reading) =>
      Object.fromEntries(
        requireEnvironment(reading).submodels.map(({ idShort, supplementalSemanticIds = [] }: Any) => [
          idShort,
          supplementalSemanticIds.map(({ keys }: Any) => keys[0].value),
        ]),
      )
    const own = (idShort: string) => `${PUBLISHER.nsUrl}/aas/${idShort}/v1`
    const nameplate = 'https://admin-shell.io/idta/nameplate/3/0/Nameplate'
    assert.deepEqual(othersOf(TEXTILE), {
      DppMetadata: [],
      Nameplate: [nameplate, own('Nameplate')],
      ProductData: [own('ProductData')],
      PassportRecord: [own('PassportRecord')],
    })
    const battery = othersOf(BATTERY)
    assert.deepEqual(battery.Nameplate, [
      'https://admin-shell.io/idta/digitalbatterypassport/nameplate/1/0/Nameplate',
      nameplate,
      own('Nameplate'),
    ])
    assert.deepEqual(battery.HandoverDocumentation, ['0173-1#01-AHF578#003', own('HandoverDocumentation')])
    assert.equal(battery.TechnicalData[1], '0173-1#01-AHX837#002')
    assert.equal(
      battery.CarbonFootprint[0],
      'https://admin-shell.io/idta/CarbonFootprint/CarbonFootprint/1/0',
    )
  })

  it('name a manufacturer only where the operator is one', () => {
    const economicOperator = { ...(BATTERY.data.economicOperator as object), role: 'importer' }
    const imported = buildExampleReading('battery', { changes: { economicOperator } })
    assert.ok('ManufacturerName' in readElements(BATTERY, 'Nameplate'))
    assert.ok(!('ManufacturerName' in readElements(imported, 'Nameplate')))
    assert.ok(!JSON.stringify(findSubmodel(imported, 'TechnicalData')).includes('Voltwerk'))
  })

  it('have the element of IDTA only where the value fits it', () => {
    const changed = (changes: Record<string, unknown>) => buildExampleReading('battery', { changes })
    const lifetimeOf = (expectedLifetimeCycles: number) => {
      const areas = readElements(changed({ expectedLifetimeCycles }), 'TechnicalData').TechnicalPropertyAreas
      return areas.value.find((one: Any) => one.idShort === 'Lifetime').value[0]
    }
    assert.equal(lifetimeOf(1000).valueType, 'xs:unsignedInt')
    for (const cycles of [1000.5, 2 ** 32]) {
      const { idShort, valueType, value } = lifetimeOf(cycles)
      assert.deepEqual(
        { idShort, valueType, value },
        {
          idShort: 'ExpectedLifetimeCycles',
          valueType: 'xs:decimal',
          value: `${cycles}`,
        },
      )
    }
    const nameplate = readElements(changed({ manufacturingDate: '2026-09' }), 'Nameplate')
    assert.ok(!('DateOfManufacture' in nameplate))
    assert.equal(nameplate.ManufacturingDate.valueType, 'xs:gYearMonth')
    assert.ok(
      !(
        'ReferenceImpactUnitForCalculation' in
        readElements(changed({ carbonFootprint: undefined }), 'CarbonFootprint')
      ),
    )
  })

  it('write decimals without exponent', () => {
    const weightOf = (weightGrams: number) =>
      readElements(buildExampleReading('textile', { changes: { weightGrams } }), 'ProductData').WeightGrams
        .value
    assert.equal(weightOf(1e-7), '0.0000001')
    assert.equal(weightOf(1.5e22), '15000000000000000000000')
    assert.equal(weightOf(165), '165')
  })

  it('have a file only where the address is one that the metamodel takes', () => {
    const fileOf = (url: string) => {
      const complianceDocuments = [{ type: 'test_report', url }]
      const reading = buildExampleReading('textile', { changes: { complianceDocuments } })
      return readElements(reading, 'ProductData').Documents.value[0].value[1]
    }
    const { modelType, contentType } = fileOf('https://docs.example/a%20b/r.pdf?v=1#p2')
    assert.deepEqual({ modelType, contentType }, { modelType: 'File', contentType: 'application/pdf' })
    const address = fileOf('https://büro.example/ä.pdf')
    assert.equal(address.modelType, 'Property')
    assert.equal(address.valueType, 'xs:anyURI')
    for (const part of ['{id}|1', '100%', 'a#b#c', '\u{e000}', '\u{10fffd}', '\u{1fffe}'])
      assert.equal(fileOf(`https://docs.example/${part}`).valueType, 'xs:string', part)
    assert.equal(fileOf(`https://docs.example/${'x'.repeat(2000)}`).modelType, 'Property')
  })

  it('keep long texts whole', () => {
    const long = 'ä'.repeat(1024)
    const careOf = (careInstructions: Record<string, string>) =>
      readElements(buildExampleReading('textile', { changes: { careInstructions } }), 'ProductData')
        .CareInstructions
    assert.equal(careOf({ de: 'x', en: long.slice(1) }).modelType, 'MultiLanguageProperty')
    const { modelType, value } = careOf({ de: 'Kurz.', en: long })
    assert.equal(modelType, 'SubmodelElementList')
    assert.deepEqual(
      value.map((one: Any) => one.value.map((member: Any) => member.value)),
      [
        ['en', long],
        ['de', 'Kurz.'],
      ],
    )
  })

  it('replace characters that no text of the metamodel has', () => {
    const reading = buildExampleReading('textile', { changes: { productName: 'A\uffff😀\ufffe' } })
    const [{ text }] = readElements(reading, 'Nameplate').ManufacturerProductDesignation.value
    assert.equal(text, 'A\ufffd😀\ufffd')
  })

  it('hold long lists, and empty ones where emptiness is an answer', () => {
    const substances = Array.from({ length: 500 }, (_, i) => ({ name: `Substance ${i}` }))
    const elementsOf = (changes: Record<string, unknown>) =>
      readElements(buildExampleReading('textile', { changes }), 'ProductData')
    assert.equal(elementsOf({ substancesOfConcern: substances }).SubstancesOfConcern.value.length, 500)
    assert.ok(!('value' in elementsOf({ substancesOfConcern: [] }).SubstancesOfConcern))
    assert.ok(!('SupplyChainStages' in elementsOf({ supplyChainStages: [] })))
  })

  it('name elements with letters, digits and underscores, whatever the field is called', () => {
    const names = ['größe', '漢字', '1st', 'x', 'a-b', 'a b', 'aB', 'AB', 'ab', 'n'.repeat(140)]
    const category: Category = {
      id: 'strange',
      title: 'Strange',
      schemaVersion: 1,
      fields: names.map(name => ({ name, type: 'name', description: 'A name.' })),
    }
    const data = Object.fromEntries(names.map(name => [name, name]))
    const elements = readElements({ ...TEXTILE, category: completeCategory(category), data }, 'ProductData')
    assert.equal(Object.keys(elements).length, names.length)
    assert.deepEqual(
      Object.values(elements).map(one => one.value),
      names,
    )
    for (const name of Object.keys(elements)) assert.match(name, /^[A-Za-z][A-Za-z0-9_]{1,127}$/)
  })

  it('say more of a plant than its GLN only if more is known', () => {
    const plant = { facilityId: '9521234001003', name: 'Malhas do Norte', country: 'PT' }
    const nameplateOf = (manufacturingFacility: unknown) =>
      readElements(buildExampleReading('textile', { changes: { manufacturingFacility } }), 'Nameplate')
    assert.ok(!('ManufacturingFacility' in nameplateOf({ facilityId: plant.facilityId })))
    assert.ok('ManufacturingFacility' in nameplateOf(plant))
    const { facilityId: _, ...unnumbered } = plant
    assert.ok('ManufacturingFacility' in nameplateOf(unnumbered))
    assert.ok(!('UniqueFacilityIdentifier' in nameplateOf(unnumbered)))
  })
})

describe('packages', () => {
  let files: Unzipped
  before(async () => {
    files = unzipSync(await buildAasx(BATTERY, PUBLISHER))
  })
  const read = (name: string) => strFromU8(files[name] ?? new Uint8Array())

  it('have the environment, and relationships that lead to it', () => {
    const path = 'aasx/data.json'
    assert.deepEqual(Object.keys(files), [
      '[Content_Types].xml',
      '_rels/.rels',
      'aasx/aasx-origin',
      'aasx/_rels/aasx-origin.rels',
      path,
    ])
    assert.equal(read(path), readExample('aas-battery-item.json'))
    const targetOf = (rels: string) => /Target="\/([^"]+)"/.exec(read(rels))?.[1]
    assert.equal(targetOf('_rels/.rels'), 'aasx/aasx-origin')
    assert.equal(targetOf('aasx/_rels/aasx-origin.rels'), path)
    for (const [rels, kind] of [
      ['_rels/.rels', 'aasx-origin'],
      ['aasx/_rels/aasx-origin.rels', 'aas-spec'],
    ] as const)
      assert.ok(read(rels).includes(`Type="http://admin-shell.io/aasx/relationships/${kind}"`))
    for (const part of ['Extension="rels"', 'Extension="json"', 'PartName="/aasx/aasx-origin"'])
      assert.ok(read('[Content_Types].xml').includes(part))
  })

  it('of one passport are always the same', async () => {
    assert.deepEqual(await buildAasx(BATTERY, PUBLISHER), await buildAasx(BATTERY, PUBLISHER))
    assert.deepEqual(buildAasEnvironment(BATTERY, PUBLISHER), buildAasEnvironment(BATTERY, PUBLISHER))
  })
})
