/** Element paths: what they find in both forms of a document, and what they refuse. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { allCategories } from '../../src/categories/catalogue.ts'
import { type DataObject, getOwn, isObject } from '../../src/kernel/values/data-object.ts'
import { compressElement } from '../../src/standards/en18223/compress.ts'
import { buildEnDocument, buildFullEnDocument } from '../../src/standards/en18223/document.ts'
import { type ElementResult, readElement, readFullElement } from '../../src/standards/en18223/element-path.ts'
import { validData } from '../categories/arbitrary.ts'
import { freeze } from '../categories/examples.ts'
import { PUBLISHER, READINGS, readData } from './readings.ts'

const DOCUMENT = freeze({
  ...buildEnDocument(READINGS['textile-item'], PUBLISHER),
  proof: { type: 'DataIntegrityProof' },
  "it's": 1,
  'say "a"': 2,
  'back\\slash': 3,
  'line\nend': 4,
  '😀': 5,
  größe_2: 6,
  '': 7,
})
const FULL_DOCUMENT = freeze(buildFullEnDocument(READINGS['textile-item'], PUBLISHER))

const kindOf = (path: string): ElementResult['kind'] => readElement(DOCUMENT, path).kind

function getValue(path: string, read = readElement, document: DataObject = DOCUMENT): unknown {
  const result = read(document, path)
  assert.equal(result.kind, 'found', path)
  return result.kind === 'found' ? result.value : undefined
}

type Steps = readonly (string | number)[]

/** Every path in the value, with what is there. */
function listPaths(value: unknown, steps: Steps = []): { steps: Steps; value: unknown }[] {
  if (typeof value !== 'object' || value === null) return [{ steps, value }]
  const inner = Array.isArray(value)
    ? value.flatMap((one, i) => listPaths(one, [...steps, i]))
    : Object.entries(value).flatMap(([name, one]) => listPaths(one, [...steps, name]))
  return [{ steps, value }, ...inner]
}

const listElementPaths = (document: DataObject) =>
  listPaths(document).filter(({ steps: [first] }) => first !== undefined && first !== '@context')

