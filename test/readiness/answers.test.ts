/**
 * Tests which values count as an answer: no placeholder, no zero that cannot be; declarations by their title
 * in 24 languages.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import placeholders from '../../rules/placeholders.json' with { type: 'json' }
import { allCategories } from '../../src/categories/catalogue.ts'
import { LANGUAGES } from '../../src/i18n/catalogue.ts'
import { isPlaceholder } from '../../src/readiness/answer.ts'
import { type RuleOutcome, reportAct } from '../../src/readiness/report.ts'
import { loadRules } from '../../src/readiness/rules.ts'
import { buildSubject } from '../../src/readiness/subject.ts'

const rules = loadRules()

/** The outcome of a rule for a model with this data. */
function judge(category: string, id: string, data: object): RuleOutcome | undefined {
  const act = rules.acts.get(category)?.find(one => one.rules.some(rule => rule.id === id))
  assert.ok(act)
  const source = { data: { ...data }, record: new Set<'id'>(['id']), measured: new Set<string>() }
  const report = reportAct(act, buildSubject(source, 'model', false), {}, '2027-03-01')
  assert.equal(report.applies, true)
  return report.applies ? report.results.find(({ rule }) => rule.id === id)?.outcome : undefined
}

const EV = { batteryCategory: 'ev' }

describe('a placeholder is no answer', () => {
  test('in any language, in any case, with any marks', () => {
    for (const text of [
      'n/a',
      'N.A.',
      'none',
      '-',
      '–',
      '…',
      '?',
      ' TBD ',
      'keine',
      'k. A.',
      'Néant',
      '0',
      '000',
      'xxx',
    ])
      assert.ok(isPlaceholder(text), text)
    for (const { code } of LANGUAGES)
      for (const text of (placeholders as Record<string, string[]>)[code] ?? [])
        assert.equal(judge('battery', 'batt.49', { ...EV, safetyMeasures: { en: text } }), 'missing', text)
    assert.deepEqual(
      LANGUAGES.filter(({ code }) => !Object.hasOwn(placeholders, code)),
      [],
    )
  })
  test('but texts that only contain one are, and so are elements and codes', () => {
    for (const text of ['None of the cells may be opened.', 'Na', 'Nd', 'Nanterre', 'X5', '1', 'A'])
      assert.ok(!isPlaceholder(text), text)
    const namibia = { commodityCode: '94036010', woodOrigins: [{ scientificName: 'Pinus', country: 'NA' }] }
    assert.equal(judge('furniture', 'eudr.6', namibia), 'met')
  })
  test('in a text of several languages one answer is enough', () => {
    assert.equal(
      judge('battery', 'batt.49', { ...EV, safetyMeasures: { en: 'Discharge it.', de: '-' } }),
      'met',
    )
  })
  test('in lists and their members', () => {
    const source = (email: string) => ({ ...EV, sparePartSources: [{ name: 'Parts', email }] })
    assert.equal(judge('battery', 'batt.47', source('a@example.com')), 'met')
    assert.equal(
      judge('battery', 'batt.46', { ...EV, spareParts: [{ name: 'Fuse', partNumber: 'n/a' }] }),
      'missing',
    )
    assert.equal(judge('battery', 'batt.13', { ...EV, hazardousSubstances: [] }), 'met')
    assert.equal(judge('battery', 'batt.13', { ...EV, hazardousSubstances: [{ name: 'none' }] }), 'missing')
  })
  test('nor is "unknown" of a list of values', () => {
    assert.equal(judge('furniture', 'espr.furniture.8', { flameRetardants: 'unknown' }), 'missing')
    assert.equal(judge('furniture', 'espr.furniture.8', { flameRetardants: 'absent' }), 'met')
  })
})

