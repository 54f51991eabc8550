/** Lines for the EU registry, and the payloads that are made of them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { allCategories } from '../../src/categories/catalogue.ts'
import type { Reading } from '../../src/standards/reading.ts'
import { buildCirpass2Payload } from '../../src/standards/registry/cirpass2-payload.ts'
import {
  buildRegistryLine,
  formatRegistryLines,
  type RegistryInput,
  type RegistryLine,
  sortRegistryLines,
} from '../../src/standards/registry/registry-line.ts'
import { validData } from '../categories/arbitrary.ts'
import { IS_FULL } from '../full.ts'
import { PUBLISHER, readData } from './readings.ts'
import { compileSchema } from './schemas.ts'
import { buildExampleReading, parseExample } from './worked-examples.ts'

const EXPECTED = parseExample('registry-export.json')
const HASHES = EXPECTED.lines.map((line: RegistryLine) => line.contentHash.value)
const assertLine = compileSchema('registry-line')
const assertPayload = compileSchema('cirpass2-registry')

const buildInput = (reading: Reading, more: Partial<RegistryInput> = {}): RegistryInput => ({
  reading,
  publisher: PUBLISHER,
  action: 'register',
  contentHash: HASHES[0],
  backupBaseUrl: 'https://backup.example.net/carnet',
  ...more,
})

function requireLine(reading: Reading, more: Partial<RegistryInput> = {}): RegistryLine {
  const result = buildRegistryLine(buildInput(reading, more))
  assert.ok('line' in result, JSON.stringify(result))
  assertLine(result.line)
  return result.line
}

const listMissing = (reading: Reading, more: Partial<RegistryInput> = {}) => {
  const result = buildRegistryLine(buildInput(reading, more))
  return 'missing' in result ? result.missing : []
}

const TEXTILE = buildExampleReading('textile')
const BATTERY = buildExampleReading('battery')

describe('registry lines', () => {
  it('equal the worked examples', () => {
    const lines = [requireLine(TEXTILE), requireLine(BATTERY, { contentHash: HASHES[1] })]
    assert.equal(JSON.stringify(lines, null, 1), JSON.stringify(EXPECTED.lines, null, 1))
  })

  it('name every missing fact of the worked example', () => {
    const [{ passportId, missing }] = EXPECTED.notReady
    const reading = buildExampleReading('furniture')
    assert.equal(reading.id, passportId)
    assert.deepEqual(listMissing(reading), missing)
  })

  it('name each fact that alone is missing or unusable', () => {
    const operator = TEXTILE.data.economicOperator as Record<string, unknown>
    const cases: [Record<string, unknown>, string][] = [
      [{ economicOperator: { ...operator, registryId: undefined } }, 'economicOperator.registryId'],
      [
        { economicOperator: { ...operator, registryId: { scheme: 'duns', value: '1' } } },
        'economicOperator.registryId',
      ],
      [
        { economicOperator: { ...operator, registryId: { scheme: 'vat', value: 'D'.repeat(47) } } },
        'economicOperator.registryId',
      ],
      [{ economicOperator: { ...operator, legalName: undefined } }, 'economicOperator.legalName'],
      [{ economicOperator: { ...operator, country: undefined } }, 'economicOperator.country'],
      [{ manufacturingFacility: { name: 'Plant 1', otherId: 'duns:1' } }, 'manufacturingFacility.facilityId'],
      [{ commodityCode: undefined }, 'commodityCode'],
      [{ commodityCode: '6109 90' }, 'commodityCode'],
    ]
    for (const [changes, field] of cases)
      assert.deepEqual(listMissing(buildExampleReading('textile', { changes })), [field])
    assert.deepEqual(listMissing(TEXTILE, { backupBaseUrl: null }), ['backupUrl'])
  })

  it('need a backup at another address than the passport', () => {
    const reading = { ...TEXTILE, gs1Url: null }
    assert.deepEqual(listMissing(reading, { backupBaseUrl: PUBLISHER.publicUrl }), ['backupUrl'])
    assert.equal(requireLine(reading).liveUrl, reading.url)
  })

  it('name all that is missing at once, in a fixed order', () => {
    assert.deepEqual(listMissing({ ...TEXTILE, data: {} }, { backupBaseUrl: null }), [
      'economicOperator.registryId',
      'economicOperator.legalName',
      'economicOperator.country',
      'manufacturingFacility.facilityId',
      'commodityCode',
      'backupUrl',
    ])
  })

  it('of any data are valid, or name what is missing', () => {
    let lines = 0
    for (const category of allCategories()) {
      fc.assert(
        fc.property(validData(category), data => {
          const result = buildRegistryLine(buildInput(readData(category.id, data)))
          if ('missing' in result) return assert.ok(result.missing.length > 0)
          lines++
          assertLine(result.line)
          const payload = buildCirpass2Payload(result.line, 'parents')
          return 'payload' in payload ? assertPayload(payload.payload) : assert.ok(payload.tooLong.length > 0)
        }),
        { numRuns: IS_FULL ? 1000 : 100 },
      )
    }
    assert.ok(lines > 0)
  })

  it('leave out a commitment that the account does not have', () => {
    assert.ok(!('versionCommitment' in requireLine({ ...TEXTILE, versionCommitment: null })))
  })

  it('are sent models first, then batches, then items', () => {
    const line = requireLine(BATTERY)
    const lines = (['item', 'model', 'batch', 'item', 'model', 'batch'] as const).map((granularity, i) => ({
      ...line,
      granularity,
      passportId: `${9 - i}`,
    }))
    assert.deepEqual(
      sortRegistryLines(lines).map(({ granularity, passportId }) => granularity + passportId),
      ['model5', 'model8', 'batch4', 'batch7', 'item6', 'item9'],
    )
    const parsed = formatRegistryLines(lines)
      .split('\n')
      .filter(text => text !== '')
      .map(text => JSON.parse(text))
    assert.deepEqual(parsed, sortRegistryLines(lines))
    assert.equal(formatRegistryLines([]), '')
  })
})

describe('payloads for the mock of CIRPASS-2', () => {
  it('equal the worked examples in the newer schema', () => {
    const { first, second } = EXPECTED.cirpass2Mock
    const payloads = [TEXTILE, BATTERY].map(reading => {
      const result = buildCirpass2Payload(requireLine(reading), 'parents')
      assert.ok('payload' in result)
      assertPayload(result.payload)
      return result.payload
    })
    assert.deepEqual(payloads, [first.payload, second])
  })

  it('name no parents in the published schema', () => {
    const result = buildCirpass2Payload(requireLine(TEXTILE), '2026-04-29')
    const { modelUpi: _, batchUpi: __, ...expected } = EXPECTED.cirpass2Mock.first.payload
    assert.deepEqual(result, { payload: expected })
  })

  it('say of items alone whether they are deactivated', () => {
    for (const level of ['model', 'batch', 'item'] as const) {
      const reading: Reading = {
        ...TEXTILE,
        level,
        model: level === 'model' ? null : TEXTILE.model,
        batch: level === 'item' ? TEXTILE.batch : null,
      }
      const result = buildCirpass2Payload(requireLine(reading, { action: 'deactivate' }), 'parents')
      assert.ok('payload' in result)
      assertPayload(result.payload)
      const { deactivated, modelUpi, batchUpi } = result.payload
      assert.equal(deactivated, level === 'item' ? true : undefined)
      assert.equal(modelUpi, level === 'model' ? undefined : TEXTILE.model?.gs1Url)
      assert.equal(batchUpi, level === 'item' ? TEXTILE.batch?.gs1Url : undefined)
    }
  })

  it('are not made of identifiers that are too long', () => {
    const line = requireLine(TEXTILE)
    const long = `${PUBLISHER.publicUrl}/01/09506000134352/21/`.padEnd(201, 'x')
    assert.deepEqual(buildCirpass2Payload({ ...line, uniqueProductIdentifier: long }, 'parents'), {
      tooLong: ['uniqueProductIdentifier'],
    })
    assert.ok(
      'payload' in buildCirpass2Payload({ ...line, uniqueProductIdentifier: long.slice(1) }, 'parents'),
    )
    const registryId = { scheme: 'vat', value: 'D'.repeat(47) } as const
    assert.deepEqual(
      buildCirpass2Payload({ ...line, operator: { ...line.operator, registryId } }, 'parents'),
      {
        tooLong: ['operator.registryId'],
      },
    )
  })
})
