/** Tests hostile and ordinary content: text stays text, links stay links, protected values stay hidden. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { NO_BRAND } from '../../src/accounts/brand/brand.ts'
import type { AUDIENCES } from '../../src/categories/field.ts'
import { getLabels, LANGUAGES } from '../../src/i18n/catalogue.ts'
import { renderQrSvg } from '../../src/qr/svg.ts'
import { renderJsonLd } from '../../src/site/json-ld/document.ts'
import { CORES } from '../harness.ts'
import { FULL, MADE_AT, read, renderPage, rowOf } from './passport-views.ts'

const CATEGORIES = ['textile', 'battery', 'furniture'] as const
const NS = 'https://carnet.example/ns/dpp'
const page = (row: ReturnType<typeof rowOf>, audience: (typeof AUDIENCES)[number] = 'public') =>
  renderPage(read(row, audience), 'en', { qr: '<svg></svg>' })
const withoutStyle = (html: string) => html.replace(/<style>.*?<\/style>/s, '')

/** Tags and attributes, parsed more strictly than in a browser. */
const TAG = /<(?:!doctype html|\/?[a-z][a-z0-9]*(?: [a-zA-Z-]+(?:="[^"<>]*")?)*\/?)>/g
const textOf = (html: string) => withoutStyle(html).replace(TAG, '')

describe('hostile content', () => {
  const HOSTILE = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    '</title></style></svg><svg/onload=alert(1)>',
    '&lt;b&gt; &amp;',
    '\u202eevil\u2066 \u200f',
    'w'.repeat(10_000),
    '{name} {label} $& !',
  ]
  for (const hostile of HOSTILE) {
    test(`is shown as text: ${hostile.slice(0, 40)}`, () => {
      const texts = { en: hostile, de: hostile }
      const html = page(
        rowOf('textile', {
          productName: hostile.slice(0, 500),
          brandName: hostile.slice(0, 500),
          careInstructions: texts,
          repair: { repairable: true, sparePartsAvailable: true, instructions: texts },
          fiberComposition: [{ fiber: hostile.slice(0, 500), percentage: 100 }],
          complianceDocuments: [{ type: hostile.slice(0, 500), url: 'https://docs.example/a' }],
          supplyChainStages: [{ stage: 'spinning', country: 'PT' }],
        }),
      )
      assert.doesNotMatch(textOf(html), /[<>]/)
      assert.ok(textOf(html).includes('Care'))
    })
  }

  test('becomes a link only if it is http(s) without credentials', () => {
    const urls = [
      'javascript:alert(1)',
      ' javascript:alert(1)',
      'https://shop.example/\u202egnp.exe',
      'JAVASCRIPT:alert(1)',
      'data:text/html,<script>',
      'vbscript:x',
      '//evil.example',
      'https://user:secret@evil.example/',
      'http://a b',
    ]
    for (const url of urls) {
      const html = page(
        rowOf('furniture', {
          complianceDocuments: [{ type: 'certificate', url }],
          assemblyInstructions: { en: url },
          repair: { repairable: true, sparePartsAvailable: true, sparePartsUrl: url },
        }),
      )
      const hrefs = Array.from(html.matchAll(/<a href="([^"]*)"/g), match => match[1] ?? '')
      assert.ok(hrefs.length > 20)
      assert.deepEqual(
        hrefs.filter(
          href =>
            !/^(#(content|repair|operator)|\?lang&#61;[a-z]{2}|\?lang=[a-z]{2}|\?format=jsonld)$/.test(href),
        ),
        [],
        url,
      )
    }
  })

  test('a link names its target and sends no referrer', () => {
    const complianceDocuments = [{ type: 'certificate', url: 'https://docs.example/c.pdf' }]
    const html = page(rowOf('furniture', { ...FULL.furniture, complianceDocuments }))
    const links = html.match(/<a href="https?:[^>]*>/g) ?? []
    assert.equal(links.length, 3)
    for (const link of links) assert.match(link, /rel="noopener nofollow"/)
    const { opensOtherSite } = getLabels('en').ui
    assert.deepEqual(
      Array.from(html.matchAll(/<a href="https?:[^>]*>(.*?)<\/a>/g), ([, text = '']) => textOf(text)),
      [
        `docs.example/assembly.pdf (${opensOtherSite})`,
        `parts.example/sofa (${opensOtherSite})`,
        `Certificate docs.example (${opensOtherSite})`,
      ],
    )
  })

  test('a page has no script, no inline style and no handler, whatever the data', () => {
    const texts = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        const html = page(rowOf('textile', { productName: a, careInstructions: { en: b, de: a } }))
        assert.doesNotMatch(textOf(html), /[<>]/)
        assert.doesNotMatch(html, /<script|<link rel="stylesheet|<iframe|<[^>]* (on\w+|style)=/)
      }),
      { numRuns: 200 },
    )
  })
})

describe('audiences', () => {
  const protectedIn = { textile: 3, battery: 1, furniture: 1 } as const

  for (const category of CATEGORIES) {
    test(`${category}: the public sees no protected value, in HTML or JSON-LD`, () => {
      const row = rowOf(category, FULL[category])
      const outputs = [page(row), renderJsonLd(read(row), NS)]
      for (const output of outputs) {
        assert.doesNotMatch(output, /CANARY|97[.,]123/)
      }
      assert.match(page(row), /Readers with an access link see more information/)
    })

    test(`${category}: an authority sees protected values, but no unknown field`, () => {
      const row = rowOf(category, FULL[category])
      for (const output of [page(row, 'authority'), renderJsonLd(read(row, 'authority'), NS)]) {
        const found = new Set(output.match(/DECANARY1|CANARY Mill|CANARY\.pdf/g))
        assert.ok(found.size >= Math.min(protectedIn[category], 2) || found.size === 1, [...found].join())
        assert.doesNotMatch(output, /free-form/)
      }
    })
  }

  test('readers with a legitimate interest see facilities and due diligence, not what is for authorities', () => {
    const textile = page(rowOf('textile', FULL.textile), 'legitimate_interest')
    assert.match(textile, /CANARY Mill/)
    assert.doesNotMatch(textile, /DECANARY1/)
    const battery = page(rowOf('battery', FULL.battery), 'legitimate_interest')
    assert.match(battery, /CANARY\.pdf/)
    assert.doesNotMatch(battery, /97\.123/)
    for (const html of [textile, battery]) {
      assert.match(html, /Authorities see more information\./)
      assert.doesNotMatch(html, /for readers with an access link/)
    }
  })

  test('has no note for a reader from whom nothing is withheld', () => {
    for (const category of ['textile', 'battery'] as const)
      assert.doesNotMatch(page(rowOf(category, FULL[category]), 'authority'), /see more information/)
  })

  test('has no note about protected data if nothing is withheld', () => {
    assert.doesNotMatch(page(rowOf('furniture')), /see more information/)
  })
})

const SHEET = readFileSync(new URL('../../assets/passport.css', import.meta.url), 'utf8')
/** Each figure's markup and the start of its style rules. */
const FIGURES = [
  ['class="bar"', '.bar{'],
  ['class="scale"', '.scale{'],
  ['class="notice"', '.notice{'],
  ['class="banner"', '.banner{'],
  ['class="chain"', '.chain{'],
  ['<meter', 'meter{'],
] as const

function assertDressed(html: string, name: string): void {
  const [head = '', body = ''] = html.split('</style>')
  const styled = (sheet: string, one: string) => new RegExp(`\\.${one}\\b`).test(sheet)
  const classes = Array.from(body.matchAll(/class="([^"]*)"/g), ([, names = '']) => names.split(' ')).flat()
  const bare = [...new Set(classes)].filter(one => styled(SHEET, one) && !styled(head, one))
  assert.deepEqual(bare, [], name)
  for (const [mark, rule] of FIGURES)
    assert.equal(head.includes(rule), body.includes(mark), `${name} ${mark}`)
}

describe('the page', () => {
  test('marks texts in another language, and falls back to the primary one', () => {
    const row = rowOf('textile', {
      languages: ['de', 'fr'],
      careInstructions: { de: 'Kalt waschen.', fr: 'Laver à froid.' },
      endOfLife: {
        recyclingInstructions: { de: 'Zum Container.' },
        disposalInstructions: { de: 'Restmüll.' },
      },
    })
    const french = renderPage(read(row), 'fr', { qr: '' })
    assert.match(french, /<html lang="fr" dir="ltr">/)
    assert.match(french, /<p>Laver à froid\.<\/p>/)
    assert.match(french, /<p lang="de" dir="auto">Zum Container\.<\/p>/)
    const note = { name: 'Melamine', note: 'Im Schaum.' }
    const chair = rowOf('furniture', { languages: ['de', 'en'], substancesOfConcern: [note] })
    const maltese = renderPage(read(chair), 'mt', { qr: '' })
    assert.match(maltese, /<td><bdi lang="de">Im Schaum\.<\/bdi><\/td>/)
    const finnish = renderPage(read(row), 'fi', { qr: '' })
    assert.match(finnish, /<p lang="de" dir="auto">Kalt waschen\.<\/p>/)
  })

  test('names values, units, countries and dates in the language of the page', () => {
    const german = renderPage(read(rowOf('battery', FULL.battery)), 'de', { qr: '' })
    for (const part of [
      '13,4\u00a0Ah',
      '78,6\u00a0kg\u00a0CO₂e/kWh',
      'Mai 2026',
      'Deutschland',
      'Klasse C',
    ]) {
      assert.ok(german.includes(part), part)
    }
    assert.match(german, /<b>C<\/b>/)
    assert.match(german, /<meter max="100" value="12"/)
  })

  test('names a value once if its section begins with it and has the same title', () => {
    const html = page(rowOf('battery', FULL.battery))
    assert.match(html, /<h2>Carbon footprint<\/h2>.*?<dt class="vh">Carbon footprint<\/dt><dd>78\.6/)
    assert.match(html, /<h3>Carbon footprint class<\/h3>/)
    const textile = page(rowOf('textile', FULL.textile))
    assert.match(textile, /<h2>Environment<\/h2>.*?<dt>Carbon footprint<\/dt>/)
  })

  test('shows a field without a section', () => {
    const reading = read(rowOf('furniture'))
    const extra = { name: 'quietRide', type: 'text', description: 'How quiet.', localized: true } as const
    const html = renderPage(
      {
        ...reading,
        category: { ...reading.category, fields: [...reading.category.fields, extra] },
        data: { ...reading.data, quietRide: { en: 'Very quiet.' } },
      },
      'en',
      { qr: '' },
    )
    assert.match(html, /<h2>Quiet ride<\/h2><\/summary><div id="quiet-ride"><p>Very quiet\.<\/p>/)
  })

  test('starts with facts that suit the category: a link for instructions that are a URL, no repair of a battery', () => {
    const factsOf = (html: string) => html.split('<section class="facts"')[1]?.split('</section>')[0] ?? ''
    const chair = rowOf('furniture', {
      endOfLife: {
        recyclingInstructions: { en: 'https://docs.example/recycling' },
        disposalInstructions: { en: 'Bulky waste.' },
      },
    })
    assert.match(
      factsOf(page(chair)),
      /At the end of life<\/dt><dd><a href="https:\/\/docs\.example\/recycling"/,
    )
    const terms = (html: string) => Array.from(factsOf(html).matchAll(/<dt>([^<]*)/g), match => match[1])
    assert.deepEqual(terms(page(chair)), ['Made of', 'Made in', 'Repairable', 'At the end of life'])
    assert.deepEqual(terms(page(rowOf('battery'))), ['Made of', 'Made in', 'At the end of life'])
  })

  test('the composition reads as a phrase: our words in lower case where the language does so, names as given', () => {
    const stool = rowOf('furniture', {
      materialComposition: [
        { material: 'rattan', percentage: 60 },
        { material: 'engineeredWood', percentage: 30 },
        { material: 'Zostera', percentage: 10 },
      ],
    })
    for (const [language, phrase] of [
      ['en', '60% rattan, 30% engineered wood, 10% <bdi>Zostera</bdi>'],
      ['fi', '60\u00a0% rottinki, 30\u00a0% insinööripuu, 10\u00a0% <bdi>Zostera</bdi>'],
      ['el', '60% ρατάν, 30% τεχνητή ξυλεία, 10% <bdi>Zostera</bdi>'],
      ['de', '60\u00a0% Rattan, 30\u00a0% Holzwerkstoff, 10\u00a0% <bdi>Zostera</bdi>'],
    ] as const) {
      const html = renderPage(read(stool), language, { qr: '' })
      assert.ok(html.includes(`<dd>${phrase}</dd>`), `${language}: ${/Zostera.*?<.dd>/s.exec(html)?.[0]}`)
      assert.match(html, /<th scope="row"><i class="t0"><\/i>\p{Lu}/u)
    }
  })

  test('draws a map of three or more countries, in fewer than 1.5 kB, with their names as its text', () => {
    const mapOf = (...countries: string[]) => {
      const supplyChainStages = countries.map(country => ({ stage: 'spinning', country }))
      const html = renderPage(read(rowOf('textile', { supplyChainStages })), 'de')
      return /<svg class="map".*?<\/svg>/s.exec(html)?.[0] ?? ''
    }
    assert.equal(mapOf('TR', 'PT', 'TR'), '')
    assert.match(
      mapOf('TR', 'TR', 'PT', 'MT'),
      /role="img" aria-label="Karte: Türkei, Portugal, Malta".*<path d="M\d+ \d+L\d+ \d+L\d+ \d+"\/><path d="(M\d+ \d+h0){3}"\/>/,
    )
    for (const countries of [
      ['RU', 'CA', 'US'],
      ['RU', 'CA', 'US', 'CN', 'ID', 'BR', 'AU', 'IN', 'AR', 'CL'],
    ]) {
      assert.ok(gzipSync(mapOf(...countries)).length < 1_500)
    }
  })

  test('for readers with an access link all sections are open, and restricted rows say so', () => {
    const html = renderPage(read(rowOf('textile', FULL.textile), 'authority'), 'en')
    assert.doesNotMatch(html.slice(html.indexOf('<main')), /<details>/)
    assert.match(html, /EORI[^<]*<\/dt><dd><bdi>DECANARY1<\/bdi><small class="from">not public<\/small>/)
    assert.match(html, /CANARY Mill<\/bdi> \(not public\)/)
    assert.doesNotMatch(renderPage(read(rowOf('textile', FULL.textile)), 'en'), /not public/)
  })

  test('sections have a fixed order, and the first two are open', () => {
    const html = page(rowOf('textile', FULL.textile))
    const found = html.matchAll(
      /<(?:details( open)?>|section><h2>)[^<]*(?:<summary>.*?)?<.*?<div id="([^"]*)"/gs,
    )
    const anchors = Array.from(found, match => [match[2], match[1] !== undefined])
    assert.deepEqual(
      anchors.map(([anchor]) => anchor),
      [
        'fibres',
        'care',
        'repair',
        'end-of-life',
        'supply-chain',
        'environment',
        'substances',
        'durability',
        'documents',
        'identifiers',
        'operator',
        'history',
      ],
    )
    assert.deepEqual(
      anchors.filter(([, isOpen]) => isOpen).map(([anchor]) => anchor),
      ['fibres', 'care'],
    )
  })

  test('is at most 30 kB, 8 kB compressed, in every language, with a brand and twenty versions', () => {
    const logo = { file: `${'0'.repeat(32)}.svg`, width: 172, height: 40 }
    const brand = { ...NO_BRAND, version: 1, name: 'Testmarke', accent: '#888888', logo, logoDark: logo }
    const reader = { audience: 'authority', label: 'Marktüberwachung', expiresAt: MADE_AT } as const
    const address = 'https://passports.example/p/01m8098pa3eh1awgfte6drh14t'
    const { svg } = renderQrSvg(address, { level: 'M', isInline: true })
    const history = {
      versions: Array.from({ length: 20 }, (_, i) => ({
        versionNo: 30 - i,
        kind: 'correction' as const,
        at: MADE_AT,
      })),
      total: 30,
    }
    for (const category of CATEGORIES) {
      for (const { code } of LANGUAGES) {
        const reading = read(rowOf(category, FULL[category], { version_no: 30 }), 'authority')
        for (const who of [{ reader }, {}]) {
          const html = renderPage({ ...reading, history }, code, { qr: svg, brand, ...who })
          const name = `${category} ${code}`
          assert.ok(Buffer.byteLength(html) <= 30_000, `${name}: ${Buffer.byteLength(html)}`)
          assert.ok(gzipSync(html).length <= 8_000, `${name}: ${gzipSync(html).length} compressed`)
        }
      }
    }
  })

  test('contains only the style rules of its own charts', () => {
    for (const category of CATEGORIES) {
      for (const data of [{}, FULL[category]]) assertDressed(page(rowOf(category, data)), category)
    }
  })

  test('has one h1, a caption in every table and no repeated id', () => {
    for (const category of CATEGORIES) {
      const html = page(rowOf(category, { ...CORES[category], ...FULL[category] }))
      assert.equal(html.match(/<h1/g)?.length, 1)
      assert.equal(html.match(/<table/g)?.length, html.match(/<table><caption/g)?.length)
      const ids = Array.from(html.matchAll(/ id="([^"]*)"/g), match => match[1])
      assert.equal(new Set(ids).size, ids.length)
    }
  })
})
