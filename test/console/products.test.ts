/** Tests products by forms, without a script: create, change, correct, issue, refresh, revert, archive. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { allCategories, findCategory } from '../../src/categories/catalogue.ts'
import type { Field } from '../../src/categories/field.ts'
import { readForm } from '../../src/console/page/form.ts'
import { chooseWords } from '../../src/console/page/words.ts'
import { buildDataForm, diffData, parseData } from '../../src/console/product-data/form-data.ts'
import { renderDataInputs } from '../../src/console/product-data/inputs.ts'
import { applyRowButton } from '../../src/console/product-data/list-rows.ts'
import { refreshesEnded } from '../../src/passports/units/refresh-job.ts'
import { CORES, nextGtin } from '../harness.ts'
import { FULL } from '../site/passport-views.ts'
import { type Answer, type Browser, OWN, type Stand, startStand } from './stand.ts'

let stand: Stand
let owner: Browser
let viewer: Browser
let stranger: Browser

before(async () => {
  stand = await startStand()
  const account = await stand.account({ plan: 'enterprise' })
  owner = await stand.signedIn(account, 'owner')
  viewer = await stand.signedIn(account, 'viewer')
  stranger = await stand.signedIn(await stand.account({ name: 'Anderswo' }), 'owner')
})
after(() => stand.close())

/** Data as form fields: what the page's inputs would send. */
function fields(data: unknown, at = 'd'): Record<string, string> {
  if (Array.isArray(data)) {
    return Object.assign({}, ...data.map((one, index) => fields(one, `${at}.${index}`)))
  }
  if (typeof data === 'object' && data !== null) {
    return Object.assign({}, ...Object.entries(data).map(([name, one]) => fields(one, `${at}.${name}`)))
  }
  return { [at]: String(data) }
}

/** The values that a browser would send for a page's inputs. */
function drawn(page: string): string {
  const html = page.replaceAll(/ value=([A-Z]{2})(?=[ >])/g, ' value="$1"')
  const plain = (text: string) => text.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
  const found: [string, string][] = []
  for (const [tag, name = ''] of html.matchAll(/<(?:input|textarea|select)[^>]* name="([^"]*)"[^>]*>/g)) {
    if (tag.includes('type="checkbox"') && !tag.includes(' checked')) continue
    const after = html.slice(html.indexOf(tag) + tag.length)
    const [, value] =
      (tag.startsWith('<input') && / value="([^"]*)"/.exec(tag)) ||
      (tag.startsWith('<textarea') && /^\n([^<]*)<\/textarea>/.exec(after)) ||
      /^(?:<option value="[^"]*">[^<]*)*<option value="([^"]*)" selected>/.exec(after) ||
      []
    const isOneLine = tag.startsWith('<input') && !tag.includes('type="hidden"')
    const sent = plain(value ?? '')
    found.push([plain(name), isOneLine ? sent.replaceAll(/[\r\n]/g, '') : sent.replaceAll('\n', '\r\n')])
  }
  return new URLSearchParams(found).toString()
}

const textile = { ...CORES.textile, productName: 'Wool jumper', sku: 'W-1' }
const inFrench = {
  careInstructions: { fr: 'Laver à la main.' },
  endOfLife: { recyclingInstructions: { fr: 'Au tri.' }, disposalInstructions: { fr: 'Pas à la poubelle.' } },
}
const unitsHeading = ({ text }: Answer) => /<h2 id="units">(.*?)<\/h2>/.exec(text)?.[1]
const newForm = (data: object) => ({ category: 'textile', ...fields(data) })

async function make(data: object = textile): Promise<string> {
  const answer = await owner.post('/console/products', { form: newForm(data) })
  assert.equal(answer.status, 303, answer.text)
  const [at = '', done] = String(answer.headers.location).split('?')
  assert.equal(done, 'done=created')
  return at
}

const save = async (at: string, data: object, more: Record<string, string> = {}): Promise<Answer> => {
  const base = /name="base" value="(\d+)"/.exec((await owner.get(`${at}/edit`)).text)?.[1] ?? ''
  return owner.post(at, { form: { ...fields(data), base, change_type: 'change', note: '', ...more } })
}

