/** Tests the list of documents that are not the last word any more, judged by independent implementations. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { setSigning } from '../../src/accounts/issuer/issuer.ts'
import { CATEGORY_EXAMPLES } from '../../src/categories/examples.ts'
import { runCommandLine } from '../../src/cli/run.ts'
import { createApp } from '../../src/cli/server/app.ts'
import { requireUuid } from '../../src/kernel/crypto/ids.ts'
import { endRecall, setRecall } from '../../src/passports/recalls/set-recall.ts'
import { revokeCredential } from '../../src/passports/signed/revoke-credential.ts'
import { emptyFolder } from '../cli/processes.ts'
import { endPools } from '../database.ts'
import { type Answer, type Harness, spreadClosed, startHarness, type TestAccount } from '../harness.ts'
import { isProofValid, readJwt, readSdJwt } from '../standards/judges.ts'

const EN = 'application/json'
const VC = 'application/vc'
const VC_JWT = 'application/vc+jwt'
const SD_JWT = 'application/dc+sd-jwt'
/** How long a process keeps what it read for a list. */
const MINUTE_MS = 60_000
const DATA = {
  ...CATEGORY_EXAMPLES.battery.value.data,
  gtin: undefined,
  countryOfManufacture: 'DE',
  manufacturingFacility: { facilityId: '9521234003007', name: 'Werk Dresden', country: 'DE' },
}

let t: Harness
let account: TestAccount
let did: Answer['json']
before(async () => {
  t = await startHarness()
  account = await signingAccount(t)
  const { json } = await readForm(await create(), EN)
  did = (await t.ask('GET', didPath(json.proof.verificationMethod))).json
})
after(() => t.close())

async function signingAccount(at: Harness): Promise<TestAccount> {
  const made = await at.account({ plan: 'enterprise' })
  await setSigning({ ...made.ctx, secretCipher: at.setup.secretCipher }, true)
  return made
}

