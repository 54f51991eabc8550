/** Rule files: one more act is one more file, and a spoilt one is named with its place. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { allCategories, findCategory } from '../../src/categories/catalogue.ts'
import { RuleFileError } from '../../src/kernel/config/rule-files.ts'
import { reportAct } from '../../src/readiness/report.ts'
import { loadRules } from '../../src/readiness/rules.ts'
import { buildSubject } from '../../src/readiness/subject.ts'
import { validData } from '../categories/arbitrary.ts'
import { IS_FULL } from '../full.ts'

const TODAY = '2026-11-22'
const RULE = {
  id: 'made-up.1',
  title: 'Colour',
  question: 'Which commodity code does it have?',
  source: ['Made-up act, Article 1'],
  level: 'model',
  audience: ['public'],
  severity: 'required',
  met: [['commodityCode']],
}
const ACT = {
  version: TODAY,
  id: 'made-up.act',
  title: 'Made-up act',
  category: ['textile', 'furniture'],
  duty: 'inform',
  status: 'in_force',
  activation: 'auto',
  due: null,
  scopes: { all: true },
  sources: ['Made-up act'],
  rules: [RULE],
}

let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'carnet-rules-'))
})
after(() => rmSync(folder, { recursive: true }))

function load(file: unknown) {
  writeFileSync(join(folder, 'act.json'), typeof file === 'string' ? file : JSON.stringify(file))
  return loadRules(folder)
}

const rule = (change: object) => ({ ...ACT, rules: [{ ...RULE, ...change }] })
const deep = (levels: number): unknown => (levels === 0 ? '?' : { not: deep(levels - 1) })

describe('an act of the operator', () => {
  test('is judged like those that come with Carnet', () => {
    const { acts, ruleIds } = load(ACT)
    assert(ruleIds.has('made-up.1') && ruleIds.has('batt.1'))
    const find = (category: string) => acts.get(category)?.find(act => act.id === 'made-up.act')
    assert.equal(find('battery'), undefined)
    const act = find('textile')
    assert(act)
    const judge = (data: object) => {
      const source = { data: { ...data }, record: new Set<'id'>(), measured: new Set<string>() }
      const report = reportAct(act, buildSubject(source, 'model', false), {}, TODAY)
      return report.applies && report.percent
    }
    assert.deepEqual([judge({}), judge({ commodityCode: '610910' })], [0, 100])
  })
})

describe('a rule file that cannot be used', () => {
  const cases: readonly [string, unknown, RegExp][] = [
    ['is not JSON', '{"version":', /act\.json is not JSON/],
    ['is a list', [], /the file must be object/],
    ['lacks a member', { ...ACT, title: undefined }, /must have required property 'title'/],
    [
      'has a day that does not exist',
      { ...ACT, version: '2026-02-30' },
      /\/version must match format "date"/,
    ],
    ['has a member that means nothing', rule({ colour: 'red' }), /\/rules\/0 must NOT have additional/],
    [
      'asks for a field that no category has',
      rule({ met: [['wieght']] }),
      /made-up\.1: "wieght" names no field/,
    ],
    [
      'asks for a member that is not there',
      rule({ met: [['repair.cost']] }),
      /"repair\.cost" names no field/,
    ],
    ['has a fact of no known form', rule({ met: [['@colour']] }), /"@colour" is not one of @id/],
    ['selects in no known way', rule({ met: [['labels[symbol]']] }), /selection that is not/],
    [
      'compares within a list',
      rule({ met: [['fiberComposition[].percentage>5']] }),
      /compares within a list/,
    ],
    [
      'computes something unknown',
      rule({ met: [['$mass>5']] }),
      /is not a comparison with one of \$energyWh/,
    ],
    ['has another rule’s id', rule({ id: 'batt.1' }), /"batt\.1" is already in /],
    ['has another act’s id', { ...ACT, id: 'eu.reach' }, /"eu\.reach" is already in /],
    [
      'names a scope that is not there',
      rule({ severity: { some: 'required' } }),
      /severity must name each scope/,
    ],
    [
      'asks for a parameter that is not there',
      rule({ when: '%size=small' }),
      /not one of the act's parameters/,
    ],
    [
      'has a condition that refers to a rule',
      rule({ when: 'made-up.1' }),
      /"made-up\.1" is not a path|names no field/,
    ],
    ['has a condition too deep to be meant', rule({ when: deep(11) }), /deeper than 10 levels/],
    ['has a condition with two ways', rule({ when: { all: ['?'], any: ['?'] } }), /\/rules\/0\/when must/],
  ]
  for (const [name, file, message] of cases) {
    test(name, () => {
      assert.throws(
        () => load(file),
        (error: Error) => error instanceof RuleFileError && message.test(error.message),
      )
    })
  }

  test('a folder that is not there is named', () => {
    assert.throws(() => loadRules(join(folder, 'missing')), /missing cannot be read/)
  })
})

describe('every report', () => {
  for (const { id } of allCategories()) {
    test(`of random passports, ${id}: no error, and the counts agree`, () => {
      const category = findCategory(id)
      assert(category)
      const acts = loadRules().acts.get(id) ?? []
      fc.assert(
        fc.property(
          validData(category),
          fc.constantFrom('model', 'batch', 'item'),
          fc.boolean(),
          (data, level, has) => {
            const source = { data, record: new Set<'id'>(['id']), measured: new Set<string>() }
            const subject = buildSubject(source, level, has)
            for (const act of acts) {
              const report = reportAct(act, subject, {}, TODAY)
              if (report.applies !== true) continue
              assert(report.met <= report.total && report.percent <= 100)
              assert.equal(report.isReady, report.percent === 100)
              assert.equal(report.results.length, act.rules.length)
            }
          },
        ),
        { numRuns: IS_FULL ? 3_400 : 200 },
      )
    })
  }
})
