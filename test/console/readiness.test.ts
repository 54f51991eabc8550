/** Tests the readiness of a product in the console: the section, the page, reasons, the file and the form. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setSigning } from '../../src/accounts/issuer/issuer.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { createSecretCipher } from '../../src/kernel/crypto/secret-cipher.ts'
import { getState } from '../../src/passports/core/state.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { useRuleFolder } from '../../src/readiness/rules.ts'
import { nextGtin } from '../harness.ts'
import examples from '../readiness/examples.json' with { type: 'json' }
import { type Browser, type Stand, startStand } from './stand.ts'

let stand: Stand
let ctx: Parameters<typeof createPassport>[0]
let owner: Browser
let viewer: Browser
let stranger: Browser

before(async () => {
  stand = await startStand()
  const account = await stand.account({ plan: 'enterprise' })
  ctx = { ...stand.ctx, sql: stand.sql, accountId: account, actorId: 1 }
  owner = await stand.signedIn(account, 'owner')
  viewer = await stand.signedIn(account, 'viewer')
  stranger = await stand.signedIn(await stand.account({ name: 'Anderswo' }), 'owner')
})
after(() => stand.close())

const GERMAN = { headers: { 'accept-language': 'de' } }
let made = 0

/** The page as a browser reads it. */
async function show(path: string, ask = {}): Promise<string> {
  const { text } = await owner.get(path, ask)
  return text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
}

type Made = { uuid: string; at: string }
async function make(example: string, changes: Record<string, unknown> = {}): Promise<Made> {
  const found = examples.examples.find(({ name }) => name === example) ?? assert.fail()
  const { data, category } = found
  const own = { gtin: nextGtin(), sku: `R-${++made}`, ...changes }
  const product = { category, data: { ...data, ...own }, strict: false }
  const { passport } = await createPassport(ctx, product)
  return { uuid: passport.id, at: `/console/products/${idFromUuid(passport.id)}` }
}

async function issue(parentUuid: string): Promise<string> {
  const units = [{ serial: `S${++made}` }]
  const { created } = await issueUnits(ctx, { parentUuid, level: 'item', units, bulk: false, strict: false })
  return `/console/products/${idFromUuid(created[0]?.passport.id ?? '')}`
}

const readData = async (uuid: string): Promise<Record<string, unknown>> =>
  (await getState(ctx, uuid)).own ?? (await getState(ctx, uuid)).inherited

/** The part of a page from an id up to the next heading or group. */
function part(html: string, id: string): string {
  const start = html.indexOf(`id="${id}"`)
  assert.ok(start >= 0, id)
  const end = html.slice(start + 1).search(/<h[23] |<details class="fold" id=/)
  return html.slice(start, end < 0 ? undefined : start + 1 + end)
}

const listRules = (html: string) =>
  Array.from(html.matchAll(/<li id="([^"]+)" class="rule"/g), ([, id]) => id)

describe('the page of a product', () => {
  test('says what a UNTP credential still needs, if the account signs', async () => {
    const facility = { facilityId: '4012345000009', name: 'Plant 2', country: 'DE' }
    const lacking = await make('battery-model', { manufacturingFacility: null })
    const complete = await make('battery-model', { manufacturingFacility: facility })
    const readPage = ({ at }: Made) => show(`${at}/readiness`)
    assert.doesNotMatch(await readPage(lacking), /UNTP/)
    const signing = {
      ...ctx,
      secretCipher: createSecretCipher('a secret key that only tests know, long enough'),
    }
    await setSigning(signing, true)
    assert.match(
      part(await readPage(lacking), 'untp'),
      /as soon as it has: Identifier of the manufacturing facility and Name of the manufacturing facility\./,
    )
    assert.doesNotMatch(await readPage(complete), /UNTP/)
    await setSigning(signing, false)
  })
})

