/** Tests how records are read: every type of member, all violations at once, and the schema beside the check. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { AppError } from '../../src/kernel/errors/errors.ts'
import { readChange, readRecord } from '../../src/records/read-record.ts'
import { defineRecord } from '../../src/records/record.ts'
import { buildRecordSchemas } from '../../src/records/record-schema.ts'

const MEMBERS = {
  name: { type: 'line', max: 10, required: true, description: 'Its name.' },
  note: { type: 'text', max: 20, description: 'Several lines.' },
  title: { type: 'texts', max: 10, description: 'By language.' },
  size: { type: 'choice', values: ['small', 'large'], required: true, description: 'Its size.' },
  colour: { type: 'choice', values: ['red'], meaning: 'red, or null', description: 'Its colour.' },
  url: { type: 'link', description: 'More about it.' },
  countries: { type: 'countries', description: 'Where it holds.' },
  pieces: { type: 'whole', min: 1, max: 9, description: 'How many.' },
  place: { type: 'position', description: 'Its place.' },
  ready: { type: 'flag', required: true, description: 'If it is ready.' },
  since: { type: 'day', description: 'Since when.' },
  product: { type: 'product', description: 'For what.' },
} as const

const THING = defineRecord({
  id: 'offer',
  names: { article: 'an', one: 'offer', many: 'offers' },
  max: 3,
  members: MEMBERS,
  exclusive: [{ members: ['colour', 'pieces'], reason: 'a thing has a colour or pieces' }],
  example: { name: 'Box', size: 'small', ready: true, title: { en: 'Box', de: 'Kiste' } },
  documentation: {
    name: 'Thing',
    list: 'All.',
    create: 'Adds one.',
    change: 'Changes one.',
    newExample: { name: 'box', summary: 'A box' },
    changeExample: { name: 'size', summary: 'Larger', value: { size: 'large' } },
    maxBytes: 1_000,
  },
})
const MINIMAL = { name: 'Box', size: 'small', ready: false }

/** `field code` of each violation. */
function findViolations(sent: unknown): string[] {
  try {
    readRecord(THING, sent)
    return []
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    for (const { message } of error.details ?? []) assert.match(message, /\.$/)
    return (error.details ?? []).map(({ path, code }) => `${path.join('.')} ${code}`)
  }
}

