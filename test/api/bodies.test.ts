import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { CORES, type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'
import { assertWithin } from '../waiting.ts'

describe('invalid request bodies', () => {
  let t: Harness
  let account: TestAccount
  before(async () => {
    t = await startHarness()
    account = await t.account()
  })
  after(() => t.close())

  const post = (text: string | Buffer, headers: Record<string, string> = {}) =>
    t.ask('POST', '/api/v1/products', { key: account.key, text, headers })
  const valid = JSON.stringify(newProduct())
  const withData = (json: string) => `${valid.slice(0, -2)},${json}}}`
  const members = (count: number) => Array.from({ length: count }, (_, i) => `"k${i}":0`).join(',')
  const entries = (count: number) => Array(count).fill('0').join(',')
  const nested = (depth: number) => withData(`"deep":${'['.repeat(depth)}${']'.repeat(depth)}`)

  for (const [what, text] of [
    ['nothing', ''],
    ['white space', '  \n '],
    ['broken JSON', '{"category": "textile", "data": {'],
    ['a trailing comma', '{"a":1,}'],
    ['single quotes', "{'a':1}"],
    ['NaN', '{"a":NaN}'],
    ['a comment', '{} // yes'],
    ['a byte order mark alone', Buffer.from([0xef, 0xbb, 0xbf])],
    ['two byte order marks', `\ufeff\ufeff${valid}`],
    ['a byte order mark inside', `${valid.slice(0, 1)}\ufeff${valid.slice(1)}`],
    ['UTF-16', Buffer.from(valid, 'utf16le')],
    ['invalid UTF-8', Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])],
    ['overlong UTF-8', Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')])],
    [
      'a surrogate in UTF-8',
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    ],
  ] as const) {
    test(`400 bad_request: ${what}`, async () => {
      const { status, json } = await post(text)
      assert.equal(status, 400)
      assert.equal(json.code, 'bad_request')
      assert.ok(json.error.length > 15)
      assert.equal(json.request_id.length, 26)
    })
  }

  test('400 says where the JSON is invalid', async () => {
    const { json } = await post('{\n  "a": 1,\n  "b" 2\n}')
    assert.match(json.error, /line 3/)
    for (const [text, place] of [
      ['{"a":', 'line 1, column 6'],
      ['{\n "a": [1,\n', 'line 3, column 1'],
      ['\ufeff{"a":', 'line 1, column 6'],
      ['{"a":"b', 'line 1, column'],
    ] as const) {
      assert.match((await post(text)).json.error, new RegExp(place), text)
    }
  })

  test('a byte order mark before the body is ignored by every call that takes a body', async () => {
    const made = await post(`\ufeff${valid}`)
    assert.equal(made.status, 201)
    const bulk = { key: account.key, text: `\ufeff{"items":[${valid}]}` }
    assert.equal((await t.ask('POST', '/api/v1/products/bulk', bulk)).json.data?.summary.requested, 1)
  })

  for (const [what, text, field, code] of [
    ['nesting of 33', nested(31), 'deep[0]', 'max'],
    ['2,001 members', withData(`"own":{${members(2_001)}}`), 'own', 'max'],
    ['2,001 members of data', withData(members(2_001)), 'data', 'max'],
    ['1,001 entries', withData(`"own":{"list":[${entries(1_001)}]}`), 'own.list', 'max'],
    [
      'more than 20,000 values',
      withData(
        `"own":[${Array(21)
          .fill(`[${entries(1_000)}]`)
          .join(',')}]`,
      ),
      '',
      'max',
    ],
    ['nesting of 200,000', nested(200_000), 'deep[0]', 'max'],
    ['a key given twice', withData('"sku":"a","sku":"b"'), 'sku', 'duplicate'],
    ['a key given twice by escape', withData('"note":1,"n\\u006fte":2'), 'note', 'duplicate'],
    ['__proto__', withData('"__proto__":{"polluted":true}'), '__proto__', 'unknown_field'],
    ['__proto__ by escape', withData('"\\u005f_proto__":{}'), '__proto__', 'unknown_field'],
    ['1e400', withData('"weightGrams":1e400'), 'weightGrams', 'format'],
    ['twenty digits', withData('"weightGrams":12345678901234567890'), 'weightGrams', 'format'],
    ['digits beyond a double', withData('"weightGrams":0.12345678901234567890'), 'weightGrams', 'format'],
  ] as const) {
    test(`422: ${what} is rejected, with its path`, async () => {
      const { status, json } = await post(text)
      assert.equal(status, 422)
      assert.equal(json.errors[0].code, code)
      assert.ok(json.errors[0].field.startsWith(field), json.errors[0].field)
      assert.equal(({} as Record<string, unknown>).polluted, undefined)
    })
  }

  test('a number of a hundred thousand digits is rejected quickly', async () => {
    const { status } = await assertWithin(2_000, () => post(withData(`"n":0.1${'0'.repeat(500_000)}1`)))
    assert.equal(status, 422)
  })

  for (const [what, text, field] of [
    ['NUL in a field', JSON.stringify(newProduct({ productName: 'a\0b' })), 'productName'],
    ['NUL in a key nobody knows', JSON.stringify(newProduct({ extra: { deep: ['a\0b'] } })), 'extra'],
    ['a NUL as a key', JSON.stringify(newProduct({ extra: { 'a\0': 1 } })), 'extra'],
    ['a lone surrogate', withData('"extra":"\\ud800"'), 'extra'],
    ['swapped surrogates', withData('"extra":{"a":"\\udc00\\ud800"}'), 'extra'],
  ] as const) {
    test(`422: ${what}`, async () => {
      const { status, json } = await post(text)
      assert.equal(status, 422)
      assert.ok(json.errors[0].field.startsWith(field), json.errors[0].field)
    })
  }

  test('numbers keep their value: 15 digits, exponents, negative zero', async () => {
    const { status, json } = await post(
      withData('"x":[0.1,1e-7,123456789012345,1.50,-0,5e-324,1E2,100000000000000000000]'),
    )
    assert.equal(status, 201)
    assert.deepEqual(
      json.data.data.x.map((n: number) => n + 0),
      [0.1, 1e-7, 123456789012345, 1.5, 0, 5e-324, 100, 1e20],
    )
  })

  test('data nested 32 levels deep is accepted and read back', async () => {
    const { status, json } = await post(nested(30))
    assert.equal(status, 201)
    assert.equal((await t.ask('GET', `/api/v1/products/${json.data.id}`, { key: account.key })).status, 200)
  })

  for (const key of ['constructor', 'toString', 'hasOwnProperty', 'prototype', 'valueOf', '']) {
    test(`a free-form key named "${key}" is ordinary data`, async () => {
      const { status, json } = await post(JSON.stringify(newProduct({ [key]: { a: 1 } })))
      assert.equal(status, 201)
      const read = await t.ask('GET', `/api/v1/products/${json.data.id}`, { key: account.key })
      assert.deepEqual(read.json.data.data[key], { a: 1 })
    })
  }

  test('413: a body of two MiB, with or without Content-Length; nothing is stored', async () => {
    const big = JSON.stringify(newProduct({ filler: 'x'.repeat(2 * 1024 * 1024) }))
    const { status, json } = await post(big)
    assert.equal(status, 413)
    assert.equal(json.code, 'payload_too_large')
  })

  test('a body of exactly one MiB is accepted', async () => {
    const filler = 1024 * 1024 - Buffer.byteLength(JSON.stringify(newProduct({ filler: '' })))
    assert.equal((await post(JSON.stringify(newProduct({ filler: 'x'.repeat(filler) })))).status, 201)
    assert.equal((await post(JSON.stringify(newProduct({ filler: 'x'.repeat(filler + 1) })))).status, 413)
  })

  for (const [type, encoding] of [
    ['text/plain', undefined],
    ['application/x-www-form-urlencoded', undefined],
    ['application/json; charset=utf-16', undefined],
    ['application/json', 'gzip'],
    ['application/jsonp', undefined],
    ['', undefined],
  ] as const) {
    test(`415: ${type || 'no type'} ${encoding ?? ''}`, async () => {
      const { status, json } = await post(valid, {
        'content-type': type,
        ...(encoding ? { 'content-encoding': encoding } : {}),
      })
      assert.equal(status, 415)
      assert.equal(json.code, 'unsupported_media_type')
    })
  }

  test('the charset may be given, in upper or lower case', async () => {
    assert.equal((await post(valid, { 'content-type': 'Application/JSON; Charset="UTF-8"' })).status, 201)
  })

  test('none of these requests has stored anything', async () => {
    const [row] = await t.sql`
      select (select count(*) from passport)::int as passports, (select count(*) from content)::int as contents,
        (select count(*) from event)::int as events, (select sum(used) from account_usage)::int as used`
    assert.equal(row?.passports, row?.contents)
    assert.equal(row?.passports, row?.events)
    assert.equal(row?.passports, row?.used)
  })

  test('the minimal data of every category is valid', async () => {
    for (const category of ['textile', 'battery', 'furniture'] as const) {
      const { status, json } = await post(JSON.stringify({ category, data: CORES[category] }))
      assert.equal(status, 201, JSON.stringify(json))
      assert.equal(json.warnings, undefined)
    }
  })
})
