/** Tests whether a database connection is encrypted, and which certificates are accepted. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, connect as connectSocket, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createSecureContext, TLSSocket } from 'node:tls'
import { openPool } from '../../src/kernel/db/database.ts'
import { adviseOnTls, findDatabaseTls } from '../../src/kernel/db/database-tls.ts'
import { cloneDatabase, type TestDatabase } from '../database.ts'
import { type Forwarder, startForwarder } from '../forwarder.ts'
import { problemsOf } from './problems-of.ts'

describe('the sslmode of a database URL', () => {
  const CASES = [
    ['postgres://u@db.example/carnet', 'require'],
    ['postgres://u@10.0.0.7:5432/carnet', 'require'],
    ['postgres://u@database/carnet?sslmode=disable', 'disable'],
    ['postgres://u@db.example/carnet?sslmode=verify-full', 'verify-full'],
    ['postgres://u@localhost/carnet', 'disable'],
    ['postgres://u@127.0.0.1:5433/carnet', 'disable'],
    ['postgres://u@[::1]/carnet', 'disable'],
    ['postgres:///carnet', 'disable'],
    ['postgres://u@localhost.example/carnet', 'require'],
  ] as const
  for (const [address, mode] of CASES) {
    test(`${address}: ${mode}`, () => assert.equal(findDatabaseTls(address).mode, mode))
  }

  test('suggests sslmode=disable when no sslmode is set', () => {
    assert.match(adviseOnTls('postgres://u@db.example/carnet'), /add sslmode=disable/)
    assert.equal(adviseOnTls('postgres://u@db.example/carnet?sslmode=require'), '')
    assert.equal(adviseOnTls('postgres://u@127.0.0.1/carnet'), '')
  })

  test('rejects an unknown sslmode', () => {
    const env = {
      DATABASE_URL: 'postgres://u@db.example/carnet?sslmode=on',
      SECRET_KEY: 'a key of tests, long enough to be one',
    }
    assert.match(problemsOf(env).join(), /DATABASE_URL has sslmode=on/)
  })
})

describe('a database that requires TLS', () => {
  let database: TestDatabase
  let wire: Forwarder
  let front: Server
  let folder: string
  let encrypted = 0

  before(async () => {
    database = await cloneDatabase()
    wire = await startForwarder(database.target)
    folder = mkdtempSync(join(tmpdir(), 'carnet-tls-'))
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const words = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '1',
    ]
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
    execFileSync('openssl', [...words, '-keyout', key, '-out', cert, ...names], { stdio: 'ignore' })
    const secureContext = createSecureContext({ key: readFileSync(key), cert: readFileSync(cert) })
    // PostgreSQL's TLS negotiation: an eight-byte request, one byte of agreement, then the handshake.
    front = createServer(socket => {
      socket.on('error', () => {})
      socket.once('data', () => {
        socket.write('S')
        const inner = new TLSSocket(socket, { isServer: true, secureContext })
        const backend = connectSocket(wire.port, '127.0.0.1')
        inner.once('secure', () => encrypted++)
        const endBoth = () => {
          inner.destroy()
          backend.destroy()
        }
        for (const end of [inner, backend]) end.on('error', endBoth)
        inner.pipe(backend).pipe(inner)
      })
    })
    await new Promise<void>(resolve => front.listen(0, '127.0.0.1', resolve))
  })
  after(async () => {
    front.close()
    await wire.cut()
    rmSync(folder, { recursive: true })
    await database.drop()
  })

  async function ask(query: string): Promise<number | undefined> {
    const url = new URL(wire.target.url)
    url.hostname = 'localhost'
    url.port = String((front.address() as AddressInfo).port)
    const pool = openPool({ url: `${url.href}?${query}` }, { max: 1 })
    try {
      return (await pool<{ n: number }[]>`select 1 as n`)[0]?.n
    } finally {
      await pool.end({ timeout: 1 })
    }
  }

  test('require accepts any certificate', async () => {
    const before = encrypted
    assert.equal(await ask('sslmode=require'), 1)
    assert.equal(encrypted, before + 1)
  })

  test('verify-full accepts only a certificate of the authority in sslrootcert', async () => {
    assert.equal(await ask(`sslmode=verify-full&sslrootcert=${join(folder, 'cert.pem')}`), 1)
    await assert.rejects(ask('sslmode=verify-full'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  })
})
