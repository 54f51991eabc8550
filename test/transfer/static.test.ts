import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { appendFile, chmod, chown, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setAudienceProfile } from '../../src/accounts/account/audience-profile.ts'
import { toGtin14 } from '../../src/gs1/gtin.ts'
import { AppError } from '../../src/kernel/errors/errors.ts'
import { systemClock } from '../../src/kernel/values/clock.ts'
import { releaseGtin } from '../../src/passports/write/release-gtin.ts'
import { exportStaticSite, type StaticSiteResult } from '../../src/transfer/static/export-static-site.ts'
import type { PublicPassport } from '../../src/transfer/static/passport-pages.ts'
import { startUnitStand, type UnitStand } from '../api/unit-stand.ts'
import { cloneDatabase, type TestDatabase } from '../database.ts'
import { ADDRESSES, nextGtin } from '../harness.ts'
import { serveFolder } from './serve-folder.ts'
import { type Folder, fill, passportsOf, poolOfOne, temporaryFolder } from './stores.ts'

let database: TestDatabase
let s: UnitStand
let folder: Folder
let ids: Awaited<ReturnType<typeof fill>>
let made: StaticSiteResult
let gone: string
let served: Awaited<ReturnType<typeof serveFolder>>

before(async () => {
  database = await cloneDatabase()
  s = await startUnitStand('enterprise', database, { trustedProxies: ['127.0.0.1'] })
  folder = await temporaryFolder()
  ids = await fill(s)
  const slashed = await s.model()
  await s.item(slashed, 'a/b')
  gone = nextGtin()
  const released = await s.model({ gtin: gone })
  await s.item(released, 'printed')
  await s.call('POST', `/${released}/archive`)
  await releaseGtin(s.t, gone, { force: true })
  made = await exportStaticSite(setup(), { accountId: s.account.id, dir: folder.file('site') })
  served = await serveFolder(made.dir)
})
after(async () => {
  served?.close()
  await s.close()
  await database.drop()
  await folder.remove()
})

const setup = () => ({
  openPool: poolOfOne(database),
  clock: systemClock,
  publicUrl: ADDRESSES.publicUrl,
  namespace: 'ns/dpp',
  openPassport: passportsOf(s.t.setup),
  async fetchPage(path: string, accept: string) {
    const answer = await s.t.app.inject({ method: 'GET', url: path, headers: { accept } })
    return {
      status: answer.statusCode,
      type: String(answer.headers['content-type']),
      body: answer.rawPayload,
    }
  },
})

const get = (path: string) => served.get(path)
const live = async (path: string, accept = 'text/html') => s.t.ask('GET', path, { headers: { accept } })
const withoutLinks = (html: string) => html.replace(/(href|src|srcset)="[^"]*"/g, '')
const all = () => [ids.model, ids.batch, ...ids.items]

