/**
 * Tests a page with pictures and documents in a real browser: its weight on a phone, no layout shift, and
 * that it works without scripts and pictures.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { createAccessLink } from '../../src/passports/access/access-links.ts'
import { updateStory } from '../../src/passports/story/update-story.ts'
import { ADDRESSES } from '../harness.ts'
import { makePdf, makePhotograph } from '../media/sample-files.ts'
import { type BrowserStand, startBrowserStand } from './browser-stand.ts'
import { findViolations, OPEN_ALL, WIDTH, WITHOUT_CHROMIUM } from './chromium.ts'

/** Bytes of the page and all pictures that the browser asks for, with headers. */
const MAX_TRANSFERRED_BYTES = 60_000
/** Bytes of the picture of the block “From the brand”, which is loaded when a reader scrolls near it. */
const MAX_SCROLLED_BYTES = 30_000
const STORY = 'We weave in Guimarães, and keep a workshop behind each shop. '.repeat(20)
const WIDTHS = [320, 390, 768, 1280]
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 3, isMobile: true }
const ALTS = ['A shirt on a table', 'Its label', 'Its back']
const OBSERVE_SHIFTS = `window.shifts = []
new PerformanceObserver(list => shifts.push(...list.getEntries().map(({ value }) => value)))
  .observe({ type: 'layout-shift', buffered: true })`

/** How far the row of pictures scrolls down. */
const OVERFLOW = "(row => row.scrollHeight - row.clientHeight)(document.querySelector('.row'))"

let stand: BrowserStand
let id: string
let restricted: string
/** The id of the first picture. */
let first = ''
/** The id of the picture of the block “From the brand”. */
let ofBrand = ''

const upload = async (type: string, text: Buffer): Promise<string> => {
  const { harness, account } = stand
  const headers = { 'content-type': type }
  const stored = await harness.ask('POST', '/api/v1/media', { key: account.key, text, headers })
  assert.ok(stored.status < 300, stored.text)
  return stored.json.data.id
}

type Visit = { page: Page; requests: string[]; transferred: () => number; close: () => Promise<void> }

async function openPage(options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await stand.browser.newContext({ bypassCSP: true, ...options })
  const page = await context.newPage()
  const requests: string[] = []
  let bytes = 0
  page.on('request', request => requests.push(request.url()))
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  return { page, requests, transferred: () => bytes, close: () => context.close() }
}

const visit = (page: Page, of = id, language = 'en') =>
  page.goto(`${stand.origin}/p/${of}?lang=${language}`, { waitUntil: 'networkidle' })

