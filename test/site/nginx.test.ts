/** Tests nginx with docs/deploy/nginx.conf: paths arrive unchanged, and only public responses are cached. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { buildGs1Path } from '../../src/gs1/digital-link.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { createAccessLink } from '../../src/passports/access/access-links.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { ADDRESSES, type Harness, newProduct, nextGtin, startHarness, type TestAccount } from '../harness.ts'
import { makePdf } from '../media/sample-files.ts'

const CONFIGURATION = new URL('../../docs/deploy/nginx.conf', import.meta.url)
const DPP_SNIPPET = new URL('../../docs/deploy/nginx-dpp.conf', import.meta.url)
const WITHIN_MS = 5_000
/** Differs from the proxy's own address, which is trusted. */
const READER = '127.0.0.2'

const program = (name: string) =>
  [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin']
    .map(folder => join(folder, name))
    .find(path => existsSync(path))
const nginx = program('nginx')
const openssl = program('openssl')

type Proxy = { port: number; tlsPort: number; folder: string; stop: () => Promise<void> }
type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer }

describe('behind nginx', {
  skip:
    (nginx === undefined || openssl === undefined) &&
    'no nginx and openssl found: tests behind nginx left out',
}, () => {
  const ENDED = 'This access link is no longer valid'
  let t: Harness
  let account: TestAccount
  let folder: string
  let port: number
  const seen: { url: string; headers: IncomingHttpHeaders }[] = []
  const proxies: Proxy[] = []

  before(async () => {
    t = await startHarness({ trustedProxies: ['127.0.0.1'] })
    account = await t.account({ plan: 'enterprise' })
    await t.app.listen({ port: 0, host: '127.0.0.1' })
    port = (t.app.server.address() as AddressInfo).port
    t.app.server.on('request', ({ url = '', headers }) => seen.push({ url, headers }))
    folder = mkdtempSync(join(tmpdir(), 'carnet-nginx-'))
    makeCertificate(folder)
  })
  after(async () => {
    for (const proxy of proxies) await proxy.stop()
    if (folder) rmSync(folder, { recursive: true, force: true })
    await t?.close()
  })

  const start = async (change: (text: string) => string = text => text) => {
    const proxy = await startProxy({
      folder: join(folder, String(proxies.length)),
      keys: folder,
      port,
      change,
    })
    proxies.push(proxy)
    return proxy
  }
  const make = async (data: Record<string, unknown> = {}) =>
    (await createPassport(account.ctx, { ...newProduct(data), strict: false })).passport.id
  /** The requests that reached Carnet during `ask`. */
  const reaching = async (ask: () => Promise<unknown>) => {
    const before = seen.length
    await ask()
    return seen.slice(before)
  }

  test('an address reaches Carnet as it was typed, and its redirect reaches the reader', async () => {
    const { port } = await start()
    const gtin = `0${nextGtin()}`
    const uuid = await make({ gtin })
    const { created } = await issueUnits(account.ctx, {
      parentUuid: uuid,
      level: 'batch',
      units: [{ lot: 'A/B' }],
      bulk: false,
      strict: true,
    })
    const page = `${ADDRESSES.publicUrl}/p/${idFromUuid(created[0]?.passport.id ?? '')}`
    for (const path of [
      `${buildGs1Path(gtin, { lot: 'A/B' })}?a;b=%2F&&c`,
      `/01/${gtin}/10/A%2fB/`,
      `/01/${gtin}/10/%41%2FB`,
      `/01/${gtin}/10/A%2FB/21/%2F%2F`,
    ]) {
      const [request] = await reaching(async () => {
        const { status, headers } = await get(port, path)
        assert.equal(status, 307, path)
        assert.equal(headers.location?.split('?')[0], page, path)
        assert.equal(headers['x-cache-status'], 'MISS')
      })
      assert.equal(request?.url, path)
    }
    assert.equal((await get(port, `/01/${gtin}/10/A/B`)).status, 400)
    assert.equal((await get(port, '/.well-known/gs1resolver')).status, 200)
  })

  test('its log has the request id that Carnet sends, but no token and no reader', async () => {
    const { port, folder } = await start()
    const id = idFromUuid(await make())
    const { headers } = await get(port, `/p/${id}?access=dpa_${'s'.repeat(43)}`)
    assert.ok(headers['x-request-id'])
    const lines = () => readFileSync(join(folder, 'carnet.log'), 'utf8')
    for (let tries = 0; !lines().includes(`/p/${id}`) && tries < 50; tries++) await pause(20)
    const { request_id, path, method } = JSON.parse(lines().trim().split('\n').at(-1) ?? '')
    assert.deepEqual(
      { request_id, path, method },
      { request_id: headers['x-request-id'], path: `/p/${id}`, method: 'GET' },
    )
    assert.doesNotMatch(lines() + readFileSync(join(folder, 'carnet-error.log'), 'utf8'), /dpa_|127\.0\.0/)
  })

  test('operator endpoints are not public', async () => {
    const { port } = await start()
    for (const path of ['/metrics', '/readyz', '/readyz/writable']) {
      const requests = await reaching(async () => assert.equal((await get(port, path)).status, 404))
      assert.equal(requests.length, 0, path)
    }
    assert.equal((await get(port, '/healthz')).status, 200)
  })

  test('a redirect is not cached', async () => {
    const { port } = await start(keepingPages)
    const gtin = `0${nextGtin()}`
    await make({ gtin })
    const requests = await reaching(async () => {
      for (let i = 0; i < 3; i++) assert.equal((await get(port, `/01/${gtin}`)).status, 307)
    })
    assert.equal(requests.length, 3)
  })

  test('each page view reaches Carnet, so that it is counted; a QR code is cached', async () => {
    const { port } = await start()
    const path = `/p/${idFromUuid(await make())}`
    const views = await reaching(async () => {
      for (let i = 0; i < 3; i++) assert.equal((await get(port, path)).status, 200)
    })
    assert.equal(views.length, 3)
    const { headers } = await get(port, path)
    const again = await get(port, path, { 'if-none-match': headers.etag ?? '' })
    assert.equal(again.status, 304, 'what the reader has is said to Carnet, and not sent again')
    const images = await reaching(async () => {
      for (let i = 0; i < 3; i++) assert.equal((await get(port, `${path}/qr.svg?ecc=Q`)).status, 200)
    })
    assert.equal(images.length, 1)
  })

  test('a cache of pages varies by what browsers request', async () => {
    const { port } = await start(keepingPages)
    const path = `/p/${idFromUuid(await make())}`
    const wishes: [Record<string, string>, (answer: Answer) => unknown, unknown][] = [
      [{ 'accept-language': 'de' }, ({ headers }) => headers['content-language'], 'de'],
      [{ 'accept-language': 'fi' }, ({ headers }) => headers['content-language'], 'fi'],
      [{ accept: 'application/ld+json' }, ({ headers }) => headers['content-type'], 'application/ld+json'],
      [{ accept: 'text/html' }, ({ headers }) => headers['content-type'], 'text/html; charset=utf-8'],
      [{ 'accept-encoding': 'gzip' }, ({ body }) => gunzipSync(body).includes('<h1>'), true],
      [{ 'accept-encoding': 'br' }, ({ headers }) => headers['content-encoding'], 'br'],
    ]
    const requests = await reaching(async () => {
      for (const round of ['MISS', 'HIT']) {
        for (const [headers, of, expected] of wishes) {
          const answer = await get(port, path, headers)
          assert.equal(answer.status, 200)
          assert.equal(of(answer), expected)
          assert.equal(answer.headers['x-cache-status'], round, JSON.stringify(headers))
        }
      }
    })
    assert.equal(requests.length, wishes.length)
    const { headers } = await get(port, path, { 'accept-language': 'de' })
    const again = await get(port, path, { 'accept-language': 'de', 'if-none-match': headers.etag ?? '' })
    assert.equal(again.status, 304)
  })

  for (const [how, change] of [
    ['as it is shipped', (text: string) => text],
    ['with pages kept', (text: string) => keepingPages(text)],
    ['with pages kept and by Carnet’s headers alone', (text: string) => withoutBypass(keepingPages(text))],
  ] as const) {
    test(`a page opened by an access link is only for its reader, ${how}`, async () => {
      const { port } = await start(change)
      const operator = { ...(newProduct().data.economicOperator as object), eori: 'DECANARY1' }
      const id = idFromUuid(await make({ economicOperator: operator }))
      const path = `/p/${id}`
      const { token } = await createAccessLink(account.ctx, {
        passportId: id,
        audience: 'authority',
        label: 'Customs',
        expiresAt: new Date(t.clock.now().getTime() + 60_000),
        addresses: ADDRESSES,
      })
      const asPublic = async () => {
        const { status, body } = await get(port, path)
        assert.equal(status, 200)
        assert.ok(!body.includes('DECANARY1'))
        assert.ok(!body.includes(ENDED))
      }
      const asEnded = async () => {
        const { body, headers } = await get(port, `${path}?access=ended`)
        assert.ok(body.includes(ENDED))
        assert.equal(headers['set-cookie'], undefined)
        assert.notEqual(headers['x-cache-status'], 'HIT')
      }
      await asPublic()
      for (let round = 0; round < 2; round++) {
        const entered = await get(port, `${path}?access=${token}`)
        assert.equal(entered.status, 303)
        assert.notEqual(entered.headers['x-cache-status'], 'HIT')
        const [cookie = ''] = entered.headers['set-cookie'] ?? []
        assert.match(cookie, /^__Secure-carnet_access=/)
        for (const headers of [
          { cookie: cookie.split(';')[0] ?? '' },
          { authorization: `Bearer ${token}` },
        ]) {
          const { body, headers: answered } = await get(port, path, headers)
          assert.ok(body.includes('DECANARY1'))
          assert.notEqual(answered['x-cache-status'], 'HIT')
        }
        await asPublic()
        await asEnded()
        await asPublic()
      }
    })
  }

  for (const [how, change] of [
    ['as it is shipped', (text: string) => text],
    ['by Carnet’s headers alone', withoutBypass],
  ] as const) {
    test(`a document is only for those who may read it, before and after they have, ${how}`, async () => {
      const { port } = await start(change)
      const store = async (text: string) => {
        const headers = { 'content-type': 'application/pdf' }
        const { json } = await t.ask('POST', '/api/v1/media', {
          key: account.key,
          text: await makePdf(text),
          headers,
        })
        return String(json.data.id)
      }
      const accesses = ['public', 'restricted', 'authority'] as const
      const ids = await Promise.all(accesses.map(access => store(`${access} ${how}`)))
      const documents = accesses.map((access, i) => ({ title: { en: 'A file' }, media: ids[i], access }))
      const id = idFromUuid(await make({ documents }))
      const link = { passportId: id, label: 'Customs', addresses: ADDRESSES }
      const expiresAt = new Date(t.clock.now().getTime() + 60_000)
      const [workshop, customs] = await Promise.all(
        (['legitimate_interest', 'authority'] as const).map(
          async audience => (await createAccessLink(account.ctx, { ...link, audience, expiresAt })).token,
        ),
      )
      const entered = await get(port, `/p/${id}?access=${customs}`)
      const cookie = (entered.headers['set-cookie'] ?? []).map(one => one.split(';')[0]).join('; ')
      const [open = '', restricted = '', forAuthority = ''] = ids.map(file => `/d/${file}`)
      const requireAnswer = async (status: number, path: string, headers = {}) => {
        const answer = await get(port, path, headers)
        assert.equal(answer.status, status, path)
        assert.equal(answer.body.includes('%PDF'), status === 200)
        if (path !== open) assert.notEqual(answer.headers['x-cache-status'], 'HIT', path)
      }
      for (let round = 0; round < 2; round++) {
        await requireAnswer(200, open)
        for (const path of [restricted, forAuthority]) {
          await requireAnswer(404, path)
          await requireAnswer(200, path, { cookie })
          await requireAnswer(404, path, { cookie: 'theme=dark' })
          await requireAnswer(200, path, { authorization: `Bearer ${account.key}` })
          await requireAnswer(200, `${path}?access=${customs}`)
          await requireAnswer(404, `${path}?access=dpa_ended`)
          await requireAnswer(404, path)
        }
        await requireAnswer(200, `${restricted}?access=${workshop}`)
        await requireAnswer(404, `${forAuthority}?access=${workshop}`)
        await requireAnswer(404, forAuthority, { authorization: `Bearer ${workshop}` })
      }
    })
  }

  test('the client’s address is appended to the X-Forwarded-For that the client sent', async () => {
    const { port } = await start()
    const [request] = await reaching(() => get(port, '/robots.txt', { 'x-forwarded-for': '203.0.113.9' }))
    assert.equal(request?.headers['x-forwarded-for'], `203.0.113.9, ${READER}`)
    assert.equal(request?.headers.host, 'passport.example')
  })

  test('the API is passed through and not cached', async () => {
    const { port } = await start(text => withoutBypass(text))
    const authorization = { authorization: `Bearer ${account.key}` }
    const requests = await reaching(async () => {
      for (let i = 0; i < 2; i++) {
        const { status, headers } = await get(port, '/api/v1/products', authorization)
        assert.equal(status, 200)
        assert.equal(headers['x-cache-status'], undefined)
        assert.equal((await get(port, '/api/v1/products')).status, 401)
      }
    })
    assert.equal(requests.length, 4)
  })

  test('nginx compresses what Carnet sends uncompressed, leaves the rest, and its ETags work in conditional requests', async () => {
    const { port } = await start()
    const id = idFromUuid(await make())
    const authorization = `Bearer ${account.key}`
    const product = `/api/v1/products/${id}`
    for (const path of ['/console/sign-in', '/api/v1/products', product, `/p/${id}/qr.svg`]) {
      const plain = await get(port, path, { authorization })
      assert.equal(plain.headers['content-encoding'], undefined, path)
      const { headers, body } = await get(port, path, { authorization, 'accept-encoding': 'gzip' })
      assert.equal(headers['content-encoding'], 'gzip', path)
      assert.match(String(headers.vary), /Accept-Encoding/i)
      assert.ok(body.length < plain.body.length * 0.6, `${path}: ${body.length} of ${plain.body.length}`)
      if (path === product) assert.deepEqual(gunzipSync(body), plain.body)
    }
    const page = await get(port, `/p/${id}`, { 'accept-encoding': 'br, gzip' })
    assert.equal(page.headers['content-encoding'], 'br')
    const { headers } = await get(port, product, { authorization, 'accept-encoding': 'gzip' })
    const { etag = '' } = headers
    assert.match(etag, /^W\//)
    const known = await get(port, product, { authorization, 'if-none-match': etag })
    assert.equal(known.status, 304)
    const changed = await change(port, product, { authorization, 'if-match': etag })
    assert.equal(changed, 200)
    assert.equal(await change(port, product, { authorization, 'if-match': etag }), 412)
  })

  test('the requests per second of one address are limited', async () => {
    const { port } = await start(text => {
      const changed = text.replace('rate=100r/s', 'rate=1r/m').replace('burst=400', 'burst=4')
      assert.match(changed, /rate=1r\/m[\s\S]*burst=4 /)
      return changed
    })
    const statuses: number[] = []
    for (let i = 0; i < 7; i++) statuses.push((await get(port, '/robots.txt')).status)
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429, 429])
  })

  test('TLS 1.2 and newer, HTTP/2', async () => {
    const { tlsPort } = await start()
    const handshake = (version: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3') =>
      new Promise<string | null>(resolve => {
        const socket = connectTls({
          port: tlsPort,
          host: '127.0.0.1',
          rejectUnauthorized: false,
          servername: 'passport.example',
          // Without this setting, the client's OpenSSL would refuse the old protocol versions itself.
          minVersion: version,
          maxVersion: version,
          ciphers: 'DEFAULT@SECLEVEL=0',
        })
        socket.on('error', () => resolve(null))
        socket.on('secureConnect', () => {
          resolve(socket.getProtocol())
          socket.destroy()
        })
      })
    assert.equal(await handshake('TLSv1.1'), null)
    assert.equal(await handshake('TLSv1.2'), 'TLSv1.2')
    assert.equal(await handshake('TLSv1.3'), 'TLSv1.3')
    assert.equal((await getByHttp2(tlsPort, '/.well-known/gs1resolver')).status, 200)
  })

  test('identifiers reach /dpp as they were encoded, and a conditional read is answered by Carnet', async () => {
    const { port } = await start()
    const id = idFromUuid(await make())
    const address = `${ADDRESSES.publicUrl}/p/${id}`
    for (const dppId of [encodeURIComponent(address), address, id]) {
      const path = `/dpp/v1/dpps/${dppId}`
      const [request] = await reaching(async () => {
        const { status, headers, body } = await get(port, path)
        assert.equal(status, 200, path)
        assert.equal(JSON.parse(String(body)).digitalProductPassportId, address)
        const again = await get(port, path, { 'if-none-match': headers.etag ?? '' })
        assert.equal(again.status, 304, path)
      })
      assert.equal(request?.url, path)
    }
  })

  test('the document of a passport is not cached by the proxy, so that its key and its ETag reach Carnet', async () => {
    const { port } = await start()
    const path = `/p/${idFromUuid(await make())}?format=en`
    const requests = await reaching(async () => {
      const { headers } = await get(port, path)
      assert.match(headers.etag ?? '', /^"[^"]+"$/)
      assert.equal((await get(port, path, { 'if-none-match': headers.etag ?? '' })).status, 304)
      const authorization = `Bearer ${account.key}`
      assert.equal((await get(port, path, { authorization })).headers['cache-control'], 'private, no-store')
      assert.equal((await get(port, path, { authorization: 'Bearer wrong' })).status, 401)
    })
    assert.equal(requests.length, 4)
  })

  test('with the snippet, HTTP/1 is refused at /dpp and nowhere else', async () => {
    const { port, tlsPort } = await start(text => {
      const changed = text.replace(
        '  location / {',
        `  include ${fileURLToPath(DPP_SNIPPET)};\n\n  location / {`,
      )
      assert.notEqual(changed, text)
      return changed
    })
    const id = idFromUuid(await make())
    const path = `/dpp/v1/dpps/${encodeURIComponent(`${ADDRESSES.publicUrl}/p/${id}`)}`
    const requests = await reaching(async () => {
      const refused = await get(port, path)
      assert.equal(refused.status, 505)
      assert.equal(refused.headers['content-type'], 'application/json')
      assert.match(JSON.parse(String(refused.body)).message[0].text, /HTTP\/2/)
    })
    assert.equal(requests.length, 0)
    for (const open of [`/p/${id}`, `/p/${id}?format=en`, '/.well-known/gs1resolver', '/api/v1/health'])
      assert.equal((await get(port, open)).status, 200, open)
    const [request] = await reaching(async () => {
      const answer = await getByHttp2(tlsPort, path)
      assert.equal(answer.status, 200)
      assert.equal(JSON.parse(answer.body).digitalProductPassportId, `${ADDRESSES.publicUrl}/p/${id}`)
    })
    assert.equal(request?.url, path)
  })
})

