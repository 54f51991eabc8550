/**
 * Tests visual details of the public page: line breaks, touch targets, the logo in print, the number of
 * printed sheets.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { getContrast } from '../../src/accounts/brand/accent.ts'
import { updateBrand } from '../../src/accounts/brand/update-brand.ts'
import { DEMO_BRAND, DEMO_PASSPORTS, DEMO_STORY } from '../../src/cli/demo/demo-data.ts'
import { loadDemoPassports } from '../../src/cli/demo/load-demo.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { updateStory } from '../../src/passports/story/update-story.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { type Harness, newProduct, type TestAccount } from '../harness.ts'
import { type BrowserStand, startBrowserStand } from './browser-stand.ts'
import { OPEN_ALL, WITHOUT_CHROMIUM } from './chromium.ts'

let stand: BrowserStand
let harness: Harness
let account: TestAccount
let browser: Browser
let origin: string

const PHONE = { width: 390, height: 800 }
const SOFA = DEMO_PASSPORTS.filter(({ data }) => data.sku === 'LM-BOYNE-3-MOSS')
const SMALL_TARGETS = `Array.from(document.querySelectorAll('a:not(.skip)'), one => [one.textContent, one.getBoundingClientRect()])
  .filter(([, box]) => box.height < 44 || box.width < 44).map(([text]) => text)`
/** The smallest space between a title's words and the edges of its touch target. */
const LEAST_AIR = `Math.min(...Array.from(document.querySelectorAll('summary'), one => {
  const [outer, inner] = [one, one.firstElementChild].map(each => each.getBoundingClientRect())
  return Math.min(inner.top - outer.top, outer.bottom - inner.bottom)
}))`
const linesOf = (selector: string) => `Array.from(document.querySelectorAll('${selector}'), one => {
  const range = document.createRange()
  range.selectNodeContents(one)
  return Array.from(range.getClientRects(), box => Math.round(box.left))
})`
const SMALLEST_TEXT = `Math.min(...Array.from(document.querySelectorAll('header *, main *'))
  .filter(one => one.checkVisibility() && Array.from(one.childNodes).some(node => node.nodeType === 3 && node.data.trim() !== ''))
  .map(one => Number.parseFloat(getComputedStyle(one).fontSize)))`
/** In CSS pixels: 7.5 points. */
const LEAST_PRINT_PX = 10

type Shares = { paper: string; outlines: string[]; tones: string[]; gaps: number[] }

const OUTLINE_PX = 1
const SHARES = `(() => {
  const rects = Array.from(document.querySelectorAll('.bar rect'))
  const swatches = Array.from(document.querySelectorAll('.bar + table i'))
  const boxes = rects.map(one => one.getBoundingClientRect())
  return {
    paper: getComputedStyle(document.documentElement).backgroundColor,
    outlines: [...rects.map(one => getComputedStyle(one).stroke), ...swatches.map(one => getComputedStyle(one).borderTopColor)],
    tones: rects.map((one, i) => getComputedStyle(one).fillOpacity + ' ' + getComputedStyle(swatches[i], '::before').opacity),
    gaps: boxes.slice(1).map((box, i) => box.left - boxes[i].right),
  }
})()`

/** Converts a colour as browsers print it, `rgb(29, 28, 26)`, to hexadecimal. */
const hex = (colour: string) =>
  `#${(colour.match(/\d+/g) ?? []).map(part => Number(part).toString(16).padStart(2, '0')).join('')}`