describe('the product form', () => {
  for (const category of allCategories()) {
    const id = category.id as keyof typeof FULL
    const all: Record<string, unknown> = { ...CORES[id], ...FULL[id] }
    const data = Object.fromEntries(
      Object.entries(all).filter(([name]) => category.fields.some(field => field.name === name)),
    )

    for (const words of [chooseWords('de'), chooseWords('en')]) {
      test(`${category.id}: rendering the form and reading it back gives the same data, in ${words.language}`, () => {
        const form = buildDataForm(words, category.fields, data)
        const drawing = {
          words,
          form,
          problems: {},
          action: '/console/products',
          isUnit: false,
        }
        const html = renderDataInputs(category, drawing)
        for (const name of Object.keys(fields(data))) assert.ok(html.includes(`name="${name}"`), name)
        const typed = readForm(drawn(html))
        const same = parseData(category.fields, typed, { words, was: data })
        assert.deepEqual(same, { data, problems: {} })
        for (const [name, value] of Object.entries(same.data)) assert.equal(value, data[name], name)
        assert.deepEqual(parseData(category.fields, typed, { words, was: {} }), { data, problems: {} })
      })
    }
  }

  const words = { en: chooseWords('en'), de: chooseWords('de') }
  const textileCategory = findCategory('textile') ?? assert.fail()
  const textileFields = textileCategory.fields
  const read = (language: 'en' | 'de', form: Record<string, string>, was: object = {}) =>
    parseData(textileFields, readForm(new URLSearchParams(form).toString()), {
      words: words[language],
      was: was as Record<string, unknown>,
    })

  test('a value that the form cannot show exactly stays as stored until somebody edits it', () => {
    const was = {
      productName: ' Jumper\twith a tab ',
      sku: 'A\u00a0',
      economicOperator: { legalName: 'X ', address: 'Weg 1\n89073 Ulm\n', unknown: { kept: [1] } },
      fiberComposition: [
        { fiber: 'linen\n', percentage: 60 },
        { fiber: ' cotton', percentage: 40 },
      ],
      careInstructions: { en: ' Wash.\n\nDry.', fr: 'Laver ' },
      weightGrams: 1.5e-9,
      languages: ['en'],
    }
    for (const language of ['en', 'de'] as const) {
      const shown = Object.fromEntries(
        buildDataForm(words[language], textileFields, was)
          .entries()
          .map(([name, value]) => [name, value.replaceAll('\n', '\r\n')]),
      )
      const same = read(language, shown, was).data
      for (const [name, value] of Object.entries(was)) assert.equal(same[name as 'sku'], value, name)
      const touched = { ...shown, 'd.economicOperator.legalName': 'Y', 'd.careInstructions.en': 'Wash.' }
      const changed = read(language, touched, was).data
      assert.deepEqual(changed.economicOperator, { ...was.economicOperator, legalName: 'Y' })
      assert.deepEqual(changed.careInstructions, { en: 'Wash.', fr: 'Laver ' })
      assert.equal(changed.fiberComposition, was.fiberComposition)
      const less = parseData(
        textileFields,
        applyRowButton(
          readForm(new URLSearchParams({ ...shown, remove: 'd.fiberComposition.0' }).toString()),
        ) ?? readForm(''),
        { words: words[language], was },
      ).data
      assert.deepEqual(less.fiberComposition, [was.fiberComposition[1]])
    }
  })

  test('reads numbers as people type them; other input stays text', () => {
    const number = (language: 'en' | 'de', typed: string) => {
      const { data, problems } = read(language, { 'd.weightGrams': typed })
      return problems['d.weightGrams'] ?? data.weightGrams
    }
    for (const language of ['en', 'de'] as const) {
      assert.deepEqual(
        ['12,5', '12.5', ' 1 000 ', '-3', '1e3', '0,125', '0.125', '1234,5', '10,5 g', '.5'].map(one =>
          number(language, one),
        ),
        [12.5, 12.5, 1000, -3, 1000, 0.125, 0.125, 1234.5, 10.5, 0.5],
      )
      assert.deepEqual(
        ['1,2,3', 'abc', '--1', '0x10', '.', '1 kg'].map(one => number(language, one)),
        ['1,2,3', 'abc', '--1', '0x10', '.', '1 kg'],
      )
      assert.match(String(number(language, '0.12345678901234567')), /15/)
      assert.equal(number(language, '1e400'), Number.POSITIVE_INFINITY)
    }
    assert.deepEqual(
      ['1.234,5', '1.234.567', '1,234', '12,345 g'].map(one => number('de', one)),
      [1234.5, 1234567, 1.234, 12.345],
    )
    assert.deepEqual(
      ['1,234.5', '1,234,567', '1.234', '12.345 g'].map(one => number('en', one)),
      [1234.5, 1234567, 1.234, 12.345],
    )
    assert.match(String(number('de', '1.234')), /^1\.234 kann 1234 oder 1,234 heißen/)
    assert.match(String(number('de', '-12.000 g')), /-12000 oder -12 heißen/)
    assert.match(String(number('en', '1,234')), /^1,234 can mean 1234 or 1\.234/)
  })

  test('a number shown by the form is read back unchanged', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), number => {
        for (const one of Object.values(words)) {
          const form = buildDataForm(one, textileFields, { weightGrams: number })
          const { data, problems } = parseData(textileFields, form, { words: one, was: {} })
          assert.deepEqual([data.weightGrams, problems], [number === 0 ? 0 : number, {}])
        }
      }),
    )
  })

  test('languages can be entered by name; text inputs appear only for valid languages', () => {
    const typed = { 'd.languages.0': 'Deutsch', 'd.languages.1': 'Greek', 'd.languages.2': 'pt-BR' }
    assert.deepEqual(read('en', typed).data.languages, ['de', 'el', 'pt-BR'])
    const form = readForm(new URLSearchParams({ ...typed, 'd.languages.3': 'und' }).toString())
    const html = renderDataInputs(textileCategory, {
      words: words.en,
      form,
      problems: {},
      action: '/x',
      isUnit: false,
    })
    for (const tag of ['de', 'el', 'pt-BR']) assert.ok(html.includes(`name="d.careInstructions.${tag}"`), tag)
    assert.ok(!html.includes('name="d.careInstructions.und"'))
    assert.doesNotMatch(html, /\broot\b/)
    assert.match(html, /<option value="el">Greek</)
  })

  test('fibres are shown and suggested in the language of the console, and stored in English', () => {
    const { fields: table } = textileCategory
    const words = chooseWords('de')
    const composed = (...names: string[]) => ({
      fiberComposition: names.map(fiber => ({ fiber, percentage: 100 / names.length })),
    })
    const stored = composed('cotton', 'Leinen', 'organic cotton', 'moon dust')
    const form = buildDataForm(words, table, stored)
    const shown = ['0', '1', '2', '3'].map(row => form.raw(`d.fiberComposition.${row}.fiber`))
    assert.deepEqual(shown, ['Baumwolle', 'Leinen', 'organic cotton', 'moon dust'])
    const drawing = { words, form, problems: {}, action: '/', isUnit: false }
    const html = renderDataInputs(textileCategory, drawing)
    assert.match(html, /name="d\.fiberComposition\.0\.fiber" value="Baumwolle"[^>]* list="known-names"/)
    assert.match(
      html,
      /<datalist id="known-names">.*<option value="Kamel"><\/option>.*<option value="Wolle">/s,
    )
    // A fibre name that is submitted unchanged keeps its stored spelling; a new one is stored in English.
    assert.deepEqual(parseData(table, form, { words, was: stored }).data, stored)
    assert.deepEqual(
      parseData(table, form, { words, was: {} }).data,
      composed('cotton', 'flax', 'organic cotton', 'moon dust'),
    )
  })

  test('hints belong to existing fields, are the same in both languages, and contain no jargon', () => {
    const paths = (members: readonly Field[], at: string): string[] =>
      members.flatMap(({ name, fields = [], of = [] }) => [
        `${at}${name}`,
        ...paths([...fields, ...of], `${at}${name}.`),
      ])
    const all = allCategories().flatMap(({ id, fields }) => [
      ...paths(fields, ''),
      ...paths(fields, `${id}.`),
    ])
    const [en, de] = [chooseWords('en').texts, chooseWords('de').texts]
    assert.deepEqual(Object.keys(de.form.hints), Object.keys(en.form.hints))
    for (const [path, hint] of [...Object.entries(en.form.hints), ...Object.entries(de.form.hints)]) {
      assert.ok(all.includes(path), path)
      assert.match(hint, /^[A-ZÄÖÜ\d].*\.$/)
      assert.doesNotMatch(hint, /ISO|BCP|alpha-2/)
    }
  })

  test('a field that not everybody sees names its audience', () => {
    for (const [language, only] of [
      ['en', /id="d\.economicOperator\.eori-hint">[^<]*Only authorities see this\./],
      ['de', /id="d\.economicOperator\.eori-hint">[^<]*Das sehen nur Behörden\./],
    ] as const) {
      for (const category of allCategories()) {
        const { id, fields: members } = category
        const rows = { operators: [{}], woodOrigins: [{}], durabilityTests: [{}] }
        const data = { ...FULL[id as keyof typeof FULL], ...rows }
        const form = buildDataForm(words[language], members, data)
        const html = renderDataInputs(category, {
          words: words[language],
          form,
          problems: {},
          action: '/x',
          isUnit: false,
        })
        assert.match(html, only)
        const limited = (some: readonly Field[]): number =>
          some.reduce((sum, { audience, fields = [], of = [] }) => {
            return sum + (audience === undefined ? 0 : 1) + limited([...fields, ...of])
          }, 0)
        const lists = /Only (?:authorities|readers)|sehen nur/g
        const further = id === 'textile' ? 2 : 0
        assert.equal((html.match(lists) ?? []).length, limited(members) + further, id)
      }
    }
  })

  test('only differences are changes; a removed value is null', () => {
    const { fields: known } = allCategories()[0] ?? { fields: [] }
    const before = { productName: 'A', weightGrams: 3, languages: ['en'], mine: 1 }
    const after = { productName: 'A', languages: ['en', 'de'] }
    assert.deepEqual(diffData(known, before, after), { languages: ['en', 'de'], weightGrams: null })
  })
})

