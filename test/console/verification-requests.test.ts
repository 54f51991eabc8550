/** Tests how owners of an operator's account answer requests for verification, and that nobody else can. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { actAsOperator } from '../../src/accounts/account/accounts.ts'
import { listAuditEntries } from '../../src/accounts/account/audit.ts'
import { setOperatorAccount } from '../../src/accounts/account/operator-accounts.ts'
import { findIdentity, nameOnly, parseIdentity } from '../../src/accounts/identity/identity.ts'
import {
  askForVerification,
  declineVerification,
  findVerificationRequest,
  listVerificationRequests,
} from '../../src/accounts/identity/verification-request.ts'
import { verifyAccount } from '../../src/accounts/issuer/verify-account.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { newProduct, nextGtin } from '../harness.ts'
import { type Browser, PASSWORD, type Stand, startStand } from './stand.ts'

const AT = '/console/settings/verification-requests'
const ASKED = {
  legalName: 'Nordlicht <GmbH>',
  identifiers: [{ scheme: 'gln', value: '9521234000006' } as const],
  hosts: ['nordlicht.example'],
  gs1Prefixes: ['9520'],
  dids: [],
}

let stand: Stand
let operatorAccount: number
let customer: number
let operator: Browser

before(async () => {
  stand = await startStand()
  operatorAccount = await stand.account({ name: 'Carnet <Betrieb>' })
  customer = await stand.account({ name: 'Nordlicht' })
  await setOperatorAccount(stand.ctx, { accountId: operatorAccount, isOperator: true })
  operator = await stand.signedIn(operatorAccount, 'owner')
})
after(() => stand.close())

const act = (account = customer) => actAsOperator(stand.ctx, account)

/** Returns the id of the new request. */
async function ask(input: Partial<typeof ASKED> = {}, account = customer): Promise<string> {
  const ctx = await act(account)
  await askForVerification(ctx, { identity: parseIdentity({ ...ASKED, ...input }), note: 'HRB 1, Kiel' })
  return (await findVerificationRequest(ctx))?.id ?? ''
}

const listActions = async (account: number) =>
  (await listAuditEntries(await act(account), { before: '', limit: 100 })).entries.filter(({ action }) =>
    /veri/.test(action),
  )

