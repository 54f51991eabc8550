/** Tests the addresses of files: what everyone may have, and that nobody else gets more by guessing. */
import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { createPerson } from '../../src/accounts/people/people.ts'
import { setPassword } from '../../src/accounts/people/set-password.ts'
import { allCategories, listSwitchedFields } from '../../src/categories/catalogue.ts'
import { createAccessLink, revokeAccessLink } from '../../src/passports/access/access-links.ts'
import { type Answer, type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'
import { makeJpeg, makePdf } from '../media/sample-files.ts'

let t: Harness
let account: TestAccount
let other: TestAccount
const HOUR_MS = 3_600_000

before(async () => {
  t = await startHarness()
  account = await t.account()
  other = await t.account()
})
after(() => t.close())

const upload = async (bytes: Buffer, { key } = account): Promise<string> => {
  const type = bytes.subarray(0, 4).toString() === '%PDF' ? 'application/pdf' : 'image/jpeg'
  const stored = await t.ask('POST', '/api/v1/media', { key, text: bytes, headers: { 'content-type': type } })
  assert.ok(stored.status < 300, stored.text)
  return stored.json.data.id
}

const create = async (data: object, { key } = account): Promise<string> => {
  const made = await t.ask('POST', '/api/v1/products', {
    key,
    body: newProduct(data as Record<string, unknown>),
  })
  assert.equal(made.status, 201, made.text)
  return made.json.data.id
}

const issue = async (parent: string, unit: object): Promise<string> => {
  const path = `/api/v1/products/${parent}/children`
  const made = await t.ask('POST', path, { key: account.key, body: unit })
  assert.equal(made.status, 201, made.text)
  return made.json.data.id
}

async function signIn({ id }: TestAccount): Promise<{ cookie: string }> {
  const email = `files${id}@testmarke.example`
  const person = { sql: t.sql, clock: t.clock }
  const { token } = await createPerson(person, { accountId: id, email, role: 'viewer' })
  await setPassword(person, { token, password: 'the password of a test' })
  const { status, headers } = await t.ask('POST', '/console/sign-in', {
    text: new URLSearchParams({ email, password: 'the password of a test' }).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'https://carnet.example',
      'sec-fetch-site': 'same-origin',
    },
  })
  assert.equal(status, 303)
  const lines = [headers['set-cookie'] ?? []].flat()
  return { cookie: lines.map(line => line.split(';')[0]).join('; ') }
}

const show = (media: string) => ({ pictures: [{ media, alt: { en: 'A shirt', de: 'Ein Hemd' } }] })
const attach = (media: string, access: string, title = 'Manual') => ({
  documents: [{ title: { en: title, de: `${title} (deutsch)` }, media, access }],
})

type Headers = Record<string, string>
const get = (path: string, headers: Headers = {}) => t.ask('GET', path, { headers })

const assertSame = (answer: Answer, expected: Answer, what: string) => {
  const read = ({ status, headers, text }: Answer) => [
    status,
    headers['cache-control'],
    headers.etag,
    headers['content-type'],
    text.replace(/"request_id":"\w+"/, ''),
  ]
  assert.deepEqual(read(answer), read(expected), what)
}

