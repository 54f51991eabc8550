/** Tests the block “From the brand”: on pages alone, and with a picture that counts as used. */
import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { findHome } from '../../src/accounts/account/account-shard.ts'
import { updateBrand } from '../../src/accounts/brand/update-brand.ts'
import { LANGUAGES } from '../../src/i18n/catalogue.ts'
import { parseId } from '../../src/kernel/crypto/ids.ts'
import { AppError } from '../../src/kernel/errors/errors.ts'
import { DOCUMENT_FORMATS } from '../../src/passports/documents/formats.ts'
import { updateStory } from '../../src/passports/story/update-story.ts'
import { createMediaCleanup } from '../../src/worker/media-tasks.ts'
import { getTestShard } from '../database.ts'
import { type Harness, newProduct, spreadClosed, startHarness, type TestAccount } from '../harness.ts'
import { makePng } from '../media/sample-files.ts'

const DAY_MS = 86_400_000
const TEXT = 'We weave in “Guimarães” <b>.\nSince 2004.\n\nOur second paragraph.'
const LINK = { url: 'https://shop.example/care', label: { en: 'How we weave', de: 'Wie wir weben' } }

let t: Harness
let account: TestAccount
let path: string
let media: string
before(async () => {
  t = await startHarness()
  account = await t.account()
  media = await upload()
  const made = await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })
  path = `/p/${made.json.data.id}`
})
after(() => t.close())

async function upload(): Promise<string> {
  const text = Buffer.concat([await makePng({ width: 40, height: 30 }), randomBytes(8)])
  const headers = { 'content-type': 'image/png' }
  return (await t.ask('POST', '/api/v1/media', { key: account.key, text, headers })).json.data.id
}

const tell = (sent: unknown) => updateStory(account.ctx, sent)
const read = (query = '') => t.ask('GET', `${path}${query}`)
const listUnused = async (): Promise<string[]> =>
  (await t.ask('GET', '/api/v1/media?unused=true', { key: account.key })).json.data.map(
    (one: { id: string }) => one.id,
  )
const findBlock = (html: string) =>
  /<section><h2>[^<]*<\/h2><div id="from-brand">(.*?)<\/div><\/section>/s.exec(html)?.[1] ?? ''

