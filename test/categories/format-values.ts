/** Valid and invalid texts of each format in the field table. */
import fc from 'fast-check'
import type { Format } from '../../src/categories/field.ts'
import { computeMod10CheckDigit } from '../../src/gs1/check-digit.ts'
import { COUNTRIES } from '../../src/kernel/values/countries.ts'

const digits = (length: number) => fc.stringMatching(new RegExp(`^[1-9][0-9]{${length - 1}}$`))
const withCheckDigit = (length: number) => digits(length - 1).map(text => text + computeMod10CheckDigit(text))

const cas = fc
  .tuple(fc.integer({ min: 10, max: 9_999_999 }), fc.integer({ min: 10, max: 99 }))
  .map(([a, b]) => {
    const total = [...`${a}${b}`].reverse().reduce((sum, digit, i) => sum + Number(digit) * (i + 1), 0)
    return `${a}-${b}-${total % 10}`
  })

const day = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2100-12-31'), noInvalidDate: true })
  .map(date => date.toISOString())

const host = fc.constantFrom('example.com', 'docs.example.org:8443', 'bücher.example', '[2001:db8::1]', 'a')

/** Files that a test stores before it sends data with them. */
export const FILE_IDS = {
  picture: ['1', '2', '3'].map(digit => digit.repeat(64)),
  document: ['4', '5', '6'].map(digit => digit.repeat(64)),
} as const

const VALID: Readonly<Record<Format, fc.Arbitrary<string>>> = {
  gtin: fc.constantFrom(8, 12, 13, 14).chain(withCheckDigit),
  gln: withCheckDigit(13),
  eori: fc.stringMatching(/^[A-Z]{2}[0-9A-Z.-]{1,15}$/),
  cas,
  ec_number: fc.constantFrom('231-111-4', '200-001-8', '300-001-9'),
  cn_or_hs: fc.oneof(digits(6), digits(8)),
  country: fc.constantFrom(...COUNTRIES),
  language: fc.constantFrom('en', 'pt-BR', 'zh-Hant'),
  url: fc
    .tuple(
      fc.constantFrom('https', 'http', 'HTTPS'),
      host,
      fc.constantFrom('', '/', '/a/b%20c?d=e@f#g', '?q=ä'),
    )
    .map(([scheme, at, path]) => `${scheme}://${at}${path}`),
  email: fc.constantFrom(
    'a@b.co',
    'first.last+tag@mail.example.org',
    'grüße@bücher.example',
    "o'neil@x-y.example",
    'पता@उदाहरण.भारत',
    '用户@例子.广告',
    '!#$%&*+/=^_`{|}~.-@1.xn--p1ai',
  ),
  partial_date: fc.oneof(
    day.map(text => text.slice(0, 4)),
    day.map(text => text.slice(0, 7)),
    day.map(text => text.slice(0, 10)),
    fc.constant('2024-02-29'),
  ),
  carbon_class: fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F', 'G'),
  sha256: fc.stringMatching(/^[0-9a-f]{64}$/),
  picture_id: fc.constantFrom(...FILE_IDS.picture),
  document_id: fc.constantFrom(...FILE_IDS.document),
}

export const formatValue = (format: Format): fc.Arbitrary<string> => VALID[format]

export const WRONG_TEXTS: Readonly<Record<Format, readonly string[]>> = {
  gtin: [
    '',
    '12345',
    '9506000134353',
    '9506000134352 ',
    '９５０６０００１３４３５２',
    '0000000000000',
    '950600013435200',
  ],
  gln: ['', '96385074', '9506000134353', '09506000134352', '９５０６０００１３４３５２'],
  eori: ['', 'DE', 'de123', 'D1234', 'DE1234567890123456', 'DE 123', 'DE123ä'],
  ec_number: ['', '231-111-5', '2311114', '231-111-4 ', '２３１-111-4'],
  sha256: ['', 'a'.repeat(63), 'A'.repeat(64), 'g'.repeat(64), `${'a'.repeat(64)}\n`],
  picture_id: ['', 'a'.repeat(63), 'A'.repeat(64), `${'a'.repeat(64)}\n`],
  document_id: ['', 'a'.repeat(65), 'g'.repeat(64)],
  cas: ['', '50-00-1', '50000', '050-00-0', '50-00-0\n'],
  cn_or_hs: ['', '6109', '6109100', '610910000', '6109 10', '1234567890', '６１０９１０'],
  country: ['', 'de', 'DEU', 'UK', 'EL', 'EU', 'XK', 'ZZ', 'ＤＥ', ' DE', '__', 'toString'],
  language: ['', 'en_US', 'und', 'mul', 'e', 'en-', 'x-foo', 'i-default', 'en us', '__proto__', 'und-Latn'],
  url: [
    '',
    'example.com',
    '//example.com',
    'ftp://example.com',
    'javascript:alert(1)',
    'https://',
    'https://user:secret@example.com',
    'https://user@example.com/',
    'https://a b.example',
    'https://example.com/a b',
    'https://example.com\\@evil.example',
    'https://example.com/\n',
    'https://exa%00mple.com/',
    `https://example.com/${'x'.repeat(2048)}`,
  ],
  email: [
    '',
    'a',
    'a@b',
    '@b.co',
    'a@',
    'a@@b.co',
    'a b@c.co',
    'a@b..co',
    '.a@b.co',
    'a.@b.co',
    'a@-b.co',
    'mailto:a@b.de',
    '<a@b.c>',
    'Name<a@b.de>',
    'Name <a@b.de>',
    'a@b.de,x',
    'a@b.de,c@d.de',
    'a@b.de;',
    'a@b.de?cc=x',
    'a?x@b.de',
    'a@b.<x>',
    'a@b.d>',
    '"a"@b.de',
    'a(b)@c.de',
    'a\\b@c.de',
    '[a]@b.de',
    'a@[192.0.2.1]',
    'a@b.de:25',
    'a@b_c.de',
    'a@b.de/x',
    'a@b…de.eu',
    'a@b-.co',
    `a@${'b'.repeat(64)}.co`,
    `${'a'.repeat(65)}@b.co`,
  ],
  partial_date: [
    '',
    '24',
    '2024-13',
    '2024-00',
    '2024-02-30',
    '2023-02-29',
    '1900-02-29',
    '2024-04-31',
    '2024-1-1',
    '0000',
    '2024-01-01T00:00',
    '２０２４',
  ],
  carbon_class: ['', 'a', 'H', 'AB', 'Ａ'],
}