describe('a record', () => {
  test('has a value for each member: null, or no countries, for what was not sent', () => {
    assert.deepEqual(readRecord(THING, MINIMAL), {
      ...MINIMAL,
      note: null,
      title: null,
      colour: null,
      url: null,
      countries: [],
      pieces: null,
      place: null,
      since: null,
      product: null,
    })
  })

  test('is stored in one spelling', () => {
    const read = readRecord(THING, {
      ...MINIMAL,
      name: ' Box ',
      note: 'a\r\nb',
      title: { 'EN-gb': ' Box', de: 'Kiste' },
      url: ' https://shop.example/a ',
      countries: ['DE', 'AT'],
      product: '01m7ywhcr7fxwrqq1xd4m28c2t',
    })
    assert.deepEqual(
      [read.name, read.note, read.title, read.url, read.countries],
      ['Box', 'a\nb', { 'en-GB': 'Box', de: 'Kiste' }, 'https://shop.example/a', ['AT', 'DE']],
    )
    assert.match(String(read.product), /^[0-9a-f]{8}-/)
  })

  const wrong: readonly [change: object, ...violations: string[]][] = [
    [{ name: null }, 'name required'],
    [{ name: 5 }, 'name type'],
    [{ name: ' ' }, 'name length'],
    [{ name: 'x'.repeat(11) }, 'name length'],
    [{ name: 'a\nb' }, 'name format'],
    [{ note: 'a\u202eb' }, 'note format'],
    [{ note: [] }, 'note type'],
    [{ title: {} }, 'title length'],
    [{ title: [] }, 'title type'],
    [{ title: { en_US: 'x' } }, 'title.en_US language_code'],
    [{ title: { de: 'a', DE: 'b' } }, 'title.DE duplicate'],
    [{ title: { de: 1, fr: 'x'.repeat(11) } }, 'title.de type', 'title.fr length'],
    [{ size: undefined }, 'size required'],
    [{ size: 'Small' }, 'size enum'],
    [{ colour: 'blue' }, 'colour enum'],
    [{ url: 'http://shop.example' }, 'url format'],
    [{ url: 'https://localhost/' }, 'url format'],
    [{ url: {} }, 'url type'],
    [{ countries: 'DE' }, 'countries type'],
    [{ countries: null }, 'countries type'],
    [{ countries: ['DE', 'UK', 'DE'] }, 'countries.1 country_code', 'countries.2 duplicate'],
    [{ pieces: 0 }, 'pieces min'],
    [{ pieces: 10 }, 'pieces max'],
    [{ pieces: 1.5 }, 'pieces type'],
    [{ pieces: '1' }, 'pieces type'],
    [{ place: -1 }, 'place min'],
    [{ ready: null }, 'ready required'],
    [{ ready: 'true' }, 'ready type'],
    [{ since: '2026-02-30' }, 'since format'],
    [{ since: '2026-2-3' }, 'since format'],
    [{ product: 'x' }, 'product format'],
    [{ colour: 'red', pieces: 1 }, 'colour immutable'],
    [{ id: 'x', other: 1 }, 'id immutable', 'other unknown_field'],
    [
      { name: null, size: 'no', other: 1, colour: 'red', pieces: 1 },
      'other unknown_field',
      'colour immutable',
      'name required',
      'size enum',
    ],
  ]
  for (const [change, ...violations] of wrong) {
    test(`names what is wrong with ${JSON.stringify(change)}`, () =>
      assert.deepEqual(findViolations({ ...MINIMAL, ...change }), violations))
  }

  test('is an object', () => {
    for (const sent of [undefined, null, [], 'x', 1]) assert.deepEqual(findViolations(sent), [' type'])
  })

  test('changes only by known members, which stay unchecked until the whole is known', () => {
    assert.deepEqual(readChange(THING, { size: 'no', note: undefined }), { size: 'no' })
    assert.throws(() => readChange(THING, { other: 1 }), /other is not a member of this body/)
  })
})

describe('the schema of a record', () => {
  const { created, change } = buildRecordSchemas(THING)
  const ajv = new Ajv2020({ strict: false, formats: { iri: /^https/i, date: /^\d{4}-\d\d-\d\d$/ } })
  const accepts = ajv.compile(created)

  test('accepts what is read', () => {
    const full = {
      ...MINIMAL,
      note: 'a',
      title: { de: 'x' },
      colour: null,
      url: 'https://shop.example',
      countries: ['DE'],
      pieces: 9,
      place: 0,
      since: '2026-02-28',
      product: '01m7ywhcr7fxwrqq1xd4m28c2t',
    }
    for (const sent of [MINIMAL, full, THING.example]) {
      assert.deepEqual(findViolations(sent), [])
      assert.ok(accepts(sent), JSON.stringify(accepts.errors))
    }
  })

  test('refuses wrong types and sizes, and unknown and missing members, as the check does', () => {
    const refused = [
      { name: null },
      { name: 5 },
      { name: 'x'.repeat(11) },
      { note: [] },
      { title: {} },
      { title: { de: 1 } },
      { size: 'Small' },
      { colour: 'blue' },
      { url: 'http://shop.example' },
      { countries: 'DE' },
      { countries: ['DE', 'DE'] },
      { pieces: 0 },
      { pieces: 10 },
      { pieces: 1.5 },
      { place: 10_000 },
      { ready: 'true' },
      { since: '2026-2-3' },
      { product: 'x' },
      { other: 1 },
    ]
    for (const one of refused) {
      const sent = { ...MINIMAL, ...one }
      assert.equal(accepts(sent), false, JSON.stringify(one))
      assert.notDeepEqual(findViolations(sent), [], JSON.stringify(one))
    }
    assert.equal(accepts({}), false)
    assert.ok(ajv.compile(change)({}))
  })
})
