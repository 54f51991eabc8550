/** Tests where the bytes of files are kept: a folder, and a bucket of a real S3 server. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import S3rver from '@20minutes/s3rver'
import { readConfig } from '../../src/kernel/config/config.ts'
import type { ByteRange } from '../../src/media/store/byte-range.ts'
import type { MediaStore } from '../../src/media/store/media-store.ts'
import { openMediaStore } from '../../src/media/store/open-media-store.ts'

const BUCKET = 'passports'
const KEYS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }

let folder: string
let server: S3rver
let endpoint: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'carnet-stores-'))
  server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: join(folder, 's3'),
    configureBuckets: [{ name: BUCKET, configs: [] }],
  })
  const { port } = await server.run()
  endpoint = `http://127.0.0.1:${port}`
})
after(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

const openBucket = (more: { bucket?: string; prefix?: string; secretAccessKey?: string } = {}): MediaStore =>
  openMediaStore({ ...KEYS, bucket: BUCKET, endpoint, region: 'us-east-1', prefix: 'a/b/', ...more })

const STORES = {
  folder: () => openMediaStore({ folder: join(folder, 'media') }),
  bucket: () => openBucket(),
}

/** Ranges of an object of 70,000 bytes: a range, its first byte, the one after its last. */
const RANGES: readonly [ByteRange, number, number][] = [
  [{ from: 0, to: 0 }, 0, 1],
  [{ from: 100, to: 65_635 }, 100, 65_636],
  [{ from: 69_990, to: 80_000 }, 69_990, 70_000],
  [{ from: 69_990, to: undefined }, 69_990, 70_000],
  [{ from: 0, to: undefined }, 0, 70_000],
  [{ last: 10 }, 69_990, 70_000],
  [{ last: 80_000 }, 0, 70_000],
  [{ from: 70_000, to: undefined }, 0, 0],
  [{ from: 70_000, to: 70_010 }, 0, 0],
]

for (const [name, open] of Object.entries(STORES)) {
  describe(`the ${name}`, () => {
    test('returns the bytes that were written, again and after writing them twice', async () => {
      const store = open()
      const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => i % 256))
      await store.write('7/abc/original', bytes, 'image/png')
      await store.write('7/abc/original', bytes, 'image/png')
      assert.deepEqual(await store.read('7/abc/original'), bytes)
      assert.deepEqual(await open().read('7/abc/original'), bytes)
    })

    test('has nothing under other keys, and deletes what is there or not', async () => {
      const store = open()
      await store.write('7/abc/320.avif', Buffer.from('x'), 'image/avif')
      assert.equal(await store.read('8/abc/320.avif'), undefined)
      await store.delete('7/abc/320.avif')
      await store.delete('7/abc/320.avif')
      assert.equal(await store.read('7/abc/320.avif'), undefined)
    })

    test('reads a range, and says how long the object is', async () => {
      const store = open()
      const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 7) % 251))
      await store.write('7/range/original', bytes, 'application/pdf')
      for (const [range, from, end] of RANGES) {
        const read = await store.readRange('7/range/original', range)
        const what = JSON.stringify(range)
        assert.deepEqual([read?.size, read?.bytes.length], [70_000, end - from], what)
        assert.ok(read?.bytes.equals(bytes.subarray(from, end)), what)
        if (end > from) assert.equal(read?.from, from, what)
      }
      assert.equal(await store.readRange('8/range/original', { from: 0, to: 1 }), undefined)
      assert.equal(await store.readRange('8/range/original', { last: 1 }), undefined)
    })

    test('lists the keys of all objects', async () => {
      const store = open()
      const before = await Array.fromAsync(store.listKeys())
      const keys = ['6/list/original', '6/list/320.avif', '6/other/original']
      for (const key of keys) await store.write(key, Buffer.from('x'), 'image/png')
      const listed = (await Array.fromAsync(store.listKeys())).filter(key => !before.includes(key))
      assert.deepEqual(listed.sort(), keys.sort())
    })

    test('takes an empty object and one of 20 MiB', async () => {
      const store = open()
      for (const size of [0, 20 * 1024 * 1024]) {
        await store.write('9/size/original', Buffer.alloc(size, 7), 'application/pdf')
        assert.equal((await store.read('9/size/original'))?.length, size)
      }
    })
  })
}

describe('the folder', () => {
  test('leaves no temporary file behind', async () => {
    const store = STORES.folder()
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => store.write(`1/many/${i % 3}`, Buffer.alloc(9), '')),
    )
    assert.deepEqual((await readdir(join(folder, 'media/1/many'))).sort(), ['0', '1', '2'])
  })
})

describe('the bucket', () => {
  test('that does not exist, or whose key is wrong, is an error that names it', async () => {
    await assert.rejects(
      openBucket({ bucket: 'missing' }).write('k', Buffer.from('x'), ''),
      /bucket missing answered 404/,
    )
    await assert.rejects(openBucket({ bucket: 'missing' }).read('k'), /bucket missing answered 404/)
    await assert.rejects(openBucket({ secretAccessKey: 'wrong' }).read('k'), /bucket passports answered 403/)
  })

  test('that cannot be reached is unavailable for now', async () => {
    const store = openMediaStore({
      ...KEYS,
      bucket: BUCKET,
      endpoint: 'http://127.0.0.1:9',
      region: 'x',
      prefix: '',
    })
    await assert.rejects(store.read('k'), { code: 'unavailable' })
  })
})

