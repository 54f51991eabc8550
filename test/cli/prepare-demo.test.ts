/** Tests that the demo can be looked at before all of it is there, and that a stopped start is completed. */
import assert from 'node:assert/strict'
import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { prepareDemo } from '../../src/cli/demo/demo-account.ts'
import { countDemoPassports } from '../../src/cli/demo/demo-data.ts'
import type { DemoSummary } from '../../src/cli/demo/demo-summary.ts'
import type { Store } from '../../src/cli/store/store.ts'
import { ADDRESSES, type Harness, startHarness } from '../harness.ts'

let t: Harness
let dataDir: string
before(async () => {
  t = await startHarness()
  dataDir = join(tmpdir(), `carnet-demo-${process.pid}-${Date.now()}`)
  await mkdir(dataDir)
})
after(async () => {
  await t.close()
  await rm(dataDir, { recursive: true, force: true })
})

const path = (url: string) => url.slice(ADDRESSES.publicUrl.length)
const countModels = async () => (await t.sql`select from passport where level = 'm'`).length

async function prepare(signal: AbortSignal, onSentence: (sentence: string) => void): Promise<DemoSummary> {
  let summary: DemoSummary | undefined
  let ready: Promise<void> | undefined
  const store = { sql: t.setup.sql, addresses: ADDRESSES } as Store
  await prepareDemo(store, {
    dataDir,
    mediaPlace: { folder: join(dataDir, 'media') },
    signal,
    onReady(made) {
      summary = made
      ready = checkAddresses(made)
    },
    onProgress: onSentence,
  })
  await ready
  assert.ok(summary, 'there is a summary')
  return summary
}

/** Each address of the summary leads somewhere, from the moment in which it is printed. */
async function checkAddresses({ passport_url, item_url, access_link, api_key }: DemoSummary): Promise<void> {
  for (const url of [passport_url, item_url ?? ''])
    assert.equal((await t.ask('GET', path(url))).status, 200, url)
  // The token goes into a cookie.
  assert.equal((await t.ask('GET', path(access_link))).status, 303, access_link)
  assert.equal((await t.ask('GET', '/api/v1/products?limit=3', { key: api_key })).status, 200)
}

test('the addresses are printed with the first product, and what is added then is named', async () => {
  const stop = new AbortController()
  const sentences: string[] = []
  const first = await prepare(stop.signal, sentence => {
    sentences.push(sentence)
    if (sentence.startsWith('Adding product 3 ')) stop.abort()
  })
  assert.equal(await countModels(), 3, 'a server that stops is not kept waiting')
  assert.match(
    sentences.join('\n'),
    /^Adding the brand …\nAdding offers …\nAdding product 2 of \d+ and its picture: /,
  )

  const { signal } = new AbortController()
  sentences.length = 0
  assert.deepEqual(await prepare(signal, sentence => sentences.push(sentence)), first)
  assert.equal(await countModels(), countDemoPassports().models)
  assert.match(sentences[0] ?? '', /^Adding product 4 /)
  assert.equal(sentences.at(-1), 'The demo is complete.')

  sentences.length = 0
  await prepare(signal, sentence => sentences.push(sentence))
  assert.deepEqual(sentences, [])
})
