/**
 * `lcp`: when the first picture of a public page is painted on a phone (390 pixels, three for one), compared with
 * a page that is only the same AVIF in an `img`. Each visit has an empty cache and a connection of its own.
 */
import type { Browser } from 'playwright-core'
import { DEMO_PASSPORTS } from '../src/cli/demo/demo-data.ts'
import { newProduct } from '../test/harness.ts'
import { makePhotograph } from '../test/media/sample-files.ts'
import { openBrowser } from '../test/site/chromium.ts'
import type { Bench, BenchEnvironment, BenchRow } from './environment.ts'
import { median } from './environment.ts'

type Network = { name: string; bytesPerSecond: number; latencyMs: number; slowdown: number }

const VISITS = 15
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 3, isMobile: true }
const NETWORKS: readonly Network[] = [
  { name: 'no limit', bytesPerSecond: -1, latencyMs: 0, slowdown: 1 },
  { name: '1.6 Mbit/s, 150 ms', bytesPerSecond: 200_000, latencyMs: 150, slowdown: 4 },
  { name: '400 kbit/s, 400 ms', bytesPerSecond: 50_000, latencyMs: 400, slowdown: 4 },
]
const OBSERVE = `window.paints = []
new PerformanceObserver(list => paints.push(...list.getEntries()
  .map(({ startTime, element }) => ({ at: startTime, tag: element?.tagName ?? '' }))))
  .observe({ type: 'largest-contentful-paint', buffered: true })`
/** A round after the last paint, in which the observer hears of it. */
const READ = `new Promise(resolve => setTimeout(() => {
  const of = entry => entry && { from: entry.requestStart, to: entry.responseEnd, bytes: entry.encodedBodySize }
  const [picture] = performance.getEntriesByType('resource')
  resolve({
    paint: paints.filter(({ tag }) => tag === 'IMG').at(-1)?.at ?? NaN,
    last: paints.at(-1)?.tag,
    page: of(performance.getEntriesByType('navigation')[0]),
    picture: of(picture),
  })
}, 200))`

type Visit = {
  /** Milliseconds since the navigation began; NaN if the picture was not the largest content. */
  paint: number
  last: string
  page: { from: number; to: number; bytes: number }
  picture: { from: number; to: number; bytes: number }
}

export const lcpRows: Bench = async stage => {
  const { urls, close } = await openPages(stage)
  const browser = await openBrowser()
  const rows: BenchRow[] = []
  for (const network of NETWORKS) {
    const visits = await visitInTurns(browser, urls, network)
    for (const who of ['ours', 'bare'] as const)
      stage.log(describeVisits(`${network.name}, ${who}`, visits[who]))
    const [ours = Number.NaN, limit = Number.NaN] = [visits.ours, visits.bare].map(some =>
      median(some.map(({ paint }) => paint)),
    )
    const unit = 'ms until the picture is painted, lower is better'
    rows.push({ row: `lcp, ${network.name}`, ours, limit, ratio: ours / limit, unit })
  }
  await browser.close()
  await close()
  return rows
}

type Pages<T> = { ours: T; bare: T }

async function visitInTurns(
  browser: Browser,
  urls: Pages<string>,
  network: Network,
): Promise<Pages<Visit[]>> {
  const visits: Pages<Visit[]> = { ours: [], bare: [] }
  for (const url of Object.values(urls)) await visit(browser, url, network)
  const names = ['ours', 'bare'] as const
  for (let i = 0; i < VISITS; i++) {
    for (const who of i % 2 === 0 ? names : names.toReversed())
      visits[who].push(await visit(browser, urls[who], network))
  }
  return visits
}

async function visit(browser: Browser, url: string, network: Network): Promise<Visit> {
  const { bytesPerSecond, latencyMs, slowdown } = network
  const context = await browser.newContext(PHONE)
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: latencyMs,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  })
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  await page.addInitScript(OBSERVE)
  await page.goto(url, { waitUntil: 'load' })
  const seen = (await page.evaluate(READ)) as Visit
  await context.close()
  return seen
}

/** A product with every field of the demo's first product, and the bare page with its picture. */
async function openPages(stage: BenchEnvironment) {
  const hall = await stage.openDatabase('small')
  const { key } = await stage.createTenant(hall)
  const server = await stage.startServer(hall, 'ours.ts')
  const origin = `http://127.0.0.1:${server.port}`
  const post = async (path: string, type: string, body: string | Uint8Array<ArrayBuffer>) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': type }
    const answer = await fetch(`${origin}/api/v1${path}`, { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return ((await answer.json()) as { data: { id: string } }).data.id
  }
  const media = await post(
    '/media',
    'image/jpeg',
    new Uint8Array(await makePhotograph({ width: 640, height: 480 })),
  )
  const { gtin: _, ...data } = DEMO_PASSPORTS[0]?.data ?? {}
  const pictures = [{ media, alt: { en: 'A jacket', de: 'Eine Jacke' } }]
  const id = await post('/products', 'application/json', JSON.stringify(newProduct({ ...data, pictures })))
  const picture = Buffer.from(await (await fetch(`${origin}/m/${media}/640.avif`)).arrayBuffer())
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>A picture</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<img src="/640.avif" width="208" height="156" alt="A jacket">`
  const bare = await stage.startServer(hall, 'lcp-page.ts', { page, picture: picture.toString('base64') })
  return {
    urls: { ours: `${origin}/p/${id}?lang=en`, bare: `http://127.0.0.1:${bare.port}/` },
    close: () => Promise.all([server.stop(), bare.stop()]),
  }
}

function describeVisits(name: string, visits: readonly Visit[]): string {
  const of = (pick: (visit: Visit) => number) => median(visits.map(pick)).toFixed(0)
  const tags = [...new Set(visits.map(({ last }) => last))]
  return `  ${name}: page ${of(v => v.page.bytes)} B, answered ${of(v => v.page.from)} to ${of(v => v.page.to)} ms; \
picture ${of(v => v.picture.bytes)} B, ${of(v => v.picture.from)} to ${of(v => v.picture.to)} ms; \
painted ${of(v => v.paint)} ms; largest: ${tags}`
}
