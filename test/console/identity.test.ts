/** Tests the page of the verified identity: what it says, asking for verification, and the operator's answers. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { actAsOperator } from '../../src/accounts/account/accounts.ts'
import { findIdentity, nameOnly } from '../../src/accounts/identity/identity.ts'
import {
  declineVerification,
  findVerificationRequest,
  listVerificationRequests,
} from '../../src/accounts/identity/verification-request.ts'
import { approveVerification, verifyAccount } from '../../src/accounts/issuer/verify-account.ts'
import { type Browser, type Stand, startStand } from './stand.ts'

const AT = '/console/settings/identity'
const FORM = {
  legal_name: ' Nordlicht <GmbH> ',
  gln: '9521234 000006',
  vat: 'de 136 695 976',
  lei: '',
  eori: '',
  gs1_prefix: '9521234',
  host: 'Nordlicht.example, shop.example;',
  did: '',
  note: 'HRB 1, Kiel',
}

let stand: Stand
let account: number
let owner: Browser

before(async () => {
  stand = await startStand()
  account = await stand.account()
  owner = await stand.signedIn(account, 'owner')
  await stand.letters()
})
after(() => stand.close())

const ask = (form: Record<string, string> = {}) => owner.post(`${AT}/request`, { form: { ...FORM, ...form } })
const act = () => actAsOperator(stand.ctx, account)
const getRequest = async () => {
  const request = await findVerificationRequest(await act())
  assert.ok(request)
  return request
}
const listActions = async () => {
  const rows = await stand.sql<{ action: string }[]>`
    select action from audit_entry where account_id = ${account} and action like '%veri%' order by id`
  return rows.map(({ action }) => action)
}

describe('the page of the verified identity', () => {
  test('says what documents of an unverified account say; only owners can ask', async () => {
    const editor = await stand.signedIn(account, 'editor')
    assert.match((await editor.get('/console/settings')).text, /href="\/console\/settings\/identity"/)
    const page = await editor.get(AT)
    assert.match(page.text, /has not verified who this account is/)
    assert.match(page.text, /Signed by the service .* for an account that it has not verified/)
    assert.match(page.text, /Only owners/)
    assert.doesNotMatch(page.text, /identity\/request/)
    assert.equal((await editor.get(`${AT}/request`)).status, 403)
    assert.equal((await editor.post(`${AT}/request`, { form: FORM })).status, 403)
    assert.match((await owner.get(AT)).text, /Ask for verification/)
    const german = await owner.get(AT, { headers: { 'accept-language': 'de' } })
    assert.match(german.text, /<h1>Verifizierte Identität<\/h1>/)
  })

  test('explains every wrong field and keeps what was typed', async () => {
    const wrong = await ask({
      legal_name: '',
      gln: '9521234000007',
      lei: 'X',
      vat: 'DE1',
      eori: '?',
      gs1_prefix: '2000',
      host: 'https://a',
      did: 'did:web:a.example',
      note: 'x'.repeat(501),
    })
    assert.equal(wrong.status, 422)
    for (const name of ['legal_name', 'gln', 'lei', 'vat', 'eori', 'gs1_prefix', 'host', 'did', 'note'])
      assert.match(wrong.text, new RegExp(`id="${name}-error"`), name)
    assert.match(wrong.text, /value="did:web:a\.example"/)
    for (const form of [{ legal_name: 'x'.repeat(201) }, { legal_name: 'A\u0007' }, { note: 'a\u0000b' }])
      assert.equal((await ask(form)).status, 422)
    const hosts = Array.from({ length: 101 }, (_, n) => `h${n}.example`).join(',')
    assert.match((await ask({ host: hosts })).text, /These are too many/)
    assert.deepEqual(await listVerificationRequests(stand.ctx), [])
    assert.deepEqual(await listActions(), [])
  })

  test('stores one request, which the next one replaces; the operator gets one e-mail', async () => {
    assert.equal((await ask()).headers.location, `${AT}?done=asked`)
    const first = await getRequest()
    assert.deepEqual(first.identity, {
      legalName: 'Nordlicht <GmbH>',
      identifiers: [
        { scheme: 'gln', value: '9521234000006' },
        { scheme: 'vat', value: 'DE136695976' },
      ],
      names: ['gs1:9521234', 'host:nordlicht.example', 'host:shop.example'],
    })
    const page = (await owner.get(`${AT}?done=asked`)).text
    assert.match(page, /The operator now sees your request/)
    assert.match(page, /Nordlicht &(lt|#60);GmbH/)
    assert.match(page, /has not answered yet/)
    const form = (await owner.get(`${AT}/request`)).text
    assert.match(form, /value="nordlicht\.example, shop\.example"/)
    assert.equal((await ask({ note: 'HRB 2' })).status, 303)
    const second = await getRequest()
    assert.notEqual(second.id, first.id)
    assert.equal(second.note, 'HRB 2')
    assert.deepEqual(
      (await listVerificationRequests(stand.ctx)).map(one => [one.account, one.id]),
      [[account, second.id]],
    )
    const letters = await stand.letters()
    assert.deepEqual(
      letters.map(({ to }) => to),
      ['operator@mail.example'],
    )
    assert.match(String(letters[0]?.text), /accounts verify --requests/)
    assert.doesNotMatch(String(letters[0]?.text), /Nordlicht/)
    assert.deepEqual(await listActions(), ['verification_asked', 'verification_asked'])
    await assert.rejects(approveVerification(await act(), { request: first.id, approvedBy: 'Operator' }), {
      code: 'not_found',
    })
    await assert.rejects(declineVerification(await act(), { request: first.id, reason: 'No' }), {
      code: 'not_found',
    })
  })

  test('shows why a request was declined; asking again is new', async () => {
    const { id } = await getRequest()
    await declineVerification(await act(), { request: id, reason: 'HRB 2 is <another>.' })
    assert.deepEqual(await listVerificationRequests(stand.ctx), [])
    const page = (await owner.get(AT)).text
    assert.match(page, /Declined on .*HRB 2 is &(lt|#60);another/)
    assert.match(page, /Ask for verification/)
    await assert.rejects(declineVerification(await act(), { request: id, reason: 'Again' }), {
      code: 'not_found',
    })
    await assert.rejects(approveVerification(await act(), { request: id, approvedBy: 'Operator' }), {
      code: 'not_found',
    })
    assert.equal((await ask()).status, 303)
    assert.equal((await getRequest()).declined, undefined)
    assert.equal((await stand.letters()).length, 1)
  })

  test('shows what was approved, since when and by whom; an approval ends the request', async () => {
    const { id } = await getRequest()
    const both = await Promise.allSettled(
      [1, 2].map(async () => approveVerification(await act(), { request: id, approvedBy: 'Operator' })),
    )
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    assert.equal((await findIdentity(stand.sql, account))?.legalName, 'Nordlicht <GmbH>')
    const page = (await owner.get(AT)).text
    assert.match(page, /has verified who this account is/)
    assert.match(page, /9521234000006.*Verified on.*Verified by<\/dt><dd>Operator/s)
    assert.match(page, /There is no request/)
    assert.match(page, /Ask for a change/)
    assert.match((await owner.get(`${AT}/request`)).text, /value="DE136695976"/)
    assert.equal((await listActions()).at(-1), 'account_verified')
  })

  test('a name that another account has stays with it, and the request stays open', async () => {
    const other = await stand.account()
    const theirs = await stand.signedIn(other, 'owner')
    await theirs.post(`${AT}/request`, { form: { ...FORM, gln: '' } })
    const them = await actAsOperator(stand.ctx, other)
    const request = await findVerificationRequest(them)
    await assert.rejects(approveVerification(them, { request: request?.id ?? '', approvedBy: 'Operator' }), {
      code: 'in_use',
    })
    assert.equal((await findVerificationRequest(them))?.id, request?.id)
  })

  test('an owner withdraws an open request; one that was replaced stays', async () => {
    const withdraw = (request: string) => owner.post(`${AT}/withdraw`, { form: { request } })
    assert.equal((await ask()).status, 303)
    const first = await getRequest()
    await ask({ note: 'HRB 3' })
    const { id } = await getRequest()
    const page = (await owner.get(AT)).text
    assert.match(page, new RegExp(`name="request" value="${id}"`))
    const editor = await stand.signedIn(account, 'editor')
    assert.doesNotMatch((await editor.get(AT)).text, /identity\/withdraw/)
    for (const one of [first.id, '', 'x']) {
      assert.equal((await withdraw(one)).headers.location, AT)
      assert.equal((await getRequest()).id, id)
    }
    const { location } = (await withdraw(id)).headers
    assert.equal(location, `${AT}?done=withdrawn`)
    assert.match((await owner.get(location)).text, /The request is withdrawn/)
    assert.equal(await findVerificationRequest(await act()), undefined)
    assert.equal((await listActions()).at(-1), 'verification_request_withdrawn')
    assert.equal((await withdraw(id)).headers.location, AT)
  })

  test('an approval by the command line closes the request, open or declined', async () => {
    for (const isDeclined of [false, true]) {
      await ask()
      const { id } = await getRequest()
      if (isDeclined) await declineVerification(await act(), { request: id, reason: 'No' })
      await verifyAccount(await act(), nameOnly('Nordlicht SE'), 'Operator')
      assert.equal(await findVerificationRequest(await act()), undefined)
      assert.match((await owner.get(AT)).text, /There is no request/)
    }
  })
})
