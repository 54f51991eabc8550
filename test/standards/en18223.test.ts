/** Documents of EN 18223: the worked examples, the field table, and reading back what was written. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { allCategories, type CompleteCategory } from '../../src/categories/catalogue.ts'
import { AUDIENCES, type Field } from '../../src/categories/field.ts'
import { asObject, type DataObject, isObject } from '../../src/kernel/values/data-object.ts'
import { loadRules } from '../../src/readiness/rules.ts'
import { buildDictionaryReference } from '../../src/standards/en18223/dictionary.ts'
import { buildEnDocument, buildFullEnDocument } from '../../src/standards/en18223/document.ts'
import { getContextVersion, RECORD_FIELD } from '../../src/standards/en18223/header.ts'
import { HEADER_MEMBER, PASSPORT_RECORD } from '../../src/standards/en18223/names.ts'
import { fromEn } from '../../src/standards/en18223/read-document.ts'
import { type Body, validData } from '../categories/arbitrary.ts'
import { freeze } from '../categories/examples.ts'
import { formatValue } from '../categories/format-values.ts'
import { IS_FULL } from '../full.ts'
import { FURNITURE_PUBLISHER, PUBLISHER, READINGS, readData } from './readings.ts'

const NS = PUBLISHER.nsUrl

const readExample = (name: string): DataObject =>
  JSON.parse(readFileSync(join(import.meta.dirname, `examples/en18223-${name}.json`), 'utf8'))

/** The members in another order: `moved` right after `anchor`. */
function moveAfter<Value>(
  entries: readonly Value[],
  isMoved: (one: Value) => boolean,
  isAnchor: typeof isMoved,
) {
  const moved = entries.filter(isMoved)
  return entries.filter(one => !isMoved(one)).flatMap(one => (isAnchor(one) ? [one, ...moved] : [one]))
}

/**
 * The examples are older than three settled points: the place of `manufacturingFacility` in the field table, the
 * type of a document, which stands beside the title of the resource, and the number of the newest context.
 */
function settle({ proof: _, ...example }: DataObject): DataObject {
  const withType = (one: DataObject) => ({ ...one, type: one.resourceTitle })
  const members = Object.entries(example).map(([name, value]): [string, unknown] => {
    if (name === '@context' && Array.isArray(value)) return [name, value.map(nameNewestContext)]
    if (name === 'complianceDocuments' && Array.isArray(value)) return [name, value.map(withType)]
    return name === 'elements' && Array.isArray(value) ? [name, settleElements(value)] : [name, value]
  })
  return Object.fromEntries(
    moveAfter(
      members,
      ([name]) => name === 'manufacturingFacility',
      ([name]) => name === 'complianceDocuments',
    ),
  )
}

const nameNewestContext = (context: string): string =>
  context.replace(/\/en18223\/(\w+)\/v1$/, (_, id) => `/en18223/${id}/v${getContextVersion(id)}`)

const settleElements = (elements: readonly DataObject[]): DataObject[] =>
  moveAfter(
    elements.map(one =>
      one.elementId === 'complianceDocuments' && Array.isArray(one.elements)
        ? { ...one, elements: one.elements.map(entry => ({ ...entry, type: entry.resourceTitle })) }
        : one,
    ),
    one => one.elementId === 'manufacturingFacility',
    one => one.elementId === 'complianceDocuments',
  )

const publisherOf = (name: string) => (name.startsWith('furniture') ? FURNITURE_PUBLISHER : PUBLISHER)