describe('the product page', () => {
  test('shows each act that applies with its state and its bar', async () => {
    const { at } = await make('battery-model')
    const text = await show(at)
    const shown = part(text, 'readiness')
    assert.match(shown, /<a[^>]*readiness#eu\.battery\.passport">Battery passport<\/a>/)
    assert.match(shown, /In force, due from 18 Feb 2027, 89 days left/)
    assert.match(shown, /13 of 32, 40%/)
    assert.match(shown, /<meter[^>]* max="32" value="13">/)
    assert.doesNotMatch(shown, /QR code of other batteries/)
  })

  test('asks what decides if an act may apply', async () => {
    const { at } = await make('battery-undetermined')
    assert.match(part(await show(at), 'readiness'), /Battery passport.*an industrial battery above 2 kWh/s)
    const text = await show(`${at}/readiness`)
    const act = part(text, 'eu.battery.passport')
    assert.match(act, /It is not clear yet whether this applies\. Give Energy \(or Nominal voltage\)/)
    assert.match(act, /edit\?field=energyWh&from=readiness#energyWh/)
  })
})

describe('the page of readiness', () => {
  test('lists what is missing, in part, and to check, as the worked example says', async () => {
    const { at } = await make('battery-model')
    const { status, text } = await owner.get(`${at}/readiness`)
    assert.equal(status, 200)
    const [expected] = examples.examples.find(({ name }) => name === 'battery-model')?.report ?? []
    assert.ok(expected && 'missing' in expected)
    for (const group of ['missing', 'partial', 'check', 'unit'] as const)
      assert.deepEqual(listRules(part(text, `eu.battery.passport-${group}`)), expected[group], group)
    assert.match(text, /<details class="fold" id="eu\.battery\.passport-unit"><summary>In its units \(22\)/)
    assert.match(text, /Does not apply to this product:[^<]*QR/)
    assert.match(text, /Rules as of 27 Nov 2026\. This is advice, not legal advice\./)
    assert.match(text, /href="https:\/\/eur-lex\.europa\.eu\/eli\/reg\/2023\/1542\/oj"/)
    assert.match(text, /href="https:\/\/creativecommons\.org\/licenses\/by\/4\.0\/"/)
  })

  test('names each rule with its question, source and hint, in German by the same id', async () => {
    const { at } = await make('battery-model')
    const rule = async (ask = {}) => {
      const text = await show(`${at}/readiness`, ask)
      return /<li id="batt\.14".*?<\/li>/s.exec(text)?.[0] ?? assert.fail()
    }
    assert.match(
      await rule(),
      /14<\/span> With what may a fire of it be put out\?.*Extinguishing agent · BR VI A\(9\)/s,
    )
    const german = await rule(GERMAN)
    assert.match(german, /Ausfüllen/)
    assert.doesNotMatch(german, /With what|lang="en"/)
  })

  test('leads to the form of the product, opened at the field', async () => {
    const { at } = await make('battery-model')
    const text = await show(`${at}/readiness`)
    const [, to = ''] = /<li id="batt\.14".*?href="([^"]+)"/s.exec(text) ?? []
    assert.equal(to, `${at}/edit?field=extinguishingAgents&from=readiness#extinguishingAgents`)
    const form = await show(to)
    const inner = form.indexOf('<div id="extinguishingAgents">')
    assert.ok(inner > 0)
    const open = Array.from(form.slice(0, inner).matchAll(/<details class="([^"]*)"( open)?>|<\/details>/g))
    const around: (string | undefined)[] = []
    for (const [tag, , isOpen] of open) tag === '</details>' ? around.pop() : around.push(isOpen)
    assert.deepEqual(around, [' open', ' open'], 'its group and itself are open')
    assert.match(form, /<select id="d\.extinguishingAgents\.0" name="d\.extinguishingAgents\.0"/)
    const closed = await show(`${at}/edit`)
    assert.match(closed, /<details class="fold group"><summary>Safety/)
  })

  test('every link to a form leads to an element of that form', async () => {
    for (const example of ['battery-model', 'textile-model', 'furniture-model']) {
      const { at } = await make(example)
      const text = await show(`${at}/readiness`)
      const form = await show(`${at}/edit`)
      const ids = Array.from(form.matchAll(/ id="([^"]+)"/g), ([, id]) => id)
      assert.equal(new Set(ids).size, ids.length, 'no id twice')
      const anchors = Array.from(
        text.matchAll(/\/edit\?field=\w+&from=readiness#(\w+)"/g),
        ([, anchor]) => anchor,
      )
      assert.ok(anchors.length > 5)
      for (const anchor of anchors) assert.ok(ids.includes(anchor), `${example} ${anchor}`)
    }
  })

  test('a unit links to its model for what the law asks of models, and to itself otherwise', async () => {
    const { uuid, at } = await make('battery-model')
    const unit = await issue(uuid)
    const text = await show(`${unit}/readiness`)
    assert.match(text, /<span class="amount">15 of 37, 40%|<span class="amount">1\d of 37/)
    assert.match(text, new RegExp(`<li id="batt\\.14".*?href="${at}/edit\\?field=extinguishingAgents`, 's'))
    assert.match(text, new RegExp(`<li id="batt\\.67".*?href="${unit}/edit\\?field=batteryStatus`, 's'))
    assert.match(text, new RegExp(`<li id="batt\\.35".*?href="${at}/readiness#batt\\.35"`, 's'))
  })

  test('says what a rule waits for, and where the law wants other readers', async () => {
    const { at } = await make('battery-model')
    const rule = (text: string, id: string) =>
      new RegExp(`<li id="${id.replace('.', '\\.')}".*?</li>`, 's').exec(text)?.[0] ?? assert.fail(id)
    const text = await show(`${at}/readiness`)
    assert.match(rule(text, 'batt.17'), /Format waits for an implementing act under Article 7\(1\)/)
    assert.match(
      rule(text, 'batt.19'),
      /The law wants it seen by: everyone\. Your passports have other readers/,
    )
    assert.doesNotMatch(rule(text, 'batt.14'), /Your passports have other readers/)
    assert.match(rule(await show(`${at}/readiness`, GERMAN), 'batt.17'), /Das Format wartet auf/)
  })

  test('values that contradict each other are named', async () => {
    const { at } = await make('battery-model', { minimumVoltage: 60 })
    const text = await show(`${at}/readiness`)
    assert.match(
      part(text, 'notes'),
      /edit\?field=minimumVoltage&from=readiness#minimumVoltage.*must grow in this order/s,
    )
  })

  test('viewers see it without links to forms, others do not see it at all', async () => {
    const { at } = await make('battery-model')
    const seen = await viewer.get(`${at}/readiness`)
    assert.equal(seen.status, 200)
    assert.doesNotMatch(seen.text, /edit\?field|method="post" action="\/console\/products/)
    assert.equal((await stranger.get(`${at}/readiness`)).status, 404)
    assert.equal((await stranger.get(`${at}/readiness.csv`)).status, 404)
    const form = { rule: 'batt.35', 'reason-batt.35': 'No warranty.' }
    assert.equal((await viewer.post(`${at}/readiness`, { form })).status, 403)
    assert.equal((await stranger.post(`${at}/readiness`, { form })).status, 404)
  })
})

describe('the form of what is missing', () => {
  const TO = 'edit?act=eu.battery.passport'
  const listFields = (form: string) =>
    Array.from(form.matchAll(/<div id="(\w+)" class="asked">/g), ([, id]) => id)

  test('has only the fields of what is missing or in part, with the questions of the rules', async () => {
    const { at } = await make('battery-model')
    assert.match(
      await show(`${at}/readiness`),
      /\/edit\?act=eu\.battery\.passport">Fill in 19 gaps on one page/,
    )
    const form = await show(`${at}/${TO}`)
    const fields = listFields(form)
    assert.equal(fields.length, 19)
    assert.ok(fields.includes('extinguishingAgents') && !fields.includes('productName'))
    assert.match(form, /With what may a fire of it be put out\?<\/p><p class="hint">14 · Extinguishing agent/)
    assert.equal(Array.from(form.matchAll(/name="d\.detailedComposition\.\d\.component"/g)).length, 3)
    assert.match(form, /<label for="d\.minimumVoltage">Minimum voltage \(V\)<\/label>/, 'not called optional')
    assert.match(form, /<details class="fold-small"><summary>\d optional fields/)
    assert.match(await show(`${at}/${TO}`, GERMAN), /Womit/)
  })

  test('saves them beside all other fields, and leads back to what is still missing', async () => {
    const { uuid, at } = await make('battery-model')
    const before = await readData(uuid)
    const rules = 'batt.26 batt.28 batt.9999'
    const form = {
      base: '1',
      rules,
      from: 'readiness',
      'd.minimumVoltage': '44.8',
      'd.maximumVoltage': '57.6',
    }
    const answer = await owner.post(at, { form })
    assert.equal(answer.headers.location, `${at}/readiness?done=saved&n=2`)
    assert.deepEqual(await readData(uuid), { ...before, minimumVoltage: 44.8, maximumVoltage: 57.6 })
    const page = await show(`${at}/readiness?done=saved&n=2`)
    assert.match(page, /Saved as version 2/)
    assert.match(page, /data-draft-saved="[^"]+" data-version="2"/)
    assert.match(page, /15 of 32/)
  })

  test('shows an error in the same form', async () => {
    const { at } = await make('battery-model')
    const form = { base: '1', rules: 'batt.26', from: 'readiness', 'd.minimumVoltage': 'many' }
    const { status, text } = await owner.post(at, { form })
    assert.equal(status, 422)
    assert.deepEqual(listFields(text), ['minimumVoltage'])
    assert.match(text, /name="rules" value="batt\.26"/)
    assert.match(text, /id="d\.minimumVoltage-error"/)
  })

  test('of a product with units asks whether it is a change or a correction, and then leads back', async () => {
    const { uuid, at } = await make('battery-model')
    await issue(uuid)
    const form = { base: '1', rules: 'batt.26', from: 'readiness', 'd.minimumVoltage': '44.8' }
    const { text } = await owner.post(at, { form })
    assert.match(text, /name="rules" value="batt\.26"/)
    assert.match(text, /name="change_type" value="correction"/)
    const answer = await owner.post(at, { form: { ...form, reviewed: 'yes', change_type: 'correction' } })
    assert.equal(answer.headers.location, `${at}/readiness?done=corrected&n=2`)
  })

  test('an act that is none of the product has the whole form', async () => {
    const { at } = await make('battery-model')
    for (const act of ['eu.reach', 'none']) {
      const form = await show(`${at}/edit?act=${act}`)
      assert.match(form, /name="d\.productName"/)
      assert.doesNotMatch(form, /name="rules"/)
    }
  })

  test('of a unit leaves out what belongs to its model', async () => {
    const { uuid } = await make('battery-model')
    const unit = await issue(uuid)
    const fields = listFields(await show(`${unit}/${TO}`))
    assert.ok(fields.includes('batteryStatus') && !fields.includes('extinguishingAgents'), fields.join())
  })
})

describe('a reason why a rule does not apply', () => {
  test('is asked only for rules that depend on the product, and is appended to the others', async () => {
    const first = { rule: 'batt.36', reason: 'It is not measured.' }
    const { uuid, at } = await make('battery-model', { notApplicable: [first] })
    const text = await show(`${at}/readiness`)
    assert.match(text, /<li id="batt\.35".*?name="reason-batt\.35"/s)
    assert.doesNotMatch(text, /name="reason-batt\.14"/)
    const form = { rule: 'batt.35', 'reason-batt.35': ' Sold without a warranty. ' }
    const answer = await owner.post(`${at}/readiness`, { form })
    assert.equal(answer.headers.location, `${at}/readiness?done=declared#batt.35`)
    const second = { rule: 'batt.35', reason: 'Sold without a warranty.' }
    assert.deepEqual((await readData(uuid)).notApplicable, [first, second])
    const after = await show(`${at}/readiness?done=declared`)
    assert.match(after, /The reason is saved\./)
    const declared = part(after, 'eu.battery.passport-notApplicable')
    assert.match(declared, /<li id="batt\.35".*Reason: Sold without a warranty\..*edit\?field=notApplicable/s)
    assert.ok(!listRules(part(after, 'eu.battery.passport-check')).includes('batt.35'))
    await owner.post(`${at}/readiness`, { form: { ...form, 'reason-batt.35': 'Used.' } })
    const again = { rule: 'batt.35', reason: 'Used.' }
    assert.deepEqual((await readData(uuid)).notApplicable, [first, again])
  })

  test('is required; what is wrong stands at its field', async () => {
    const { uuid, at } = await make('battery-model')
    const form = { rule: 'batt.35', 'reason-batt.35': '  ' }
    const { status, text } = await owner.post(`${at}/readiness`, { form })
    assert.equal(status, 422)
    assert.match(text, /href="#reason-batt\.35"/)
    assert.match(text, /<details class="fold-small" open>.*id="reason-batt\.35-error"/s)
    assert.equal((await readData(uuid)).notApplicable, undefined)
    const unknown = { rule: 'batt.9999', 'reason-batt.9999': 'No.' }
    assert.equal((await owner.post(`${at}/readiness`, { form: unknown })).status, 303)
    assert.equal((await readData(uuid)).notApplicable, undefined)
  })

  test('of a product with units goes through its form, with a row for the rule', async () => {
    const { uuid, at } = await make('battery-model')
    await issue(uuid)
    const to = `${at}/edit?field=notApplicable&from=readiness&rule=batt.35#notApplicable`
    const text = await show(`${at}/readiness`)
    assert.ok(text.includes(to), 'a link to the form')
    assert.doesNotMatch(text, /name="reason-/)
    const form = { rule: 'batt.35', 'reason-batt.35': 'Sold without.' }
    assert.equal((await owner.post(`${at}/readiness`, { form })).headers.location, to)
    assert.equal((await readData(uuid)).notApplicable, undefined)
    assert.match(await show(to), /name="d\.notApplicable\.0\.rule" value="batt\.35"/)
  })
})

describe('the file for suppliers', () => {
  test('has a line for all that is missing, in part or to check, with what to send', async () => {
    const { at } = await make('battery-model')
    const { headers, text } = await owner.get(`${at}/readiness.csv`)
    assert.equal(headers['content-type'], 'text/csv; charset=utf-8')
    assert.match(headers['content-disposition'] ?? '', /attachment/)
    const lines = text.replace('\ufeff', '').trimEnd().split('\r\n')
    assert.equal(lines[0], 'Act,Point,Title,Question,Field,What to send,Source')
    assert.equal(lines.length, 1 + 17 + 2 + 4)
    assert.match(text, /extinguishingAgents\),.*One of: /)
    assert.match(text, /minimumVoltage\),A number in V/)
    const german = await show(`${at}/readiness.csv`, GERMAN)
    assert.match(german, /^\ufeffRechtsakt;Punkt;Titel;/)
  })
})

test('an act of an operator is shown in its language, and its texts are no formulas in the file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'carnet-rules-'))
  const rule = {
    id: 'own.1',
    title: '=HYPERLINK("https://evil.example")',
    question: '+1',
    hint: '@SUM(A1)',
    source: ['-1'],
    level: 'model',
    audience: ['authority'],
    severity: 'required',
    met: [['labels']],
  }
  const act = {
    version: '2026-11-22',
    id: 'own.act',
    title: '=1+1',
    category: 'battery',
    duty: 'hold',
    status: 'in_force',
    activation: 'auto',
    due: null,
    scopes: { all: true },
    sources: ['Own'],
    rules: [rule],
  }
  writeFileSync(join(folder, 'own.json'), JSON.stringify(act))
  useRuleFolder(folder)
  try {
    const { at } = await make('battery-model')
    const german = await show(`${at}/readiness`, GERMAN)
    assert.match(german, /<h2 id="own\.act"><span lang="en">=1\+1<\/span>/)
    assert.match(german, /<li id="own\.1" class="rule" lang="en">/)
    const { text } = await owner.get(`${at}/readiness.csv`)
    const line = text.split('\r\n').find(one => one.includes('HYPERLINK')) ?? assert.fail()
    assert.match(line, /^'=1\+1,,"'=HYPERLINK\(""https:\/\/evil\.example""\)",'\+1,[^,]*,[^=+@-][^,]*.*,'-1$/)
  } finally {
    useRuleFolder(undefined)
    rmSync(folder, { recursive: true })
  }
})

describe('the form', () => {
  test('says which act wants a field', async () => {
    const { at } = await make('battery-model')
    const text = await show(`${at}/edit`)
    assert.match(text, /Extinguishing agents? <span class="wanted">Battery passport, point 14/i)
    const german = await show(`${at}/edit`, GERMAN)
    assert.match(german, /<span class="wanted">Batteriepass, Punkt 14/)
  })

  test('a box says that nothing was found, where that is an answer', async () => {
    const { uuid, at } = await make('furniture-model', { substancesOfConcern: undefined })
    const form = await show(`${at}/edit`)
    const box = /<input type="checkbox"[^>]*name="d\.substancesOfConcern\.@none"[^>]*>/.exec(form)?.[0] ?? ''
    assert.doesNotMatch(box, / checked/)
    assert.doesNotMatch(form, /name="d\.notApplicable\.@none"/)
    const name = 'd.substancesOfConcern.@none'
    const send = async (sent: readonly [string, string][]) => {
      const page = await show(`${at}/edit`)
      const hidden = Array.from(page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g))
      const base = hidden.find(([, one]) => one === 'base')?.[2] ?? ''
      const { data } = { data: await readData(uuid) }
      const entries = [...listInputs(data), ['base', base], ...sent] as [string, string][]
      return owner.post(at, { form: new URLSearchParams(entries).toString() })
    }
    const ticked = await send([
      [name, 'yes'],
      [name, ''],
    ])
    assert.equal(ticked.status, 303, ticked.text)
    assert.deepEqual((await readData(uuid)).substancesOfConcern, [])
    const again = await show(`${at}/edit`)
    assert.match(again, /<input type="checkbox"[^>]*name="d\.substancesOfConcern\.@none"[^>]* checked/)
    assert.match(await show(`${at}/readiness`), /1 of 1, 100%/)
    assert.equal((await send([[name, '']])).status, 303)
    assert.ok(!('substancesOfConcern' in (await readData(uuid))))
  })
})

/** The data as the inputs of the form would send it. */
function listInputs(value: unknown, at = 'd'): [string, string][] {
  if (typeof value !== 'object' || value === null) return [[at, String(value)]]
  return Object.entries(value).flatMap(([name, one]) => listInputs(one, `${at}.${name}`))
}