describe('export --static', () => {
  test('each passport has its page in all languages at its path, as the server shows it', async () => {
    for (const id of all()) {
      const page = await get(`/p/${id}`)
      assert.equal(page.status, 200)
      assert.equal(withoutLinks(page.text), withoutLinks((await live(`/p/${id}`)).text))
    }
    const links = (await live(`/p/${ids.model}`)).text.matchAll(/href="\?lang=(\w+)" hreflang=/g)
    const languages = new Set(Array.from(links, ([, code = '']) => code))
    assert.equal(languages.size, 24)
    for (const language of languages) {
      const page = await get(`/p/${ids.model}/${language}/`)
      assert.equal(
        withoutLinks(page.text),
        withoutLinks((await live(`/p/${ids.model}?lang=${language}`)).text),
        language,
      )
    }
    const older = await get(`/p/${ids.model}/v/1/`)
    assert.equal(withoutLinks(older.text), withoutLinks((await live(`/p/${ids.model}?version=1`)).text))
  })

  test('JSON-LD, QR code, vocabulary and contexts are byte for byte those of the server', async () => {
    for (const id of all()) {
      assert.equal((await get(`/p/${id}/passport.jsonld`)).text, (await live(`/p/${id}?format=jsonld`)).text)
      assert.equal((await get(`/p/${id}/qr.svg`)).text, (await live(`/p/${id}/qr.svg`)).text)
    }
    assert.equal((await get('/ns/dpp')).text, (await live('/ns/dpp')).text)
    assert.equal((await get('/ns/dpp.jsonld')).text, (await live('/ns/dpp', 'application/ld+json')).text)
    assert.equal((await get('/ns/dpp/v1')).text, (await live('/ns/dpp/v1')).text)
  })

  test('no page has a dead relative link', async () => {
    const seen = new Set<string>()
    const waiting = all().map(id => `/p/${id}`)
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (seen.has(path)) continue
      seen.add(path)
      const page = await get(path)
      assert.equal(page.status, 200, path)
      if (!page.text.startsWith('<!doctype html>')) continue
      for (const [, reference = ''] of page.text.matchAll(/(?:href|src|srcset)="([^"]*)"/g)) {
        if (/^[a-z]+:|^#/.test(reference)) continue
        assert.ok(!reference.includes('?'), `${path} leads to ${reference}`)
        waiting.push(new URL(reference, page.url).pathname)
      }
    }
    assert.ok(seen.size > 24 * 9, `${seen.size} pages`)
  })

  test('pages have all offers, and the links to countries lead to them in the same language', async () => {
    const page = String(await readFile(join(made.dir, `p/${ids.batch}/de/index.html`)))
    const offers = /<div id="actions">.*?<\/details>/s.exec(page)?.[0] ?? ''
    assert.equal(offers.split('<bdi>Werkstatt</bdi>').length, 3)
    assert.match(offers, /<a href="\.\/#actions">Deutschland<\/a> · <a href="\.\/#actions">Österreich</)
  })

  test('GS1 addresses lead to the same passport as on the server; those with a slash are counted', async () => {
    let tried = 0
    for (const id of all()) {
      const { gs1_url } = await s.call('GET', `/${id}`)
      if (gs1_url === null) continue
      const { pathname } = new URL(gs1_url)
      const location = String((await live(pathname)).headers.location)
      const page = await get(pathname)
      const [, to = ''] = /url=([^"]+)"/.exec(page.text) ?? []
      assert.equal(new URL(to, page.url).pathname, `${new URL(location, 'https://carnet.example').pathname}/`)
      tried++
    }
    assert.ok(tried > 5)
    for (const rest of ['', '/21/printed']) {
      const path = `/01/${toGtin14(gone)}${rest}`
      const { pathname } = new URL(String((await live(path)).headers.location))
      const page = await get(path)
      const [, to = ''] = /url=([^"]+)"/.exec(page.text) ?? []
      assert.equal(new URL(to, page.url).pathname, `${pathname}/`, 'a released GTIN')
    }
    assert.equal(made.left_out, 1)
  })

  test('the manifest names every file with its hash', async () => {
    const lines = (await readFile(join(made.dir, 'manifest.ndjson'), 'utf8')).trimEnd().split('\n')
    const end = JSON.parse(lines.pop() ?? '')
    assert.deepEqual([end.files, lines.length, end.sha256], [made.files, made.files, made.sha256])
    const before = lines.map(line => `${line}\n`).join('')
    assert.equal(end.sha256, createHash('sha256').update(before).digest('hex'))
    for (const line of lines) {
      const { path, sha256, bytes } = JSON.parse(line)
      const body = await readFile(join(made.dir, path))
      assert.deepEqual([createHash('sha256').update(body).digest('hex'), body.length], [sha256, bytes], path)
    }
  })

  describe('an interrupted export', () => {
    /** Stops the export by an error at this passport. */
    const ended = async (dir: string, at: number) => {
      const whole = setup()
      const seen = new Set<string>()
      const openPassport = async (id: string) => {
        const passport = await whole.openPassport(id)
        const render: PublicPassport['render'] = async query => {
          if (seen.add(id).size > at) throw new Error('the process is ended')
          return passport.render(query)
        }
        return { ...passport, render }
      }
      const begun = exportStaticSite({ ...whole, openPassport }, { accountId: other.id, dir })
      await assert.rejects(begun, /the process is ended/)
    }
    const manifestOf = (dir: string) => readFile(join(dir, 'manifest.ndjson'), 'utf8')
    let other: { id: number }
    let straight: StaticSiteResult
    before(async () => {
      const own = await startUnitStand('enterprise', database)
      other = own.account
      const model = await own.model()
      await own.items(model, 'n', 24)
      straight = await exportStaticSite(setup(), { accountId: other.id, dir: folder.file('straight') })
      await own.close()
    })

    test('is continued, and has the same result', async () => {
      const dir = folder.file('ended')
      for (const at of [0, 13, 4]) await ended(dir, at)
      // The state after a process was killed while writing.
      await appendFile(join(dir, 'manifest.ndjson'), '{"path":"p/')
      await writeFile(join(dir, 'unfinished.json.partial'), '{"acc')
      const dead = { token: 'd', pid: 2 ** 22 + 1, identity: 'of nobody' }
      await writeFile(join(dir, 'unfinished.lock'), JSON.stringify(dead))
      // A page that was written after the last progress save and will not be written again.
      const stray = { path: 'p/gone/de/index.html', sha256: '', bytes: 1 }
      await mkdir(join(dir, 'p/gone/de'), { recursive: true })
      await writeFile(join(dir, stray.path), 'x')
      await writeFile(join(dir, 'manifest.ndjson'), `${await manifestOf(dir)}\n${JSON.stringify(stray)}\n`)
      const told: number[] = []
      const wish = { accountId: other.id, dir, progress: (n: number) => told.push(n) }
      const { kept, ...result } = await exportStaticSite(setup(), wish)
      assert.equal(kept, 10)
      assert.deepEqual(
        told,
        Array.from({ length: 15 }, (_, i) => 11 + i),
      )
      assert.deepEqual({ ...result, kept: 0 }, { ...straight, dir })
      assert.equal(await manifestOf(dir), await manifestOf(straight.dir))
      const files = async (of: string) =>
        (await readdir(of, { recursive: true })).filter(name => /\.\w+$/.test(name)).sort()
      assert.deepEqual(await files(dir), await files(straight.dir))
      await assert.rejects(exportStaticSite(setup(), { accountId: other.id, dir }), /is not empty/)
    })

    test('or any other reads several passports at once, but few before their turn', async () => {
      const whole = setup()
      let reading = 0
      let mostReading = 0
      let mostOpen = 0
      const open = new Set<string>()
      const openPassport = async (id: string) => {
        open.add(id)
        mostReading = Math.max(mostReading, ++reading)
        mostOpen = Math.max(mostOpen, open.size)
        const passport = await whole.openPassport(id).finally(() => reading--)
        return {
          ...passport,
          async render(query: Parameters<PublicPassport['render']>[0]) {
            open.delete(id)
            return passport.render(query)
          },
        }
      }
      const wish = { accountId: other.id, dir: folder.file('counted') }
      const { sha256 } = await exportStaticSite({ ...whole, openPassport }, wish)
      assert.equal(sha256, straight.sha256)
      assert.ok(mostReading > 1, `${mostReading} are read at once`)
      assert.ok(mostOpen <= 16, `${mostOpen} wait for their turn`)
    })

    test('is not continued with other audiences', async () => {
      const dir = folder.file('audiences')
      await ended(dir, 13)
      const wish = { accountId: other.id, dir }
      await setAudienceProfile(s.t, { accountId: other.id, profile: 'law' })
      await assert.rejects(exportStaticSite(setup(), wish), /audience profile has changed since .* was begun/)
      await setAudienceProfile(s.t, { accountId: other.id, profile: 'contract' })
      assert.equal((await exportStaticSite(setup(), wish)).sha256, straight.sha256)
    })

    test('is not mixed with another account, another address, or a running export', async () => {
      const dir = folder.file('mixed')
      await ended(dir, 12)
      const refused = (change: object, wish: object, message: RegExp) =>
        assert.rejects(
          exportStaticSite({ ...setup(), ...change }, { accountId: other.id, dir, ...wish }),
          error => error instanceof AppError && error.code === 'validation' && message.test(error.message),
        )
      await refused({}, { accountId: s.account.id }, /is an unfinished export of account \d+ at https:/)
      await refused({ publicUrl: 'https://elsewhere.example' }, {}, /is an unfinished export of account/)
      const mark = join(dir, 'unfinished.json')
      const written = await readFile(mark, 'utf8')
      const as = (change: object) => writeFile(mark, JSON.stringify({ ...JSON.parse(written), ...change }))
      const at = (ms: number) => ({ clock: { now: () => new Date(systemClock.now().getTime() + ms) } })
      await as({ host: 'elsewhere' })
      await refused(at(50_000), {}, /A process on elsewhere wrote to/)
      const whole = { ...setup(), ...at(70_000) }
      const { kept } = await exportStaticSite(whole, { accountId: other.id, dir })
      assert.equal(kept, 10, 'who says nothing for a minute has ended')
      await ended(folder.file('broken'), 12)
      for (const text of ['', 'null', '{"a":1}']) {
        await writeFile(folder.file('broken/unfinished.json'), text)
        await refused({}, { dir: folder.file('broken') }, /unfinished\.json cannot be read/)
      }
    })
  })

  describe('a folder with planted files', () => {
    const stray = (path: string) => `${JSON.stringify({ path, sha256: '', bytes: 1 })}\n`
    const planted = async (name: string, plant: (dir: string) => Promise<void>) => {
      const dir = folder.file(name)
      await mkdir(folder.file('victim'), { recursive: true })
      await writeFile(folder.file('victim/file.txt'), 'mine')
      await mkdir(dir)
      const mark = {
        account: s.account.id,
        public_url: ADDRESSES.publicUrl,
        host: null,
        at: '2026-11-01T00:00:00Z',
      }
      const begun = {
        last: null,
        passports: 0,
        left_out: 0,
        files: 0,
        bytes: 0,
        manifest_bytes: 0,
        shared: [],
      }
      await writeFile(join(dir, 'unfinished.json'), JSON.stringify({ ...mark, ...begun }))
      await writeFile(join(dir, 'manifest.ndjson'), '')
      await plant(dir)
      return exportStaticSite(setup(), { accountId: s.account.id, dir }).then(
        () => 'done',
        error => (error instanceof AppError ? `${error.code}: ${error.message}` : String(error)),
      )
    }
    const untouched = async () => {
      assert.deepEqual(await readdir(folder.file('victim')), ['file.txt'])
      assert.equal(await readFile(folder.file('victim/file.txt'), 'utf8'), 'mine')
    }

    for (const [n, path] of [
      '../victim/file.txt',
      'p/../../victim/file.txt',
      '/etc/no-such-file',
      'p//x',
      '..\\x',
    ].entries()) {
      test(`a path in its manifest cannot leave the folder: ${path}`, async () => {
        const said = await planted(`leads-out-${n}`, dir =>
          writeFile(join(dir, 'manifest.ndjson'), stray(path)),
        )
        assert.match(said, /^validation: .* is not a file below .*leads-out-\d\. Choose a new folder\./)
        await untouched()
      })
    }

    test('a path in its manifest cannot delete through a symlink', async () => {
      const said = await planted('deletes-through', async dir => {
        await symlink('../victim', join(dir, 'p'))
        await writeFile(join(dir, 'manifest.ndjson'), stray('p/file.txt'))
      })
      assert.match(said, /^validation: .*deletes-through\/p is a symlink, or something else/)
      await untouched()
    })

    for (const name of ['p', 'ns', '01']) {
      test(`nothing is written through a symlink in place of the folder ${name}`, async () => {
        const said = await planted(`through-${name}`, dir => symlink('../victim', join(dir, name)))
        assert.match(said, /^validation: .* is a symlink, or something else/)
        await untouched()
      })
    }

    test('nothing is written through a symlink in place of a file: it is replaced, or the export fails', async () => {
      const said = await planted('files', async dir => {
        await symlink('../victim/file.txt', join(dir, 'unfinished.json.partial'))
        await mkdir(join(dir, 'ns'))
        await symlink('../../victim/file.txt', join(dir, 'ns/dpp.jsonld'))
      })
      assert.equal(said, 'done')
      for (const file of ['manifest.ndjson', 'unfinished.json']) {
        const refused = await planted(`file-${file}`, async dir => {
          await rm(join(dir, file))
          await symlink('../victim/file.txt', join(dir, file))
        })
        assert.match(refused, /^validation: .* is a symlink, or something else/)
      }
      await untouched()
    })

    test('nothing is written into a folder of another user, or one that everybody may write to', async () => {
      const open = folder.file('open')
      await mkdir(open)
      await chmod(open, 0o777)
      const into = (dir: string) => exportStaticSite(setup(), { accountId: s.account.id, dir })
      await assert.rejects(into(open), { code: 'validation', message: /^Everybody can write to/ })
      // As root, the test gives a folder to another user; any other user does not own `/`.
      const isRoot = process.geteuid?.() === 0
      const theirs = isRoot ? folder.file('theirs') : '/'
      if (isRoot) {
        await mkdir(theirs)
        await chown(theirs, 12_345, 12_345)
      }
      await assert.rejects(into(theirs), { code: 'validation', message: /belongs to another user/ })
    })
  })

  test('a logo stored by an older version is sanitized again', async () => {
    const hostile =
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 2"><rect mask="image-set(\'https://evil.example/x\' 1x)"/></svg>'
    const whole = setup()
    const fetchPage = async (path: string, accept: string) => {
      const answer = await whole.fetchPage(path, accept)
      return path.startsWith('/brand/') ? { ...answer, body: Buffer.from(hostile) } : answer
    }
    const dir = folder.file('cleaned')
    await exportStaticSite({ ...whole, fetchPage }, { accountId: s.account.id, dir })
    const [logo = ''] = await readdir(join(dir, 'brand'))
    assert.equal(await readFile(join(dir, 'brand', logo), 'utf8'), hostile.replace(/ mask="[^"]*"/, ''))
  })

  test('several concurrent exports into one folder: one writes it, and the others report that', async () => {
    for (let round = 0; round < 2; round++) {
      const dir = folder.file(`at-once-${round}`)
      const wish = { accountId: s.account.id, dir }
      const outcomes = await Promise.allSettled(
        Array.from({ length: 4 }, () => exportStaticSite(setup(), wish)),
      )
      const done = outcomes.filter(({ status }) => status === 'fulfilled')
      assert.equal(done.length, 1)
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected')
          assert.match(String(outcome.reason), /is being written by another|is not empty/)
      }
      const manifest = await readFile(join(dir, 'manifest.ndjson'), 'utf8')
      assert.equal(manifest, await readFile(join(made.dir, 'manifest.ndjson'), 'utf8'))
    }
  })

  test('contains nothing protected, and is rejected for a folder that is not empty', async () => {
    const page = await get(`/p/${ids.items[0]}/passport.jsonld`)
    assert.ok(!page.text.includes('stateOfHealth'))
    const again = exportStaticSite(setup(), { accountId: s.account.id, dir: made.dir })
    await assert.rejects(again, { code: 'validation', message: /is not empty/ })
    const file = join(made.dir, 'manifest.ndjson')
    for (const dir of [file, join(file, 'x')]) {
      const message = /is not a folder that Carnet can write to \(E[A-Z]+\)/
      const onFile = exportStaticSite(setup(), { accountId: s.account.id, dir })
      await assert.rejects(onFile, { code: 'validation', message })
    }
  })
})