const didPath = (keyId: string) =>
  keyId.replace(/^did:web:[^:]+:issuers:([a-z]+)#.*$/, '/issuers/$1/did.json')

async function create(by = account, at = t): Promise<string> {
  const body = { category: 'battery', data: DATA }
  const { status, json, text } = await at.ask('POST', '/api/v1/products', { key: by.key, body })
  assert.equal(status, 201, text)
  return json.data.id
}

async function createItem(model: string, serial: string): Promise<string> {
  const body = { level: 'item', serial }
  const { status, json, text } = await t.ask('POST', `/api/v1/products/${model}/children`, {
    key: account.key,
    body,
  })
  assert.equal(status, 201, text)
  return json.data.id
}

const change = (id: string, ratedCapacity: number) =>
  t.ask('PATCH', `/api/v1/products/${id}`, { key: account.key, body: { data: { ratedCapacity } } })
const archive = (id: string) => t.ask('POST', `/api/v1/products/${id}/archive`, { key: account.key })
const restore = (id: string) => t.ask('POST', `/api/v1/products/${id}/restore`, { key: account.key })
const NOTICE = {
  hazard: { en: 'It can catch fire.' },
  action: { en: 'Stop using it.' },
  url: null,
  contact: null,
  from: undefined,
}
const recall = (id: string) =>
  setRecall(account.ctx, { uuid: requireUuid(id, 'product'), notice: NOTICE, expects: () => true })
const endNotice = (id: string) =>
  endRecall(account.ctx, { uuid: requireUuid(id, 'product'), expects: () => true })

const readForm = (id: string, accept: string, { query = '', at = t } = {}) =>
  at.ask('GET', `/dpp/v1/dpps/${id}${query}`, { headers: { accept } })

type Entry = { statusPurpose: string; statusListIndex: string; statusListCredential: string }

/** The status in each form, after others have verified its signature. */
async function readRecords(id: string): Promise<Answer['json'][]> {
  const [en, vc, jwt, sdJwt] = await Promise.all([EN, VC, VC_JWT, SD_JWT].map(form => readForm(id, form)))
  assert.ok(en && vc && jwt && sdJwt)
  assert.ok(await isProofValid(en.json, did))
  assert.ok(await isProofValid(vc.json, did))
  const { payload } = await readJwt(jwt.text, did)
  const claims: Answer['json'] = await readSdJwt(sdJwt.text, did, t.clock.now())
  const { credentialStatus } = vc.json
  assert.deepEqual(payload.credentialStatus, credentialStatus)
  assert.deepEqual(claims.status.status_list, {
    idx: credentialStatus.statusListIndex,
    uri: `${credentialStatus.statusListCredential}/token`,
  })
  return [
    en.json.passportRecord,
    vc.json.credentialSubject.characteristics.passportRecord,
    payload.credentialSubject.characteristics.passportRecord,
    claims.passportRecord,
  ]
}

/** The entries of a document, which are the same in all forms. */
async function readEntries(id: string): Promise<{ revocation: Entry; message: Entry }> {
  const [first, ...others] = (await readRecords(id)).map(record => record.credentialStatus)
  for (const other of others) assert.deepEqual(other, first)
  const [revocation, message] = first
  assert.deepEqual([revocation.statusPurpose, message.statusPurpose], ['revocation', 'message'])
  assert.equal(message.statusListIndex, revocation.statusListIndex)
  assert.match(message.statusListIndex, /^\d+$/)
  assert.match(message.statusListCredential, /^https:\/\/carnet\.example\/issuers\/[a-z]+\/messages\/1$/)
  return { revocation, message }
}

const askList = ({ statusListCredential }: Entry, accept = VC) =>
  t.ask('GET', new URL(statusListCredential).pathname, { headers: { accept } })

/** The bit as the recommendation of the W3C says: the first is the most significant. */
function readBit(list: Answer['json'], { statusListIndex }: Entry): number {
  const bytes = gunzipSync(Buffer.from(list.credentialSubject.encodedList.slice(1), 'base64url'))
  const index = Number(statusListIndex)
  return ((bytes[index >> 3] ?? 0) >> (7 - (index & 7))) & 1
}

/** The bits of a document in both lists, which others have verified in both forms. */
async function readBits(entries: { revocation: Entry; message: Entry }) {
  t.clock.advance(MINUTE_MS)
  const bits: Record<string, number> = {}
  for (const [purpose, entry] of Object.entries(entries)) {
    const { json, status } = await askList(entry)
    assert.equal(status, 200)
    assert.ok(await isProofValid(json, did))
    assert.deepEqual([json.id, json.issuer], [entry.statusListCredential, did.id])
    assert.equal(json.credentialSubject.statusPurpose, purpose)
    const { payload } = await readJwt((await askList(entry, VC_JWT)).text, did)
    assert.deepEqual(payload.credentialSubject, json.credentialSubject)
    bits[purpose] = readBit(json, entry)
  }
  return bits
}

const UNCHANGED = { revocation: 0, message: 0 }
const CHANGED = { revocation: 0, message: 1 }

describe('the list of messages', () => {
  test('says that a passport is archived, until it is restored', async () => {
    const id = await create()
    const entries = await readEntries(id)
    assert.deepEqual(await readBits(entries), UNCHANGED)
    await archive(id)
    assert.deepEqual(await readBits(entries), CHANGED)
    await restore(id)
    assert.deepEqual(await readBits(entries), UNCHANGED)
  })

  test('says that a passport or its model is recalled, until the recall ends', async () => {
    const model = await create()
    const item = await createItem(model, 'S1')
    const [ofModel, ofItem] = [await readEntries(model), await readEntries(item)]
    await recall(item)
    assert.deepEqual([await readBits(ofModel), await readBits(ofItem)], [UNCHANGED, CHANGED])
    await endNotice(item)
    assert.deepEqual(await readBits(ofItem), UNCHANGED)
    await recall(model)
    assert.deepEqual([await readBits(ofModel), await readBits(ofItem)], [CHANGED, CHANGED])
    await endNotice(model)
    assert.deepEqual([await readBits(ofModel), await readBits(ofItem)], [UNCHANGED, UNCHANGED])
  })

  test('says that there is a later version, whose documents have another place', async () => {
    const id = await create()
    const first = await readEntries(id)
    await change(id, 15)
    const second = await readEntries(id)
    assert.notEqual(second.message.statusListIndex, first.message.statusListIndex)
    assert.deepEqual([await readBits(first), await readBits(second)], [CHANGED, UNCHANGED])
    const past = (await readForm(id, EN, { query: '?version=1' })).json
    assert.deepEqual(past.passportRecord.credentialStatus, [first.revocation, first.message])
    assert.ok(await isProofValid(past, did))
  })

  test('is at most a minute old, and keeps its signature while no bit changes', async () => {
    const id = await create()
    const { message } = await readEntries(id)
    t.clock.set(new Date())
    t.clock.advance(MINUTE_MS)
    const before = await askList(message)
    await archive(id)
    t.clock.advance(MINUTE_MS - 1)
    const same = await askList(message)
    assert.deepEqual([same.text, same.headers.etag], [before.text, before.headers.etag])
    t.clock.advance(1)
    assert.equal(readBit((await askList(message)).json, message), 1)
    t.clock.set(new Date())
    await restore(id)
    assert.equal(readBit((await askList(message)).json, message), 0, 'after the clock was set back')
    t.clock.release()
  })

  test('is where documents say, and nowhere else', async () => {
    const { message } = await readEntries(await create())
    const answer = await askList(message)
    assert.deepEqual(
      [answer.headers['cache-control'], answer.headers['access-control-allow-origin'], answer.headers.vary],
      ['public, max-age=300', '*', 'Accept'],
    )
    for (const end of ['0', '99', '01', 'x', '1/token', '1/x']) {
      const statusListCredential = message.statusListCredential.replace(/1$/, end)
      assert.equal((await askList({ ...message, statusListCredential })).status, 404, end)
    }
    assert.equal((await askList(message, 'text/html')).status, 406)
    assert.equal((await t.ask('GET', '/issuers/nobody/messages/1')).status, 404)
  })
})

describe('a revoked document', () => {
  test('of EN 18223 is still signed, and revoked in its list, as its earlier versions are', async () => {
    const id = await create()
    const first = await readEntries(id)
    await change(id, 15)
    await change(id, 16)
    const third = await readEntries(id)
    await revokeCredential(account.ctx, { id: requireUuid(id, 'product'), version_no: 3 })
    assert.deepEqual(await readBits(third), { revocation: 1, message: 0 })
    assert.deepEqual(await readBits(first), { revocation: 1, message: 1 })
    assert.deepEqual(await readEntries(id), third)
    // Nobody had read it before.
    const second = (await readForm(id, EN, { query: '?version=2' })).json
    assert.ok(await isProofValid(second, did))
    const [revocation, message] = second.passportRecord.credentialStatus
    assert.notEqual(message.statusListIndex, first.message.statusListIndex)
    assert.deepEqual(await readBits({ revocation, message }), { revocation: 1, message: 1 })
    await change(id, 17)
    assert.deepEqual(await readBits(await readEntries(id)), UNCHANGED)
  })

  test('is revoked even if it got its place while a later version was being revoked', async () => {
    const id = await create()
    await change(id, 15)
    const { revocation } = await readEntries(id)
    const uuid = requireUuid(id, 'product')
    await revokeCredential(account.ctx, { id: uuid, version_no: 2 })
    const [{ list_index: free = 0 } = {}] = await t.sql<{ list_index: number }[]>`
      insert into credential_status (account_id, passport_id, first_version, list_no, list_index, created_at)
      select ${account.id}, ${uuid}, 1, 1, min(i), now() from generate_series(0, 131071) i
      where i not in (select list_index from credential_status where account_id = ${account.id} and list_no = 1)
      returning list_index`
    const late = { ...revocation, statusListIndex: String(free) }
    assert.equal(readBit((await askList(revocation)).json, late), 1)
  })
})

describe('carnet verify --status', () => {
  test('takes either list of a document of EN 18223, and names the current one', async () => {
    t.clock.set(new Date(Date.now() - 2 * MINUTE_MS))
    const id = await create()
    const { revocation, message } = await readEntries(id)
    const texts = async () => ({
      'did.json': JSON.stringify(did),
      'passport.json': document,
      'revocation.json': (await askList(revocation)).text,
      'message.json': (await askList(message)).text,
    })
    const document = (await readForm(id, EN)).text
    const before = await verify(await texts())
    assert.deepEqual(
      before.map(({ code, json }) => [code, json.ok, json.revoked, json.outdated]),
      [
        [0, true, false, null],
        [0, true, null, false],
      ],
    )
    await archive(id)
    t.clock.release()
    const [revoked, outdated] = await verify(await texts())
    assert.deepEqual([revoked?.code, revoked?.json.revoked], [0, false])
    assert.deepEqual([outdated?.code, outdated?.json.code, outdated?.json.outdated], [1, 'outdated', true])
    assert.match(outdated?.json.reason, new RegExp(`The current one is at .*/p/${id}\\?format=en\\.$`))
  })

  async function verify(texts: Record<string, string>) {
    const folder = await emptyFolder()
    try {
      for (const [name, text] of Object.entries(texts)) await writeFile(join(folder.path, name), text)
      const results = []
      for (const list of ['revocation.json', 'message.json']) {
        const said = { out: '', err: '' }
        const io = { out: (line: string) => (said.out += line), err: (line: string) => (said.err += line) }
        const [file, status, keys] = ['passport.json', list, 'did.json'].map(name => `${folder.path}/${name}`)
        const words = ['verify', `${file}`, '--did', `${keys}`, '--status', `${status}`, '--json']
        results.push({ code: await runCommandLine(words, {}, io), json: JSON.parse(said.out) })
      }
      return results
    } finally {
      await folder.remove()
    }
  }
})

describe('the place of a document', () => {
  test('costs no statement once it is given', async () => {
    const texts: string[] = []
    const sql = await t.openPools({ onStatementEnd: ({ text }) => texts.push(text) })
    const app = createApp({ ...t.setup, sql })
    try {
      const id = await create()
      await readForm(id, EN)
      const read = async () => {
        texts.length = 0
        const { statusCode } = await app.inject({ url: `/dpp/v1/dpps/${id}` })
        assert.equal(statusCode, 200)
        return texts.filter(text => /credential_status/.test(text))
      }
      const first = await read()
      assert.equal(first.length, 1, 'the statement that reads the version')
      assert.match(first[0] ?? '', /left join passport_version/)
      assert.deepEqual(await read(), [])
    } finally {
      await app.close()
      await endPools(sql)
    }
  })
})

describe('an account on several shards', () => {
  let spread: Harness
  before(async () => {
    spread = await startHarness({ shards: 3 })
  })
  after(() => spread.close())

  test('has one list of the passports on all of them', async () => {
    const by = await signingAccount(spread)
    await spreadClosed(spread.setup.sql, by.id, [1, 2, 3])
    spread.clock.advance(2_000)
    const ids: string[] = []
    for (let i = 0; i < 12; i++) ids.push(await create(by, spread))
    const shards = new Set(ids.map(id => requireUuid(id, 'product').slice(-3)))
    assert.ok(shards.size > 1)
    const readStatus = async (id: string): Promise<Entry> => {
      const { json } = await readForm(id, EN, { at: spread })
      const again = await readForm(id, `${EN};q=0.9`, { at: spread })
      assert.deepEqual(again.json.passportRecord.credentialStatus, json.passportRecord.credentialStatus)
      return json.passportRecord.credentialStatus[1]
    }
    const entries = await Promise.all(ids.map(readStatus))
    const archived = ids.map((_, i) => i % 2)
    for (const [i, id] of ids.entries())
      if (archived[i] === 1) await spread.ask('POST', `/api/v1/products/${id}/archive`, { key: by.key })
    spread.clock.advance(MINUTE_MS)
    const { pathname } = new URL(entries[0]?.statusListCredential ?? '')
    const { json } = await spread.ask('GET', pathname)
    assert.deepEqual(
      entries.map(entry => readBit(json, entry)),
      archived,
    )
  })
})
