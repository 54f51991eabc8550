/**
 * Tests that deliveries never reach a private network: by literals, names, changed DNS answers or redirects.
 */
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import fc from 'fast-check'
import { AppError } from '../../src/kernel/errors/errors.ts'
import { createAddressList, explainForbiddenAddress } from '../../src/kernel/http/ip-ranges.ts'
import {
  createNameResolver,
  type Outbound,
  OutboundFailure,
  openOutbound,
  type ResolveName,
} from '../../src/kernel/http-out/outbound-http.ts'
import { explainUrlError, findUrlError, type OutboundPolicy } from '../../src/kernel/http-out/outbound-url.ts'
import { listAttempts } from '../../src/webhooks/delivery-log.ts'
import { addWebhook } from '../../src/webhooks/manage-webhooks.ts'
import { sendTestEvent } from '../../src/webhooks/send-test-event.ts'
import { makeCertificate } from '../certificate.ts'
import { assertWithin } from '../waiting.ts'
import { HOSTILE_NAMES, HOSTILE_URLS } from './hostile-addresses.ts'
import { type Receiver, type Stand, startReceiver, startStand } from './stand.ts'

const STRICT: OutboundPolicy = { allowInsecureLoopback: false, allowed: createAddressList([]) }
const SENTENCE = /^[A-Z0-9[\w.:\-[\]%]* .*\.$/s

let stand: Stand
let receiver: Receiver
/** Counts every connection, on all addresses of this machine. */
let trap: Server
let port: number
const caught: Socket[] = []

before(async () => {
  stand = await startStand()
  receiver = await startReceiver()
  trap = createServer(socket => {
    caught.push(socket)
    socket.destroy()
  })
  await new Promise<void>(resolve => trap.listen(0, () => resolve()))
  port = (trap.address() as AddressInfo).port
})

after(async () => {
  await new Promise(resolve => trap.close(resolve))
  await receiver.close()
  await stand.close()
})

const post = (outbound: Outbound, url: string) => outbound.post({ url, headers: {}, body: '{}' })

const refused = async (outbound: Outbound, url: string): Promise<string> => {
  try {
    await post(outbound, url)
  } catch (error) {
    assert.ok(error instanceof OutboundFailure, `${url}: ${error}`)
    assert.equal(error.failure, 'address_refused', `${url}: ${error.message}`)
    return error.message
  }
  throw new Error(`${url} was called`)
}

/** The same address with the trap's port, if the URL allows a port. */
const atTrap = (url: string): string => {
  if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url)) return url
  return url.replace(
    /^(https?:\/\/)([^/?#\\\t]+)/,
    (_, scheme, host) => `${scheme}${host.replace(/:\d+$/, '')}:${port}`,
  )
}

describe(`${HOSTILE_URLS.length + HOSTILE_NAMES.length} hostile addresses`, () => {
  test('are refused at registration and at delivery if the URL contains them, each with a reason', async () => {
    const outbound = openOutbound(STRICT)
    const account = await stand.account()
    for (const url of HOSTILE_URLS) {
      const registering = addWebhook(account.ctx, { ...stand.setup, policy: STRICT }, { url })
      await assert.rejects(registering, error => {
        assert.ok(error instanceof AppError && error.code === 'validation', url)
        assert.match(error.message, SENTENCE)
        return true
      })
      assert.match(await refused(outbound, atTrap(url)), SENTENCE, url)
    }
    await outbound.close()
    assert.equal(caught.length, 0)
  })

  test('are refused when a name resolves to them', async () => {
    const known = new Map(HOSTILE_NAMES)
    const outbound = openOutbound(STRICT, async name => known.get(name) ?? [])
    for (const [name] of HOSTILE_NAMES) {
      assert.match(
        await refused(outbound, `https://${name}:${port}/`),
        new RegExp(`^${name} resolves to an address that is not public\\. Carnet does not connect to it\\.$`),
      )
    }
    await outbound.close()
    assert.equal(caught.length, 0)
  })

  test('are checked at every call, also if a name resolves to another address later', async () => {
    let asked = 0
    const outbound = openOutbound({ ...STRICT, allowed: createAddressList(['127.0.0.2']) }, async () => {
      asked++
      return asked === 1 ? ['127.0.0.2'] : ['127.0.0.1']
    })
    // The first connection reaches the trap, which does not speak TLS.
    await assert.rejects(
      post(outbound, `https://turning.example:${port}/`),
      error => error instanceof OutboundFailure && error.failure !== 'address_refused',
    )
    assert.equal(caught.splice(0).length, 1)
    await refused(outbound, `https://turning.example:${port}/`)
    assert.equal(caught.length, 0)
    await outbound.close()
  })

  test('are refused once connected, if the look-up has said another address', async () => {
    const { cert, pem } = makeCertificate('turning.example')
    const asked: unknown[] = []
    const server = createSecureServer({ key: pem, cert: pem }, (request, response) => {
      asked.push(request.url)
      response.end()
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', () => resolve()))
    const url = `https://turning.example:${(server.address() as AddressInfo).port}/`
    // A public address when it is checked, and this machine when it is used.
    let reads = 0
    const read = () => (reads++ === 0 ? '93.184.215.14' : '127.0.0.1')
    const turning = Object.defineProperty([''], 0, { get: read })
    const outbound = openOutbound(STRICT, async () => turning)
    const allowing = openOutbound({ ...STRICT, allowed: createAddressList(['127.0.0.1']) }, async () => [
      '127.0.0.1',
    ])
    const trusted = getCACertificates()
    setDefaultCACertificates([...trusted, cert])
    try {
      assert.match(
        await refused(outbound, url),
        /^turning\.example resolves to an address that is not public\./,
      )
      assert.deepEqual(asked, [])
      // It is only the address that is refused.
      assert.equal((await post(allowing, url)).status, 200)
    } finally {
      setDefaultCACertificates(trusted)
      await outbound.close()
      await allowing.close()
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    }
  })

  test('are not reached by redirects: the delivery fails', async () => {
    const account = await stand.account()
    const { id } = await stand.endpoint(account, { url: receiver.url })
    const worker = stand.worker()
    for (const status of [301, 302, 303, 307, 308]) {
      receiver.respond = (_, response) =>
        response.writeHead(status, { location: `http://127.0.0.1:${port}/` }).end()
      await stand.announce(account)
      await worker.drain()
      const [newest] = await listAttempts(account.ctx, { webhookId: id, limit: 1 })
      assert.equal(newest?.outcome, `status_${status}`)
      assert.match(newest?.detail ?? '', /a redirect\. Redirects are not followed/)
    }
    assert.equal(caught.length, 0)
  })

  test('are refused at delivery and for a test event if they are already in the database', async () => {
    const account = await stand.account()
    const { id } = await stand.endpoint(account, { url: receiver.url })
    await stand.sql`update webhook_endpoint set url = ${`https://127.0.0.1:${port}/`}, revision = revision + 1 where account_id = ${account.id}`
    await stand.announce(account)
    await stand.worker().drain()
    const [newest] = await listAttempts(account.ctx, { webhookId: id, limit: 1 })
    assert.deepEqual([newest?.outcome, newest?.status], ['address_refused', null])
    assert.match(newest?.detail ?? '', /is an address of this machine\. Carnet does not connect to it\.$/)
    const tested = await sendTestEvent(
      account.ctx,
      { secretCipher: stand.setup.secretCipher, outbound: stand.outbound },
      id,
    )
    assert.equal(tested.outcome, 'address_refused')
    assert.equal(caught.length, 0)
  })
})

test('URLs with credentials or without a host are refused, however many slashes they have', () => {
  const cases: [string, string][] = [
    ['https://u:secret@example.com/', 'credentials'],
    ['https://@example.com/', 'credentials'],
    ['https:///u:secret@example.com/', 'credentials'],
    ['https:////u@example.com/', 'credentials'],
    ['https:///:secret@example.com/', 'credentials'],
    ['https:///example.com/', 'invalid'],
    ['https:////example.com', 'invalid'],
    ['https://', 'invalid'],
    ['https:example.com', 'scheme'],
  ]
  for (const [url, name] of cases) assert.equal(findUrlError(url, STRICT)?.name, name, url)
  assert.equal(findUrlError('https://example.com//u:secret@example.com', STRICT), undefined)
})

test('a non-HTTP answer and a connection closed early are reported differently', async () => {
  const cases: [string, string][] = [
    ['SSH-2.0-x\r\n', 'protocol'],
    ['\x16\x03\x01\x02', 'protocol'],
    ['HTTP/1.1 200 OK\r\nno header\r\n\r\n', 'protocol'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 'protocol'],
    ['HTTP/1.1 20', 'connection_closed'],
    ['', 'connection_closed'],
  ]
  const outbound = openOutbound({ ...STRICT, allowInsecureLoopback: true })
  for (const [said, failure] of cases) {
    const server = createServer(
      socket => void socket.on('error', () => {}).once('data', () => socket.end(said)),
    )
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', () => resolve()))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    await assert.rejects(post(outbound, url), { failure }, JSON.stringify(said))
    await new Promise(resolve => server.close(resolve))
  }
  await outbound.close()
})

describe('addresses that the settings allow', () => {
  test('ALLOW_INSECURE_WEBHOOKS: http to this machine by three names, and nothing else', () => {
    const open = { ...STRICT, allowInsecureLoopback: true }
    for (const url of ['http://127.0.0.1:3000/a', 'http://[::1]/', 'http://localhost:80/b?c=d']) {
      assert.equal(explainUrlError(url, open), undefined, url)
      assert.notEqual(explainUrlError(url, STRICT), undefined, url)
    }
    for (const url of [
      'http://127.0.0.2/',
      'http://10.0.0.1/',
      'http://shop.example/',
      'http://localhost./',
      'http://a.localhost/',
      'http://2130706433/',
      'http://[::ffff:127.0.0.1]/',
      'https://127.0.0.1/',
      'https://localhost/',
    ]) {
      assert.notEqual(explainUrlError(url, open), undefined, url)
    }
  })

  test('http to localhost stays on this machine, whatever localhost resolves to', async () => {
    const outbound = openOutbound({ ...STRICT, allowInsecureLoopback: true }, async () => ['10.0.0.1'])
    const { port: at } = new URL(receiver.url)
    receiver.respond = (_, response) => response.writeHead(204).end()
    assert.equal((await post(outbound, `http://localhost:${at}/`)).status, 204)
    await outbound.close()
  })

  test('WEBHOOK_ALLOW_CIDRS: https into those networks, also in IPv6 notation', () => {
    const open = { ...STRICT, allowed: createAddressList(['10.20.0.0/16', 'fd00:1::/32']) }
    for (const url of ['https://10.20.1.1/', 'https://[fd00:1::5]/', 'https://[::ffff:10.20.1.1]/']) {
      assert.equal(explainUrlError(url, open), undefined, url)
    }
    for (const url of ['https://10.21.1.1/', 'http://10.20.1.1/', 'https://127.0.0.1/']) {
      assert.notEqual(explainUrlError(url, open), undefined, url)
    }
  })
})

test('public addresses are allowed; mapped and NAT64 forms are treated like the IPv4 address', () => {
  const none = createAddressList([])
  for (const address of [
    '93.184.215.14',
    '8.8.8.8',
    '2606:4700::1111',
    '64:ff9b::808:808',
    '172.15.0.1',
    '172.32.0.1',
    '100.128.0.1',
  ]) {
    assert.equal(explainForbiddenAddress(address, none), undefined, address)
  }
  const part = fc.integer({ min: 0, max: 255 })
  fc.assert(
    fc.property(fc.tuple(part, part, part, part), ([a, b, c, d]) => {
      const plain = explainForbiddenAddress(`${a}.${b}.${c}.${d}`, none)
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
      for (const form of [
        `::ffff:${a}.${b}.${c}.${d}`,
        `::ffff:${hex}`,
        `0:0:0:0:0:ffff:${hex}`,
        `64:ff9b::${hex}`,
      ]) {
        assert.equal(explainForbiddenAddress(form, none), plain, form)
      }
    }),
  )
})

describe('an unresolvable name is reported as dns', () => {
  const failing = async (resolve: ResolveName): Promise<string> => {
    const outbound = openOutbound(STRICT, resolve)
    try {
      await post(outbound, 'https://nowhere.example/')
    } catch (error) {
      assert.ok(error instanceof OutboundFailure)
      assert.equal(error.failure, 'dns')
      return error.message
    } finally {
      await outbound.close()
    }
    return assert.fail('nothing answers there')
  }

  test('if the name does not exist', async () => {
    const plain = 'The name nowhere.example cannot be resolved.'
    assert.equal(await failing(async () => []), plain)
    assert.equal(await failing(() => Promise.reject(new Error('ESERVFAIL'))), plain)
    // Without this check, the error would occur outside the promise chain and end the process.
    assert.equal(await failing(async () => ['localhost']), plain)
    assert.equal(await failing(async () => ['93.184.216.34', '']), plain)
  })

  test('but not if it has an IPv4 address and only the question for IPv6 is not answered', async () => {
    const A = 1
    const servers = createSocket('udp4')
    // A response as in RFC 1035: the question and one IPv4 address. Questions about IPv6 get no response.
    servers.on('message', (query, { port, address }) => {
      const end = query.indexOf(0, 12) + 5
      if (query.readUInt16BE(end - 4) !== A) return
      const record = Buffer.from([0xc0, 12, 0, A, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7])
      const answer = Buffer.concat([query.subarray(0, end), record])
      answer.writeUInt16BE(0x8180, 2)
      answer.set([0, 1, 0, 1, 0, 0, 0, 0], 4)
      servers.send(answer, port, address)
    })
    servers.bind(0, '127.0.0.1')
    await once(servers, 'listening')
    const resolve = createNameResolver([`127.0.0.1:${servers.address().port}`])
    try {
      assert.deepEqual(await assertWithin(3_000, () => resolve('half.example')), ['192.0.2.7'])
    } finally {
      servers.close()
    }
  })

  test('if name servers do not answer, before the connect timeout', async () => {
    assert.equal(
      await failing(() => new Promise(() => {})),
      'The name nowhere.example cannot be resolved: no name server answered within 4 seconds.',
    )
  })
})