async function getByHttp2(tlsPort: number, path: string): Promise<{ status: number; body: string }> {
  const session = connectHttp2(`https://127.0.0.1:${tlsPort}`, { rejectUnauthorized: false })
  try {
    return await new Promise((resolve, reject) => {
      session.on('error', reject)
      const stream = session.request({ ':path': path, ':authority': 'passport.example' })
      let status = 0
      let body = ''
      stream
        .setEncoding('utf8')
        .on('response', headers => {
          status = headers[':status'] ?? 0
        })
        .on('data', chunk => {
          body += chunk
        })
        .on('end', () => resolve({ status, body }))
        .on('error', reject)
        .end()
    })
  } finally {
    session.destroy()
  }
}

/** The documented change that caches passport pages too. */
function keepingPages(text: string): string {
  const changed = text.replace(/(?<=~\^\/p\/\S+ +)off;/, 'carnet;')
  assert.notEqual(changed, text)
  return changed
}

/** Without nginx's own bypass rules, so that only Carnet's headers prevent caching. */
function withoutBypass(text: string): string {
  const changed = text.replace(/^ +proxy_(?:cache_bypass|no_cache) .*$/gm, '')
  assert.notEqual(changed, text)
  return changed
}

function makeCertificate(folder: string): void {
  const words =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=passport.example'
  execFileSync(
    openssl ?? '',
    [...words.split(' '), '-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')],
    { stdio: 'ignore' },
  )
}

