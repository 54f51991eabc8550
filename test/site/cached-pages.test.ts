/** Tests that cached pages, which bypass the framework, equal the framework's responses byte for byte. */
import assert from 'node:assert/strict'
import { type AddressInfo, connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createApp } from '../../src/cli/server/app.ts'
import { createLog } from '../../src/kernel/errors/log.ts'
import { createAccessLink, revokeAccessLink } from '../../src/passports/access/access-links.ts'
import { ADDRESSES, type Harness, newProduct, startHarness } from '../harness.ts'

type Server = { port: number; asked: number; close: () => Promise<void> }

let t: Harness
/**
 * `straight` answers cached pages directly; `framed` logs every response and therefore uses the framework for
 * all.
 */
let straight: Server
let framed: Server
let id: string
/** The cookie of an expired link. */
let endedCookie: string

async function serve(logLevel: 'silent' | 'debug', scans = t.setup.scans): Promise<Server> {
  const log = createLog({ logLevel: 'silent', logFormat: 'json' })
  log.level = logLevel
  const app = createApp({
    ...t.setup,
    scans,
    log: logLevel === 'debug' ? Object.assign(log, { debug() {} }) : log,
  })
  const server: Server = { port: 0, asked: 0, close: () => app.close() }
  app.addHook('onRequest', (_request, _reply, done) => {
    server.asked++
    done()
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  server.port = (app.server.address() as AddressInfo).port
  return server
}

before(async () => {
  t = await startHarness()
  const account = await t.account()
  const { json } = await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })
  id = json.data.id
  const link = await createAccessLink(account.ctx, {
    passportId: id,
    audience: 'authority',
    label: 'Test',
    expiresAt: new Date(Date.now() + 3_600_000),
    addresses: ADDRESSES,
  })
  const entered = await t.ask('GET', `/p/${id}?access=${link.token}`)
  endedCookie = String(entered.headers['set-cookie']).split(';')[0] ?? ''
  await revokeAccessLink(account.ctx, link.id)
  straight = await serve('silent')
  framed = await serve('debug')
})
after(async () => {
  await Promise.all([straight.close(), framed.close()])
  await t.close()
})

/** Sends a request and returns head and body as transferred. */
function send({ port }: Server, lines: readonly string[]): Promise<{ head: string[]; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`))
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject)
    socket.on('close', () => {
      const all = Buffer.concat(chunks)
      const end = all.indexOf('\r\n\r\n')
      const head = all.subarray(0, end).toString('latin1').split('\r\n')
      resolve({
        head: head.filter(line => !/^(date|x-request-id|x-ratelimit-\w+):/i.test(line)),
        body: all.subarray(end + 4),
      })
    })
  })
}

/** Rejected by the framework before it calls the counting hook. */
const REFUSED_BEFORE = ['no Host', 'two Hosts', 'no id']

const page = (...more: string[]) => [`GET /p/${id} HTTP/1.1`, 'Host: a', ...more, 'Connection: close']

describe('a cached page', () => {
  for (const [what, lines] of [
    ['plain', () => page()],
    ['brotli', () => page('Accept-Encoding: br, gzip')],
    ['gzip', () => page('Accept-Encoding: gzip')],
    ['German', () => page('Accept-Language: de')],
    ['JSON-LD', () => page('Accept: application/ld+json')],
    ['of HTTP/1.0', () => [`GET /p/${id} HTTP/1.0`]],
  ] as const) {
    test(`${what}: same response without calling the framework`, async () => {
      for (const server of [framed, straight]) await send(server, lines())
      const [wanted, before] = [await send(framed, lines()), straight.asked]
      const got = await send(straight, lines())
      assert.equal(straight.asked, before)
      assert.deepEqual(got, wanted)
      assert.match(got.head[0] ?? '', / 200 /)
      const etag = got.head.find(line => /^etag: /i.test(line))?.slice('etag: '.length)
      const again = [...lines(), `If-None-Match: ${etag}`]
      const unchanged = await send(straight, again)
      assert.equal(straight.asked, before)
      assert.match(unchanged.head[0] ?? '', / 304 /)
      assert.deepEqual(unchanged, await send(framed, again))
    })
  }

  test('is complete in each encoding', async () => {
    const plain = (await send(straight, page())).body
    const { body: br } = await send(straight, page('Accept-Encoding: br'))
    const { body: gz } = await send(straight, page('Accept-Encoding: gzip'))
    assert.deepEqual([brotliDecompressSync(br), gunzipSync(gz)], [plain, plain])
  })

  for (const [what, lines] of [
    ['HEAD', () => [`HEAD /p/${id} HTTP/1.1`, 'Host: a', 'Connection: close']],
    ['POST', () => [`POST /p/${id} HTTP/1.1`, 'Host: a', 'Content-Length: 0', 'Connection: close']],
    ['no Host', () => [`GET /p/${id} HTTP/1.1`, 'Connection: close']],
    ['two Hosts', () => page('Host: b')],
    ['a query', () => [`GET /p/${id}?lang=fr HTTP/1.1`, 'Host: a', 'Connection: close']],
    ['a whole address', () => [`GET http://a/p/${id} HTTP/1.1`, 'Host: a', 'Connection: close']],
    ['an access cookie', () => page('Cookie: carnet_access=x')],
    ['the cookie of a link that has ended', () => page(`Cookie: ${endedCookie}`)],
    ['a token', () => page('Authorization: Bearer x')],
    ['nobody', () => ['GET /p/00000000000000000000000000 HTTP/1.1', 'Host: a', 'Connection: close']],
    ['no id', () => ['GET /p/%zz HTTP/1.1', 'Host: a', 'Connection: close']],
    ['the symbol', () => [`GET /p/${id}/qr.svg HTTP/1.1`, 'Host: a', 'Connection: close']],
  ] as const) {
    test(`${what}: handled by the framework`, async () => {
      await send(straight, page())
      const before = straight.asked
      const got = await send(straight, lines())
      if (!REFUSED_BEFORE.includes(what)) assert.equal(straight.asked, before + 1)
      const wanted = await send(framed, lines())
      // An error response contains the request's id.
      const withoutId = ({ head, body }: typeof got) => ({
        head,
        body: body.toString().replace(/"request_id":"\w+"/, ''),
      })
      assert.deepEqual(withoutId(got), withoutId(wanted))
    })
  }

  test('an exception in the fast path loses neither the response nor the process', async () => {
    const record = () => {
      throw new Error('a fault of ours')
    }
    const faulty = await serve('silent', { ...t.setup.scans, record })
    try {
      for (let turn = 0; turn < 3; turn++) {
        const { head } = await send(faulty, page())
        if (turn > 0) assert.match(head[0] ?? '', / 200 /)
      }
      assert.ok(faulty.asked < 3)
    } finally {
      await faulty.close()
    }
  })

  test('is counted as a scan with and without the framework', async () => {
    const scans = async () => (await t.sql`select coalesce(sum(scans), 0)::int as n from scan_total`)[0]?.n
    await t.scans.flush()
    const before = await scans()
    await send(straight, page())
    await send(framed, page())
    await t.scans.flush()
    assert.equal(await scans(), before + 2)
  })
})
