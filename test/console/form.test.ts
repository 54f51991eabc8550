/** Tests how forms are read, and that no form costs more than its size suggests. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { hasTooManyFields, MAX_FORM_FIELDS, readForm } from '../../src/console/page/form.ts'
import { OWN, type Stand, startStand } from './stand.ts'

describe('readForm', () => {
  test('reads values, lists and the parts of names', () => {
    const form = readForm('a=+x+&a=2&d.list.0.name=N&d.list.1.name=M&d.list=&%C3%A9=%E2%82%AC')
    assert.deepEqual([form.raw('a'), form.text('a'), form.all('a')], [' x ', 'x', [' x ', '2']])
    assert.deepEqual([form.raw('none'), form.all('none'), form.under('none')], ['', [], []])
    assert.deepEqual(form.under('d'), ['list'])
    assert.deepEqual(form.under('d.list'), ['0', '1'])
    assert.deepEqual(form.under('d.list.0'), ['name'])
    assert.equal(form.raw('é'), '€')
    assert.equal(form.entries().length, 6)
  })

  test('ignores the end of a name with more parts than any input has', () => {
    const form = readForm(`${'a.'.repeat(500_000)}a=1`)
    const parts = Array.from({ length: 30 }, (_, n) =>
      form.under(
        Array(n + 1)
          .fill('a')
          .join('.'),
      ),
    )
    assert.equal(parts.filter(found => found.length > 0).length, 15)
    assert.equal(form.entries().length, 1)
  })

  test('counts fields without parsing them', () => {
    assert.equal(hasTooManyFields(''), false)
    assert.equal(hasTooManyFields('a=&'.repeat(MAX_FORM_FIELDS - 1)), false)
    assert.equal(hasTooManyFields('a=&'.repeat(MAX_FORM_FIELDS)), true)
    assert.equal(hasTooManyFields('&'.repeat(MAX_FORM_FIELDS)), true)
  })
})

describe('a form with too many fields', () => {
  let stand: Stand
  before(async () => {
    stand = await startStand()
  })
  after(() => stand.close())

  test('is refused as too large, signed in or not', async () => {
    const editor = await stand.signedIn(await stand.account(), 'editor')
    for (const browser of [editor, stand.browser()]) {
      const answer = await browser.post('/console/products', {
        form: 'a=&'.repeat(MAX_FORM_FIELDS + 1),
        headers: OWN,
      })
      assert.equal(answer.status, 413)
      assert.match(answer.text, /<h1>/)
    }
  })
})
