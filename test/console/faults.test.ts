/**
 * Tests that every data error has a sentence in both languages that gives the value found and no API names.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { allCategories } from '../../src/categories/catalogue.ts'
import { validateData } from '../../src/categories/check/validate.ts'
import { KINDS, PROBLEMS, type ProblemKey, toEnglish } from '../../src/categories/problems.ts'
import { explainFailure } from '../../src/console/developer/words.ts'
import { readTextSource } from '../../src/console/page/texts.ts'
import { chooseWords } from '../../src/console/page/words.ts'
import { explainProblem } from '../../src/console/product-data/problem-sentence.ts'
import { formatField } from '../../src/kernel/errors/detail-json.ts'
import { TRANSLATION } from '../../src/kernel/errors/errors.ts'
import { createAddressList } from '../../src/kernel/http/ip-ranges.ts'
import { OutboundFailure, openOutbound } from '../../src/kernel/http-out/outbound-http.ts'
import { ROW_PROBLEMS } from '../../src/passports/core/row-problems.ts'
import { invalidData } from '../categories/invalid-data.ts'

type Groups = Readonly<Record<'problems' | 'kinds' | 'problemCodes', Readonly<Record<string, string>>>>
const { problems: PROBLEMS_EN, kinds: KINDS_EN } = readTextSource('en') as unknown as Groups
const {
  problems: PROBLEMS_DE,
  kinds: KINDS_DE,
  problemCodes: CODES_DE,
} = readTextSource('de') as unknown as Groups

const german = chooseWords('de')
const english = chooseWords('en')
const holes = (sentence: string) => sentence.match(/\{\w+\}/g) ?? []

describe('messages for invalid fields', () => {
  test('each has a sentence in both languages with the same known placeholders', () => {
    const all = { ...PROBLEMS, ...ROW_PROBLEMS }
    assert.deepEqual(Object.keys(PROBLEMS_DE).sort(), Object.keys(all).sort())
    assert.deepEqual(Object.keys(KINDS_DE).sort(), Object.keys(KINDS).sort())
    assert.deepEqual(Object.keys(PROBLEMS_EN).sort(), Object.keys(all).sort())
    assert.deepEqual(Object.keys(KINDS_EN).sort(), Object.keys(KINDS).sort())
    for (const [key, sentence] of Object.entries(all)) {
      for (const problems of [PROBLEMS_DE, PROBLEMS_EN]) {
        const said = problems[key] ?? ''
        assert.notEqual(said, sentence)
        for (const hole of holes(said)) assert.ok(sentence.includes(hole), `${key} has no ${hole}`)
      }
      const [de, en] = [PROBLEMS_DE, PROBLEMS_EN].map(one => holes(one[key] ?? '').sort())
      assert.deepEqual(en, de, key)
    }
  })

  test('a yes-or-no field asks for a choice, whatever was entered', () => {
    const category = allCategories().find(({ id }) => id === 'textile')
    assert.ok(category)
    const { errors } = validateData(category, { repair: { repairable: 'perhaps' } }, { strict: false })
    const fault = errors.find(({ path }) => formatField(path) === 'repair.repairable')
    assert.ok(fault)
    assert.equal(explainProblem(english, fault), 'Choose yes or no.')
    assert.equal(explainProblem(german, fault), 'Bitte Ja oder Nein wählen.')
  })

  for (const category of allCategories()) {
    test(`every error of a ${category.id} has a complete message in both languages`, () => {
      const seen = new Set<ProblemKey>()
      fc.assert(
        fc.property(invalidData(category), ({ data }) => {
          for (const strict of [true, false]) {
            const { errors, warnings } = validateData(category, data, { strict })
            for (const fault of [...errors, ...warnings]) {
              const said = fault[TRANSLATION]
              assert.ok(said, fault.message)
              assert.ok(Object.hasOwn(CODES_DE, fault.code), fault.code)
              seen.add(said.key as ProblemKey)
              assert.ok(fault.message.endsWith(toEnglish(said as Parameters<typeof toEnglish>[0])))
              const plain = explainProblem(english, fault)
              assert.match(plain, /^[A-Z].*[.?]$/s)
              assert.doesNotMatch(plain, /\{\w+\}/)
              const field = formatField(fault.path)
              assert.ok(field.length < 9 || !plain.startsWith(field), plain)
              const sentence = explainProblem(german, fault)
              assert.match(sentence, /^[A-ZÄÖÜ].*[.?]$/s)
              assert.notEqual(sentence, CODES_DE[fault.code])
              assert.doesNotMatch(sentence, /\{\w+\}|\b(must|is missing|allowed|the)\b/)
            }
          }
        }),
        { numRuns: 300 },
      )
      assert.ok(seen.size >= 15, [...seen].join(', '))
    })
  }

  test('messages use labels for names and values, and a decimal comma in German', () => {
    const wrong = { economicOperator: { role: 'maker' }, weightKg: -0.5 }
    const battery = allCategories().find(({ id }) => id === 'battery')
    assert.ok(battery)
    const { errors } = validateData(battery, wrong)
    const said = Object.fromEntries(
      errors.map(fault => [formatField(fault.path), explainProblem(german, fault)]),
    )
    const plain = Object.fromEntries(
      errors.map(fault => [formatField(fault.path), explainProblem(english, fault)]),
    )
    assert.match(String(plain['economicOperator.role']), /possible values: .*Manufacturer/i)
    assert.match(String(plain['economicOperator.legalName']), /^Required\.$/)
    assert.match(String(plain.weightKg), /^Is -0\.5; it must be at least/)
    assert.doesNotMatch(Object.values(plain).join(), /economicOperator|weightKg|fiberComposition/)
    assert.match(String(said['economicOperator.role']), /möglich sind: .*Hersteller/i)
    assert.match(String(said['economicOperator.legalName']), /^Pflichtangabe\.$/)
    assert.match(String(said.weightKg), /^Ist -0,5; bitte mindestens/)
  })
})

describe('why a delivery failed', () => {
  test('each outcome has a German sentence without unknown facts', () => {
    for (const outcome of Object.keys(english.texts.developer.outcomes)) {
      assert.ok(Object.hasOwn(german.texts.failures, outcome), outcome)
      const detail = 'Something that nobody foresaw.'
      assert.equal(explainFailure(english, { outcome, status: null, detail }), detail)
      assert.match(String(explainFailure(german, { outcome, status: null, detail })), /^[A-Z][^()]*[^ ]\.$/)
    }
    for (const status of [302, 404, 410, 500]) {
      const said = explainFailure(german, { outcome: `status_${status}`, status, detail: 'It answered.' })
      assert.match(String(said), new RegExp(`^Die Antwort war ${status}`))
    }
  })

  test('the sentences have the names and addresses of real failures', async () => {
    const policy = { allowInsecureLoopback: true, allowed: createAddressList([]) }
    const outbound = openOutbound(policy, async () => [])
    const failed = async (url: string) => {
      try {
        await outbound.post({ url, headers: {}, body: '' })
      } catch (error) {
        assert.ok(error instanceof OutboundFailure)
        return explainFailure(german, { outcome: error.failure, status: null, detail: error.message })
      }
      return assert.fail('nothing answers there')
    }
    assert.equal(await failed('http://127.0.0.1:1/'), 'Die Verbindung wurde abgelehnt.')
    assert.match(String(await failed('https://10.1.2.3/')), /^10\.1\.2\.3 ist keine öffentliche Adresse/)
    assert.equal(
      await failed('https://no-such-name.invalid/'),
      'Der Name no-such-name.invalid lässt sich nicht auflösen.',
    )
    await outbound.close()
  })
})