describe('the worked examples', () => {
  for (const [name, reading] of Object.entries(READINGS)) {
    test(`${name}: compressed`, () => {
      const written = buildEnDocument(freeze(reading), publisherOf(name))
      assert.equal(JSON.stringify(written, null, 1), JSON.stringify(settle(readExample(name)), null, 1))
    })

    test(`${name}: the data is read back from both forms`, () => {
      const publisher = publisherOf(name)
      for (const build of [buildEnDocument, buildFullEnDocument])
        assert.deepEqual(fromEn(freeze(build(reading, publisher)), reading.category), reading.data)
    })
  }

  for (const name of ['textile-item', 'battery-item', 'furniture-model'] as const)
    test(`${name}: full`, () => {
      const written = buildFullEnDocument(freeze(READINGS[name]), publisherOf(name))
      const example = settle(readExample(`${name}-full`))
      assert.equal(JSON.stringify(written, null, 1), JSON.stringify(example, null, 1))
    })

  test('as they are, with the proof and documents without a type, are read, too', () => {
    for (const name of Object.keys(READINGS) as (keyof typeof READINGS)[]) {
      const { category, data } = READINGS[name]
      assert.deepEqual(fromEn(freeze(readExample(name)), category), data)
    }
  })
})

describe('the header', () => {
  const reading = READINGS['furniture-model']
  const headerOf = (change: Partial<typeof reading>, publisher = PUBLISHER) =>
    buildEnDocument({ ...reading, ...change }, publisher)
  const withOperator = (more: DataObject) => ({
    data: { ...reading.data, economicOperator: { ...asObject(reading.data.economicOperator), ...more } },
  })

  test('names the operator by GLN, else by LEI, else by DID, or not at all', () => {
    const lei = { registryId: { scheme: 'lei', value: '5493001KJTIIGC8Y1R12' } }
    const member = HEADER_MEMBER.operatorId
    assert.equal(
      headerOf(withOperator({ ...lei, operatorId: '9521234000006' }))[member],
      'https://id.gs1.org/417/9521234000006',
    )
    assert.equal(headerOf(withOperator(lei))[member], '0199:5493001KJTIIGC8Y1R12')
    assert.equal(
      headerOf(withOperator({ registryId: { scheme: 'vat', value: 'DE1' } }))[member],
      PUBLISHER.did,
    )
    assert.ok(!(member in headerOf({}, { ...PUBLISHER, did: null })))
  })

  test('names the DID first if the account prefers it and has one', () => {
    const gln = withOperator({ operatorId: '9521234000006' })
    assert.equal(headerOf(gln, { ...PUBLISHER, prefersDid: true })[HEADER_MEMBER.operatorId], PUBLISHER.did)
    assert.equal(
      headerOf(gln, { ...PUBLISHER, prefersDid: true, did: null })[HEADER_MEMBER.operatorId],
      'https://id.gs1.org/417/9521234000006',
    )
  })

  test('has the id that the passport keeps from another system, and those of its parents', () => {
    const model = { id: 'm', url: 'https://a.example/p/m', gs1Url: null, dppId: 'https://b.example/m' }
    const document = headerOf({ dppId: 'urn:example:7', gs1Url: null, level: 'item', model })
    assert.equal(document[HEADER_MEMBER.id], 'urn:example:7')
    assert.equal(document[HEADER_MEMBER.productId], reading.url)
    assert.deepEqual(document[PASSPORT_RECORD], {
      category: 'furniture',
      versionNo: 1,
      modelPassportId: 'https://b.example/m',
      outdated: false,
      versionCommitment: reading.versionCommitment,
    })
  })

  test('names the specification by the schema version of the passport, and its status', () => {
    const document = headerOf({ schemaVersion: 1, status: 'archived' })
    assert.deepEqual(document[HEADER_MEMBER.contentSpecificationIds], [`${NS}/furniture/v1`])
    assert.equal(document[HEADER_MEMBER.status], 'archived')
  })
})

type Place = { field: Field; place: string }

function listPlaces(fields: readonly Field[], parent: string): Place[] {
  return fields.flatMap(field => {
    const place = `${parent}.${field.name}`
    return [{ field, place }, ...listPlaces(field.fields ?? field.of ?? [], place)]
  })
}

const PLACES = [
  ...allCategories().flatMap(category => listPlaces(category.fields, category.id)),
  ...listPlaces([RECORD_FIELD], 'record'),
].filter(({ field }) => field.name !== '')