describe('GET /m/{id}/{width}.{type}', () => {
  let picture: string
  before(async () => {
    picture = await upload(await makeJpeg({ width: 700, height: 400 }))
  })

  test('is 404 until a passport shows the picture, and for ever there after it', async () => {
    assert.equal((await get(`/m/${picture}/320.jpg`)).status, 404)
    const id = await create(show(picture))
    const shown = await get(`/m/${picture}/320.jpg`)
    assert.equal(shown.status, 200)
    const { headers } = shown
    assert.equal(headers['content-type'], 'image/jpeg')
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(headers['cross-origin-resource-policy'], 'cross-origin')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['set-cookie'], undefined)
    assert.match(String(headers.etag), /^"[^"]+"$/)
    const path = `/api/v1/products/${id}`
    await t.ask('PATCH', path, { key: account.key, body: { data: { pictures: null } } })
    assert.equal((await get(`/m/${picture}/640.webp`)).status, 200)
  })

  test('has each type in each width up to its own, from memory too', async () => {
    for (const file of ['320.avif', '640.avif', '1280.avif', '320.webp', '640.jpg', '1280.jpg'])
      for (const _ of [1, 2]) assert.equal((await get(`/m/${picture}/${file}`)).status, 200, file)
    const small = await upload(await makeJpeg({ width: 300, height: 200 }))
    await create(show(small))
    assert.equal((await get(`/m/${small}/320.jpg`)).status, 200)
    const wrong = [
      '640.jpg',
      '1280.avif',
      '300.jpg',
      '0320.jpg',
      '320.png',
      '320',
      '320.jpg.jpg',
      'original',
      '',
    ]
    for (const file of wrong) assert.equal((await get(`/m/${small}/${file}`)).status, 404, file)
  })

  test('answers HEAD, and 304 to those who have it', async () => {
    const { headers } = await get(`/m/${picture}/320.jpg`)
    const head = await t.ask('HEAD', `/m/${picture}/320.jpg`)
    assert.deepEqual(
      [head.status, head.text, head.headers['content-length']],
      [200, '', headers['content-length']],
    )
    const again = await get(`/m/${picture}/320.jpg`, { 'if-none-match': String(headers.etag) })
    assert.deepEqual([again.status, again.text], [304, ''])
  })

  test('is of the account that shows it, not of one that only has it', async () => {
    const bytes = await makeJpeg({ width: 330, height: 100 })
    const id = await upload(bytes)
    assert.equal(await upload(bytes, other), id)
    assert.equal((await get(`/m/${id}/320.jpg`)).status, 404)
    await create(show(id), other)
    assert.equal((await get(`/m/${id}/320.jpg`)).status, 200)
    const own = await t.ask('DELETE', `/api/v1/media/${id}`, { key: account.key })
    assert.equal(own.status, 204)
    assert.equal((await get(`/m/${id}/640.jpg`)).status, 200)
  })
})

