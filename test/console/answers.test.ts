/** Tests that the answer of a form has an address: reloading it, copying it, several of them, sign-out. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { MAX_ANSWERS_PER_SESSION } from '../../src/accounts/idempotency/session-answers.ts'
import { type Answer, type Browser, OWN, PASSWORD, PUBLIC_URL, type Stand, startStand } from './stand.ts'

const LINKS = '/console/settings/access-links'
const TYPED = 'Workshop of Anna Řeháková'

let stand: Stand
let account: number
let editor: Browser

before(async () => {
  stand = await startStand()
  account = await stand.account({ plan: 'enterprise' })
  editor = await stand.signedIn(account, 'editor')
})
after(() => stand.close())

/** Headers of a browser that sends a form of the page at `from`. */
const asBrowser = (from: string, more: Record<string, string> = {}) => ({
  headers: { ...OWN, accept: 'text/html,application/xhtml+xml', referer: PUBLIC_URL + from, ...more },
})
const post = (browser: Browser, path: string, from: string, form: Record<string, string>) =>
  browser.post(path, { form, ...asBrowser(from) })
const fail = (browser: Browser, from = LINKS) => post(browser, LINKS, from, { label: TYPED })
const follow = (browser: Browser, { headers }: Answer) => browser.get(headers.location ?? '')
const isOver = (answer: Answer, to: string) =>
  assert.deepEqual([answer.status, answer.headers.location], [303, to])
const countRows = async () =>
  (await stand.sql`select from idempotency_key where account_id = ${account} and key like 'console-answer:%'`)
    .length

describe('the answer of a form', () => {
  test('stands at the address of the form, and reloading it sends nothing', async () => {
    const sent = await fail(editor, `${LINKS}?product=abc`)
    assert.equal(sent.status, 303)
    assert.match(
      sent.headers.location ?? '',
      /^\/console\/settings\/access-links\?product=abc&answer=[\w-]{22}$/,
    )
    for (const shown of [await follow(editor, sent), await follow(editor, sent)]) {
      assert.equal(shown.status, 422)
      assert.match(shown.text, /role="alert"/)
      assert.ok(shown.text.includes(`value="${TYPED}"`))
      assert.equal(shown.text.split('data-answered="refused"').length, 2)
    }
    const { count } = await stand.sql`select from access_link where account_id = ${account}`
    assert.equal(count, 0)
  })

  test('shows a created secret again, and creates nothing twice', async () => {
    const form = { label: 'Audit', audience: 'authority', opens: 'all', ends: '2026-12-24' }
    const sent = await post(editor, LINKS, LINKS, form)
    const [first, second] = [await follow(editor, sent), await follow(editor, sent)]
    assert.equal(first.status, 200)
    assert.equal(first.text, second.text)
    const { count } = await stand.sql`select from access_link where account_id = ${account}`
    assert.equal(count, 1)
  })

  test('is for its own session only, and for minutes', async () => {
    const sent = await fail(editor)
    const at = sent.headers.location ?? ''
    const colleague = await stand.signedIn(account, 'owner')
    isOver(await colleague.get(at), LINKS)
    const stranger = await stand.signedIn(await stand.account(), 'owner')
    isOver(await stranger.get(at), LINKS)
    const out = await stand.browser().get(at)
    assert.match(out.headers.location ?? '', /^\/console\/sign-in\?next=/)
    isOver(await editor.get(`${LINKS}?answer=${'x'.repeat(22)}`), LINKS)
    isOver(await editor.get(`${LINKS}?answer=%00&product=a`), `${LINKS}?product=a`)
    stand.clock.advance(29 * 60_000)
    assert.equal((await editor.get(at)).status, 422)
    stand.clock.advance(2 * 60_000)
    isOver(await editor.get(at), LINKS)
  })

  test('is encrypted, and gone when its form is saved and when the session ends', async () => {
    const browser = await stand.signedIn(account, 'editor')
    const before = await countRows()
    const [one, two] = [await fail(browser), await fail(browser)]
    const rows = await stand.sql<{ body: string }[]>`
      select body from idempotency_key where account_id = ${account} and key like 'console-answer:%'`
    assert.equal(rows.length, before + 2)
    for (const { body } of rows) assert.doesNotMatch(Buffer.from(body, 'base64').toString(), /Workshop|<form/)
    const at = one.headers.location ?? ''
    const draft = { category: 'textile', as: 'draft', 'd.productName': 'Draft', 'd.languages.0': 'en' }
    const saved = await post(browser, '/console/products', at, draft)
    assert.match(saved.headers.location ?? '', /^\/console\/drafts\//)
    isOver(await browser.get(at), LINKS)
    assert.equal((await follow(browser, two)).status, 422, 'another tab keeps its own')
    await browser.post('/console/sign-out')
    assert.equal(await countRows(), before)
  })

  test('is kept for a few forms of a session, the newest', async () => {
    const browser = await stand.signedIn(account, 'editor')
    const before = await countRows()
    const sent: Answer[] = []
    for (let i = 0; i <= MAX_ANSWERS_PER_SESSION; i++) {
      sent.push(await fail(browser))
      stand.clock.advance(1_000)
    }
    assert.equal(await countRows(), before + MAX_ANSWERS_PER_SESSION)
    const statuses = []
    for (const one of sent) statuses.push((await follow(browser, one)).status)
    assert.deepEqual(statuses, [303, ...Array(MAX_ANSWERS_PER_SESSION).fill(422)])
  })

  test('of a form that needs a proof of identity continues after it', async () => {
    const owner = await stand.signedIn(account, 'owner')
    stand.clock.advance(11 * 60_000)
    const form = { name: 'Shop', scope: 'read', ends: 'never' }
    const asked = await post(owner, '/console/keys', '/console/keys', form)
    assert.match(asked.headers.location ?? '', /^\/console\/keys\?answer=/)
    const page = await follow(owner, asked)
    assert.equal(page.status, 403)
    assert.match(page.text, /name="confirm_password"/)
    assert.match(page.text, /href="\/console\/keys">/, 'the way back is the form itself')
    const at = asked.headers.location ?? ''
    const done = await post(owner, '/console/keys', at, { ...form, confirm_password: PASSWORD })
    assert.equal(done.status, 303)
    assert.doesNotMatch(done.headers.location ?? '', /answer=/)
    isOver(await owner.get(at), '/console/keys')
  })

  test('comes at once to programs, and to browsers that hide where the form was', async () => {
    const hidden = asBrowser(LINKS)
    const { referer: _, ...headers } = hidden.headers
    const form = { label: TYPED }
    for (const request of [{ form }, { form, headers }, { form, ...asBrowser('/console/nowhere') }])
      assert.equal((await editor.post(LINKS, request)).status, 422)
    const elsewhere = asBrowser('').headers
    const foreign = { ...elsewhere, referer: 'https://other.example/console/keys/../../x' }
    assert.equal((await editor.post(LINKS, { form, headers: foreign })).status, 422)
  })

  test('of a page too large to keep comes at once', async () => {
    const noise = Array.from({ length: 110_000 }, (_, i) => Math.sin(i).toString(36).slice(3, 11)).join('')
    const form = { category: 'textile', 'd.productName': noise, 'd.languages.0': 'en' }
    const answer = await post(editor, '/console/products', '/console/products/new?category=textile', form)
    assert.equal(answer.status, 422)
  })
})