describe('the field table', () => {
  test('one dictionary entry has one unit and one type', () => {
    const kinds = new Map<string, Map<string, string[]>>()
    for (const { field, place } of PLACES) {
      const reference = buildDictionaryReference(field, NS)
      const type = field.type === 'text' ? 'name' : field.type
      const kind = [type, field.unit ?? 'no unit', field.localized ? 'localized' : ''].join(' ')
      const places = kinds.get(reference) ?? new Map<string, string[]>()
      kinds.set(reference, places.set(kind, [...(places.get(kind) ?? []), place]))
    }
    assert.deepEqual(
      [...kinds].filter(([, places]) => places.size > 1),
      [],
    )
    assert.ok(kinds.size > 200)
  })

  test('an entry of another vocabulary says nothing of a unit', () => {
    for (const { field, place } of PLACES)
      if (field.unit !== undefined) assert.ok(buildDictionaryReference(field, NS).startsWith(`${NS}#`), place)
  })

  test('entries are named as agreed', () => {
    const find = (place: string) => {
      const found = PLACES.find(one => one.place === place)
      assert.ok(found, place)
      return buildDictionaryReference(found.field, NS)
    }
    assert.equal(find('battery.carbonFootprint'), `${NS}#carbonFootprintPerKwh`)
    assert.equal(find('battery.carbonFootprintBreakdown.value'), `${NS}#carbonFootprintStagePerKwh`)
    assert.equal(find('textile.carbonFootprint'), `${NS}#carbonFootprint`)
    assert.equal(find('textile.weightGrams'), `${NS}#weightGrams`)
    assert.equal(find('textile.economicOperator.role'), `${NS}#operatorRole`)
    assert.equal(find('record.passportRecord.lot'), 'https://ref.gs1.org/voc/hasBatchLotNumber')
  })

  test('no field has the name of another member of a document', () => {
    const taken = new Set<string>([...Object.values(HEADER_MEMBER), PASSPORT_RECORD])
    for (const name of ['@context', 'proof', 'elements', 'lastUpdate', 'id', 'type']) taken.add(name)
    for (const category of allCategories())
      for (const { name } of category.fields) assert.ok(!taken.has(name), `${category.id}.${name}`)
  })

  test('an empty list is an answer where the rules of acts say so, and nowhere else', () => {
    const facts = [...loadRules().acts].flatMap(([category, acts]) =>
      acts
        .flatMap(({ rules }) => rules.flatMap(({ met, partial = [] }) => [...met, ...partial].flat()))
        .filter(({ text }) => text.endsWith('?'))
        .map(({ text }) => `${category}.${text.slice(0, -1)}`),
    )
    const marked = PLACES.filter(({ field }) => field.emptyMeansNone).map(({ place }) => place)
    assert.deepEqual(new Set(marked), new Set(facts))
  })
})

/** The data without the empty lists and objects that documents leave out. */
function withoutEmpty(fields: readonly Field[], data: DataObject): DataObject {
  return Object.fromEntries(
    Object.entries(data).flatMap(([name, value]) => {
      const field = fields.find(one => one.name === name)
      const kept = field === undefined ? value : pruneValue(field, value)
      return kept === undefined ? [] : [[name, kept]]
    }),
  )
}

function pruneValue(field: Field, value: unknown): unknown {
  if (Array.isArray(value)) {
    const kept = value
      .map(one => (isObject(one) ? pruneObject(withoutEmpty(field.of ?? [], one)) : one))
      .filter(one => one !== undefined)
    return kept.length === 0 && !(field.emptyMeansNone && value.length === 0) ? undefined : kept
  }
  if (!isObject(value)) return value
  return pruneObject(field.localized ? value : withoutEmpty(field.fields ?? [], value))
}

const pruneObject = (value: DataObject) => (Object.keys(value).length === 0 ? undefined : value)

