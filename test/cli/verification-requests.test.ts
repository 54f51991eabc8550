/** Tests how `carnet accounts verify` lists and answers requests that owners send in the console. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { folderWithStore } from './prepared-store.ts'
import { carnet, carnetJson, endAll, type Served, type Settings, serve } from './processes.ts'

let folder: Awaited<ReturnType<typeof folderWithStore>>
let settings: Settings
let server: Served
let account: { id: string }

before(async () => {
  folder = await folderWithStore()
  settings = { cwd: folder.path, env: { DATA_DIR: folder.path, PORT: '0' } }
  account = await carnetJson(['accounts', 'create', '--name', 'Nordlicht', '--plan', 'pro'], settings)
  server = await serve(settings)
})
after(async () => {
  await endAll()
  await folder.remove()
})

const json = <T>(line: string) => carnetJson<T>(line.split(' '), settings)

/** Returns a function with which an owner of the account asks for verification in the console. */
async function signInToAsk() {
  const create = `users create --account ${account.id} --email asks@mail.example --role owner`
  const { set_password_url } = await json<{ set_password_url: string }>(create)
  const { origin } = new URL(server.url)
  const post = (path: string, form: Record<string, string>, cookie = '') => {
    const headers = { origin, cookie, 'sec-fetch-site': 'same-origin' }
    const body = new URLSearchParams(form)
    return fetch(server.url + path, { method: 'POST', headers, body, redirect: 'manual' })
  }
  const token = new URL(set_password_url).searchParams.get('token') ?? ''
  const set = await post('/console/set-password', { token, password: 'eleven herons over the lake' })
  const cookie = set.headers
    .getSetCookie()
    .map(one => one.split(';')[0])
    .join('; ')
  return async (legal_name: string) => {
    const sent = await post('/console/settings/identity/request', { legal_name, note: 'HRB 1' }, cookie)
    assert.equal(sent.status, 303)
  }
}

test('a request is listed, declined with a reason, and approved', async () => {
  const verify = ['accounts', 'verify', '--account', account.id]
  const ask = await signInToAsk()
  const list = () =>
    json<{ request: string; legal_name: string; note: string }[]>('accounts verify --requests')
  assert.deepEqual(await list(), [])
  assert.match((await carnet(['accounts', 'verify', '--requests'], settings)).stdout, /^No account asks/)
  await ask('Nordlicht GmbH')
  const [first] = await list()
  const { request, ...asked } = first ?? assert.fail()
  assert.match(request, /^[0-9a-z]{26}$/)
  assert.deepEqual(Object.keys(asked), 'account name legal_name identifiers names note asked_at'.split(' '))
  const declined = await carnetJson(
    [...verify, '--decline', request, '--reason', 'Which register?'],
    settings,
  )
  assert.deepEqual(declined, { account: account.id, request, declined: true, reason: 'Which register?' })
  const again = await carnet([...verify, '--approve', request], settings)
  assert.equal(again.code, 1)
  assert.match(again.stderr, /request/)
  await ask('Nordlicht SE')
  const [second] = await list()
  const approve = [...verify, '--approve', second?.request ?? '']
  const approved = await carnetJson<{ legal_name: string; approved_by: string }>(approve, settings)
  assert.deepEqual([approved.legal_name, approved.approved_by], ['Nordlicht SE', 'Operator'])
  assert.deepEqual(await list(), [])
  for (const wrong of [
    ['--decline', request],
    ['--approve', request, '--decline', request, '--reason', 'No'],
    ['--approve', request, '--withdraw'],
    ['--requests'],
  ])
    assert.equal((await carnet([...verify, ...wrong], settings)).code, 2, wrong.join(' '))
  assert.equal((await carnet(['accounts', 'verify', '--approve', request], settings)).code, 2)
  await carnetJson([...verify, '--withdraw'], settings)
})