describe('a page of an account with a block of its own words', () => {
  test('shows it after the data, before who answers, with its own style in the policy', async () => {
    await updateBrand(account.ctx, { name: 'Nord & Söhne' })
    const bare = await read('?lang=en')
    await tell({ text: { en: TEXT }, links: [LINK], picture: { media, alt: { de: 'Ein Webstuhl' } } })
    const { text, headers } = await read('?lang=en')
    const block = findBlock(text)
    assert.match(text, /<h2>From the brand<\/h2>/)
    assert.match(
      block,
      /<bdi>These are Nord &#38; Söhne’s own words\. They are not part of the passport’s data\.<\/bdi>/,
    )
    assert.ok(
      block.includes(
        '<p>We weave in “Guimarães” &#60;b&#62;.<br>Since 2004.</p><p>Our second paragraph.</p>',
      ),
    )
    assert.match(
      block,
      /<a href="https:\/\/shop\.example\/care" rel="noopener nofollow"><bdi>How we weave<\/bdi>/,
    )
    assert.match(block, /class="cb" alt="Ein Webstuhl" lang="de" width="40" height="30" loading="lazy">/)
    const places = ['id="identifiers"', 'id="from-brand"', 'id="operator"', 'id="history"'].map(one =>
      text.indexOf(one),
    )
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    )
    assert.ok(!places.includes(-1))
    const style = /<style>(.*?)<\/style>/s.exec(text)?.[1] ?? ''
    assert.match(style, /\.cb\{--r:1\.333;background:#/)
    assert.ok(headers['content-security-policy']?.includes(`'sha256-${hash('sha256', style, 'base64')}'`))
    assert.notEqual(headers.etag, bare.headers.etag)
  })

  test('says in which languages it is written, and marks them', async () => {
    await tell({ text: { fr: 'Bonjour', de: 'Hallo' }, links: [{ ...LINK, label: { de: 'Weben' } }] })
    const greek = findBlock((await read('?lang=el')).text)
    assert.match(greek, /<p class="from">Μόνο στα: <a href="\?lang=fr">.*<a href="\?lang=de">|lang=fr/)
    assert.match(greek, /<p lang="(?:fr|de)" dir="auto">/)
    assert.match(greek, /<bdi lang="de">Weben<\/bdi>/)
    assert.match(greek, /<small class="from">Μόνο στα: <a href="\?lang=de">γερμανικά<\/a><\/small><\/li>/i)
    const german = findBlock((await read('?lang=de')).text)
    assert.match(german, /<p>Hallo<\/p>/)
    assert.doesNotMatch(german, /lang="de"/)
    for (const { code } of LANGUAGES) assert.notEqual(findBlock((await read(`?lang=${code}`)).text), '', code)
  })

  test('is the only form that has it, also for readers of an older version', async () => {
    const secret = `own${randomBytes(6).toString('hex')}`
    await tell({
      text: { en: secret },
      links: [{ ...LINK, url: `https://${secret}.example` }],
      picture: { media, alt: { en: secret } },
    })
    assert.equal((await read('?lang=en')).text.split(secret).length - 1, 4)
    for (const format of ['jsonld', ...DOCUMENT_FORMATS.map(({ id }) => id)]) {
      const { text } = await read(`?format=${format}`)
      assert.ok(!text.includes(secret) && !text.includes(media), format)
    }
    const api = await t.ask('GET', `/api/v1/products/${path.slice(3)}`, { key: account.key })
    assert.ok(!api.text.includes(secret))
  })

  test('is the same to the byte before a block was set and after it was removed', async () => {
    await tell({ text: { en: TEXT } })
    const other = await t.account()
    const made = await t.ask('POST', '/api/v1/products', { key: other.key, body: newProduct() })
    const ask = async () => (await t.ask('GET', `/p/${made.json.data.id}?lang=el`)).text
    const before = await ask()
    assert.equal(findBlock(before), '')
    assert.doesNotMatch(before, /from-brand/)
    await updateStory(other.ctx, { text: { el: 'Γεια' }, links: [LINK] })
    const shown = await ask()
    assert.notEqual(findBlock(shown), '')
    assert.ok(gzipSync(shown).length - gzipSync(before).length < 700)
    await updateStory(other.ctx, null)
    assert.equal(await ask(), before)
  })
})

describe('the picture of the block', () => {
  test('is public, and counts as used until the block shows another', async () => {
    const [first, second] = [await upload(), await upload()]
    const isPublic = async (id: string) => (await t.ask('GET', `/m/${id}/320.webp`)).status === 200
    assert.equal(await isPublic(first), false)
    assert.ok((await listUnused()).includes(first))
    await tell({ picture: { media: first, alt: { en: 'A loom' } } })
    assert.equal(await isPublic(first), true)
    assert.ok(!(await listUnused()).includes(first))
    const refused = await t.ask('DELETE', `/api/v1/media/${first}`, { key: account.key })
    assert.deepEqual([refused.status, refused.json.code], [409, 'in_use'])
    assert.match(refused.text, /From the brand/)
    await tell({ picture: { media: second, alt: { en: 'A loom' } } })
    assert.ok((await listUnused()).includes(first))
    const deleted = await t.ask('DELETE', `/api/v1/media/${first}`, { key: account.key })
    assert.equal(deleted.status, 204, deleted.text)
  })

  test('stays when the clean-up deletes what nobody uses', async () => {
    const [used, unused] = [await upload(), await upload()]
    await tell({ picture: { media: used, alt: { en: 'A loom' } } })
    t.clock.advance(31 * DAY_MS)
    const sql = getTestShard(t.sql)
    const { mediaStore } = t.setup.media
    await createMediaCleanup({ sql, clock: t.clock, log: t.setup.log, mediaStore }, () => true)()
    const ask = async (id: string) => (await t.ask('GET', `/api/v1/media/${id}`, { key: account.key })).status
    assert.deepEqual([await ask(used), await ask(unused)], [200, 404])
    t.clock.release()
  })

  test('must be a picture of the account, and nothing is stored otherwise', async () => {
    await tell(null)
    const stranger = await t.account()
    for (const [ctx, id] of [
      [account.ctx, 'f'.repeat(64)],
      [stranger.ctx, await upload()],
    ] as const) {
      await assert.rejects(
        updateStory(ctx, { picture: { media: id, alt: { en: 'A loom' } } }),
        (error: unknown) => error instanceof AppError && error.details?.[0]?.code === 'unknown_media',
      )
    }
    assert.equal(findBlock((await read('?lang=en')).text), '')
  })
})

test('the audit log says which parts were changed, and a repeated block is no change', async () => {
  const made = await t.account()
  const story = { text: { en: 'Hello' }, links: [LINK] }
  await updateStory(made.ctx, story)
  await updateStory(made.ctx, story)
  await updateStory(made.ctx, { ...story, text: { en: 'Goodbye' } })
  await updateStory(made.ctx, null)
  const rows = await t.sql`
    select subject from audit_entry where account_id = ${made.id} and action = 'brand_changed' order by id`
  assert.deepEqual(
    rows.map(row => row.subject),
    ['story.links, story.text', 'story.text', 'story.links, story.text'],
  )
})

test('an account with models on two shards shows the block and its picture on pages of both', async () => {
  const two = await startHarness({ shards: 2 })
  const { id, key, ctx } = await two.account()
  await spreadClosed(two.setup.sql, id, [1, 2])
  const text = await makePng({ width: 40, height: 30 })
  const headers = { 'content-type': 'image/png' }
  const stored = await two.ask('POST', '/api/v1/media', { key, text, headers })
  const picture = { media: stored.json.data.id, alt: { en: 'A loom' } }
  await updateStory({ ...ctx, ...(await findHome(two.setup.sql, id)) }, { picture })
  const shards = new Set<string>()
  while (shards.size < 2) {
    const made = await two.ask('POST', '/api/v1/products', { key, body: newProduct() })
    assert.equal(made.status, 201, made.text)
    const page = await two.ask('GET', `/p/${made.json.data.id}?lang=en`)
    assert.match(findBlock(page.text), /alt="A loom"/)
    const uuid = parseId(made.json.data.id) ?? ''
    shards.add(uuid.slice(-3))
  }
  assert.equal((await two.ask('GET', `/m/${picture.media}/320.webp`)).status, 200)
  assert.equal((await two.ask('DELETE', `/api/v1/media/${picture.media}`, { key })).status, 409)
  assert.deepEqual((await two.ask('GET', '/api/v1/media?unused=true', { key })).json.data, [])
  await two.close()
})
