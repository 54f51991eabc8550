/** Tests the settings of signing in the console: switching it, new keys, stolen keys, and lost secrets. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { findIssuer, reencryptIssuerSecrets } from '../../src/accounts/issuer/issuer.ts'
import { createSecretCipher } from '../../src/kernel/crypto/secret-cipher.ts'
import { type Browser, PASSWORD, type Stand, startStand } from './stand.ts'

const AT = '/console/settings/signatures'

let stand: Stand
let account: number
let owner: Browser

before(async () => {
  stand = await startStand()
  account = await stand.account()
  owner = await stand.signedIn(account, 'owner')
})
after(() => stand.close())

const send = (path: string, form: Record<string, string> = {}) =>
  owner.post(AT + path, { form: { confirm_password: PASSWORD, ...form } })
const listActions = async () => {
  const rows = await stand.sql<{ action: string; subject: string }[]>`
    select action, subject from audit_entry where account_id = ${account} and action like 'signing%' order by id`
  return rows.map(({ action, subject }) => `${action} ${subject}`.trim())
}
const findKeys = async () => (await findIssuer(stand.sql, account))?.keys ?? []

describe('the page of signatures', () => {
  test('is for owners, who find it in the settings', async () => {
    assert.match((await owner.get('/console/settings')).text, /href="\/console\/settings\/signatures"/)
    const editor = await stand.signedIn(account, 'editor')
    assert.doesNotMatch((await editor.get('/console/settings')).text, /settings\/signatures/)
    assert.equal((await editor.get(AT)).status, 403)
    for (const path of ['', '/rotate', '/keys/1/revoke'])
      assert.equal((await editor.post(AT + path, { form: { to: 'on' } })).status, 403, path)
    assert.deepEqual(await findKeys(), [])
  })

  test('says before switching on for whom the key signs; and has no keys yet', async () => {
    const { text } = await owner.get(AT)
    assert.match(text, /not signed\./)
    assert.match(text, /name the company that the operator of this server has verified/)
    assert.doesNotMatch(text, /did:web/)
    assert.doesNotMatch(text, /Revoke/)
    assert.equal((await owner.get(`${AT}/rotate`)).headers.location, AT)
    assert.equal((await owner.get(`${AT}/keys/1/revoke`)).headers.location, AT)
    assert.equal((await send('/rotate')).status, 404)
    assert.equal((await send('/keys/1/revoke')).headers.location, AT)
    const german = await owner.get(AT, { headers: { 'accept-language': 'de' } })
    assert.match(german.text, /<h1>Signaturen<\/h1>/)
  })

  test('switches signing on and shows the identity and its key', async () => {
    assert.equal((await send('', { to: 'odd' })).headers.location, AT)
    assert.deepEqual(await findKeys(), [])
    assert.equal((await send('', { to: 'on' })).headers.location, `${AT}?done=on`)
    const { text } = await owner.get(`${AT}?done=on`)
    assert.match(text, /Passports are signed from now on/)
    const [, name = ''] = /<code>did:web:carnet\.example:issuers:([a-z0-9]+)<\/code>/.exec(text) ?? []
    assert.match(text, new RegExp(`<a href="https://carnet\\.example/issuers/${name}/did\\.json">`))
    assert.match(text, /key-1.*signs now/s)
    assert.deepEqual(await listActions(), ['signing_switched_on'])
  })

  test('signs with a new key after a question that changes nothing', async () => {
    assert.match((await owner.get(`${AT}/rotate`)).text, /What the old key signed stays valid/)
    assert.equal((await findKeys()).length, 1)
    assert.equal((await send('/rotate')).headers.location, `${AT}?done=rotated`)
    const { text } = await owner.get(AT)
    assert.match(text, /key-2.*signs now.*key-1.*no longer signs; what it signed is valid/s)
  })

  test('revokes a key after saying what happens; twice is once', async () => {
    const question = await owner.get(`${AT}/keys/2/revoke`)
    assert.match(question.text, /Everything this key has signed is no longer valid/)
    assert.match(question.text, /This cannot be undone/)
    assert.equal((await send('/keys/2/revoke')).headers.location, `${AT}?done=revoked`)
    assert.equal((await send('/keys/2/revoke')).headers.location, AT)
    const { text } = await owner.get(AT)
    assert.match(text, /key-3.*signs now.*key-2.*revoked .* 2026/s)
    assert.doesNotMatch(text, /keys\/2\/revoke/)
    assert.equal((await owner.get(`${AT}/keys/2/revoke`)).headers.location, AT)
    assert.deepEqual((await listActions()).slice(1), [
      'signing_key_rotated key-2',
      'signing_key_revoked key-2',
    ])
  })

  test('switches signing off and keeps the keys', async () => {
    await send('', { to: 'off' })
    const { text } = await owner.get(`${AT}?done=off`)
    assert.match(text, /Passports are no longer signed/)
    assert.match(text, /signs when signing is on/)
    assert.equal((await findKeys()).length, 3)
    await send('', { to: 'on' })
  })

  test('says that keys are unreadable after a restore with another SECRET_KEY; a new key signs again', async () => {
    const other = createSecretCipher('another secret key, also long enough', [
      'a secret key that only tests know, long enough',
    ])
    await reencryptIssuerSecrets({ sql: stand.sql, clock: stand.clock }, other)
    assert.match((await owner.get(AT)).text, /role="alert".*SECRET_KEY/s)
    await send('/rotate')
    const { text } = await owner.get(AT)
    assert.doesNotMatch(text, /SECRET_KEY/)
    assert.match(text, /key-4.*signs now.*key-3.*no longer signs/s)
  })

  test('asks who it is if the last proof of identity is old', async () => {
    stand.clock.advance(3_600_000)
    const { text } = await owner.post(`${AT}/rotate`, { form: {} })
    assert.match(text, /confirm_password/)
    assert.equal((await findKeys()).length, 4)
  })
})