function assertRoundTrip(category: CompleteCategory, data: DataObject, audience: (typeof AUDIENCES)[number]) {
  const reading = readData(category.id, freeze(data), audience)
  const expected = withoutEmpty(category.fields, reading.data)
  const compressed = JSON.parse(JSON.stringify(buildEnDocument(reading, PUBLISHER)))
  const full = JSON.parse(JSON.stringify(buildFullEnDocument(reading, PUBLISHER)))
  assert.deepEqual(fromEn(compressed, category), expected)
  assert.deepEqual(fromEn(full, category), expected)
}

/** Every value that a field may have, once: objects and entries with all their members. */
function fillFields(fields: readonly Field[]): Body {
  return Object.fromEntries(fields.map(field => [field.name, fillField(field)]))
}

function fillField(field: Field): unknown {
  if (field.localized) return { en: 'a', 'pt-BR': 'b' }
  if (field.type === 'object') return fillFields(field.fields ?? [])
  if (field.type === 'list') {
    const [first] = field.of ?? []
    return first?.name === '' ? [fillField(first)] : [fillFields(field.of ?? [])]
  }
  if (field.type === 'number') return field.min ?? 1.5
  if (field.type === 'boolean') return false
  if (field.values !== undefined) return field.values[0]
  return field.format === undefined
    ? 'text'
    : fc.sample(formatValue(field.format), { numRuns: 1, seed: 7 })[0]
}

describe('reading back what was written', () => {
  for (const category of allCategories()) {
    test(`${category.id}: every field of the table, for every audience`, () => {
      for (const audience of AUDIENCES) assertRoundTrip(category, fillFields(category.fields), audience)
      for (const field of category.fields)
        for (const audience of AUDIENCES) assertRoundTrip(category, fillFields([field]), audience)
    })

    test(`${category.id}: empty lists and objects`, () => {
      for (const field of category.fields) {
        if (field.type === 'list') assertRoundTrip(category, { [field.name]: [] }, 'authority')
        if (field.type === 'list') assertRoundTrip(category, { [field.name]: [{}] }, 'authority')
        if (field.type === 'object') assertRoundTrip(category, { [field.name]: {} }, 'authority')
      }
    })
  }

  test('random passports', () => {
    const categories = allCategories()
    fc.assert(
      fc.property(
        fc.oneof(...categories.map(category => validData(category).map(data => ({ category, data })))),
        fc.constantFrom(...AUDIENCES),
        ({ category, data }, audience) => assertRoundTrip(category, data, audience),
      ),
      { numRuns: IS_FULL ? 10_000 : 200 },
    )
  })
})

describe('an empty list', () => {
  const build = (data: DataObject) => readData('battery', data)

  test('is written if it is an answer, in both forms', () => {
    const reading = build({ hazardousSubstances: [] })
    assert.deepEqual(buildEnDocument(reading, PUBLISHER).hazardousSubstances, [])
    const [element] = buildFullEnDocument(reading, PUBLISHER).elements as DataObject[]
    assert.deepEqual(element, {
      elementId: 'hazardousSubstances',
      dictionaryReference: `${NS}#hazardousSubstances`,
      objectType: 'MultiValuedDataElement',
      elements: [],
    })
  })

  test('is left out if it is none, or if its entries are empty', () => {
    const reading = build({ recycledContent: [], hazardousSubstances: [{}] })
    const document = buildEnDocument(reading, PUBLISHER)
    assert.ok(!('recycledContent' in document) && !('hazardousSubstances' in document))
  })
})

describe('texts', () => {
  const TEXTS = { en: 'a', 'pt-BR': 'b', 'zh-Hant-TW': 'c' }
  const reading = readData('textile', { languages: ['pt-BR', 'en'], careInstructions: TEXTS })
  const written = [
    { value: 'b', language: 'pt-br' },
    { value: 'a', language: 'en' },
    { value: 'c', language: 'zh-hant-tw' },
  ]

  test('come in the primary language first, with tags in lower case', () => {
    assert.deepEqual(buildEnDocument(reading, PUBLISHER).careInstructions, written)
  })

  test('get canonical tags when they are read', () => {
    assert.deepEqual(fromEn({ careInstructions: written }, reading.category).careInstructions, TEXTS)
  })

  test('of another shape are left to the validation', () => {
    for (const wrong of [
      'text',
      [{ value: 'a' }],
      [{ value: 'a', language: 'e' }],
      [{ value: 7, language: 'en' }],
      [
        { value: 'a', language: 'en' },
        { value: 'b', language: 'EN' },
      ],
      [null],
    ])
      assert.deepEqual(fromEn({ careInstructions: wrong }, reading.category).careInstructions, wrong)
  })
})

