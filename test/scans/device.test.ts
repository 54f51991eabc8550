/** Tests devices and crawlers of real user agents. The data is from isbot's public-domain list. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { isCrawler } from '../../src/scans/crawlers.ts'
import { DEVICES, detectDevice } from '../../src/scans/device.ts'

const read = <T>(file: string) => JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8')) as T
const AGENTS = read<Record<string, string[]>>('user-agents.json')
const CRAWLERS = read<string[]>('crawler-user-agents.json')

test('200 user agents are assigned the right device', () => {
  assert.deepEqual(Object.keys(AGENTS).sort(), [...DEVICES].sort())
  const all = DEVICES.flatMap(device => (AGENTS[device] ?? []).map(agent => ({ device, agent })))
  assert.ok(all.length >= 200)
  assert.equal(new Set(all.map(one => one.agent)).size, all.length)
  assert.deepEqual(
    all.filter(({ device, agent }) => detectDevice(agent) !== device),
    [],
  )
})

describe('crawlers', () => {
  test('do not include any of the 200 devices', () => {
    assert.deepEqual(Object.values(AGENTS).flat().filter(isCrawler), [])
  })

  test('are recognised if they declare themselves', () => {
    assert.ok(CRAWLERS.length >= 60)
    assert.deepEqual(
      CRAWLERS.filter(agent => !isCrawler(agent)),
      [],
    )
  })

  test('do not include generic clients, test browsers and scanner apps', () => {
    const readers = [
      'curl/8.5.0',
      'node-fetch/1.0 (+https://github.com/bitinn/node-fetch)',
      'undici',
      'node',
      'Java/17.0.1',
      'python-requests/2.32.3',
      'python-httpx/0.27.0',
      'libwww-perl/6.77',
      'PostmanRuntime/7.39.0',
      '',
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/126.0.0.0 Safari/537.36',
      'Mozilla/5.0 (Linux; Android 14; SM-S918B; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/124.0.6367.123 Mobile Safari/537.36 QRScanner/3.1',
    ]
    assert.deepEqual(readers.filter(isCrawler), [])
  })

  test('are recognised in milliseconds, even for a hostile user agent of 8 kB', () => {
    for (const text of ['a', '(', ' ', 'x.', '1.', '; ', 'Mozilla/5.0 (']) {
      const agent = text.repeat(Math.ceil(8_192 / text.length))
      assert.equal(typeof isCrawler(agent), 'boolean')
      assert.ok(DEVICES.includes(detectDevice(agent)))
    }
  })
})
