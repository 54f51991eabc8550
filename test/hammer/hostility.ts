/** Damages a valid request in any of its parts, as by accident or by attack. */
import type { Chance } from './chance.ts'
import type { Request } from './requests.ts'

type Spoil = (request: Request, chance: Chance) => void

const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'PURGE',
  'QUERY',
]

const ODD_PARTS = [
  '__proto__',
  'constructor',
  'toString',
  '%00',
  '%',
  '%zz',
  '%e4',
  '%2e%2e',
  '..',
  '.',
  '',
  '%2F',
  '*',
  ':id',
  '%F0%9F%98%80',
  'a'.repeat(300),
  'a'.repeat(2_100),
  'null',
  '-1',
  '0',
  '1e9',
  '00000000-0000-0000-0000-000000000000',
  '%0d%0aX-Injected:%201',
  '<script>',
  "';drop table passport;--",
  '%C3%28',
  'a;b=c',
  'ÄÖÜ',
  '%ED%A0%80',
] as const

const spoilMethod: Spoil = (request, chance) => {
  request.method = chance.of(METHODS)
}

const spoilPath: Spoil = (request, chance) => {
  const parts = request.path.split('/')
  parts[1 + chance.below(parts.length)] = chance.of(ODD_PARTS)
  request.path = chance.weighted([
    [12, parts.join('/')],
    [1, `${request.path}/`],
    [1, `/${request.path}`],
    [1, request.path.toUpperCase()],
    [1, request.path.replace('/api', '/%61pi')],
    [1, `http://other.example${request.path}`],
    [1, `http://other.example${parts.join('/')}`],
    [0.3, '*'],
    [0.3, `${request.path}?q=${'x'.repeat(8_200)}`],
    [0.3, `${request.path}#fragment`],
    [0.2, `/${'a/'.repeat(4_000)}`],
  ])
}

const QUERY_NAMES = [
  'q',
  'page',
  'limit',
  'cursor',
  'status',
  'at',
  'updated_since',
  'dry_run',
  '__proto__',
  'q[]',
  '',
]
const QUERY_VALUES = [
  '',
  '0',
  '-1',
  '101',
  '1e3',
  '99999999999999999999',
  'NaN',
  'true',
  'TRUE',
  '%00',
  '%zz',
  '%',
  '%ff',
  '%ED%A0%80',
  '2026-02-30',
  '0000-00-00',
  '9999-12-31T23:59:60Z',
  '2026-01-01T00:00:00+99:99',
  '275760-09-13',
  '__proto__',
  '%25%25%25',
  '_'.repeat(501),
  '\\',
  '%5C',
  '%F0%9F%98%80',
  'ü',
  '+',
  'a&b',
  '01m7zzzzzzzzzzzzzzzzzzzzzz',
] as const

const spoilQuery: Spoil = (request, chance) => {
  const pairs = Array.from(
    { length: 1 + chance.below(4) },
    () => `${chance.of(QUERY_NAMES)}=${chance.of(QUERY_VALUES)}`,
  )
  request.path += (request.path.includes('?') ? '&' : '?') + pairs.join('&')
}

const ODD_HEADERS: readonly (readonly [string, string])[] = [
  ['Authorization', 'Bearer'],
  ['Authorization', `Bearer dpp_live_${'a'.repeat(42)}`],
  ['Authorization', `Basic ${'Zm9v'.repeat(50)}`],
  ['Authorization', 'Bearer dpa_0123456789'],
  ['Content-Type', 'text/plain'],
  ['Content-Type', 'application/json; charset=utf-16'],
  ['Content-Type', 'application/json; charset="'],
  ['Content-Type', 'multipart/form-data; boundary=x'],
  ['Content-Type', 'application/x-www-form-urlencoded'],
  ['Content-Type', ';;;'],
  ['Content-Type', 'application/json, application/json'],
  ['Content-Encoding', 'gzip'],
  ['Accept-Encoding', 'br, gzip;q=0, *;q=0.1, identity;q=0'],
  ['Accept', 'application/ld+json;q=abc, ,;'],
  ['Accept-Language', `de-${'x'.repeat(900)}, *;q=9, en;q=0`],
  ['If-Match', '*'],
  ['If-Match', '"v1", W/"v2", garbage'],
  ['If-Match', ''],
  ['If-None-Match', `${'"a",'.repeat(900)}"v1"`],
  ['If-None-Match', '*'],
  ['Idempotency-Key', ''],
  ['Idempotency-Key', 'x'.repeat(201)],
  ['Idempotency-Key', '\u00e4\u00f6\u00fc'],
  ['Idempotency-Key', 'a\tb'],
  ['Idempotency-Key', '__proto__'],
  ['Prefer', 'handling=strict'],
  ['Prefer', ',;=handling="strict"'],
  ['Range', 'bytes=0-1'],
  ['Cookie', `carnet_session=${'%'.repeat(60)}; carnet_access=..; a`],
  ['X-Forwarded-For', '203.0.113.9, ::1, unknown'],
  ['X-Request-Id', 'forged'],
  ['Forwarded', 'for="[::1]";proto=https'],
  ['Upgrade', 'websocket'],
  ['Connection', 'close'],
  ['Expect', '100-continue'],
  ['Expect', 'a miracle'],
  ['X-Method-Override', 'DELETE'],
  ['Origin', 'https://evil.example'],
  ['Date', 'never'],
  ['X-Long', 'y'.repeat(8_000)],
]