describe('a bucket that fails for a moment', () => {
  test('is unavailable while it is overloaded, or when it breaks off', async () => {
    const failing = createServer((request, response) => {
      if (String(request.url).endsWith('busy')) response.writeHead(503).end('<Code>SlowDown</Code>')
      else {
        response.writeHead(200, { 'content-length': '1000' }).write('x')
        setImmediate(() => response.destroy())
      }
    })
    await new Promise<void>(resolve => failing.listen(0, '127.0.0.1', resolve))
    const { port } = failing.address() as AddressInfo
    const place = { ...KEYS, bucket: BUCKET, region: 'x', prefix: '' }
    const store = openMediaStore({ ...place, endpoint: `http://127.0.0.1:${port}` })
    for (const key of ['busy', 'broken']) await assert.rejects(store.read(key), { code: 'unavailable' }, key)
    failing.closeAllConnections()
    failing.close()
  })
})

/** A server that answers each request in this way, and a bucket of it. */
async function startBucket(answer: RequestListener) {
  const server = createServer(answer)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const place = { ...KEYS, bucket: BUCKET, region: 'x', prefix: '' }
  const store = openMediaStore({ ...place, endpoint: `http://127.0.0.1:${port}` })
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { store, close }
}

describe('a range of a bucket', () => {
  test('is right if the server ignores ranges', async () => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 7) % 251))
    const { store, close } = await startBucket((_request, response) => response.end(bytes))
    for (const [range, from, end] of RANGES) {
      const read = await store.readRange('k', range)
      assert.equal(read?.size, 70_000)
      assert.ok(read.bytes.equals(bytes.subarray(from, end)), JSON.stringify(range))
    }
    close()
  })

  test('is right if the server sends another one', async () => {
    for (const contentRange of ['bytes 1-4/9', 'bytes 0-3/9', 'bytes 0-4/*', 'bytes 0-4/4', undefined]) {
      const { store, close } = await startBucket(({ headers }, response) => {
        if (headers.range === undefined) return response.end('123456789')
        response.writeHead(206, contentRange === undefined ? {} : { 'content-range': contentRange })
        return response.end('wrong')
      })
      const read = await store.readRange('k', { from: 0, to: 4 })
      assert.deepEqual([read?.bytes.toString(), read?.from, read?.size], ['12345', 0, 9], `${contentRange}`)
      close()
    }
  })

  test('is all that the server sends', async () => {
    let sent = 0
    const bytes = Buffer.alloc(1_000_000, 7)
    const { store, close } = await startBucket(({ headers }, response) => {
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(String(headers.range)) ?? []
      const part = bytes.subarray(Number(from), Number(to) + 1)
      sent += part.length
      const contentRange = `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`
      response.writeHead(206, { 'content-range': contentRange }).end(part)
    })
    for (let from = 0; from < bytes.length; from += 65_536)
      await store.readRange('k', { from, to: from + 65_535 })
    assert.equal(sent, bytes.length)
    close()
  })
})

describe('a bucket with many objects', () => {
  test('is listed page by page', async () => {
    // The S3 server of the tests cannot continue a list.
    const asked: (string | null)[] = []
    const pages = createServer((request, response) => {
      const token = new URL(String(request.url), 'http://x').searchParams.get('continuation-token')
      asked.push(token)
      const [key, more] =
        token === null
          ? ['a/b/1', '<NextContinuationToken>n+/=</NextContinuationToken>']
          : ['a/b/2 &amp; 3', '']
      response.end(`<ListBucketResult><Contents><Key>${key}</Key></Contents>${more}</ListBucketResult>`)
    })
    await new Promise<void>(resolve => pages.listen(0, '127.0.0.1', resolve))
    const { port } = pages.address() as AddressInfo
    const place = { ...KEYS, bucket: BUCKET, region: 'x', prefix: 'a/b/' }
    const store = openMediaStore({ ...place, endpoint: `http://127.0.0.1:${port}` })
    assert.deepEqual(await Array.fromAsync(store.listKeys()), ['1', '2 & 3'])
    assert.deepEqual(asked, [null, 'n+/='])
    pages.closeAllConnections()
    pages.close()
  })
})

describe('MEDIA_URL', () => {
  const read = (env: Record<string, string>) => readConfig(env).mediaPlace

  test('is a folder in DATA_DIR by default, or any other', () => {
    assert.deepEqual(read({}), { folder: 'data/media' })
    assert.deepEqual(read({ DATA_DIR: '/srv/carnet' }), { folder: '/srv/carnet/media' })
    assert.deepEqual(read({ MEDIA_URL: '/mnt/pictures' }), { folder: '/mnt/pictures' })
  })

  test('may be a bucket with its keys', () => {
    const env = {
      MEDIA_URL: 's3://b/x/y?endpoint=https://s3.example&region=r',
      MEDIA_ACCESS_KEY: 'k',
      MEDIA_SECRET_KEY: 's',
    }
    assert.deepEqual(read(env), {
      bucket: 'b',
      endpoint: 'https://s3.example',
      region: 'r',
      prefix: 'x/y/',
      accessKeyId: 'k',
      secretAccessKey: 's',
    })
  })

  test('that is wrong is refused with what it may be', () => {
    for (const url of [
      'https://s3.example/b',
      's3://b',
      's3://b?endpoint=ftp://x',
      's3:///x?endpoint=https://x',
    ])
      assert.throws(() => read({ MEDIA_URL: url }), /MEDIA_URL is .* it must be a folder, or s3:/, url)
    assert.throws(
      () => read({ MEDIA_URL: 's3://b?endpoint=https://x' }),
      /MEDIA_ACCESS_KEY and MEDIA_SECRET_KEY are required/,
    )
  })
})
