/** The table of the law: each rule has a source that somebody read, and each date its condition. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import german from '../../locales/rules/de.json' with { type: 'json' }
import sources from '../../rules/sources.json' with { type: 'json' }
import zeros from '../../rules/zeros.json' with { type: 'json' }
import { allCategories } from '../../src/categories/catalogue.ts'
import type { Field } from '../../src/categories/field.ts'
import type { ActFile, RuleFile } from '../../src/readiness/act.ts'
import { reportAct } from '../../src/readiness/report.ts'
import { loadRules } from '../../src/readiness/rules.ts'
import { listActs } from '../../src/readiness/settings.ts'
import { buildSubject } from '../../src/readiness/subject.ts'
import guidance from './guidance-1.0.json' with { type: 'json' }

const FOLDER = join(import.meta.dirname, '..', '..', 'rules', 'acts')
const acts: readonly ActFile[] = readdirSync(FOLDER).map(name =>
  JSON.parse(readFileSync(join(FOLDER, name), 'utf8')),
)
const SOURCES: Readonly<Record<string, { title: string; url: string; read: string; through?: string }>> =
  sources

/** The longest name with which the citation begins. */
const findSource = (citation: string) =>
  Object.keys(SOURCES)
    .filter(name => citation === name || citation.startsWith(`${name} `))
    .sort((a, b) => b.length - a.length)[0]

type Text = Record<string, unknown>
const translationOf = (kind: 'acts' | 'rules', id: string) => (german[kind] as Record<string, Text>)[id] ?? {}

describe('sources', () => {
  test('have a public address and the day on which somebody read them', () => {
    for (const [name, { title, url, read }] of Object.entries(SOURCES)) {
      assert.ok(title !== '' && URL.canParse(url) && url.startsWith('https://'), name)
      assert.match(read, /^2026-\d\d-\d\d$/, name)
    }
  })

  for (const act of acts)
    test(`of ${act.id} and all its rules, days and gaps are known`, () => {
      const days = [act.due, ...act.rules.map(({ from }) => from)].flatMap(one =>
        Array.isArray(one) ? one : [],
      )
      const cited = [
        act.sources,
        ...[...act.rules, ...days, ...(act.not_modelled ?? [])].map(one => one.source),
      ]
      for (const citation of cited.flat()) assert.ok(findSource(citation), citation)
      const read = cited.flat().map(one => SOURCES[findSource(one) ?? '']?.read ?? '')
      assert.ok(
        read.every(day => day <= act.version),
        'the act was compared before its source was read',
      )
    })

  test('that nobody uses are not named', () => {
    const text = JSON.stringify(acts)
    for (const name of Object.keys(SOURCES)) assert.ok(text.includes(`"${name}`), name)
  })
})

describe('dates', () => {
  for (const act of acts)
    test(`of ${act.id} say for whom they are`, () => {
      assert.ok(act.due === null || Array.isArray(act.due), 'a day without its condition')
      for (const { id, from, earliest, pending } of act.rules) {
        assert.ok(from == null || Array.isArray(from), `${id} has a day without its condition`)
        assert.ok(earliest === undefined || /\d{4}|category|categories/.test(pending ?? ''), id)
      }
      const lists: [string, RuleFile['from'], Text][] = [
        [act.id, act.due, translationOf('acts', act.id)],
        ...act.rules.map(({ id, from }): [string, RuleFile['from'], Text] => [
          id,
          from,
          translationOf('rules', id),
        ]),
      ]
      for (const [id, days, texts] of lists) {
        if (!Array.isArray(days)) continue
        assert.equal((texts.days as string[] | undefined)?.length, days.length, `${id} in German`)
        for (const [place, { when }] of days.entries())
          assert.ok(when !== undefined || place === days.length - 1, `${id}: a day after one for all`)
      }
    })

  const eudr = listActs(loadRules()).find(({ id }) => id === 'eu.furniture.eudr')
  const judge = (commodityCode: string | undefined, small: boolean, today = '2026-11-27') => {
    assert.ok(eudr)
    const data = { materialComposition: [{ material: 'wood', percentage: 100 }], commodityCode }
    const subject = buildSubject({ data, record: new Set(), measured: new Set() }, 'model', false)
    const report = reportAct(eudr, subject, { small_undertaking: small }, today)
    return report.applies === true ? [report.due.on, report.due.question !== undefined, report.asOf] : report
  }
  for (const code of ['94033011', '94034010', '940350', '94036010', '940391'])
    test(`${code} of a small undertaking has no later day: Article 38(3) of the deforestation regulation`, () => {
      assert.deepEqual(judge(code, true), ['2026-12-30', false, '2026-12-30'])
      assert.deepEqual(judge(code, false), ['2026-12-30', false, '2026-12-30'])
    })
  test('a seat of a small undertaking has the later day, and of another one it has not', () => {
    assert.deepEqual(judge('94016100', true), ['2027-06-30', false, '2027-06-30'])
    assert.deepEqual(judge('94016100', false), ['2026-12-30', false, '2026-12-30'])
    assert.deepEqual(judge('94016100', true, '2028-01-01'), ['2027-06-30', false, '2028-01-01'])
  })
  test('without a code the report asks a small undertaking for it, and takes the earlier day', () => {
    assert.deepEqual(judge(undefined, true), ['2026-12-30', true, '2026-12-30'])
    assert.deepEqual(judge(undefined, false), ['2026-12-30', false, '2026-12-30'])
  })
})

