/** Files of the format `carnet-category/1`: the bundled ones, the drafts, and wrong ones with the place of each mistake. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { BUNDLED } from '../../src/categories/bundled.ts'
import { checkCategoryFile, MAX_FILE_BYTES } from '../../src/categories/check-file/check-file.ts'
import { canConvertUnit } from '../../src/transfer/spreadsheets/columns/measurement-units.ts'

const FOLDER = new URL('../../categories/', import.meta.url)
const readText = (name: string) => readFileSync(new URL(name, FOLDER), 'utf8')
const check = (text: string) => checkCategoryFile(text, canConvertUnit)
const listErrors = (text: string) => check(text).problems.filter(({ isWarning }) => !isWarning)

const isFile = (name: string) => name.endsWith('.json') && name !== 'parts.json'
const NAMES = readdirSync(FOLDER).filter(isFile)
const DRAFTS = readdirSync(new URL('drafts/', FOLDER)).map(name => `drafts/${name}`)

describe('files that come with Carnet', () => {
  for (const name of [...NAMES, ...DRAFTS])
    test(`${name} has no mistake`, () => {
      assert.deepEqual(listErrors(readText(name)), [])
    })

  test('every file of the folder is in force, and the drafts are not', () => {
    assert.deepEqual(BUNDLED.map(({ id }) => `${id}.json`).sort(), NAMES.toSorted())
  })

  test('bundled ones have no labels of fields: those are in locales/, by language', () => {
    for (const name of NAMES) {
      const { fields } = JSON.parse(readText(name))
      assert.ok(!JSON.stringify(fields).includes('"label"'), name)
    }
  })
})

type Draft = { fields: Record<string, unknown>[]; [member: string]: unknown }
const readDraft = (): Draft => JSON.parse(readText('drafts/footwear.json'))
const SIZE = { name: 'shoeWidth', type: 'name', label: { en: 'Width' }, description: 'Width of the shoe.' }
const LIST = { ...SIZE, type: 'list', of: [SIZE, { ...SIZE, name: 'share', type: 'number' }] }

/** Each change of a valid file, with the code and the place of the mistake that it makes. */
const MISTAKES: readonly [string, (draft: Draft) => void, code: string, path: string][] = [
  ['another format', draft => (draft.format = 'carnet-category/2'), 'form', 'format'],
  ['no version', draft => delete draft.version, 'form', ''],
  ['an unknown member', draft => (draft.colour = 'red'), 'form', 'colour'],
  ['an id in capitals', draft => (draft.id = 'Footwear'), 'form', 'id'],
  ['an id that is an address of the vocabulary', draft => (draft.id = 'en18223'), 'form', 'id'],
  ['a label without English', draft => (draft.label = { de: 'Schuhe' }), 'form', 'label'],
  ['no example', draft => (draft.examples = []), 'form', 'examples'],
  ['a field with a name of two words', add({ ...SIZE, name: 'shoe width' }), 'form', 'fields[19].name'],
  ['a misspelled attribute', add({ ...SIZE, requird: true }), 'form', 'fields[19].requird'],
  ['a type that does not exist', add({ ...SIZE, type: 'date' }), 'form', 'fields[19].type'],
  ['a value without a label', add({ ...SIZE, values: { wide: {} } }), 'form', 'fields[19].values.wide'],
  ['a value twice', add({ ...SIZE, values: ['wide', 'wide'] }), 'form', 'fields[19].values'],
  ['a part with another type', add({ use: 'dimensions', type: 'name' }), 'form', 'fields[19].type'],
  ['an unknown part', add({ use: 'dimension' }), 'unknown_part', 'fields[19].use'],
  ['a field twice', add({ ...SIZE, name: 'size' }), 'duplicate_name', 'fields[19]'],
  ['a shared field', add({ ...SIZE, name: 'productName' }), 'duplicate_name', 'fields[19]'],
  ['a word of the documents', add({ ...SIZE, name: 'proof' }), 'reserved_name', 'fields[19].name'],
  ['a field without a label', add({ ...SIZE, label: undefined }), 'label_missing', 'fields[19]'],
  ['an unknown section', add({ ...SIZE, section: 'shoes' }), 'unknown_section', 'fields[19].section'],
  ['an unknown source', add({ ...SIZE, source: ['ours'] }), 'unknown_source', 'fields[19].source'],
  ['a sum of no member', add({ ...LIST, sumsTo100: 'percent' }), 'unknown_member', 'fields[19].sumsTo100'],
  [
    'one of no members',
    add({ ...LIST, needsOneOf: ['share', 'x'] }),
    'unknown_member',
    'fields[19].needsOneOf',
  ],
  ['something about no field', add({ ...SIZE, about: 'weight' }), 'unknown_member', 'fields[19].about'],
  ['a list without entries', add({ ...SIZE, type: 'list' }), 'unknown_member', 'fields[19]'],
  ['a sum of a text', add({ ...SIZE, maxItems: 3 }), 'unknown_member', 'fields[19]'],
  ['two members of one name', add({ ...LIST, of: [SIZE, SIZE] }), 'duplicate_name', 'fields[19].of[1]'],
  ['a version to come', add({ ...SIZE, since: 2 }), 'version_order', 'fields[19].since'],
  ['a version that is not listed', draft => (draft.version = 2), 'version_order', 'version'],
  [
    'a member for more readers than its list',
    add({ ...LIST, audience: ['authority'], of: [{ ...SIZE, audience: ['public'] }] }),
    'audience_widens',
    'fields[19].of[0].audience',
  ],
  [
    'a name for a list and a text',
    add({
      ...LIST,
      name: 'size2',
      of: [
        { ...SIZE, name: 'size' },
        { ...LIST, name: 'size', of: [SIZE] },
      ],
    }),
    'term_conflict',
    'fields[19].of[1]',
  ],
  [
    'a name with two units',
    add(
      { ...SIZE, name: 'weightGrams', type: 'number', unit: 'g', of: undefined },
      { ...LIST, of: [{ ...SIZE, name: 'weightGrams', type: 'number', unit: 'kg' }] },
    ),
    'unit_conflict',
    'fields[20].of[0]',
  ],
  ['HTML in a label', add({ ...SIZE, label: { en: 'The <b>width</b>' } }), 'html', 'fields[19].label.en'],
  ['a control character', add({ ...SIZE, description: 'Width\u0000' }), 'control', 'fields[19].description'],
  ['half of a character', add({ ...SIZE, description: 'Width \ud800' }), 'control', 'fields[19].description'],
  [
    'four searchable fields',
    add(...['a', 'b', 'c', 'd'].map(name => ({ ...SIZE, name, searchable: true }))),
    'limit',
    'fields',
  ],
]

