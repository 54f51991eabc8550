/**
 * Tests the brand's forms: what is stored, what is rejected with which message, and files that are not logos.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { AccountContext } from '../../src/accounts/account/context.ts'
import { getBrand } from '../../src/accounts/brand/brand.ts'
import { MAX_UPLOADED_BYTES } from '../../src/console/page/upload.ts'
import { type Browser, OWN, type Stand, startStand } from './stand.ts'

const BRAND = '/console/settings/brand'
const LOGOS = `${BRAND}/logos`
const SVG = '<svg viewBox="0 0 168 40" onload="alert(1)"><script>1</script><path d="M0 0h168v40z"/></svg>'

let stand: Stand
let ctx: AccountContext
let editor: Browser
let viewer: Browser

before(async () => {
  stand = await startStand()
})
after(() => stand.close())

async function fresh(): Promise<void> {
  const accountId = await stand.account()
  ctx = { ...stand.ctx, sql: stand.sql, accountId, actorId: 1 }
  editor = await stand.signedIn(accountId, 'editor')
  viewer = await stand.signedIn(accountId, 'viewer')
}

const LOOK = {
  name: 'Nordmoor',
  accent: '#F5C400',
  frames: 'https://Shop.example/\r\nhttps://*.nordmoor.example\r\n',
}
const files = (parts: Record<string, string | Uint8Array<ArrayBuffer>>) => {
  const form = new FormData()
  for (const [name, part] of Object.entries(parts)) {
    if (name.startsWith('remove_')) form.set(name, String(part))
    else form.set(name, new Blob([part]), `${name}.bin`)
  }
  return form
}
const png = (bytes: number, width: number) => {
  const file = Buffer.alloc(bytes)
  file.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
  file.writeUInt32BE(width, 16)
  file.writeUInt32BE(40, 20)
  return new Uint8Array(file)
}

describe('name, colour and frames', () => {
  test('are stored normalized, and only the changes are in the audit log', async () => {
    await fresh()
    const saved = await editor.post(BRAND, { form: LOOK })
    assert.deepEqual([saved.status, saved.headers.location], [303, `${BRAND}?saved=1`])
    assert.match(
      (await editor.get(BRAND)).text,
      /<p class="way"><a class="alone" href="\/console\/settings">Settings<\/a>/,
    )
    const { name, accent, frameAncestors } = await getBrand(ctx)
    assert.deepEqual(
      [name, accent, frameAncestors],
      ['Nordmoor', '#f5c400', ['https://shop.example', 'https://*.nordmoor.example']],
    )
    await editor.post(BRAND, { form: { ...LOOK, accent: '#f5c400' } })
    await editor.post(BRAND, { form: { ...LOOK, name: '' } })
    assert.equal((await getBrand(ctx)).name, null)
    const entries = await stand.sql`
      select subject from audit_entry where account_id = ${ctx.accountId} and action = 'brand_changed' order by id`
    assert.deepEqual(
      entries.map(entry => entry.subject),
      ['accent, frameAncestors, name', 'name'],
    )
  })

  test('the page shows the colour for light and dark pages, with the contrast', async () => {
    await fresh()
    await editor.post(BRAND, { form: LOOK })
    for (const browser of [editor, viewer]) {
      const { text } = await browser.get(BRAND)
      assert.match(text, /fill="#fdfcfa"[\s\S]*<code>#[0-9a-f]{6}<\/code> adjusted, contrast 4\.\d:1/)
      assert.match(text, /fill="#171614"[\s\S]*<code>#f5c400<\/code> as given, contrast 1\d(\.\d)?:1/)
    }
    assert.doesNotMatch((await viewer.get(BRAND)).text, /<button class="second" formmethod|type="file"/)
  })

  test('a colour can be previewed without saving it, by the picker or as text', async () => {
    await fresh()
    const ask = (query: Record<string, string>) => editor.get(`${BRAND}?${new URLSearchParams(query)}`)
    const tried = await ask({
      accent: '#c00',
      accent_shown: '',
      accent_picker: '#1a5f4b',
      name: 'A',
      frames: '',
    })
    assert.match(tried.text, /Not saved yet/)
    assert.match(tried.text, /<code>#cc0000<\/code> as given/)
    const picked = await ask({
      accent: '',
      accent_shown: '',
      accent_picker: '#00aa00',
      name: 'A',
      frames: '',
    })
    assert.match(picked.text, /id="accent" name="accent" value="#00aa00"/)
    const untouched = await ask({
      accent: '',
      accent_shown: '',
      accent_picker: '#1a5f4b',
      name: 'A',
      frames: '',
    })
    assert.match(untouched.text, /id="accent" name="accent" value=""/)
    const wrong = await ask({ accent: '<b>', accent_shown: '', name: '', frames: '' })
    assert.equal(wrong.status, 422)
    assert.equal((await getBrand(ctx)).version, 0)
  })

  test('errors are shown at their fields, the input stays, nothing is stored', async () => {
    await fresh()
    const wrong: [Partial<typeof LOOK>, RegExp, RegExp][] = [
      [{ name: 'x'.repeat(101) }, /At most 100/, /Höchstens 100/],
      [{ name: 'a\u0007b' }, /cannot be displayed/, /nicht anzeigen lassen/],
      [{ accent: 'red' }, /not a colour/, /Das ist keine Farbe/],
      [{ accent: '#12345' }, /not a colour/, /Das ist keine Farbe/],
      [{ frames: 'http://shop.example' }, /Not an origin: http:\/\/shop\.example\./, /Keine Herkunft/],
      [{ frames: "https://a.example; script-src 'none'" }, /Not an origin/, /Keine Herkunft/],
      [
        { frames: Array.from({ length: 21 }, (_, i) => `https://s${i}.example`).join('\n') },
        /At most 20/,
        /Höchstens 20/,
      ],
    ]
    for (const [change, en, de] of wrong) {
      const form = { ...LOOK, ...change }
      const answer = await editor.post(BRAND, { form })
      assert.equal(answer.status, 422, JSON.stringify(change))
      assert.match(answer.text, en)
      assert.match(answer.text, /aria-invalid="true"/)
      const headers = { 'accept-language': 'de', 'sec-fetch-site': 'same-origin' }
      assert.match((await editor.post(BRAND, { form, headers })).text, de)
    }
    assert.equal((await getBrand(ctx)).version, 0)
  })
})

describe('logos', () => {
  test('logos are sanitized and stored one by one, and can be removed', async () => {
    await fresh()
    const sent = await editor.post(LOGOS, { parts: files({ logo: SVG, logo_dark: '' }) })
    assert.equal(sent.headers.location, `${BRAND}?saved=1`)
    const first = await getBrand(ctx)
    assert.match(first.logo?.file ?? '', /\.svg$/)
    assert.equal(first.logoDark, null)
    const [kept] =
      await stand.sql`select convert_from(bytes, 'UTF8') as text from brand_logo where account_id = ${ctx.accountId}`
    assert.doesNotMatch(kept?.text, /script|onload/)

    await editor.post(LOGOS, { parts: files({ logo_dark: png(200, 300) }) })
    const both = await getBrand(ctx)
    assert.equal(both.logo?.file, first.logo?.file)
    assert.equal(both.logoDark?.width, 300)
    assert.ok((await viewer.get(BRAND)).text.includes(`src="/brand/${both.logoDark?.file}"`))
    await editor.post(LOGOS, { parts: files({ remove_logo: 'yes' }) })
    const one = await getBrand(ctx)
    assert.deepEqual([one.logo, one.logoDark?.width], [null, 300])
  })

  test('a file that is not a logo is rejected with the reason and its size', async () => {
    await fresh()
    const path = `<path d="M0 0${'h1v1'.repeat(3_000)}"/>`
    const wrong: [Record<string, string | Uint8Array<ArrayBuffer>>, RegExp][] = [
      [{ logo: 'GIF89a' }, /picture cannot be used/],
      [{ logo: '<svg viewBox="0 0 1 1"><path></svg>' }, /picture cannot be used/],
      [{ logo: png(9_000, 300) }, /The file has 9,000 bytes; at most 8,192/],
      [{ logo: png(3_000_000, 300) }, /The file has 3,000,000 bytes/],
      [{ logo: `<svg viewBox="0 0 1 1">${path}</svg>` }, /The drawing alone has more than 8,192/],
      [{ logo: png(100, 5_000) }, /more than 1,200 pixels/],
      [{ logo: SVG, remove_logo: 'yes' }, /not both/],
      [{ logo: SVG, logo_dark: 'x' }, /picture cannot be used/],
    ]
    for (const [parts, sentence] of wrong) {
      const answer = await editor.post(LOGOS, { parts: files(parts) })
      assert.equal(answer.status, 422, String(sentence))
      assert.match(answer.text, sentence)
    }
    assert.equal((await getBrand(ctx)).version, 0)
  })

  test('a form that is too large, malformed or from another site changes nothing', async () => {
    await fresh()
    const send = (payload: Buffer | string, type: string, headers: Record<string, string> = OWN) =>
      stand.app.inject({
        method: 'POST',
        url: LOGOS,
        headers: { ...headers, cookie: editor.cookie ?? '', 'content-type': type },
        payload,
      })
    const type = 'multipart/form-data; boundary=b'
    const head = '--b\r\ncontent-disposition: form-data; name="logo"; filename="a.svg"\r\n\r\n'
    const large = Buffer.concat([
      Buffer.from(head),
      Buffer.alloc(MAX_UPLOADED_BYTES),
      Buffer.from('\r\n--b--'),
    ])
    const refused = await send(large, type)
    assert.equal(refused.statusCode, 413)
    assert.match(refused.body, /Nothing was changed/)
    for (const [body, kind] of [
      ['', type],
      ['--b', type],
      [head + SVG, type],
      [`${head}${SVG}\r\n--c--`, type],
      [`${head}${SVG}\r\n--b--`, 'multipart/form-data'],
    ] as const) {
      const answer = await send(body, kind)
      assert.equal(answer.statusCode, 400, JSON.stringify([body.slice(0, 20), kind]))
    }
    const good = `${head}${SVG}\r\n--b--`
    assert.equal((await send(good, type, { origin: 'https://evil.example' })).statusCode, 403)
    assert.equal((await viewer.post(LOGOS, { parts: files({ logo: SVG }) })).status, 403)
    assert.equal((await stand.browser().post(LOGOS, { parts: files({ logo: SVG }) })).status, 403)
    assert.equal((await getBrand(ctx)).version, 0)
    assert.equal((await send(good, type)).statusCode, 303)
    assert.equal((await getBrand(ctx)).version, 1)
  })
})