describe('the Commission’s list of points', () => {
  const battery = acts.find(({ id }) => id === 'eu.battery.passport')
  for (const [nr, ...applicability] of guidance.points)
    test(`point ${nr}`, () => {
      const rule = battery?.rules.find(one => one.nr === nr)
      assert.ok(rule && typeof rule.severity === 'object')
      const { ev, lmt, industrial } = rule.severity
      const isAsListed = [ev, lmt, industrial].every((one, place) => one === applicability[place])
      assert.equal(rule.unverified === undefined, isAsListed)
      assert.ok(rule.source.includes(`guidance ${isAsListed ? '1.0' : '2.0'} (${nr})`))
    })
})

describe('acts that are not modelled whole', () => {
  const NOT_WHOLE = [
    'eu.battery.qr',
    'eu.espr.annex3',
    'eu.furniture.espr-draft',
    'eu.furniture.eudr',
    'eu.textile.labelling',
    'fr.agec.furniture',
    'fr.agec.textile',
  ]
  test('say what they lack, also in German', () => {
    const lacking = acts.filter(act => act.not_modelled !== undefined)
    assert.deepEqual(lacking.map(({ id }) => id).sort(), NOT_WHOLE)
    for (const { id, not_modelled = [] } of lacking)
      assert.equal((translationOf('acts', id).not_modelled as string[]).length, not_modelled.length, id)
  })
  test('are never ready, whatever the passport has', () => {
    for (const act of listActs(loadRules())) {
      if (!NOT_WHOLE.includes(act.id)) continue
      const all = buildSubject({ data: {}, record: new Set(), measured: new Set() }, 'item', false)
      const declared = { ...all, isDeclared: () => true, read: () => true }
      const report = reportAct(act, declared, {}, '2099-01-01')
      if (report.applies !== true) continue
      assert.equal(report.met, report.total, act.id)
      assert.deepEqual([report.isReady, report.percent], [false, 99], act.id)
    }
  })
})

describe('zeros', () => {
  const listNumbers = (fields: readonly Field[], parent = ''): string[] =>
    fields.flatMap(field => {
      const path = field.name === '' ? parent : [parent, field.name].filter(Boolean).join('.')
      return [
        ...(field.type === 'number' ? [path] : []),
        ...listNumbers(field.fields ?? field.of ?? [], path),
      ]
    })
  const numbers = new Set(allCategories().flatMap(({ fields }) => listNumbers(fields)))
  test('are decided for each number that a rule asks for', () => {
    const asked = listActs(loadRules()).flatMap(act =>
      act.rules.flatMap(({ met, partial }) => [...met, ...partial].flat().flatMap(({ path }) => path ?? [])),
    )
    const decided = new Set([...zeros.never, ...zeros.possible])
    assert.deepEqual(new Set(asked.filter(path => numbers.has(path) && !decided.has(path))), new Set())
    for (const path of decided) assert.ok(numbers.has(path), path)
    assert.equal(decided.size, zeros.never.length + zeros.possible.length)
  })
})