describe('a page with pictures in a browser', { skip: WITHOUT_CHROMIUM }, () => {
  before(async () => {
    stand = await startBrowserStand()
    const sizes = [
      { width: 1024, height: 768 },
      { width: 480, height: 640 },
      { width: 600, height: 450 },
    ]
    const pictures: object[] = []
    for (const [i, size] of sizes.entries()) {
      const media = await upload('image/jpeg', await makePhotograph(size))
      if (i === 0) first = media
      const caption = i === 1 ? { caption: { en: 'Sewn in Porto' } } : {}
      pictures.push({ media, alt: { en: ALTS[i], de: ALTS[i] }, ...caption })
    }
    restricted = await upload('application/pdf', await makePdf('for the workshop'))
    id = await stand.make('textile', {
      pictures,
      documents: [
        {
          title: { en: 'Care booklet' },
          media: await upload('application/pdf', await makePdf()),
          access: 'public',
        },
        { title: { en: 'Workshop manual' }, media: restricted, access: 'restricted' },
      ],
    })
    ofBrand = await upload('image/jpeg', await makePhotograph({ width: 960, height: 720 }))
    await updateStory(stand.account.ctx, {
      text: { en: STORY },
      picture: { media: ofBrand, alt: { en: 'A loom' } },
    })
  })
  after(() => stand?.close())

  test('a phone with three pixels for one transfers at most 60 kB before the reader scrolls, from one origin, without a cookie', async () => {
    const { page, requests, transferred, close } = await openPage(PHONE)
    const answer = await visit(page)
    assert.match((await answer?.allHeaders())?.link ?? '', /^<[^>]+640\.avif>; rel="preload"; as="image"/)
    assert.equal(await page.evaluate('document.images[0].naturalWidth > 0'), true)
    assert.ok(transferred() > 10_000, `${transferred()} bytes`)
    assert.ok(transferred() <= MAX_TRANSFERRED_BYTES, `${transferred()} bytes: ${requests.join(' ')}`)
    for (const url of requests) assert.ok(url.startsWith(`${stand.origin}/`), url)
    assert.match(requests[1] ?? '', /\/640\.avif$/)
    // The Link header asks for the picture that the page shows.
    assert.equal(new Set(requests).size, requests.length)
    assert.equal(requests.filter(url => url.includes(first)).length, 1)
    assert.deepEqual(await page.context().cookies(), [])
    const before = transferred()
    assert.equal(requests.filter(url => url.includes(ofBrand)).length, 0)
    await page.locator('#from-brand img').scrollIntoViewIfNeeded()
    await page.waitForFunction("document.querySelector('#from-brand img').naturalWidth > 0")
    await page.waitForLoadState('networkidle')
    assert.match(requests.filter(url => url.includes(ofBrand)).join(), /^[^,]+\/640\.avif$/)
    assert.ok(transferred() - before <= MAX_SCROLLED_BYTES, `${transferred() - before} bytes`)
    await close()
  })

  test('nothing moves while the pictures load and the reader scrolls, at any width', async () => {
    for (const width of WIDTHS) {
      const { page, close } = await openPage({ viewport: { width, height: 844 }, deviceScaleFactor: 2 })
      await page.addInitScript(OBSERVE_SHIFTS)
      await visit(page, id, 'fi')
      for (const place of ['#pictures', '#from-brand'])
        await page.locator(`${place} img`).last().scrollIntoViewIfNeeded()
      await page.waitForFunction(
        'Array.from(document.images).every(one => one.complete && one.naturalWidth > 0)',
      )
      assert.deepEqual(await page.evaluate('window.shifts'), [], `${width} px`)
      assert.equal(await page.evaluate(WIDTH), width)
      assert.ok(await page.locator('.row figcaption a').isVisible())
      assert.equal(await page.evaluate(OVERFLOW), 0)
      await close()
    }
  })

  test('axe finds no fault, light and dark', async () => {
    const { page, close } = await openPage(PHONE)
    for (const [colorScheme, rules] of [
      ['light', 'all'],
      ['dark', 'colours'],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await visit(page)
      assert.deepEqual(await findViolations(page, rules), [], colorScheme)
    }
    await close()
  })

  test('without scripts all pictures and documents are there', async () => {
    const { page, close } = await openPage({ ...PHONE, javaScriptEnabled: false })
    await visit(page)
    for (const alt of ALTS) assert.ok(await page.getByRole('img', { name: alt }).isVisible(), alt)
    assert.equal(await page.getByRole('link', { name: 'Care booklet', includeHidden: true }).count(), 1)
    await close()
  })

  test('without pictures their words stand in boxes of the same size, in a legible colour', async () => {
    const { page, close } = await openPage(PHONE)
    await visit(page)
    const measure = 'Array.from(document.images, one => [one.offsetWidth, one.offsetHeight]).flat()'
    const shown = (await page.evaluate(measure)) as number[]
    await page.route('**/m/**', route => route.abort())
    await visit(page)
    assert.equal(await page.evaluate('document.images[0].naturalWidth'), 0)
    for (const alt of ALTS) assert.ok(await page.getByRole('img', { name: alt }).isVisible(), alt)
    for (const [i, side] of ((await page.evaluate(measure)) as number[]).entries())
      assert.ok(Math.abs(side - (shown[i] ?? 0)) <= 1, `${side} px instead of ${shown[i]}`)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const contrast of (await page.evaluate(CONTRASTS)) as number[])
        assert.ok(contrast >= 4.5, `${contrast} in ${colorScheme}`)
    }
    await close()
  })

  test('a page without pictures is one request', async () => {
    const { page, requests, close } = await openPage(PHONE)
    await visit(page, await stand.make('textile'))
    assert.equal(requests.length, 1)
    await close()
  })

  test('a restricted document has a link only for readers who may open it, and opens for them', async () => {
    const { page, close } = await openPage(PHONE)
    const local = stand.origin.replace('127.0.0.1', 'localhost')
    const open = `fetch('/d/${restricted}').then(async one => one.status + (await one.text()).slice(0, 4))`
    await page.goto(`${local}/p/${id}?lang=en`)
    await page.evaluate(OPEN_ALL)
    assert.ok(await page.getByRole('link', { name: 'Care booklet' }).isVisible())
    assert.equal((await page.content()).includes(restricted), false)
    assert.equal(await page.getByText('Workshop manual').count(), 0)
    assert.match(String(await page.evaluate(open)), /^404/)
    const { token } = await createAccessLink(stand.account.ctx, {
      passportId: id,
      audience: 'legitimate_interest',
      label: 'A repair shop',
      expiresAt: new Date(stand.harness.clock.now().getTime() + 3_600_000),
      addresses: ADDRESSES,
    })
    await page.goto(`${local}/p/${id}?lang=en&access=${token}`)
    await page.evaluate(OPEN_ALL)
    const link = page.getByRole('link', { name: 'Workshop manual' })
    assert.ok(await link.isVisible())
    assert.match((await link.getAttribute('href')) ?? '', new RegExp(`/d/${restricted}$`))
    assert.equal(await page.evaluate(open), '200%PDF')
    await close()
  })

  test('print and forced colours show the pictures within the page', async () => {
    const { page, close } = await openPage({ viewport: { width: 390, height: 844 } })
    for (const media of [{ media: 'print' }, { media: 'screen', forcedColors: 'active' }] as const) {
      await page.emulateMedia(media)
      await visit(page)
      await page.evaluate(OPEN_ALL)
      assert.ok(await page.getByRole('img', { name: ALTS[0] ?? '' }).isVisible())
      assert.equal(await page.evaluate(WIDTH), 390)
    }
    await close()
  })
})

/** The contrast of the words on each picture's own colour, by WCAG 2.2. */
const CONTRASTS = `Array.from(document.images, one => {
  const { color, backgroundColor } = getComputedStyle(one)
  const [light, dark] = [color, backgroundColor].map(text => {
    const [r, g, b] = text.match(/\\d+/g).slice(0, 3).map(Number).map(byte => byte / 255)
      .map(part => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }).sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
})`