describe('requests for verification', () => {
  test('do not exist for other roles and accounts, nor once the mark is gone or the account is closed', async () => {
    const id = await ask()
    const others = [
      await stand.signedIn(operatorAccount, 'editor'),
      await stand.signedIn(operatorAccount, 'viewer'),
      await stand.signedIn(customer, 'owner'),
    ]
    const paths = [AT, `${AT}/${id}`]
    const requireNone = async (browser: Browser) => {
      for (const path of paths) assert.equal((await browser.get(path)).status, 404)
      for (const answer of ['approve', 'decline'])
        assert.equal((await browser.post(`${AT}/${id}/${answer}`, { form: { reason: 'No' } })).status, 404)
      assert.doesNotMatch((await browser.get('/console/settings')).text, /verification-requests/)
    }
    for (const browser of others) await requireNone(browser)
    assert.match(
      (await operator.get('/console/settings')).text,
      /href="\/console\/settings\/verification-requests"/,
    )
    await setOperatorAccount(stand.ctx, { accountId: operatorAccount, isOperator: false })
    await requireNone(operator)
    await setOperatorAccount(stand.ctx, { accountId: operatorAccount, isOperator: true })
    await stand.sql`update account set closed_at = now() where id = ${operatorAccount}`
    await requireNone(operator)
    await stand.sql`update account set closed_at = null where id = ${operatorAccount}`
    assert.equal((await findVerificationRequest(await act()))?.id, id)
    assert.equal(await findIdentity(stand.sql, customer), undefined)
  })

  test('are listed with what is asked, what is verified today, and conflicts; reading changes nothing', async () => {
    const id = await ask()
    const before = await stand.sql`select count(*) from actor`
    const list = (await operator.get(AT)).text
    assert.match(list, /Nordlicht &(lt|#60);GmbH.*Account \d+ \(Nordlicht\), asked on/s)
    const german = await operator.get(AT, { headers: { 'accept-language': 'de' } })
    assert.match(german.text, /<h1>Anträge auf Verifizierung<\/h1>/)
    const seller = await act(await stand.account({ name: 'Händler' }))
    const { passport } = await createPassport(seller, {
      ...newProduct({ gtin: nextGtin() }, 'textile'),
      strict: false,
    })
    assert.ok(passport)
    const page = (await operator.get(`${AT}/${id}`)).text
    assert.match(page, /9521234000006.*nordlicht\.example.*HRB 1, Kiel.*Nothing is verified of this account/s)
    const claim = `account ${seller.accountId}: <code>carnet gtin release \\d{14}</code>`
    assert.match(page, new RegExp(claim))
    assert.match(page, /Approve the request/)
    const none = await ask({ gs1Prefixes: [], hosts: [] })
    assert.match((await operator.get(`${AT}/${none}`)).text, /No other account has these/)
    for (const wrong of ['x', 'z'.repeat(26), '%00'])
      assert.equal((await operator.get(`${AT}/${wrong}`)).status, 404, wrong)
    const after = await stand.sql`select count(*) from actor where account_id <> ${seller.accountId}`
    assert.deepEqual(after, before)
  })

  test('are approved exactly as they were read: one that was changed meanwhile is not', async () => {
    const first = await ask()
    const second = await ask({ legalName: 'Nordlicht SE' })
    const gone = await operator.post(`${AT}/${first}/approve`)
    assert.equal(gone.headers.location, `${AT}?done=gone`)
    assert.match((await operator.get(`${AT}?done=gone`)).text, /changed, withdrawn or answered/)
    assert.equal((await operator.get(`${AT}/${first}`)).headers.location, `${AT}?done=gone`)
    assert.equal(await findIdentity(stand.sql, customer), undefined)
    const both = await Promise.all([1, 2].map(() => operator.post(`${AT}/${second}/approve`)))
    assert.deepEqual(both.map(({ headers }) => headers.location).sort(), [
      `${AT}?done=approved`,
      `${AT}?done=gone`,
    ])
    const identity = await findIdentity(stand.sql, customer)
    assert.deepEqual(
      [identity?.legalName, identity?.names, identity?.approvedBy],
      ['Nordlicht SE', ['gs1:9520', 'host:nordlicht.example'], 'Carnet <Betrieb>'],
    )
    const [theirs] = await listActions(customer)
    assert.deepEqual([theirs?.action, theirs?.kind], ['account_verified', 'operator'])
    const [own] = await listActions(operatorAccount)
    assert.deepEqual([own?.action, own?.kind], ['verification_request_approved', 'person'])
    assert.equal(own?.subject, `${customer}: Nordlicht SE`)
    assert.match(String(own?.who), /^owner\d+@/)
  })

  test('need a recent proof of identity to be approved', async () => {
    const id = await ask()
    stand.clock.advance(11 * 60_000)
    const asked = await operator.post(`${AT}/${id}/approve`)
    assert.match(asked.text, /type="password"/)
    assert.equal((await findVerificationRequest(await act()))?.id, id)
    const proven = await operator.post(`${AT}/${id}/approve`, { form: { confirm_password: PASSWORD } })
    assert.equal(proven.headers.location, `${AT}?done=approved`)
  })

  test('whose name another account has cannot be approved, and the page says whose it is', async () => {
    const other = await stand.account({ name: 'Anderswo' })
    await verifyAccount(
      await act(other),
      parseIdentity({ ...ASKED, gs1Prefixes: [], hosts: ['a.example'] }),
      'x',
    )
    const id = await ask({ hosts: ['a.example'] })
    const page = (await operator.get(`${AT}/${id}`)).text
    assert.match(page, new RegExp(`a\\.example is approved for account ${other}`))
    assert.doesNotMatch(page, /Approve the request/)
    const refused = await operator.post(`${AT}/${id}/approve`)
    assert.equal(refused.status, 409)
    assert.match(refused.text, /cannot be approved while/)
    assert.equal((await findVerificationRequest(await act()))?.id, id)
  })

  test('are declined with a reason, which the account reads', async () => {
    const id = await ask()
    for (const reason of ['', ' ', 'x'.repeat(501), 'a\u0000b']) {
      const wrong = await operator.post(`${AT}/${id}/decline`, { form: { reason } })
      assert.equal(wrong.status, 422)
      assert.match(wrong.text, /id="reason-error"/)
    }
    const declined = await operator.post(`${AT}/${id}/decline`, { form: { reason: 'Which <register>?' } })
    assert.equal(declined.headers.location, `${AT}?done=declined`)
    assert.equal((await findVerificationRequest(await act()))?.declined?.reason, 'Which <register>?')
    assert.deepEqual(await listVerificationRequests(stand.ctx), [])
    assert.equal((await listActions(operatorAccount))[0]?.action, 'verification_request_declined')
    const again = await operator.post(`${AT}/${id}/decline`, { form: { reason: 'No' } })
    assert.equal(again.headers.location, `${AT}?done=gone`)
  })

  test('beside the command line: one answer counts, and nobody waits for ever', async () => {
    for (let n = 0; n < 10; n++) {
      const id = await ask({ legalName: `Nordlicht ${n}` })
      const ctx = await act()
      const answers = await Promise.allSettled([
        operator.post(`${AT}/${id}/approve`),
        verifyAccount(ctx, nameOnly('By command'), 'Operator'),
        operator.post(`${AT}/${id}/decline`, { form: { reason: 'No' } }),
        declineVerification(ctx, { request: id, reason: 'No' }),
      ])
      for (const answer of answers)
        if (answer.status === 'fulfilled' && answer.value !== null && 'status' in answer.value)
          assert.equal(answer.value.status, 303)
        else if (answer.status === 'rejected') assert.equal(answer.reason.code, 'not_found')
      const request = await findVerificationRequest(ctx)
      assert.ok(request === undefined || request.declined !== undefined)
    }
  })
})