describe('documents about the product', () => {
  const write = (document: DataObject) => {
    const reading = readData('textile', { complianceDocuments: [document] })
    const { complianceDocuments } = buildEnDocument(reading, PUBLISHER)
    assert.ok(Array.isArray(complianceDocuments))
    return complianceDocuments[0]
  }

  test('have their title, else their type, as the title, and their members beside it', () => {
    const url = 'https://a.example/Report.PDF?x=1.html'
    assert.deepEqual(write({ type: 'test_report', url, title: 'Pilling', issuedOn: '2026-05' }), {
      contentType: 'application/pdf',
      url,
      resourceTitle: 'Pilling',
      type: 'test_report',
      title: 'Pilling',
      issuedOn: '2026-05',
    })
  })

  test('have a content type by the extension of the path', () => {
    const typeOf = (url: string) => asObject(write({ type: 'x', url })).contentType
    assert.equal(typeOf('https://a.example/a.html#b.pdf'), 'text/html')
    assert.equal(typeOf('https://a.example/a.jpeg'), 'image/jpeg')
    for (const url of [
      'https://a.pdf',
      'https://a.example/constructor',
      'https://a.example/a.pdf/',
      'https://x/a.zip',
    ])
      assert.equal(typeOf(url), 'application/octet-stream', url)
  })

  test('of another system are read: their title is the title, or the type if they have none', () => {
    const { category } = READINGS['textile-item']
    const readOne = (resource: DataObject) => fromEn({ complianceDocuments: [resource] }, category)
    const url = 'https://a.example/'
    assert.deepEqual(readOne({ contentType: 'text/html', url, resourceTitle: 'Manual' }), {
      complianceDocuments: [{ url, type: 'Manual' }],
    })
    assert.deepEqual(readOne({ url, resourceTitle: 'Manual', type: 'guide' }), {
      complianceDocuments: [{ url, type: 'guide', title: 'Manual' }],
    })
  })
})

describe('documents of other systems', () => {
  const { category } = READINGS['textile-item']

  test('may have children under value, and another name of the time', () => {
    const document = {
      lastUpdate: '2026-01-01T00:00:00Z',
      elements: [
        {
          elementId: 'languages',
          objectType: 'MultiValuedDataElement',
          value: [{ elementId: 'languages0', objectType: 'SingleValuedDataElement', value: 'en' }],
        },
        {
          elementId: 'durability',
          objectType: 'DataElementCollection',
          value: [{ elementId: 'pefScore', objectType: 'SingleValuedDataElement', value: 4 }],
        },
      ],
    }
    assert.deepEqual(fromEn(document, category), { languages: ['en'], durability: { pefScore: 4 } })
  })

  test('of any shape are read without an exception, and never change a prototype', () => {
    const names = [
      'elements',
      'elementId',
      'objectType',
      'value',
      '__proto__',
      'careInstructions',
      'language',
    ]
    const types = ['DataElementCollection', 'MultiValuedDataElement', 'MultiLanguageDataElement', 'x']
    const { tree } = fc.letrec(tie => ({
      tree: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom(null, 7, 'repair', '__proto__', ...types),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...names, ...category.fields.map(field => field.name)), tie('tree')),
      ),
    }))
    fc.assert(
      fc.property(tree, value => {
        const data = fromEn(asObject(JSON.parse(JSON.stringify(value))), category)
        assert.equal(Object.getPrototypeOf(data), Object.prototype)
      }),
      { numRuns: IS_FULL ? 5000 : 500 },
    )
  })
})