describe('the look of a passport in a browser', { skip: WITHOUT_CHROMIUM }, () => {
  before(async () => {
    stand = await startBrowserStand()
    ;({ harness, account, browser, origin } = stand)
  })
  after(() => stand?.close())

  const make: BrowserStand['make'] = async (...product) => `/p/${await stand.make(...product)}`
  const open = async (path: string, language = 'en', viewport = PHONE): Promise<Page> => {
    const page = await browser.newPage({ viewport })
    await page.goto(`${origin}${path}?lang=${language}`)
    await page.evaluate(OPEN_ALL)
    return page
  }

  test('every link is large enough for a thumb', async () => {
    const paths = [
      await make('battery', {
        complianceDocuments: [{ type: 'certificate', url: 'https://docs.example/c.pdf' }],
        endOfLife: {
          recyclingInstructions: { en: 'https://docs.example/recycling' },
          disposalInstructions: { en: 'Bring it back.' },
        },
      }),
      await make('furniture'),
    ]
    for (const path of paths) {
      const page = await open(path)
      assert.ok((await page.locator('main a').count()) >= 2)
      assert.deepEqual(await page.evaluate(SMALL_TARGETS), [])
      await page.close()
    }
  })

  test('a title of two lines does not touch the dividing lines', async () => {
    const page = await open(await make('battery'), 'hu')
    const heights = (await page.evaluate(
      'Array.from(document.querySelectorAll("summary h2"), one => one.offsetHeight)',
    )) as number[]
    assert.ok(Math.max(...heights) > Math.min(...heights), 'one title has two lines')
    assert.ok(Number(await page.evaluate(LEAST_AIR)) >= 12)
    await page.close()
  })

  test('segments have 3:1 contrast with the background, and gaps and different tones between them, however many', async () => {
    const fibres = [
      'cotton',
      'wool',
      'silk',
      'linen',
      'hemp',
      'jute',
      'elastane',
      'viscose',
      'modal',
      'cashmere',
    ]
    const path = await make('textile', {
      fiberComposition: fibres.map(fiber => ({ fiber, percentage: 10 })),
    })
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open(path, 'en', { width: 320, height: 700 })
      await page.emulateMedia({ colorScheme })
      const { paper, outlines, tones, gaps } = (await page.evaluate(SHARES)) as Shares
      assert.equal(tones.length, fibres.length)
      for (const outline of outlines)
        assert.ok(getContrast(hex(outline), hex(paper)) >= 3, `${outline} on ${paper}`)
      for (const [i, tone] of tones.entries()) assert.notEqual(tone, tones[i - 1])
      assert.ok(Math.min(...gaps) - OUTLINE_PX >= 0.9, `${gaps} px`)
      await page.close()
    }
  })

  test('a CAS number is not wrapped, and a long name in a legend stays beside its colour', async () => {
    const fiber = 'Recycled polyester from bottles collected on beaches'
    const page = await open(
      await make('textile', {
        fiberComposition: [
          { fiber, percentage: 60 },
          { fiber: 'cotton', percentage: 40 },
        ],
        substancesOfConcern: [
          { name: 'Tris phosphate', casNumber: '13674-84-5', concentrationRange: 'w'.repeat(60) },
        ],
      }),
      'el',
    )
    const [name = []] = (await page.evaluate(linesOf('.bar + table bdi'))) as number[][]
    assert.ok(name.length >= 2)
    assert.equal(new Set(name).size, 1)
    const numbers = (await page.evaluate(linesOf('th small .n'))) as number[][]
    assert.deepEqual(
      numbers.map(lines => lines.length),
      [1],
    )
    await page.close()
  })

  test('links to the current version and to the data look like links', async () => {
    const path = await make('textile')
    const change = { data: { weightGrams: 300 } }
    await harness.ask('PATCH', path.replace('/p/', '/api/v1/products/'), { key: account.key, body: change })
    const page = await open(path, 'en&version=1')
    for (const selector of ['.notice a', 'footer p a']) {
      const line = await page.evaluate(
        `getComputedStyle(document.querySelector('${selector}')).textDecorationLine`,
      )
      assert.equal(line, 'underline', selector)
    }
    await page.close()
  })

  test('dark mode loads only the logo for dark pages; printed, it has an outline', async () => {
    const owner = await harness.account()
    await updateBrand(owner.ctx, DEMO_BRAND)
    const { passport } = await createPassport(owner.ctx, { ...newProduct(), strict: false })
    for (const [colorScheme, other] of [
      ['dark', 'light'],
      ['light', 'dark'],
    ] as const) {
      const page = await browser.newPage({ colorScheme })
      const requests: string[] = []
      page.on('request', request => requests.push(new URL(request.url()).pathname))
      await page.goto(`${origin}/p/${idFromUuid(passport.id)}`, { waitUntil: 'networkidle' })
      const logos = requests.filter(path => path.startsWith('/brand/'))
      const shown = await page.evaluate('document.querySelector(".logo img").currentSrc')
      assert.deepEqual(
        [shown],
        logos.map(path => origin + path),
        `and none for ${other}`,
      )
      await page.emulateMedia({ media: 'print' })
      const filter = 'getComputedStyle(document.querySelector(".logo img")).filter'
      assert.match(String(await page.evaluate(filter)), /^drop-shadow/)
      await page.close()
    }
  })

  test('the longest demo passport and its batches print on one sheet in legible words', async () => {
    const { models, batches } = await loadDemoPassports(account.ctx, SOFA)
    await updateBrand(account.ctx, DEMO_BRAND)
    const { text, links } = DEMO_STORY
    await updateStory(account.ctx, { text, links })
    for (const id of [...models, ...batches]) {
      for (const language of ['en', 'el', 'bg']) {
        const page = await open(`/p/${id}`, language)
        const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
        assert.equal(pdf.match(/\/Type \/Page\b/g)?.length, 1, `${id} ${language}`)
        await page.emulateMedia({ media: 'print' })
        assert.equal(await page.locator('#from-brand').count(), 1)
        assert.equal(await page.locator('#from-brand').isVisible(), false)
        assert.ok(Number(await page.evaluate(SMALLEST_TEXT)) >= LEAST_PRINT_PX)
        await page.close()
      }
    }
  })
})