/** Starts nginx with the shipped configuration; only ports, folders and file names differ. */
async function startProxy(settings: {
  folder: string
  keys: string
  port: number
  change: (text: string) => string
}): Promise<Proxy> {
  const { folder, keys, change } = settings
  const [plain, tls, redirecting] = await freePorts(3)
  const site = change(readFileSync(CONFIGURATION, 'utf8'))
    .replace('server 127.0.0.1:3000;', `server 127.0.0.1:${settings.port};`)
    .replace('/var/cache/nginx/carnet', join(folder, 'cache'))
    .replaceAll('/var/log/nginx/', `${folder}/`)
    .replaceAll('/etc/ssl/passport.example', keys)
    .replace('listen 80;', `listen 127.0.0.1:${redirecting};`)
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${tls} ssl http2;\n  listen 127.0.0.1:${plain};`)
    .replace(/^ +listen \[::\].*$/gm, '')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(name => `${name}_temp_path ${join(folder, name)};`)
    .join('\n')
  mkdirSync(folder)
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off;\nmaster_process off;\npid ${join(folder, 'pid')};\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${site}\n}\n`,
  )
  const child = spawn(nginx ?? '', ['-c', file, '-p', folder, '-e', join(folder, 'error.log')], {
    stdio: 'ignore',
  })
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  await listening(child, plain ?? 0, () => readFileSync(join(folder, 'error.log'), 'utf8'))
  return {
    port: plain ?? 0,
    tlsPort: tls ?? 0,
    folder,
    stop: async () => {
      child.kill()
      await ended
    },
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map(server => new Promise(resolve => server.once('listening', resolve))))
  const ports = servers.map(server => (server.address() as AddressInfo).port)
  await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))))
  return ports
}

async function listening(child: ChildProcess, port: number, complaints: () => string): Promise<void> {
  const until = performance.now() + WITHIN_MS
  while (performance.now() < until && child.exitCode === null) {
    const isOpen = await new Promise<boolean>(resolve => {
      const socket = connect(port, '127.0.0.1', () => resolve(true))
      socket.on('error', () => resolve(false)).on('connect', () => socket.destroy())
    })
    if (isOpen) return
    await pause(20)
  }
  throw new Error(`nginx did not start: ${complaints()}`)
}

async function change(port: number, path: string, headers: Record<string, string>): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ data: { weightKg: 3 } }),
  })
  await answer.body?.cancel()
  return answer.status
}

function get(port: number, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = { port, path, host: '127.0.0.1', localAddress: READER, agent: false as const }
    request({ ...asked, headers: { host: 'passport.example', ...headers } }, answer => {
      const chunks: Buffer[] = []
      answer.on('data', chunk => chunks.push(chunk))
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
      )
    })
      .on('error', reject)
      .end()
  })
}