const spoilHeaders: Spoil = (request, chance) => {
  for (let i = 1 + chance.below(2); i > 0; i--) {
    const [name, value] = chance.of(ODD_HEADERS)
    if (chance.is(0.8)) request.headers = request.headers.filter(([one]) => one !== name)
    request.headers.push([name, value])
  }
  if (chance.is(0.05)) for (let i = 0; i < 150; i++) request.headers.push([`X-${i}`, 'z'])
}

const dropHeader: Spoil = (request, chance) => {
  request.headers.splice(chance.below(request.headers.length), 1)
}

/** Replacement values, as JSON text. */
const ODD_JSON = [
  'null',
  'true',
  '0',
  '-0',
  '-1',
  '1e308',
  '1e400',
  '-1e-400',
  '9007199254740993',
  '0.1e1',
  '33.33',
  '1'.repeat(60),
  '""',
  '" "',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u202e"',
  '"\u{1f600}"',
  '"__proto__"',
  '"\\r\\n"',
  '{}',
  '[]',
  '[[]]',
  '[null]',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{}}}',
  '{"a":1,"a":2}',
  '{"toString":1}',
  '{"":""}',
  '["en","en"]',
  '["und"]',
  '{"en":null}',
  '{"en":{"en":"x"}}',
  '"2026-13"',
  '"javascript:alert(1)"',
  `"${'x'.repeat(501)}"`,
  `"${'\u00e4'.repeat(10_001)}"`,
  `[${'{},'.repeat(600)}{}]`,
  `${'['.repeat(33)}${']'.repeat(33)}`,
  `{${Array.from({ length: 300 }, (_, i) => `"k${i}":${i}`).join(',')}}`,
] as const

const LEAF = /("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|true|false|null)(?=\s*[,}\]])/g

const spoilValue: Spoil = (request, chance) => {
  const text = request.body?.toString() ?? '{}'
  const leaves = [...text.matchAll(LEAF)]
  const leaf = leaves[chance.below(leaves.length)]
  if (leaf === undefined) return
  request.body = Buffer.from(
    text.slice(0, leaf.index) + chance.of(ODD_JSON) + text.slice(leaf.index + leaf[0].length),
  )
}

/** Damages the body, or replaces it by something unreadable. */
const spoilBody: Spoil = (request, chance) => {
  const bytes = request.body ?? Buffer.from('{}')
  const text = bytes.toString()
  const flipped = Buffer.from(bytes)
  for (let i = 0; i < 3; i++) flipped[chance.below(flipped.length)] = chance.below(256)
  request.body = chance.weighted<() => Buffer>([
    [4, () => bytes.subarray(0, chance.below(bytes.length))],
    [4, () => flipped],
    [2, () => Buffer.concat([bytes, Buffer.from(chance.of(['}', ',', '\0', 'x', '{}']))])],
    [3, () => Buffer.from(chance.of(ODD_JSON))],
    [2, () => Buffer.from(text.replace('{', `{"__proto__":${chance.of(ODD_JSON)},`))],
    [2, () => Buffer.from(text.replace('{', `{"data":${chance.of(ODD_JSON)},`))],
    [
      2,
      () => Buffer.from(text.replace('{', `{"${chance.of(['constructor', 'id', 'items', 'level', ''])}":1,`)),
    ],
    [1, () => Buffer.from(text, 'utf16le')],
    [1, () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])],
    [1, () => Buffer.from([0xff, 0xfe, 0xc0, 0x80])],
    [1, () => Buffer.alloc(0)],
    [1, () => Buffer.from(' \n')],
    [0.5, () => Buffer.from('['.repeat(50_000))],
    [0.5, () => Buffer.from(`{"data":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_001)}`)],
    [0.05, () => Buffer.alloc(1024 * 1024 + 1, ' ')],
    [0.01, () => Buffer.alloc(8 * 1024 * 1024 + 1, ' ')],
  ])()
  if (!request.headers.some(([name]) => name === 'Content-Type')) {
    request.headers.push(['Content-Type', 'application/json'])
  }
}

const SPOILERS: readonly (readonly [number, Spoil])[] = [
  [2, spoilMethod],
  [3, spoilPath],
  [4, spoilQuery],
  [5, spoilHeaders],
  [1, dropHeader],
  [8, spoilValue],
  [4, spoilBody],
]

/** Half of the requests stay valid; the others are damaged once, twice or three times. */
export function spoil(request: Request, chance: Chance): Request {
  if (chance.is(0.5)) return request
  const spoilt = { ...request, headers: [...request.headers] }
  for (let times = chance.weighted([[6, 1] as const, [3, 2] as const, [1, 3] as const]); times > 0; times--) {
    chance.weighted(SPOILERS)(spoilt, chance)
  }
  return spoilt
}