describe('a zero', () => {
  const ASKED: [string, object][] = [
    ['batt.10', { weightKg: 0 }],
    ['batt.11', { ratedCapacity: 0 }],
    ['batt.27', { nominalVoltage: 0 }],
    ['batt.28', { maximumVoltage: 0 }],
    ['batt.29', { originalPowerCapability: 0 }],
    ['batt.30', { powerLimits: { maximumDischargePower: 0 } }],
    ['batt.31', { expectedLifetimeCycles: 0 }],
    ['batt.36', { initialRoundTripEfficiency: 0 }],
    ['batt.38', { initialInternalResistance: { cell: 0, pack: 0 } }],
    ['batt.39', { expectedLifetimeCycles: 500, cycleLifeTestCRate: { charge: 0 } }],
  ]
  for (const [id, data] of ASKED)
    test(`of ${Object.keys(data).at(-1)} is no answer`, () =>
      assert.equal(judge('battery', id, { ...EV, ...data }), 'missing'))
  test('is one where nothing is an amount', () => {
    assert.equal(judge('battery', 'batt.24', { ...EV, renewableContentPercentage: 0 }), 'met')
    assert.equal(judge('textile', 'jrc.recycled', { recycledContentPercentage: 0 }), 'met')
  })
  test('does not decide whether a battery is large', () => {
    const acts = rules.acts.get('battery') ?? []
    for (const id of ['eu.battery.passport', 'eu.battery.qr']) {
      const act = acts.find(one => one.id === id)
      assert.ok(act)
      const data = { batteryCategory: 'industrial', energyWh: 0 }
      const subject = buildSubject({ data, record: new Set(), measured: new Set() }, 'model', false)
      assert.equal(reportAct(act, subject, {}, '2027-03-01').applies, undefined, id)
    }
  })
})

/** As the Union's acts name the document. */
const DECLARATIONS: Readonly<Record<string, string>> = {
  bg: 'ЕС декларация за съответствие',
  cs: 'EU prohlášení o shodě',
  da: 'EU-overensstemmelseserklæring',
  de: 'EU-Konformitätserklärung',
  el: 'Δήλωση συμμόρφωσης ΕΕ',
  en: 'EU declaration of conformity',
  es: 'Declaración UE de conformidad',
  et: 'ELi vastavusdeklaratsioon',
  fi: 'EU-vaatimustenmukaisuusvakuutus',
  fr: 'Déclaration UE de conformité',
  ga: 'Dearbhú comhréireachta AE',
  hr: 'EU izjava o sukladnosti',
  hu: 'EU-megfelelőségi nyilatkozat',
  it: 'Dichiarazione di conformità UE',
  lt: 'ES atitikties deklaracija',
  lv: 'ES atbilstības deklarācija',
  mt: 'Dikjarazzjoni ta’ konformità tal-UE',
  nl: 'EU-conformiteitsverklaring',
  pl: 'deklaracja zgodności UE',
  pt: 'Declaração UE de conformidade',
  ro: 'Declarația de conformitate UE',
  sk: 'EÚ vyhlásenie o zhode',
  sl: 'Izjava EU o skladnosti',
  sv: 'EU-försäkran om överensstämmelse',
}

describe('a declaration of conformity', () => {
  const url = 'https://example.com/doc.pdf'
  const ofType = (type: string, title?: string) => ({ ...EV, complianceDocuments: [{ type, title, url }] })
  for (const { code } of LANGUAGES)
    test(`is recognised in ${code}, in capitals, with a number, and by its title`, () => {
      const name = DECLARATIONS[code] ?? ''
      const entries = [
        ofType(name),
        ofType(name.toUpperCase()),
        ofType(`${name} Nr. 4711/2027`),
        ofType(`${name} (EU) 2023/1542`),
        ofType('PDF', name),
      ]
      for (const data of entries) assert.equal(judge('battery', 'batt.42', data), 'met', JSON.stringify(data))
    })
  test('is not what another document says of it', () => {
    for (const data of [
      ofType('Test report', 'EU declaration of conformity'),
      ofType('No declaration of conformity'),
      ofType('declaration of conformity: pending'),
      ofType('n/a'),
    ])
      assert.equal(judge('battery', 'batt.42', data), 'missing', JSON.stringify(data))
  })
})

test('every category has rules to judge by', () => {
  for (const { id } of allCategories()) assert.ok((rules.acts.get(id) ?? []).length > 0, id)
})