describe('GET /d/{id}', () => {
  test('needs not ask for the audiences that an account has chosen: they change no list with files', () => {
    for (const category of allCategories()) {
      const lists = category.fields.filter(({ of = [] }) =>
        of.some(({ format }) => format === 'document_id' || format === 'picture_id'),
      )
      assert.ok(lists.length >= 3, category.id)
      assert.deepEqual(listSwitchedFields({ fields: lists }), [], category.id)
    }
  })

  test('gives a public document to everyone, with its title as name', async () => {
    const bytes = await makePdf('for everyone')
    const id = await upload(bytes)
    await create(attach(id, 'public', 'Füße "und" Pfoten/..'))
    const { status, headers, text } = await get(`/d/${id}`)
    assert.equal(status, 200)
    assert.ok(text.startsWith('%PDF'))
    assert.equal(headers['content-type'], 'application/pdf')
    assert.equal(headers['content-security-policy'], 'sandbox')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.match(String(headers['cache-control']), /^public/)
    assert.equal(
      headers['content-disposition'],
      `inline; filename="Fu_e und Pfoten ...pdf"; filename*=UTF-8''F%C3%BC%C3%9Fe%20und%20Pfoten%20...pdf`,
    )
    assert.equal((await get(`/d/${id}`, { 'if-none-match': `"${id}"` })).status, 304)
  })

  test('has a name that ends nothing in its header', async () => {
    for (const [title, ascii, encoded] of [
      [`a\uff02; filename*=UTF-8''b\uff02`, `a ; filename =UTF-8''b .pdf`, /^a%EF%BC%82%3B%20filename/],
      [`${'x'.repeat(99)}\u{1f455}y`, `${'x'.repeat(99)}_.pdf`, /x%F0%9F%91%95\.pdf$/],
    ] as const) {
      const id = await upload(await makePdf(title.slice(0, 1)))
      await create(attach(id, 'public', title))
      const [, plain = '', utf8 = ''] =
        /^inline; filename="([^"]*)"; filename\*=UTF-8''(\S+)$/.exec(
          String((await get(`/d/${id}`)).headers['content-disposition']),
        ) ?? []
      assert.equal(plain, ascii)
      assert.match(utf8, encoded)
    }
  })

  test('gives a part of it', async () => {
    const bytes = await makePdf('in parts')
    const id = await upload(bytes)
    await create({ complianceDocuments: [{ type: 'declaration_of_conformity', media: id }] })
    const ask = async (range: string) => {
      const { status, headers, text } = await get(`/d/${id}`, { range })
      return [status, headers['content-range'], text.length]
    }
    const { length } = bytes
    assert.deepEqual(await ask('bytes=0-3'), [206, `bytes 0-3/${length}`, 4])
    assert.deepEqual(await ask('bytes=-5'), [206, `bytes ${length - 5}-${length - 1}/${length}`, 5])
    assert.deepEqual(await ask('bytes=-0'), [416, `bytes */${length}`, 0])
    assert.equal((await ask(`bytes=-${length + 1}`))[1], `bytes 0-${length - 1}/${length}`)
    assert.deepEqual(await ask(`bytes=${length}-`), [416, `bytes */${length}`, 0])
    const outside = await get(`/d/${id}`, { range: `bytes=${length}-` })
    assert.equal(outside.headers['cache-control'], 'no-store', 'not what others get')
    const head = await t.ask('HEAD', `/d/${id}`, { headers: { range: 'bytes=0-3' } })
    assert.deepEqual([head.status, head.headers['content-length']], [200, String(length)])
    for (const range of ['bytes=0-1,3-4', 'lines=1-2', 'bytes=5-2'])
      assert.equal((await get(`/d/${id}`, { range })).status, 200, range)
  })

  test('reads only the requested part of it, and nothing if the reader kept a copy', async context => {
    const { mediaStore } = t.setup.media
    const read = context.mock.method(mediaStore, 'read')
    const readRange = context.mock.method(mediaStore, 'readRange')
    const bytes = await makePdf('a long document')
    const id = await upload(bytes)
    await create(attach(id, 'public'))
    read.mock.resetCalls()
    for (let from = 0; from < bytes.length; from += 500) {
      const { status, text } = await get(`/d/${id}`, { range: `bytes=${from}-${from + 499}` })
      assert.deepEqual([status, text], [206, bytes.subarray(from, from + 500).toString()])
    }
    const parts = await Promise.all(readRange.mock.calls.map(({ result }) => result))
    assert.equal(
      parts.map(part => part?.bytes.length ?? 0).reduce((sum, n) => sum + n),
      bytes.length,
    )
    const have = { 'if-none-match': `"${id}"`, range: 'bytes=0-3' }
    assert.equal((await get(`/d/${id}`, have)).status, 304)
    assert.equal(read.mock.callCount(), 0)
    assert.equal(readRange.mock.callCount(), parts.length)
    assert.equal((await get(`/d/${id}`, { 'if-range': '"other"', range: 'bytes=0-3' })).status, 200)
    assert.equal(read.mock.callCount(), 1)
  })

  test('shows the address in the page of a passport that names only the file', async () => {
    const id = await upload(await makePdf('an address'))
    const passport = await create({ complianceDocuments: [{ type: 'test_report', media: id }] })
    assert.match(
      (await get(`/p/${passport}`)).text,
      new RegExp(`href="../d/${id}">.*<small class="doc">PDF, \\d+ kB</small>.*<code title="${id}">${id}<`),
    )
    const json = await get(`/p/${passport}`, { accept: 'application/ld+json' })
    assert.ok(json.text.includes(`https://carnet.example/d/${id}`))
  })

  describe('of a document that not everyone may read', () => {
    /** By audience. */
    const files: Record<'restricted' | 'authority', string> = { restricted: '', authority: '' }
    let model: string
    let item: string
    let neighbour: string
    let missing: Answer

    const addLink = (passportId: string | undefined, audience: string, of = account) =>
      createAccessLink(of.ctx, {
        passportId,
        audience,
        label: 'a reader',
        addresses: t.setup.addresses,
        expiresAt: new Date(t.clock.now().getTime() + HOUR_MS),
      })

    before(async () => {
      for (const access of ['restricted', 'authority'] as const)
        files[access] = await upload(await makePdf(access))
      model = await create({
        documents: (['restricted', 'authority'] as const).map(access => ({
          title: { en: `For ${access}` },
          media: files[access],
          access,
        })),
      })
      item = await issue(model, { level: 'item', serial: 'S1' })
      neighbour = await create({})
      missing = await get(`/d/${randomBytes(32).toString('hex')}`)
      assert.equal(missing.status, 404)
    })

    test('is the same 404 as for one that does not exist', async () => {
      for (const id of Object.values(files)) {
        for (const headers of [
          {},
          { range: 'bytes=0-3' },
          { 'if-none-match': '*' },
          { 'if-none-match': `"${id}"` },
        ])
          assertSame(await get(`/d/${id}`, headers as Headers), missing, JSON.stringify(headers))
        assert.equal((await t.ask('HEAD', `/d/${id}`)).status, 404)
        assert.equal((await get(`/m/${id}/320.jpg`)).status, 404)
      }
    })

    test('says to people how to open it, if they may', async () => {
      const headers = { accept: 'text/html', 'accept-language': 'de' }
      const { status, text } = await get(`/d/${files.restricted}`, headers)
      assert.equal(status, 404)
      assert.match(text, /<h1>Dieses Dokument lässt sich nicht öffnen<\/h1>/)
      const other = await get(`/d/${randomBytes(32).toString('hex')}`, headers)
      assert.equal(other.text, text, 'the same for a document that does not exist')
    })

    test('is for links to the passport, its units and its account, by their audience', async () => {
      for (const passportId of [model, item, undefined])
        for (const audience of ['legitimate_interest', 'authority']) {
          const { token } = await addLink(passportId, audience)
          for (const access of ['restricted', 'authority'] as const)
            await checkAccess(token, access, access === 'restricted' || audience === 'authority')
        }
    })

    test('is given in parts to who may read it, and to nobody else', async () => {
      const { token } = await addLink(model, 'legitimate_interest')
      const range = 'bytes=0-3'
      const part = await get(`/d/${files.restricted}`, { authorization: `Bearer ${token}`, range })
      assert.deepEqual([part.status, part.text], [206, '%PDF'])
      assert.equal(part.headers['cache-control'], 'private, no-store')
      const end = await get(`/d/${files.restricted}?access=${token}`, { range: 'bytes=99999999-' })
      assert.equal(end.status, 416)
      for (const one of [range, 'bytes=-4', 'bytes=99999999-'])
        assertSame(
          await get(`/d/${files.authority}`, { authorization: `Bearer ${token}`, range: one }),
          missing,
          one,
        )
    })

    async function checkAccess(token: string, access: keyof typeof files, isOpen: boolean) {
      const path = `/d/${files[access]}`
      for (const answer of [
        await get(`${path}?access=${token}`),
        await get(path, { authorization: `Bearer ${token}` }),
      ]) {
        if (!isOpen) {
          assertSame(answer, missing, access)
          continue
        }
        assert.equal(answer.status, 200)
        assert.equal(answer.headers['cache-control'], 'private, no-store')
        assert.deepEqual([answer.headers.etag, answer.headers['set-cookie']], [undefined, undefined])
        assert.match(
          String(answer.headers['content-disposition']),
          new RegExp(`filename="For ${access}.pdf"`),
        )
      }
    }

    test('is for the browser that opened the page with a link', async () => {
      const { token } = await addLink(item, 'legitimate_interest')
      const moved = await get(`/p/${item}?access=${token}`)
      assert.equal(moved.status, 303)
      const cookies = [moved.headers['set-cookie']].flat().map(String)
      const cookie = cookies.find(one => one.includes('Path=/d/'))?.split(';')[0] ?? ''
      assert.equal((await get(`/d/${files.restricted}`, { cookie })).status, 200)
      assertSame(await get(`/d/${files.authority}`, { cookie }), missing, 'another audience')
      t.clock.advance(HOUR_MS + 1)
      assertSame(await get(`/d/${files.restricted}`, { cookie }), missing, 'an hour later')
    })

    test('is for the key and the session of the account', async () => {
      const session = (await signIn(account)).cookie
      const foreign = (await signIn(other)).cookie
      for (const id of Object.values(files)) {
        const own = await get(`/d/${id}`, { authorization: `Bearer ${account.key}` })
        assert.deepEqual([own.status, own.headers['cache-control']], [200, 'private, no-store'])
        assert.equal((await get(`/d/${id}`, { cookie: session })).status, 200)
        assertSame(await get(`/d/${id}`, { authorization: `Bearer ${other.key}` }), missing, 'another key')
        assertSame(await get(`/d/${id}`, { cookie: foreign }), missing, 'another session')
      }
    })

    test('is not for ended links, nor for those to other passports and accounts', async () => {
      const revoked = await addLink(model, 'authority')
      await revokeAccessLink(account.ctx, revoked.id)
      const expired = await addLink(model, 'authority')
      t.clock.advance(HOUR_MS + 1)
      const foreign = await create({}, other)
      const links = [
        revoked,
        expired,
        await addLink(neighbour, 'authority'),
        await addLink(foreign, 'authority', other),
        await addLink(undefined, 'authority', other),
      ]
      for (const [n, { token }] of links.entries())
        for (const id of Object.values(files)) {
          assertSame(await get(`/d/${id}?access=${token}`), missing, `link ${n}`)
          assertSame(await get(`/d/${id}?access=${token.slice(0, -1)}x`), missing, `mistyped link ${n}`)
          assertSame(await get(`/d/${id}`, { authorization: `Bearer ${token}` }), missing, `bearer ${n}`)
        }
    })

    test('is not in a unit that has a list of its own', async () => {
      const own = await upload(await makePdf('of the unit alone'))
      const unit = await issue(model, { level: 'item', serial: 'S2', data: attach(own, 'restricted') })
      const [ofUnit, ofModel, ofItem] = [
        await addLink(unit, 'authority'),
        await addLink(model, 'authority'),
        await addLink(item, 'authority'),
      ]
      const ask = async (id: string, { token }: { token: string }) =>
        (await get(`/d/${id}?access=${token}`)).status
      assert.deepEqual(
        [
          await ask(own, ofUnit),
          await ask(own, ofModel),
          await ask(own, ofItem),
          await ask(files.restricted, ofUnit),
        ],
        [200, 200, 404, 404],
      )
    })

    test('is public once an entry for everyone names it', async () => {
      const id = await upload(await makePdf('soon for everyone'))
      const passport = await create(attach(id, 'authority', 'Secret title'))
      assertSame(await get(`/d/${id}`), missing, 'before')
      const body = { data: attach(id, 'public', 'Open title') }
      await t.ask('PATCH', `/api/v1/products/${passport}`, { key: account.key, body })
      const open = await get(`/d/${id}`)
      assert.equal(open.status, 200)
      assert.match(String(open.headers['content-disposition']), /Open title/)
    })

    test('is not found by guessing a thousand addresses', async () => {
      const { token } = await addLink(neighbour, 'authority')
      const near = Object.values(files).flatMap(id => [
        ...Array.from(
          { length: 64 },
          (_, i) => id.slice(0, i) + (id[i] === '0' ? '1' : '0') + id.slice(i + 1),
        ),
        id.toUpperCase(),
        `${id}0`,
        id.slice(1),
        ` ${id}`,
        `${id}/`,
        `${id}.pdf`,
        `../d/${id}`,
        `${id}%00`,
      ])
      const random = Array.from({ length: 1_000 - near.length }, () => hash('sha256', randomBytes(8), 'hex'))
      let found = 0
      await Promise.all(
        Array.from({ length: 8 }, async (_, lane) => {
          for (const [n, id] of [...near, ...random].entries()) {
            if (n % 8 !== lane) continue
            const headers: Headers =
              n % 3 === 0 ? { authorization: `Bearer ${token}` } : { range: 'bytes=0-9' }
            const { status, text } = await get(`/d/${encodeURI(id)}`, headers)
            if (status < 400 || text.includes('%PDF')) found++
          }
        }),
      )
      assert.equal(found, 0)
    })
  })
})