function add(...fields: object[]): (draft: Draft) => void {
  return draft => void draft.fields.push(...(fields as Record<string, unknown>[]))
}

describe('a wrong file', () => {
  for (const [name, change, code, path] of MISTAKES)
    test(`${name} is ${code} at ${path || 'the whole file'}`, () => {
      const draft = readDraft()
      change(draft)
      const errors = listErrors(JSON.stringify(draft, null, 1))
      const found = errors.map(error => `${error.code} ${error.path}`)
      assert.ok(found.includes(`${code} ${path}`), `${found.join('; ')}`)
      assert.ok(errors.length <= 3, 'one mistake is not told in many ways')
    })

  test('an example that lacks a required field is named with the field', () => {
    const draft = readDraft()
    const [example] = draft.examples as { data: Record<string, unknown> }[]
    delete example?.data.partMaterials
    const [error] = listErrors(JSON.stringify(draft))
    assert.equal(error?.code, 'example_invalid')
    assert.match(error?.path ?? '', /^examples\[0\]/)
  })

  test('all mistakes are told at once, in the order of the file, with line and column', () => {
    const text = readText('drafts/footwear.json')
    const broken = text.replace('"status": "draft"', '"status": "finished"').replace('"repair"', '"repairs"')
    const [status] = listErrors(broken)
    const line = broken.split('\n').findIndex(one => one.includes('finished'))
    assert.equal(status?.line, line + 1)
    assert.equal(status?.column, (broken.split('\n')[line]?.indexOf('"status"') ?? 0) + 1)
  })

  test('text that is no JSON, and members that stand twice, are named by their place', () => {
    assert.deepEqual(
      listErrors('{"a": 1, "a": 2}').map(({ line, column, code }) => [line, column, code]),
      [[1, 10, 'json']],
    )
    assert.equal(listErrors('').at(0)?.code, 'json')
    assert.equal(listErrors('{"a": 1,}').at(0)?.code, 'json')
    assert.equal(listErrors('// no\n{}').at(0)?.code, 'json')
  })

  test('the example of the documentation has the mistake that stands there, and no other', () => {
    const page = readText('../docs/categories.md')
    const [, example = ''] = /```json\n(.*?)```/s.exec(page) ?? []
    const printed = listErrors(example).map(
      ({ line, column, path, code, message }) =>
        `umbrella.json:${line}:${column} ${path}  ${code}  ${message}`,
    )
    const [first = ''] = printed
    assert.equal(printed.length, 1)
    assert.ok(page.includes(`\n${first}\n`), first)
  })

  test('a file that is too large or too deep is refused before it is parsed', () => {
    assert.equal(listErrors(' '.repeat(MAX_FILE_BYTES + 1)).at(0)?.code, 'limit')
    assert.equal(listErrors('['.repeat(250_000)).at(0)?.code, 'limit')
  })
})

test('no change of a valid file makes the check throw, and what it accepts has no error', () => {
  const text = readText('drafts/mattress.json')
  const values = ['', null, 0, -1, 1e300, true, [], {}, 'productName', 'section.care', '\u202e', 'authority']
  const change = fc.record({
    at: fc.nat(),
    value: fc.constantFrom<unknown>(...values),
    isRemoved: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), changes => {
      const draft = JSON.parse(text)
      for (const { at, value, isRemoved } of changes) changeMember(draft, at, isRemoved ? undefined : value)
      const { file, problems } = check(JSON.stringify(draft))
      assert.equal(
        file !== undefined,
        problems.every(({ isWarning }) => isWarning),
      )
    }),
    { numRuns: 60 },
  )
})

/** Changes one member of the whole tree, chosen by a number. */
function changeMember(root: object, at: number, value: unknown): void {
  const places: [Record<string, unknown>, string][] = []
  const visit = (node: unknown) => {
    if (typeof node !== 'object' || node === null) return
    for (const key of Object.keys(node)) {
      places.push([node as Record<string, unknown>, key])
      visit((node as Record<string, unknown>)[key])
    }
  }
  visit(root)
  const [object, key] = places[at % places.length] ?? []
  if (object !== undefined && key !== undefined) object[key] = value
}