describe('products', () => {
  test('a name with bidirectional controls is shown as spelt in lists, headings and titles; the form keeps it', async () => {
    const account = await stand.account({ plan: 'enterprise', name: 'Umkehr' })
    const person = await stand.signedIn(account, 'owner')
    const form = newForm({ ...textile, productName: 'Stuhl\u202eabc\u2066', sku: 'RLO-1' })
    const [at = ''] = String((await person.post('/console/products', { form })).headers.location).split('?')
    for (const path of ['/console/products', '/console', at, `${at}/labels`]) {
      const { status, text } = await person.get(path)
      assert.equal(status, 200, path)
      assert.match(text, /Stuhlabc/, path)
      const shown = text.replace(
        /<input[^>]*>|<textarea[\s\S]*?<\/textarea>|<(span|dd)[^>]* dir="auto"[^>]*>[^<]*/g,
        '',
      )
      assert.doesNotMatch(shown, /[\u202e\u2066]/, path)
    }
    assert.match((await person.get(`${at}/edit`)).text, /value="Stuhl\u202eabc\u2066"/)
  })

  test('all errors are shown at their fields, and no input is lost', async () => {
    const answer = await owner.post('/console/products', {
      form: newForm({
        ...textile,
        productName: '',
        countryOfManufacture: 'PT',
        fiberComposition: [{ fiber: 'Linen <b>', percentage: '99,5' }],
      }),
    })
    assert.equal(answer.status, 422)
    for (const name of ['d.productName', 'd.fiberComposition']) {
      assert.ok(answer.text.includes(`href="#${name}"`), name)
      assert.ok(answer.text.includes(`id="${name}-error"`), name)
    }
    assert.match(answer.text, /value="Linen &#?\w+;b&#?\w+;"/)
    assert.match(answer.text, /<output>99\.5<\/output>/)
  })

  test('rows can be added and removed without a script', async () => {
    const more = await owner.post('/console/products', {
      form: { ...newForm(textile), add: 'd.fiberComposition' },
    })
    assert.equal(more.status, 200)
    assert.ok(more.text.includes('name="d.fiberComposition.1.fiber"'))
    const blank = { ...newForm({ ...textile, fiberComposition: [] }), 'd.fiberComposition.0.fiber': '' }
    const two = await owner.post('/console/products', { form: { ...blank, add: 'd.fiberComposition' } })
    assert.ok(two.text.includes('name="d.fiberComposition.1.fiber"'), 'one more, though the first is empty')
    const less = await owner.post('/console/products', {
      form: { ...newForm(textile), remove: 'd.fiberComposition.0' },
    })
    assert.ok(!less.text.includes('name="d.fiberComposition.1.fiber"'))
    assert.ok(less.text.includes('value="Wool jumper"'))
  })

  test('an empty group reports all of its required fields at once', async () => {
    const fresh = await stand.signedIn(await stand.account({ name: 'Leer' }), 'owner')
    for (const { id, fields: known } of allCategories()) {
      const form = { category: id, 'd.productName': 'Bare', 'd.languages': 'en' }
      const { text, status } = await fresh.post('/console/products', { form })
      assert.equal(status, 422)
      const told = [...text.matchAll(/<a class="alone" href="#(d\.[^"]*)">/g)].map(([, name = '']) => name)
      const ids = told.filter(name => !text.includes(`id="${name}"`))
      assert.deepEqual(ids, [], 'each leads to a field')
      const [core] = [CORES[id as keyof typeof CORES]]
      const groups = known.filter(field => field.required && field.type === 'object')
      assert.ok(groups.length > 0)
      for (const { name, fields: members = [] } of groups) {
        assert.ok(!told.includes(`d.${name}`), `${id}: ${name}`)
        for (const member of members.filter(one => one.required))
          assert.ok(
            told.some(
              one => one === `d.${name}.${member.name}` || one.startsWith(`d.${name}.${member.name}.`),
            ),
            `${name}.${member.name}`,
          )
      }
      const all = fields(core)
      const filled = told.map(name => {
        const at = name in all ? name : (Object.keys(all).find(one => one.startsWith(`${name}.`)) ?? name)
        return [at, at.endsWith('.percentage') ? '100' : (all[at] ?? '')] as const
      })
      const again = await fresh.post('/console/products', {
        form: { ...form, ...Object.fromEntries(filled) },
      })
      assert.equal(
        again.status,
        303,
        `${id}: ${[...again.text.matchAll(/<a class="alone" href="#(d\.[^<]*)/g)].map(([, one]) => one)}`,
      )
    }
  })

  test('a new form starts with the brand of the newest product, and with its operator only after a click', async () => {
    const begun = async (category: string, one = owner) =>
      (await one.get(`/console/products/new?category=${category}`)).text
    const first = await begun('textile', stranger)
    assert.doesNotMatch(first, /copied from|Economic operator of/)
    assert.match(first, /name="d\.fiberComposition\.0\.percentage" value="100"/)
    assert.match(first, /name="d\.languages\.0" value="en"/)
    await make({ ...textile, productName: 'Begun <b>', brandName: 'Nordmoor', languages: ['en', 'de'] })
    const next = await begun('textile')
    assert.match(next, /The brand was copied from “Begun &#60;b&#62;”/)
    assert.match(next, /name="d\.brandName" value="Nordmoor"/)
    assert.match(next, /name="d\.economicOperator\.legalName"(?! value)/)
    assert.doesNotMatch(next, /value="manufacturer" selected/)
    assert.match(next, /Economic operator of “Begun &#60;b&#62;”: Testmarke GmbH \(Manufacturer\)/)
    const clicked = await begun('textile&company=newest')
    assert.match(clicked, /name="d\.economicOperator\.legalName" value="Testmarke GmbH"/)
    assert.match(clicked, /The economic operator was copied from “Begun &#60;b&#62;”, with its role/)
    assert.match(next, /name="d\.languages\.1" value="de"/)
    assert.match(next, /name="d\.productName"(?! value)/)
    assert.match(await begun('battery'), /name="d\.brandName" value="Nordmoor"/)
    await make({ ...textile, productName: 'Autre', languages: ['fr'], ...inFrench })
    assert.match(await begun('textile'), /name="d\.languages\.0" value="en"/)
  })

  test('a product is created, found and changed, a conflict is reported, and a version restored', async () => {
    const at = await make({ ...textile, productName: 'Findable scarf' })
    const list = await viewer.get('/console/products?q=findable&status=active&category=textile')
    assert.ok(list.text.includes(at), 'in the list')
    assert.ok(!list.text.includes('type="checkbox" name="id"'), 'a viewer ticks nothing')
    assert.ok(!(await owner.get('/console/products?q=nobody')).text.includes(at))
    const [first, second] = await Promise.all([
      save(at, { ...textile, productName: 'Scarf', weightGrams: '80' }, { note: 'Weighed', base: '1' }),
      save(at, { ...textile, productName: 'Shawl' }, { base: '1' }),
    ])
    assert.deepEqual([first.status, second.status].sort(), [303, 422])
    const page = await owner.get(at)
    assert.match(page.text, /Version 2/)
    const version = await viewer.get(`${at}/versions/2`)
    assert.match(version.text, /Findable scarf/)
    assert.equal(
      (await owner.post(`${at}/versions/1/revert`, { form: { change_type: 'change' } })).status,
      303,
    )
    assert.match((await owner.get(at)).text, /<h1>Findable scarf<\/h1>/)
    const same = await save(at, { ...textile, productName: 'Findable scarf' })
    assert.match(same.text, /nothing to save/)
  })

  test('two people’s concurrent changes are compared field by field, also for a unit', async () => {
    const at = await make({ ...textile, weightGrams: '100' })
    await owner.post(`${at}/units`, { form: { level: 'item', names: 'B-1' } })
    const unit = /href="(\/console\/products\/[0-9a-z]{26})">B-1/.exec((await owner.get(at)).text)?.[1] ?? ''
    assert.equal((await save(unit, { weightGrams: '90', brandName: 'Ours' })).status, 303)
    assert.equal((await save(unit, { brandName: 'Theirs <b>', productName: 'One of a kind' })).status, 303)
    const late = { weightGrams: '90', brandName: 'Mine' }
    const told = await save(unit, late, { base: '2' })
    assert.equal(told.status, 422)
    assert.match(told.text, /href="#d\.brandName">Brand<\/a>: <span[^>]*>Theirs &#60;b&#62;/)
    assert.doesNotMatch(told.text, /href="#d\.weightGrams"/)
    for (const value of ['value="Mine"', 'value="One of a kind"']) assert.ok(told.text.includes(value), value)
    assert.ok(!told.text.includes('value="90"'), 'what they took away is away')
    const base = /name="base" value="(\d+)"/.exec(told.text)?.[1] ?? ''
    assert.equal(base, '3')
    const odd = await save(unit, late, { base: '99' })
    assert.equal(odd.status, 422)
    assert.ok(odd.text.includes('value="Mine"') && odd.text.includes('value="90"'))
  })

  test('the form of a unit shows what it inherits in one line, and in full where a line is not enough', async () => {
    const care = { en: `Wash <b>cold</b>. ${'Dry flat. '.repeat(20)}`, de: 'Kalt waschen.' }
    const at = await make({ ...textile, weightGrams: '100', careInstructions: care })
    await owner.post(`${at}/units`, { form: { level: 'item', names: 'I-1' } })
    const unit = /href="(\/console\/products\/[0-9a-z]{26})">I-1/.exec((await owner.get(at)).text)?.[1] ?? ''
    assert.equal((await save(unit, { weightGrams: '90' })).status, 303)
    const { text } = await owner.get(`${unit}/edit`)
    const foldsOf = (html: string) =>
      new Map(
        html
          .split('<details class="fold"')
          .slice(1)
          .map(part => [/<summary>([^<]*?) ?</.exec(part)?.[1], part.split('</details>')[0] ?? '']),
      )
    const folds = foldsOf(text)
    const line = (name: string) => /<span class="brief" dir="auto">([^<]*)</.exec(folds.get(name) ?? '')?.[1]
    const whole = (name: string) => /<div class="inherited">(.*?)<\/div>/s.exec(folds.get(name) ?? '')?.[1]
    assert.equal(line('Product name'), 'Wool jumper')
    assert.equal(whole('Product name'), undefined, 'the line says it all')
    assert.match(line('Care instructions') ?? '', /^Wash &#60;b&#62;cold&#60;\/b&#62;\. Dry flat\. .*…$/)
    assert.match(whole('Care instructions') ?? '', /Kalt waschen\.<\/dd>/)
    assert.equal(line('Fibre composition'), 'wool · 60% · polyamide · 40%')
    assert.match(whole('Fibre composition') ?? '', /polyamide/)
    assert.ok(folds.has('Water footprint'))
    assert.equal(line('Water footprint') ?? whole('Water footprint'), undefined, 'nobody has said anything')
    assert.ok(!folds.has('Weight'), 'it has one of its own')
    assert.doesNotMatch((await owner.get(`${at}/edit`)).text, /class="(brief|inherited)"/)
    // Removed in the form but not saved: the inherited value must not look like the unit's own value.
    const back = await save(unit, { weightGrams: '', brandName: 'x'.repeat(600) })
    assert.equal(back.status, 422)
    assert.match(foldsOf(back.text).get('Weight') ?? '', /class="brief" dir="auto">100\sg</)
  })

  test('units are issued, a correction is previewed, and one button refreshes them', async () => {
    const at = await make({ ...textile, weightGrams: '100' })
    const issued = await owner.post(`${at}/units`, { form: { level: 'item', names: 'A-1\nA-2\n\nA-3' } })
    assert.equal(issued.status, 303)
    const again = await owner.post(`${at}/units`, { form: { level: 'item', names: 'A-3\nA-4\nno no' } })
    assert.equal(again.status, 422)
    assert.match(again.text, />\nA-3\nno no<\/textarea>/)
    const wish = { ...textile, weightGrams: '120' }
    assert.equal(
      (await save(at, wish, { change_type: 'correction' })).headers.location,
      `${at}?done=corrected&n=2`,
    )
    const { text } = await owner.get(at)
    const [top = ''] = text.split('<dl class="facts">')
    assert.match(top, /4 units still show the data from before a correction/)
    assert.match(top, /<li>Weight: <span dir="auto">100\sg → 120\sg<\/span><\/li>/)
    assert.match(top, /<button>Update all 4 now<\/button>/)
    assert.equal(unitsHeading(await owner.get(at)), '4 units')
    for (const level of ['item', 'all', 'model']) {
      const { text } = await owner.get(`/console/products?level=${level}&outdated=yes`)
      assert.match(text, /4 products/, level)
    }
    const refreshed = await owner.post(`${at}/refresh`, {})
    assert.equal(refreshed.headers.location, `${at}?done=refreshed&n=4`)
    await refreshesEnded(stand.sql)
    const after = await owner.get(String(refreshed.headers.location))
    assert.match(after.text, /role="status">4 units are updated\. They show the corrected data now\./)
    assert.doesNotMatch(after.text, /from before a correction/)
    const unit = /href="(\/console\/products\/[0-9a-z]{26})">A-1/.exec((await owner.get(at)).text)?.[1] ?? ''
    assert.equal((await save(unit, { weightGrams: '90' })).status, 303)
    assert.match((await owner.get(unit)).text, /own value/)
    assert.equal((await save(unit, {})).status, 303)
    assert.doesNotMatch((await owner.get(unit)).text, /own value/)
  })

  test('if there are units, Save asks how a change affects them, without a default, and no input is lost', async () => {
    const at = await make({ ...textile, weightGrams: '100' })
    const edit = (data: object, more: Record<string, string> = {}) =>
      owner.post(at, { form: { ...fields(data), base: '1', note: 'Scales were off', ...more } })
    await owner.post(`${at}/units`, { form: { level: 'item', names: 'R-1\nR-2\nR-3' } })
    const own = /href="(\/console\/products\/[0-9a-z]{26})">R-1/.exec((await owner.get(at)).text)?.[1] ?? ''
    assert.match((await save(own, { weightGrams: '90' })).headers.location ?? '', /done=saved&n=2$/)

    const wish = { ...textile, weightGrams: '120' }
    const review = await edit(wish)
    assert.equal(review.status, 200)
    assert.match(review.text, /<th scope="row">Weight<\/th><td>100\s?g<\/td><td>120\s?g<\/td>/)
    assert.match(review.text, /It leaves the 3 existing units as they are\./)
    assert.match(review.text, /It affects the 3 existing units\./)
    assert.match(review.text, /One of them has its own value for Weight and keeps it\./)
    assert.doesNotMatch(review.text, / checked/)
    assert.match(review.text, /name="note" value="Scales were off"/)
    const sent = readForm(drawn(review.text))
    for (const [name, value] of Object.entries(fields(wish))) assert.equal(sent.raw(name), value, name)

    const entries = Object.fromEntries(sent.entries().filter(([name]) => name !== 'change_type'))
    const unchosen = await owner.post(at, { form: entries })
    assert.equal(unchosen.status, 422)
    assert.match(
      unchosen.text,
      /href="#change_type"[^>]*>[^<]*Choose whether this is a change or a correction/,
    )
    assert.equal((await owner.post(at, { form: { ...entries, change_type: 'both' } })).status, 422)
    assert.match((await owner.get(at)).text, /<dt>Version<\/dt><dd>1<\/dd>/)
    const back = await owner.post(at, { form: { ...entries, change_type: 'change', back: 'yes' } })
    assert.match(back.text, /name="d.weightGrams" value="120"/)
    assert.match(back.text, /name="note" value="Scales were off"/)
    const saved = await owner.post(at, { form: { ...entries, change_type: 'change' } })
    assert.equal(saved.headers.location, `${at}?done=saved&n=2`)
    assert.doesNotMatch((await owner.get(at)).text, /from before a correction/)

    const german = await owner.post(at, {
      form: { ...fields({ ...textile, weightGrams: '130' }), base: '2' },
      headers: { ...OWN, 'accept-language': 'de' },
    })
    assert.match(german.text, /Sie betrifft die 3 vorhandenen Einheiten\./)
    const meanwhile = await owner.post(at, {
      form: { ...entries, 'd.weightGrams': '140', change_type: 'correction' },
    })
    assert.equal(meanwhile.status, 422)
    assert.match(meanwhile.text, /Somebody else saved this product/)
  })

  test('a text shows in how many languages readers can see it', async () => {
    const careInstructions = { en: 'Cold.', 'pt-BR': 'Frio.', ja: '冷水' }
    const { text } = await owner.get(await make({ ...textile, careInstructions }))
    assert.match(text, /<dt>Care instructions <span class="quiet">2 of 24 languages<\/span><\/dt>/)
  })

  test('without units Save saves at once', async () => {
    const at = await make({ ...textile, weightGrams: '100' })
    const answer = await owner.post(at, {
      form: { ...fields({ ...textile, weightGrams: '110' }), base: '1' },
    })
    assert.equal(answer.headers.location, `${at}?done=saved&n=2`)
    assert.match(
      (await owner.get(String(answer.headers.location))).text,
      /role="status">Saved as version 2\./,
    )
  })

  test('a search covers all levels, counts each, and says what a filter hides', async () => {
    const at = await make({ ...textile, productName: 'Heron gilet' })
    await owner.post(`${at}/units`, { form: { level: 'item', names: 'HRN-77001\nHRN-77002' } })
    const list = async (query: string) => {
      const { text } = await owner.get(`/console/products${query}`)
      const nav = /<nav class="ranges"[\s\S]*?<\/nav>/.exec(text)?.[0] ?? ''
      const tabs = [...nav.matchAll(/<a href="([^"]*)"( aria-current="page")?>(\w+) <span[^>]*>([\d,+]+)</g)]
      return { text, tabs: tabs.map(([, , current, name, n]) => `${name} ${n}${current ? ' here' : ''}`) }
    }
    const found = await list('?q=HRN-77001')
    assert.match(found.text, />Heron gilet · HRN-77001</)
    assert.deepEqual(found.tabs, ['Models 0', 'Batches 0', 'Items 1', 'All 1 here'])
    const both = await list('?q=HRN-7700&level=item')
    assert.deepEqual(both.tabs, ['Models 0', 'Batches 0', 'Items 2 here', 'All 2'])
    assert.match(both.text, /<input type="hidden" name="level" value="item">/)

    const hidden = await list('?q=HRN-77001&level=model')
    assert.match(hidden.text, /Nothing matches here\. <a [^>]*level&#61;item"[^>]*>1 item matches</)
    const way = /href="([^"]*)">1 item matches/.exec(hidden.text)?.[1]?.replaceAll('&#61;', '=') ?? ''
    assert.match((await owner.get(way.replaceAll('&#38;', '&'))).text, />Heron gilet · HRN-77001</)
    const filtered = await list('?q=HRN-77001&status=archived')
    assert.match(filtered.text, /1 product matches without the filters/)
    assert.match((await list('?q=HRN-77001&category=battery')).text, /1 product matches without/)
    assert.match((await list('?q=HRN-88&status=archived')).text, /Try fewer words or another filter/)

    const plain = await list('')
    assert.match(plain.tabs[0] ?? '', /^Models [\d,]+ here$/)
    assert.doesNotMatch(plain.text, /name="level"/)
  })

  test('links lead from product to product through a list, in both directions and to both ends', async () => {
    const at = await make()
    const names = Array.from({ length: 60 }, (_, n) => `Way-${String(n).padStart(2, '0')}`)
    await owner.post(`${at}/units`, { form: { level: 'item', names: names.join('\n') } })
    const step = async (path: string) => {
      const { text, status } = await owner.get(path)
      assert.equal(status, 200)
      const nav = /<nav class="pages"[\s\S]*?<\/nav>/.exec(text)?.[0] ?? ''
      const ways = [...nav.matchAll(/href="([^"]*)">(\w+)</g)].map(([, href = '', name = '']) => [
        name,
        href.replaceAll('&#38;', '&').replaceAll('&#61;', '=').replace('#units', ''),
      ])
      const shown = [...text.matchAll(/>(?:Wool jumper · )?(Way-\d\d)<\/a>/g)].map(([, name]) => name)
      return { shown, ways: Object.fromEntries(ways) as Record<string, string>, nav }
    }
    const newest = names.toReversed()
    for (const [start, size] of [
      [at, 25],
      ['/console/products?level=item', 50],
    ] as const) {
      const first = await step(start)
      assert.deepEqual(first.shown, newest.slice(0, size))
      assert.equal(first.ways.Newer, undefined)
      const second = await step(first.ways.Older ?? '')
      assert.deepEqual(second.shown, newest.slice(size, 2 * size))
      assert.match(second.nav, /Page 2 of/)
      assert.deepEqual((await step(second.ways.Newer ?? '')).shown, first.shown)
    }
    const third = await step((await step((await step(at)).ways.Older ?? '')).ways.Older ?? '')
    assert.deepEqual(third.shown, newest.slice(50))
    assert.equal(third.ways.Older, undefined)
    assert.deepEqual((await step(third.ways.Newer ?? '')).shown, newest.slice(25, 50))
    assert.deepEqual((await step(third.ways.Newest ?? '')).shown, newest.slice(0, 25))
    const oldest = await step((await step(at)).ways.Oldest ?? '')
    assert.deepEqual(oldest.shown, newest.slice(35))
    assert.match(oldest.nav, /Page 3 of 3/)
    assert.deepEqual((await step(`${at}?units=2001`)).shown, newest.slice(0, 25), 'too far by number')
    assert.deepEqual((await step(`${at}?units=2&after=x&before=%00`)).shown, newest.slice(25, 50))
  })

  test('several products can be archived at once; another account sees and changes nothing', async () => {
    const [one, two] = [await make(), await make()]
    const ids = [one, two].map(at => at.split('/').at(-1) ?? '')
    const form = new URLSearchParams([
      ...ids.map(id => ['id', id]),
      ['to', 'archive'],
      ['back', '/console/products?q=x'],
    ]).toString()
    const foreign = await stranger.post('/console/products/status', { form })
    assert.match(String(foreign.headers.location), /failed=2/)
    const done = await owner.post('/console/products/status', { form })
    assert.match(String(done.headers.location), /^\/console\/products\?q=x&archived=2-0-0&of=[\w.]+$/)
    assert.match(
      (await owner.get(String(done.headers.location))).text,
      /role="status">Archived: 2 models\. Batches and items below stay as they are/,
    )
    for (const at of [one, two]) {
      assert.match((await owner.get(at)).text, /Archived/)
      assert.equal((await stranger.get(at)).status, 404)
      assert.equal((await stranger.post(at, { form: fields(textile) })).status, 404)
    }
    const back = await owner.post(`${one}/status`, { form: { to: 'restore' } })
    assert.equal(back.headers.location, `${one}?done=restored`)
    assert.doesNotMatch((await owner.get(one)).text, /Archived/)
  })

  test('before a model or batch is archived the page says what stays active below it', async () => {
    const at = await make()
    const idOf = (path: string) => path.split('/').at(-1) ?? ''
    const units = async (of: string, level: string, names: string) =>
      owner.post(`${of}/units`, { form: { level, names } })
    await units(at, 'batch', 'B-1')
    const batch = /href="(\/console\/products\/[0-9a-z]{26})">B-1/.exec((await owner.get(at)).text)?.[1] ?? ''
    await units(batch, 'item', 'I-1\nI-2')
    await units(at, 'item', 'I-3')
    const [item = ''] = /\/console\/products\/[0-9a-z]{26}(?=">I-1)/.exec((await owner.get(batch)).text) ?? []
    const ask = async (path: string, ids: readonly string[]) => {
      const form = new URLSearchParams([
        ...ids.map(id => ['id', idOf(id)]),
        ['to', 'archive'],
        ['back', '/console/products?q=x'],
      ])
      return owner.post(path, { form: form.toString() })
    }
    for (const [ids, what, below] of [
      [[at], 'one model', 'one batch and 3 items'],
      [[batch], 'one batch', '2 items'],
      [[at, batch], 'one model and one batch', '3 items'],
      [[at, batch, item], 'one model, one batch, and one item', '2 items'],
      [[batch, item], 'one batch and one item', 'one item'],
    ] as const) {
      const asked = await ask('/console/products/status', ids)
      assert.equal(asked.status, 200)
      assert.match(
        asked.text,
        new RegExp(`<h1>Archive ${what}\\?</h1>.*Below, these stay active: ${below}\\.`, 's'),
      )
      for (const id of ids) assert.ok(asked.text.includes(`name="id" value="${idOf(id)}"`))
      assert.match(asked.text, /href="\/console\/products\?q&#61;x">Cancel</)
    }
    const single = await owner.post(`${at}/status`, { form: { to: 'archive' } })
    assert.match(single.text, /<h1>Archive one model\?<\/h1>/)
    assert.match(single.text, /No more can be created below an archived product/)
    assert.doesNotMatch((await owner.get(at)).text, />Archived</)
    const seen = new URLSearchParams([
      ...[at, batch].map(id => ['id', idOf(id)]),
      ['to', 'archive'],
      ['seen', 'yes'],
      ['back', ''],
    ])
    const done = await owner.post('/console/products/status', { form: seen.toString() })
    assert.match(String(done.headers.location), /archived=1-1-0/)
    const alone = await owner.post(`${item}/status`, { form: { to: 'archive' } })
    assert.equal(alone.headers.location, `${item}?done=archived`)
  })

  test('a text with HTML can be turned into plain text in each form, and nothing is stored before it is saved', async () => {
    const written = '<p>Wash &amp; dry</p><ul><li>Cold</li></ul>'
    const offer = /Turn into plain text/
    const at = await make({ ...textile, careInstructions: { en: written } })
    const edit = await owner.get(`${at}/edit`)
    assert.match(edit.text, offer)
    assert.match(edit.text, /<button class="second" name="plain" value="d\.careInstructions\.en" formaction/)
    assert.doesNotMatch((await owner.get(`${await make()}/edit`)).text, offer)
    const sent = {
      ...fields({ ...textile, careInstructions: { en: written } }),
      plain: 'd.careInstructions.en',
    }
    for (const [path, more] of [
      [at, { base: '1' }],
      ['/console/products', { category: 'textile' }],
    ] as const) {
      const turned = await owner.post(path, { form: { ...sent, ...more } })
      assert.equal(turned.status, 200)
      assert.match(turned.text, /lang="en"[^>]*>\nWash &#38; dry\n\n• Cold<\/textarea>/)
      assert.doesNotMatch(turned.text, offer)
    }
    assert.match((await owner.get(`${at}/edit`)).text, offer, 'nothing is stored')
    const other = await owner.post(at, { form: { ...sent, base: '1', plain: 'd.productName' } })
    assert.match(other.text, offer, 'only the text of the button')
  })

  test('a misspelt fibre is saved, and the product page asks about it until it is corrected', async () => {
    const composed = (fiber: string) => ({ ...textile, fiberComposition: [{ fiber, percentage: 100 }] })
    const at = await make(composed('cottonn'))
    for (const address of [at, `${at}?done=created`]) {
      const { text } = await owner.get(address)
      assert.match(text, /Check these entries/)
      assert.match(text, /Did you mean cotton\? “cottonn” is not a legal fibre name/)
      assert.match(text, /edit#d\.fiberComposition\.0\.fiber"/)
    }
    assert.doesNotMatch((await viewer.get(at)).text, /Change the entries/)
    assert.match(
      (await owner.get(at, { headers: { 'accept-language': 'de' } })).text,
      /War Baumwolle gemeint\?/,
    )
    await save(at, composed('Organic Cotton'))
    assert.match((await owner.get(`${at}?done=saved`)).text, /The legal name of the fibre is cotton/)
    assert.doesNotMatch((await owner.get(at)).text, /Check these entries/)
    await save(at, composed('Baumwolle'))
    assert.doesNotMatch((await owner.get(`${at}?done=saved`)).text, /Check these entries|Baumwolle/)
    assert.match((await owner.get(at)).text, /cotton/)
  })

  test('the HTML for a shop extends the Product of its page by the given @id', async () => {
    const at = await make()
    const shown = async (query: string) => {
      const { text } = await owner.get(at + query)
      const [, pasted = ''] = /id="shop-html"[^>]*>\n([^<]*)</.exec(text) ?? []
      const plain = pasted.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
      const json = /<script[^>]*>(.*)<\/script>/.exec(plain)?.[1] ?? ''
      return { text, about: JSON.parse(json).about }
    }
    assert.match((await shown('')).about['@id'], /#product$/)
    const joined = await shown('?snippet=de&product=%23jumper')
    assert.equal(joined.about['@id'], '#jumper')
    assert.match(joined.text, /id="shop" open/)
    const wrong = await shown('?snippet=de&product=jumper')
    assert.match(wrong.about['@id'], /#product$/)
    assert.match(wrong.text, /Write a full address with https:\/\/, or # and a name\./)
  })

  test('the HTML for a shop shows the code or the badge, as its preview does', async () => {
    const at = await make()
    const passport = at.replace('/console/products', '/p')
    const code = (await owner.get(at)).text
    assert.match(code, new RegExp(`<a href="${passport}" lang="en"[^>]*><img src="${passport}/qr.svg" `))
    const badge = (await owner.get(`${at}?snippet=de&image=badge`)).text
    const shown = `<img src="${passport}/badge.svg\\?lang=de" height="48" alt="Digitaler Produktpass"`
    assert.match(badge, new RegExp(`<a href="${passport}" lang="de"[^>]*>${shown}`))
    assert.match(badge, /alt&#61;&#34;Digitaler Produktpass&#34; height&#61;&#34;48&#34;/)
  })

  test('every action shows a message in both languages, and a forged address shows none', async () => {
    const at = await make()
    const german = { headers: { 'accept-language': 'de' } }
    const said = async (answer: Answer, ask = {}) =>
      /<p class="reach" role="status">(.*?)<\/p>/.exec(
        (await owner.get(String(answer.headers.location).replace('#units', ''), ask)).text,
      )?.[1]
    const made = await owner.post('/console/products', { form: newForm(textile) })
    assert.equal(await said(made), 'Product created.')
    assert.equal(await said(made, german), 'Das Produkt ist angelegt.')
    assert.equal(await said(await save(at, { ...textile, weightGrams: '70' })), 'Saved as version 2.')
    const revert = await owner.post(`${at}/versions/1/revert`, { form: { change_type: 'change' } })
    assert.match((await said(revert)) ?? '', /^Restored. The earlier data is now version 3/)
    const issued = await owner.post(`${at}/units`, { form: { level: 'item', names: 'Said-1' } })
    assert.equal(await said(issued), 'One unit created.')
    await save(at, { ...textile, weightGrams: '75' }, { change_type: 'correction' })
    assert.match((await said(await owner.post(`${at}/refresh`, {}))) ?? '', /^One unit is updated/)
    const archived = await owner.post(`${at}/status`, { form: { to: 'archive', seen: 'yes' } })
    assert.match((await said(archived)) ?? '', /^Archived\./)
    assert.match((await said(archived, german)) ?? '', /^Archiviert\./)
    for (const made of ['?done=__proto__', '?done=constructor', '?done=<b>', '?done=toString']) {
      assert.doesNotMatch((await owner.get(at + made)).text, /role="status"/, made)
    }
    const none = await owner.post('/console/products/status', { form: { to: 'archive', back: '' } })
    assert.match(
      (await owner.get(String(none.headers.location))).text,
      /role="alert"[^>]*><p>Nothing is selected/,
    )
    assert.doesNotMatch(
      (await owner.get('/console/products?archived=0-0-0&restored=x&of=y')).text,
      /role="status"/,
    )
  })

  test('a form of units that is sent twice runs once and gives the first answer again', async () => {
    const at = await make()
    const once = /name="once" value="([^"]+)"/.exec((await owner.get(`${at}/units/new`)).text)?.[1] ?? ''
    assert.notEqual(once, '')
    const send = (names: string) => owner.post(`${at}/units`, { form: { level: 'item', once, names } })
    const both = await Promise.all([send('T1\nT2'), send('T1\nT2')])
    const again = await send('T1\nT2')
    for (const { status, headers } of [...both, again]) {
      assert.deepEqual([status, headers.location], [303, both[0].headers.location])
    }
    const mixed = await send('T1\nT3')
    assert.match(mixed.text, /T1\): This serial number is already taken/)
    const repeated = await send('T1\nT3')
    assert.deepEqual([repeated.status, repeated.text], [422, mixed.text])
    assert.equal((await send('T3')).status, 422, 'another content is another form')
  })

  test('errors of units are shown by line and label, as on the form', async () => {
    const at = await make()
    const issue = (names: string, ask: { headers?: Record<string, string> } = {}) =>
      owner.post(`${at}/units`, { form: { level: 'item', names }, ...ask })
    const lines = ({ text }: Answer) =>
      [...text.matchAll(/<li>((?:Line|Zeile|and|und) .*?)<\/li>/g)].map(([, line]) => line)
    await issue('L1\nL2')
    const some = await issue('L1\n\nok1\nok2\n \u00c41 \nok3\nL2')
    assert.equal(some.status, 422)
    assert.match(some.text, />\nL1\n\u00c41\nL2<\/textarea>/)
    assert.deepEqual(lines(some), [
      'Line 1 (L1): This serial number is already taken under the model.',
      'Line 2 (\u00c41): Only letters from A to Z, digits and the signs !&#34;%&#38;&#39;()*+,-./:;&#60;&#61;&#62;?_ are allowed. A name of only . or .. is not.',
      'Line 3 (L2): This serial number is already taken under the model.',
    ])
    const german = { headers: { ...OWN, 'accept-language': 'de' } }
    assert.equal(
      lines(await issue('x\nx\nL1', german))[0],
      'Zeile 1 (x): Diese Seriennummer gibt es unter dem Modell schon.',
    )
    const many = lines(await issue(Array.from({ length: 30 }, (_, n) => `no ${n}`).join('\n')))
    assert.deepEqual([many.length, many.at(-1)], [21, 'and 10 more'])
    const error = ({ text }: Answer) => /<p class="error" id="names-error">(.*?)<\/p>/.exec(text)?.[1]
    assert.equal(error(await issue(' \n \n')), 'Write at least one lot or serial number.')
    const rows = Array.from({ length: 501 }, (_, n) => `R${n}`).join('\n')
    const tooMany = await issue(rows)
    assert.match(error(tooMany) ?? '', /^These are 501 lines; at most 500/)
    assert.ok(tooMany.text.includes('R500</textarea>'))
    assert.match(error(await issue(rows, german)) ?? '', /^Das sind 501 Zeilen/)
  })

  test('a batch and an item show their level, and link to their parents', async () => {
    const at = await make({ ...textile, productName: 'Lined <coat>' })
    const unitsOf = async (parent: string, level: string, name: string) => {
      assert.equal((await owner.post(`${parent}/units`, { form: { level, names: name } })).status, 303)
      const { text } = await owner.get(parent)
      return new RegExp(`href="(/console/products/[0-9a-z]{26})">${name}<`).exec(text)?.[1] ?? ''
    }
    const batch = await unitsOf(at, 'batch', 'LOT-9')
    const item = await unitsOf(batch, 'item', 'SN-9')
    await unitsOf(at, 'item', 'SN-10')
    const name = 'Lined &#60;coat&#62;'
    for (const [path, title, parent] of [
      [batch, `${name} · Batch LOT-9`, [at, name]],
      [item, `${name} · Item SN-9`, [batch, `${name} · Batch LOT-9`]],
    ] as const) {
      const { text } = await viewer.get(path)
      assert.match(text, new RegExp(`<title>${title} · `))
      assert.ok(text.includes(`<h1>${title}</h1>`))
      assert.ok(text.includes(`<dt>Belongs to</dt><dd><a href="${parent[0]}">${parent[1]}</a></dd>`))
      assert.ok((await owner.get(`${path}/edit`)).text.includes(`<h1>Edit ${title}</h1>`))
      assert.ok((await owner.get(`${path}/labels`)).text.includes(`>${title}</a>`))
    }
    const german = { headers: { 'accept-language': 'de' } }
    assert.ok(
      (await viewer.get(batch, german)).text.includes(
        `<h1><span dir="auto" lang="en">${name}</span> · Charge LOT-9</h1>`,
      ),
    )
    const model = await viewer.get(at)
    assert.ok(model.text.includes(`<h1>${name}</h1>`))
    assert.equal(unitsHeading(model), '3 units')
    assert.match(model.text, /2 are listed here/)
    assert.equal(unitsHeading(await viewer.get(batch)), 'One unit')
    await save(at, { ...textile, weightGrams: '60' }, { change_type: 'correction' })
    assert.match((await viewer.get(at)).text, /3 units still show the data/)
    assert.match((await viewer.get(batch)).text, /This batch and one of its items still show/)
    assert.match((await viewer.get(item)).text, /This item still shows the data from before a correction/)
  })

  test('where no units can be issued the page explains why instead of showing a form', async () => {
    const at = await make()
    await owner.post(`${at}/units`, { form: { level: 'item', names: 'Alone' } })
    const item =
      /href="(\/console\/products\/[0-9a-z]{26})">Alone/.exec((await owner.get(at)).text)?.[1] ?? ''
    await owner.post(`${at}/status`, { form: { to: 'archive', seen: 'yes' } })
    for (const [path, why] of [
      [at, /This product is archived, so you cannot create units/],
      [item, /An item has no units/],
    ] as const) {
      const sent = owner.post(`${path}/units`, { form: { level: 'item', names: 'More' } })
      for (const answer of [await owner.get(`${path}/units/new`), await sent]) {
        assert.equal(answer.status, 409)
        assert.match(answer.text, why)
        assert.doesNotMatch(answer.text, /<textarea/)
      }
    }
  })

  test('a GTIN of the account’s own product links to it, also a former one; nothing is shown of another account', async () => {
    const gtin = nextGtin()
    const at = await make({ ...textile, gtin })
    const { gtin: _, ...without } = { ...textile, gtin }
    const other = await make()
    const id = at.split('/').at(-1) ?? ''
    const answers = async (one: Browser) => [
      await one.post('/console/products', { form: newForm({ ...textile, gtin }) }),
      ...(one === owner ? [await save(other, { ...textile, gtin })] : []),
    ]
    for (const sentence of [/already belongs to your product/, /had this GTIN before, and printed codes/]) {
      for (const { status, text } of await answers(owner)) {
        assert.equal(status, 422)
        assert.match(text, sentence)
        assert.ok(
          text.includes(`<a class="alone" href="${at}">Open the product that this GTIN belongs to</a>`),
        )
      }
      for (const { text } of await answers(stranger)) {
        assert.match(text, /already belongs to another product/)
        assert.ok(!text.includes(id))
      }
      if (sentence.source.startsWith('already')) assert.equal((await save(at, without)).status, 303)
    }
    const german = { headers: { ...OWN, 'accept-language': 'de' } }
    const told = await owner.post('/console/products', { form: newForm({ ...textile, gtin }), ...german })
    assert.match(told.text, new RegExp(`Ihr Produkt ${id} hatte diese GTIN früher`))
  })

  test('every member can open the page as another audience sees it, without creating an access link', async () => {
    const at = await make()
    for (const member of [owner, viewer]) {
      const { text } = await member.get(at)
      for (const audience of ['legitimate_interest', 'authority'])
        assert.match(
          text,
          new RegExp(
            `href="/p/[0-9a-z]{26}\\?preview&#61;${audience}"|href="/p/[0-9a-z]{26}\\?preview=${audience}"`,
          ),
        )
    }
    assert.doesNotMatch((await owner.get('/console/settings/access-links')).text, /Preview/)
  })

  test('pages are small, and invalid parts of the query are ignored', async () => {
    for (const path of [
      '?page=0',
      '?level=x&status=y',
      '?q=%00%ff',
      `?q=${'x'.repeat(3000)}`,
      '?category=<b>',
    ]) {
      assert.equal((await owner.get(`/console/products${path}`)).status, 200, path)
    }
    for (const path of ['/console/products/new?category=battery', '/console/products']) {
      assert.ok((await owner.get(path)).text.length < 100_000, path)
    }
  })
})