/** The normalized path of RFC 9535, by its own rules for what is escaped. */
const normalize = (steps: Steps) =>
  `$${steps
    .map(step =>
      typeof step === 'number'
        ? `[${step}]`
        : `['${JSON.stringify(step)
            .slice(1, -1)
            .replace(/\\"|'/g, one => (one === "'" ? "\\'" : '"'))}']`,
    )
    .join('')}`
/** Every index counted from the end of its list. */
function useNegative(value: unknown, [step, ...rest]: Steps, path = '$'): string {
  if (step === undefined) return path
  if (typeof step === 'string') return useNegative(getOwn(Object(value), step), rest, `${path}['${step}']`)
  assert.ok(Array.isArray(value))
  return useNegative(value[step], rest, `${path}[${step - value.length}]`)
}
const useDots = (steps: Steps) =>
  `$${steps.map(one => (typeof one === 'number' ? `[${one}]` : `.${one}`)).join('')}`
const useDoubleQuotes = (steps: Steps) => `$${steps.map(one => ` [ ${JSON.stringify(one)}\t]`).join('\n')}`

describe('an element path', () => {
  test('finds every value of a document, in all notations', () => {
    const paths = listElementPaths(buildEnDocument(READINGS['textile-item'], PUBLISHER))
    assert.ok(paths.length > 100)
    for (const { steps, value } of paths)
      for (const write of [normalize, useDots, useDoubleQuotes])
        assert.deepEqual(getValue(write(steps)), value, write(steps))
  })

  test('reads what the notations may mix', () => {
    assert.equal(getValue('$[\'repair\'].instructions[0]["language"]'), 'en')
    assert.equal(getValue('$.weightGrams'), 165)
    assert.equal(getValue('$.passportRecord.outdated'), false)
  })

  test('reads the whole document, and entries counted from the end', () => {
    assert.equal(getValue('$'), DOCUMENT)
    assert.equal(getValue('$', readFullElement, FULL_DOCUMENT), FULL_DOCUMENT)
    for (const { steps, value } of listElementPaths(buildEnDocument(READINGS['textile-item'], PUBLISHER))) {
      const fromEnd = useNegative(DOCUMENT, steps)
      assert.deepEqual(getValue(fromEnd), value, fromEnd)
      assert.deepEqual(
        getValue(fromEnd, readFullElement, FULL_DOCUMENT),
        getValue(normalize(steps), readFullElement, FULL_DOCUMENT),
        fromEnd,
      )
    }
  })

  test('reads the header', () => {
    assert.equal(getValue('$.granularity'), 'item')
    assert.equal(getValue('$.contentSpecificationIds[0]'), `${PUBLISHER.nsUrl}/textile/v2`)
  })

  test('reads names with quotes, escapes and letters of any script', () => {
    for (const [path, value] of [
      ["$['it\\'s']", 1],
      ['$["it\'s"]', 1],
      ['$[\'say "a"\']', 2],
      ['$["say \\"a\\""]', 2],
      ["$['back\\\\slash']", 3],
      ["$['line\\nend']", 4],
      ["$['\\u006cine\\u000Aend']", 4],
      ["$['\\uD83D\\uDE00']", 5],
      ['$.😀', 5],
      ['$.größe_2', 6],
      ["$['']", 7],
    ] as const)
      assert.equal(getValue(path), value, path)
  })

  test('finds neither the proof nor the context', () => {
    for (const path of ['$.proof', '$.proof.type', "$['@context']", "$['@context'][0]", '$["@context"]'])
      assert.equal(kindOf(path), 'missing', path)
  })

  test('finds nothing that is not a member or an entry', () => {
    for (const path of [
      '$.unknown',
      '$[0]',
      '$[-1]',
      '$.repair[0]',
      '$.repair[-1]',
      '$.languages[-3]',
      '$.languages[-9007199254740991]',
      '$.languages.length',
      "$.languages['0']",
      '$.languages[2]',
      '$.sku.length',
      '$.sku[0]',
      '$.constructor',
      '$.__proto__',
      '$.repair.toString',
      '$.languages[9007199254740991]',
    ])
      assert.equal(kindOf(path), 'missing', path)
  })

  test('is refused if it may select several', () => {
    for (const path of [
      '$.*',
      '$[*]',
      '$..sku',
      '$..[0]',
      '$.languages[0:1]',
      '$.languages[:]',
      '$.languages[ : 2]',
      '$.languages[-1:]',
      '$[?@.sku]',
      '$.languages[0,1]',
      "$['sku' , 'gtin']",
      "$['a',*]",
      '$ [ * ]',
    ])
      assert.equal(kindOf(path), 'plural', path)
  })

  test('is refused if it is no singular query', () => {
    for (const path of [
      '',
      'sku',
      '@.sku',
      ' $.sku',
      '$.sku ',
      '$sku',
      '$.',
      '$. sku',
      '$.1a',
      '$.a-b',
      '$.a b',
      '$[]',
      '$[sku]',
      "$['sku'",
      "$['sku]",
      '$[\'sku"]',
      "$['a\\'b\"]",
      '$["a\'b]',
      "$['a'b']",
      '$["\\\'"]',
      "$['\\\"']",
      "$['\\x41']",
      "$['\\u12']",
      "$['\\uD800']",
      "$['\\uDE00\\uD83D']",
      "$['\ud800']",
      "$['a\nb']",
      '$.languages[-0]',
      '$.languages[-01]',
      '$.languages[--1]',
      '$.languages[- 1]',
      '$.languages[-9007199254740992]',
      '$.languages[01]',
      '$.languages[1.0]',
      '$.languages[9007199254740992]',
      '$.languages[+1]',
      '$.languages[0]x',
      `$.${'a'.repeat(2048)}`,
    ])
      assert.equal(kindOf(path), 'malformed', path)
  })
})

describe('an element path in the full form', () => {
  test('finds the element whose value the compressed form has, or the bare value', () => {
    for (const { steps, value } of listElementPaths(buildEnDocument(READINGS['textile-item'], PUBLISHER))) {
      const path = normalize(steps)
      const found = getValue(path, readFullElement, FULL_DOCUMENT)
      const isElement = isObject(found) && getOwn(found, 'objectType') !== undefined
      assert.deepEqual(isElement ? compressElement(found) : found, value, path)
    }
  })

  test('returns elements with their own ids', () => {
    const idOf = (path: string) => {
      const element = getValue(path, readFullElement, FULL_DOCUMENT)
      assert.ok(isObject(element), path)
      return element.elementId
    }
    assert.equal(idOf('$.weightGrams'), 'weightGrams')
    assert.equal(idOf('$.languages[1]'), 'languages1')
    assert.equal(idOf('$.supplyChainStages[1].country'), 'country')
    assert.equal(idOf('$.complianceDocuments[0]'), 'complianceDocuments0')
    assert.equal(idOf('$.passportRecord.lot'), 'lot')
  })

  test('returns the bare value of what is no element', () => {
    const read = (path: string) => getValue(path, readFullElement, FULL_DOCUMENT)
    assert.equal(read('$.dppStatus'), 'active')
    assert.equal(read('$.careInstructions[1].language'), 'de')
    assert.equal(read('$.complianceDocuments[0].contentType'), 'application/pdf')
  })

  test('finds nothing that the compressed form does not have', () => {
    for (const path of [
      '$[0]',
      '$.elements',
      '$.elements[0]',
      '$.proof',
      "$['@context']",
      '$.repair[0]',
      '$.repair.elements',
      '$.languages.languages0',
      '$.languages[7]',
      '$.complianceDocuments[0].objectType',
      '$.complianceDocuments[0].elementId',
      '$.sku.value',
    ])
      assert.equal(readFullElement(FULL_DOCUMENT, path).kind, 'missing', path)
  })
})

const PIECES = [
  '$',
  '.',
  '..',
  '[',
  ']',
  "'",
  '"',
  '*',
  '?',
  ':',
  ',',
  '@',
  '-',
  '\\',
  '\\u',
  '\\uD800',
  ' ',
  '\t',
  '\n',
  '(',
  '0',
  '1',
  '99999999999999999999',
  'sku',
  'repair',
  'instructions',
  'languages',
  'proof',
  '@context',
  '__proto__',
  'constructor',
  'toString',
  'length',
  '\0',
  '\ud800',
  '😀',
  '%5B',
  '&&',
  '==',
  ')',
  '{',
  '}',
]

describe('hostile paths', () => {
  test('2,000 of them get a result of a known kind, and never a function or a hidden member', () => {
    const shaped = fc
      .array(
        fc.constantFrom(
          "['sku']",
          '.repair',
          '[0]',
          '[-1]',
          '.instructions',
          '["proof"]',
          '.__proto__',
          '[*]',
        ),
      )
      .map(all => `$${all.join('')}`)
    const any = fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }).map(all => `$${all.join('')}`)
    const paths = fc.oneof(shaped, any, fc.string({ maxLength: 60 }))
    const values = new Set(listElementPaths(DOCUMENT).map(({ value }) => JSON.stringify(value)))
    const seen = new Set<string>()
    fc.assert(
      fc.property(paths, path => {
        for (const result of [readElement(DOCUMENT, path), readFullElement(FULL_DOCUMENT, path)]) {
          seen.add(result.kind)
          if (result.kind !== 'found') assert.match(result.message, /\.$/)
        }
        const result = readElement(DOCUMENT, path)
        if (result.kind === 'found' && path !== '$') assert.ok(values.has(JSON.stringify(result.value)), path)
      }),
      { numRuns: 2000 },
    )
    assert.deepEqual(seen, new Set(['found', 'malformed', 'plural', 'missing']))
  })

  test('of the greatest length are refused at once', () => {
    const long = ["$['", '$.', '$[ ', '$["\\u0041', '$..', "$['a'", '$[0'].map(start =>
      start.padEnd(2048, start.at(-1)),
    )
    const before = process.cpuUsage()
    for (const path of [...long, ...long.map(one => one.repeat(500))]) assert.notEqual(kindOf(path), 'found')
    // Microseconds. Quadratic time would take many minutes.
    assert.ok(process.cpuUsage(before).user < 10_000_000)
  })
})

test('random passports: every value of both forms is found by its path', () => {
  const all = allCategories()
  const data = fc.oneof(...all.map(({ id, ...one }) => validData({ id, ...one }).map(body => ({ id, body }))))
  fc.assert(
    fc.property(data, ({ id, body }) => {
      const reading = readData(id, body, 'authority')
      const document = buildEnDocument(reading, PUBLISHER)
      for (const { steps, value } of listElementPaths(document))
        assert.deepEqual(getValue(normalize(steps), readElement, document), value)
    }),
    { numRuns: 20 },
  )
})
