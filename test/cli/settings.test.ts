/** Tests that nonsensical settings are rejected with a sentence, and that checking them changes nothing. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import proxyAddr from '@fastify/proxy-addr'
import pino from 'pino'
import { getOrCreateSecretKey } from '../../src/cli/store/secret-key.ts'
import { listMalformedLines } from '../../src/kernel/config/config.ts'
import { createThrottledLogger } from '../../src/worker/throttled-logger.ts'
import { problemsOf } from '../kernel/problems-of.ts'
import { carnet, emptyFolder, endAll, serve, start } from './processes.ts'

let folder: Awaited<ReturnType<typeof emptyFolder>>
before(async () => {
  folder = await emptyFolder()
})
after(async () => {
  await endAll()
  await folder.remove()
})

describe('readConfig', () => {
  for (const range of ['0.0.0.0/0', '::/0', '10.0.0.0/0', '1.2.3.4/00', '1.2.3.4/33', 'nowhere']) {
    test(`TRUSTED_PROXIES=${range} is rejected`, () => {
      assert.match(problemsOf({ TRUSTED_PROXIES: range }).join(), /^TRUSTED_PROXIES has/)
    })
  }
  for (const range of [
    '10.0.0.0/8',
    '10.0.0.0/08',
    '1.2.3.4',
    '::1',
    '::ffff:10.0.0.1',
    'fe80::/10',
    '0.0.0.0/1',
  ]) {
    test(`TRUSTED_PROXIES=${range} is accepted, also by the library that reads it`, () => {
      assert.deepEqual(problemsOf({ TRUSTED_PROXIES: range }), [])
      proxyAddr.compile([range])
    })
  }
  test('WEBHOOK_ALLOW_CIDRS may allow all addresses', () => {
    assert.deepEqual(problemsOf({ WEBHOOK_ALLOW_CIDRS: '0.0.0.0/0' }), [])
  })
  for (const url of [
    'http://x/?',
    'http://x/#',
    'http://:pw@x/',
    'http://a@x',
    'http://@x',
    'ftp://x',
    'http:x',
    'x',
  ]) {
    test(`PUBLIC_URL=${url} is rejected`, () => {
      assert.match(problemsOf({ PUBLIC_URL: url }).join(), /^PUBLIC_URL is/)
    })
  }
  for (const url of ['http://x', 'https://x.example:8443/dpp/', 'http://[::1]:3000', 'HTTPS://x/@a']) {
    test(`PUBLIC_URL=${url} is accepted`, () => assert.deepEqual(problemsOf({ PUBLIC_URL: url }), []))
  }
  test('SIGNATURE_DAYS is at least 7', () => {
    assert.deepEqual(problemsOf({ SIGNATURE_DAYS: '7' }), [])
    for (const SIGNATURE_DAYS of ['6', '0', '-90', '3651', '90d'])
      assert.match(problemsOf({ SIGNATURE_DAYS }).join(), /^SIGNATURE_DAYS is/)
  })
  test('OLD_SECRET_KEY has the same minimum length as SECRET_KEY', () => {
    assert.match(problemsOf({ OLD_SECRET_KEY: 'k' }).join(), /^OLD_SECRET_KEY is too short/)
    assert.deepEqual(problemsOf({ OLD_SECRET_KEY: 'k'.repeat(32) }), [])
  })
  test('a weak or published SECRET_KEY is rejected with instructions', async () => {
    const compose = await readFile(new URL('../../docs/deploy/compose.yaml', import.meta.url), 'utf8')
    const [, example = ''] = /SECRET_KEY:\?([^}]*)\}/.exec(compose) ?? []
    assert.ok(example.length >= 32)
    for (const [SECRET_KEY, why] of [
      ['short', /^SECRET_KEY is too short: it needs at least 32 characters\./],
      ['a'.repeat(64), /^SECRET_KEY is easy to guess: it has only 1 different/],
      ['1234567'.repeat(9), /^SECRET_KEY is easy to guess: it has only 7 different/],
      [example, /^SECRET_KEY is an example that everybody can read/],
    ] as const) {
      const [problem = ''] = problemsOf({ SECRET_KEY })
      assert.match(problem, why)
      assert.match(
        problem,
        /openssl rand -base64 32.*set OLD_SECRET_KEY to that key and run "carnet secrets reseal"/,
      )
    }
    const rotated = { SECRET_KEY: randomBytes(32).toString('hex'), OLD_SECRET_KEY: 'a'.repeat(64) }
    assert.deepEqual(problemsOf(rotated), [])
  })
  test('a weak key in the file secret-key is rejected, and doctor reports it', async () => {
    const data = await emptyFolder()
    const file = join(data.path, 'secret-key')
    await writeFile(file, `${'a'.repeat(40)}\n`, { mode: 0o600 })
    assert.throws(
      () => getOrCreateSecretKey({ secretKey: undefined, dataDir: data.path }),
      /secret-key is easy to guess.*If Carnet has run with that file/,
    )
    assert.equal(getOrCreateSecretKey({ secretKey: 'the setting', dataDir: data.path }), 'the setting')
    const { code, stdout } = await carnet(['doctor'], {
      cwd: data.path,
      env: { DATA_DIR: data.path, PORT: '0' },
    })
    assert.equal(code, 1)
    assert.match(stdout, /BAD +secret key .*easy to guess/)
    await data.remove()
  })
})

describe('.env', () => {
  test('malformed lines are reported by number', () => {
    const text = '# one\n\nA=1\nBAD LINE\nexport B = 2\nC="x\nno line\ny" # z\nD: 3\r\nE=\'f\'\r\n'
    assert.deepEqual(listMalformedLines(text), [4, 9])
  })
  test('doctor reports malformed lines', async () => {
    const at = await emptyFolder()
    await writeFile(join(at.path, '.env'), 'BAD LINE\n')
    const { code, stdout } = await carnet(['doctor'], { cwd: at.path })
    assert.equal(code, 1)
    assert.match(stdout, /BAD +settings +Line 1 of \.env does not have the form NAME=value/)
    await at.remove()
  })
})

describe('doctor', () => {
  test('says for an unused DATA_DIR that there is no database yet, and creates none', async () => {
    const DATA_DIR = join(folder.path, 'unused')
    const { code, stdout } = await carnet(['doctor'], { cwd: folder.path, env: { DATA_DIR, PORT: '0' } })
    assert.equal(code, 0)
    assert.match(
      stdout,
      /ok +database +\S*unused \(DATA_DIR\) has no database yet: the first start creates it/,
    )
    assert.match(stdout, /unused does not exist yet and can be created/)
    const told = await carnet(['doctor', '--verify'], { cwd: folder.path, env: { DATA_DIR, PORT: '0' } })
    assert.equal(told.code, 1)
    assert.match(told.stdout, /BAD +database +\S+ \(DATA_DIR\) has no database yet/)
    assert.deepEqual(await readdir(folder.path), [])
  })

  for (const words of [
    'backup --to x',
    'export --account 1 --to x',
    'accounts list',
    'keys list --account 1',
  ]) {
    test(`for an unused DATA_DIR, ${words} fails and creates neither a database nor a file`, async () => {
      const settings = { cwd: folder.path, env: { DATA_DIR: join(folder.path, 'unused') } }
      const { code, stdout, stderr } = await carnet(words.split(' '), settings)
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, /^There is no store in \S+unused \(DATA_DIR\), .*Set DATA_DIR to .*\n$/)
      assert.deepEqual(await readdir(folder.path), [])
    })
  }

  test('reports a backup folder that cannot be created', async () => {
    const file = join(folder.path, 'file')
    await writeFile(file, '')
    for (const BACKUP_DIR of [file, join(file, 'x')]) {
      const env = { DATA_DIR: join(folder.path, 'unused'), PORT: '0', BACKUP_DIR }
      const { code, stdout } = await carnet(['doctor'], { cwd: folder.path, env })
      assert.equal(code, 1)
      assert.match(stdout, /BAD +backups +\S+file is not a folder/)
    }
  })

  test('does not assume that a Carnet on its port is its own', async () => {
    const other = createServer((_request, response) => response.setHeader('x-request-id', '1').end())
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    const env = { DATA_DIR: join(folder.path, 'unused'), PORT: String(port) }
    const { stdout } = await carnet(['doctor'], { cwd: folder.path, env })
    other.close()
    assert.match(stdout, /ok +port +a Carnet answers on port \d+ of 127\.0\.0\.1/)
  })
})

describe('serve', () => {
  test('a DATA_DIR that cannot be created gives one clear line', async () => {
    const file = join(folder.path, 'file')
    await writeFile(file, '')
    for (const DATA_DIR of [file, join(file, 'x')]) {
      const { code, stderr } = await carnet(['serve'], { cwd: folder.path, env: { DATA_DIR, PORT: '0' } })
      assert.equal(code, 1)
      assert.match(stderr, /^The folder .*file(\/x)? \(DATA_DIR\) cannot be created: .*\.\n$/)
    }
  })

  test('reports missing files and folders at the start; an interrupted backup leaves no file', async () => {
    const file = join(folder.path, 'file')
    await writeFile(file, '')
    const data = await emptyFolder()
    const env = { DATA_DIR: data.path, PORT: '0', BACKUP_DIR: join(file, 'x'), GEO_MMDB_PATH: file }
    const settings = { cwd: data.path, env }
    const server = await serve(settings)
    while (!server.said.stderr.includes('BACKUP_DIR')) await pause(20)
    assert.match(server.said.stderr, /"level":50.*no backup can be made in .*file\/x \(BACKUP_DIR\)/)
    assert.match(server.said.stderr, /GEO_MMDB_PATH cannot be read, so the bundled file is used/)
    const backup = start(['backup', '--to', join(data.path, 'x.backup')], settings)
    while (!(await readdir(data.path)).some(name => name.startsWith('x.backup.'))) {
      if (backup.child.exitCode !== null) break
      await pause(1)
    }
    backup.child.kill('SIGINT')
    const [code] = await backup.ended
    const left = (await readdir(data.path)).filter(name => name.startsWith('x.backup'))
    // The backup of such a small store may have finished before the signal.
    assert.deepEqual([code, left], code === 0 ? [0, ['x.backup']] : [130, []])
    await server.stop()
    await data.remove()
  })
})

test('a lasting fault is logged when it begins and when it ends', () => {
  const said: string[] = []
  const log = pino({ level: 'info' }, { write: line => said.push(JSON.parse(line).msg) })
  const complaint = createThrottledLogger(log, 'warn', { work: 'webhooks' }, 'no look was possible')
  complaint.recovered()
  for (let i = 0; i < 20; i++) complaint.failed(new Error('away'))
  complaint.recovered()
  complaint.recovered()
  complaint.failed(new Error('away'))
  assert.deepEqual(said, ['no look was possible', 'recovered', 'no look was possible'])
})
