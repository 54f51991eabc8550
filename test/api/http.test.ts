/** Tests requests that never reach the router, which no client library would send, over a real socket. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { IS_FULL } from '../full.ts'
import { type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'
import { makePng } from '../media/sample-files.ts'

describe('raw HTTP', () => {
  let t: Harness
  let account: TestAccount
  let port: number
  before(async () => {
    t = await startHarness()
    account = await t.account()
    await t.app.listen({ port: 0, host: '127.0.0.1' })
    const address = t.app.server.address()
    port = typeof address === 'object' && address ? address.port : 0
  })
  after(() => t.close())

  const send = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let answer = ''
      const socket = connect(port, '127.0.0.1', () => socket.write(text))
      socket.on('data', chunk => {
        answer += chunk
      })
      socket.on('close', () => resolve(answer))
      socket.on('error', reject)
    })
  const head = (first: string, ...lines: string[]) =>
    [first, ...lines, 'Connection: close', '', ''].join('\r\n')

  describe('calls whose body is optional', () => {
    const statusOf = async (path: string, lines: readonly string[], body = '') => {
      const auth = `Authorization: Bearer ${account.key}`
      const answer = await send(
        head(`POST /api/v1/products/${path} HTTP/1.1`, 'Host: a', auth, ...lines) + body,
      )
      return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])
    }
    const NOTHING = [
      ['no type, no length', [], ''],
      ...[
        'application/json',
        'application/x-www-form-urlencoded',
        'text/plain;charset=UTF-8',
        'text/html',
      ].flatMap(
        type =>
          [
            [`${type}, length 0`, [`Content-Type: ${type}`, 'Content-Length: 0'], ''],
            [`${type}, no length`, [`Content-Type: ${type}`], ''],
            [
              `${type}, chunks, none of them`,
              [`Content-Type: ${type}`, 'Transfer-Encoding: chunked'],
              '0\r\n\r\n',
            ],
          ] as const,
      ),
      ['no type, chunks, none of them', ['Transfer-Encoding: chunked'], '0\r\n\r\n'],
    ] as const
    for (const [what, lines, body] of NOTHING) {
      test(`an empty body is accepted: ${what}`, async () => {
        const { id } = (await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() }))
          .json.data
        for (const verb of ['archive', 'restore', 'refresh', 'versions/1/revert']) {
          assert.equal(await statusOf(`${id}/${verb}`, lines, body), 200, verb)
        }
      })
    }

    test('415 for a body of another type, and for an empty one where a body is required', async () => {
      const { id } = (await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })).json
        .data
      const form = 'Content-Type: application/x-www-form-urlencoded'
      for (const verb of ['archive', 'restore', 'refresh', 'versions/1/revert']) {
        assert.equal(await statusOf(`${id}/${verb}`, [form, 'Content-Length: 3'], 'a=b'), 415, verb)
        const chunks = [form, 'Transfer-Encoding: chunked']
        assert.equal(await statusOf(`${id}/${verb}`, chunks, '3\r\na=b\r\n0\r\n\r\n'), 415, verb)
      }
      assert.equal(await statusOf(`${id}/children`, [form, 'Content-Length: 0']), 415)
      assert.equal(
        await statusOf(`${id}/children`, ['Content-Type: application/json', 'Content-Length: 0']),
        400,
      )
    })
  })

  for (const [what, text, status, code] of [
    ['no HTTP at all', 'hello\r\n\r\n', 400, 'bad_request'],
    ['no Host', 'GET /api/v1/health HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'bad_request'],
    ['two Hosts', head('GET /api/v1/health HTTP/1.1', 'Host: a', 'Host: b'), 400, 'bad_request'],
    [
      'two keys',
      head(
        'GET /api/v1/categories HTTP/1.1',
        'Host: a',
        'Authorization: Bearer a',
        'authorization: Bearer b',
      ),
      400,
      'bad_request',
    ],
    [
      'two types',
      head(
        'POST /api/v1/products HTTP/1.1',
        'Host: a',
        'Content-Type: text/plain',
        'Content-Type: text/html',
      ),
      400,
      'bad_request',
    ],
    ['a bare carriage return', head('GET /api/v1/health HTTP/1.1', 'Host: a', 'X: a\rb'), 400, 'bad_request'],
    [
      'length and chunks at once',
      head('POST /api/v1/products HTTP/1.1', 'Host: a', 'Content-Length: 3', 'Transfer-Encoding: chunked'),
      400,
      'bad_request',
    ],
    [
      'two lengths',
      head('POST /api/v1/products HTTP/1.1', 'Host: a', 'Content-Length: 3', 'Content-Length: 4'),
      400,
      'bad_request',
    ],
    [
      'headers of 20 KiB',
      head('GET /api/v1/health HTTP/1.1', 'Host: a', `X: ${'x'.repeat(20_480)}`),
      431,
      'headers_too_large',
    ],
    [
      'an address of 9,000 characters',
      head(`GET /api/v1/health?${'x'.repeat(9_000)} HTTP/1.1`, 'Host: a'),
      414,
      'uri_too_long',
    ],
    [
      'an address of 20,000 characters',
      head(`GET /api/v1/products?q=${'x'.repeat(20_000)} HTTP/1.1`, 'Host: a'),
      414,
      'uri_too_long',
    ],
    [
      'headers of 20 KiB that look like an address',
      head('GET /api/v1/health HTTP/1.1', 'Host: a', `GET /: ${'x'.repeat(20_480)}`),
      400,
      'bad_request',
    ],
    [
      'a method that few know',
      head('PROPFIND /api/v1/health HTTP/1.1', 'Host: a'),
      405,
      'method_not_allowed',
    ],
    ['a method nobody knows', head('FROBNICATE /api/v1/health HTTP/1.1', 'Host: a'), 400, 'bad_request'],
    ['a broken percent-encoding', head('GET /api/v1/products/%zz HTTP/1.1', 'Host: a'), 400, 'bad_request'],
    [
      'an expectation nobody knows',
      head('GET /api/v1/health HTTP/1.1', 'Host: a', 'Expect: miracles'),
      417,
      'expectation_failed',
    ],
  ] as const) {
    test(`${status}: ${what}`, async () => {
      const answer = await send(text)
      assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `), answer.slice(0, 200))
      for (const name of ['limit', 'remaining', 'reset'])
        assert.match(answer, new RegExp(`\r\nx-ratelimit-${name}: \\d+\r\n`, 'i'))
      if (code === undefined) return
      const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))
      assert.equal(body.code, code)
      assert.ok(body.request_id)
      assert.match(answer, /\r\nx-content-type-options: nosniff\r\n/i)
      assert.match(answer, /\r\nstrict-transport-security: max-age=\d+/i)
    })
  }

  test('a header that must not be repeated is rejected by name, for pages too', async () => {
    const pages = ['/p/00000000000000000000000000', '/console', '/nothing']
    for (const path of pages) {
      const answer = await send(
        head(`GET ${path} HTTP/1.1`, 'Host: a', 'AUTHORIZATION: x', 'Authorization: y'),
      )
      assert.match(answer, /^HTTP\/1.1 400 /, path)
      if (path === '/nothing') assert.match(answer, /more than one Authorization header\./)
    }
  })

  test('a forged Host never appears in a returned URL', async () => {
    const body = JSON.stringify({ category: 'textile', data: {} })
    const answer = await send(
      head(
        'POST /api/v1/products HTTP/1.1',
        'Host: evil.example',
        'X-Forwarded-Host: evil.example',
        `Authorization: Bearer ${account.key}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      ) + body,
    )
    assert.ok(!answer.includes('evil'))
  })

  test('a body that is too large is read to its end, and the connection stays usable', async () => {
    const length = 2 * 1_048_576
    const answer = await send(
      [
        'POST /api/v1/products HTTP/1.1',
        'Host: a',
        `Authorization: Bearer ${account.key}`,
        'Content-Type: application/json',
        `Content-Length: ${length}`,
        '',
        ' '.repeat(length) + head('GET /api/v1/health HTTP/1.1', 'Host: a'),
      ].join('\r\n'),
    )
    assert.match(answer, /^HTTP\/1.1 413 /)
    assert.match(answer, /"code":"payload_too_large".*HTTP\/1.1 200 /s)
  })

  describe('a client that sends its body although its request was rejected early still gets the error', () => {
    for (const [expectation, path, status] of [
      ['miracles', '/', 417],
      ['100-continue', '/api/v1/products', 401],
      ['100-continue', '/api/v1/products/bulk', 401],
    ] as const) {
      test(`${status}, ${path}`, async () => {
        const length = 8 * 1_048_576
        const text = [
          `POST ${path} HTTP/1.1`,
          'Host: a',
          `Expect: ${expectation}`,
          'Content-Type: application/json',
          `Content-Length: ${length}`,
          '',
          ' '.repeat(length),
        ]
        const answer = await new Promise<string>((resolve, reject) => {
          let all = ''
          const socket = connect(port, '127.0.0.1')
          socket.on('error', reject)
          socket.on('close', () => resolve(all))
          // Reads only after everything is sent: a reset in between would lose the response.
          const listen = () => socket.on('data', chunk => (all += chunk))
          socket.write(text.join('\r\n'), listen)
        })
        assert.match(answer, new RegExp(`^HTTP/1.1 ${status} .*"request_id"`, 's'))
        assert.match(answer, /\r\nconnection: close\r\n/i)
      })
    }
  })

  test('a request pipelined after a response that ended the connection is not executed', async () => {
    const body = JSON.stringify(newProduct({ sku: 'AFTER-THE-END' }))
    const next = [
      'POST /api/v1/products HTTP/1.1',
      'Host: a',
      `Authorization: Bearer ${account.key}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ]
    for (const expectation of ['miracles', '100-continue']) {
      const refused = [
        'POST /api/v1/products HTTP/1.1',
        'Host: a',
        `Expect: ${expectation}`,
        'Content-Type: application/json',
        'Content-Length: 5',
        '',
        '',
      ]
      const answer = await new Promise<string>((resolve, reject) => {
        let all = ''
        const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
        socket.write(refused.join('\r\n'))
        socket.on('data', chunk => (all += chunk))
        socket.on('end', () => socket.end(`12345${next.join('\r\n')}`))
        socket.on('close', () => resolve(all))
        socket.on('error', reject)
      })
      assert.match(answer, /^HTTP\/1\.1 4(17|01) /)
    }
    const list = await t.ask('GET', '/api/v1/products?sku=AFTER-THE-END', { key: account.key })
    assert.equal(list.json.meta.total, 0)
  })

  describe('Expect: 100-continue', () => {
    const asking = (length: number, key: string) => [
      'POST /api/v1/products HTTP/1.1',
      'Host: a',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      'Expect: 100-continue',
      `Content-Length: ${length}`,
    ]

    for (const [what, status, length, key] of [
      ['a body that is too long', 413, 2 * 1_048_576, undefined],
      ['a wrong key', 401, 20, 'dpp_live_none'],
    ] as const) {
      test(`${what} is rejected before the body is sent, and the connection ends`, async () => {
        const answer = await send(`${asking(length, key ?? account.key).join('\r\n')}\r\n\r\n`)
        assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `))
        assert.match(answer, /\r\nconnection: close\r\n/i)
        assert.doesNotMatch(answer, /100 Continue/)
      })
    }

    test('100 Continue is sent for an acceptable body, and the connection stays usable', async () => {
      const body = '{"category":"shoes"}'
      const next = head('GET /api/v1/health HTTP/1.1', 'Host: a')
      const answer = await new Promise<string>((resolve, reject) => {
        let all = ''
        const socket = connect(port, '127.0.0.1')
        socket.write(`${asking(body.length, account.key).join('\r\n')}\r\n\r\n`)
        socket.on('data', chunk => {
          if (all === '') socket.write(body + next)
          all += chunk
        })
        socket.on('close', () => resolve(all))
        socket.on('error', reject)
      })
      assert.match(answer, /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 422 .*"enum".*HTTP\/1.1 200 /s)
    })
  })

  test('answers an unreadable request even while its body continues', async () => {
    const length = 8 * 1_048_576
    const lines = ['POST /api/v1/products?q=ü HTTP/1.1', 'Host: a', `Content-Length: ${length}`, '', '']
    assert.match(await send(lines.join('\r\n') + ' '.repeat(length)), /^HTTP\/1.1 400 /)
  })

  test('a slow client gets 408 and is disconnected, while others are served', {
    timeout: 15_000,
  }, async () => {
    const slow = send('GET /api/v1/health HTTP/1.1\r\nHost: a\r\n')
    assert.match(await send(head('GET /api/v1/health HTTP/1.1', 'Host: a')), /^HTTP\/1.1 200 /)
    assert.match(await slow, /^HTTP\/1.1 408 /)
  })

  test('an upload may take longer than other requests, which get 408 after ten seconds', {
    skip: !IS_FULL,
    timeout: 30_000,
  }, async () => {
    const bytes = await makePng({ width: 8, height: 8 })
    const began = performance.now()
    const sendSlowly = (path: string, type: string, ms: number) => {
      const head = [`POST /api/v1${path} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${account.key}`]
      const rest = [`Content-Type: ${type}`, `Content-Length: ${bytes.length}`, 'Connection: close', '', '']
      const socket = connect(port, '127.0.0.1')
      socket.write([...head, ...rest].join('\r\n'))
      const timer = setTimeout(() => socket.write(bytes), ms)
      return new Promise<string>((resolve, reject) => {
        let all = ''
        socket.on('data', chunk => {
          all += chunk
        })
        socket.on('error', reject).on('close', () => {
          clearTimeout(timer)
          resolve(all)
        })
      })
    }
    const upload = sendSlowly('/media', 'image/png', 13_000)
    assert.match(await sendSlowly('/products', 'application/json', 20_000), /^HTTP\/1.1 408 /)
    assert.ok(performance.now() - began > 10_000)
    assert.match(await upload, /^HTTP\/1.1 201 /)
  })

  test('/healthz and /readyz answer', async () => {
    for (const path of ['/healthz', '/readyz']) assert.equal((await t.ask('GET', path)).status, 200)
  })
})
