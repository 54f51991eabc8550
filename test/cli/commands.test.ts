/** Tests every command's result on a real database, with and without a running server. */
import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { CATEGORY_EXAMPLES } from '../../src/categories/examples.ts'
import { assertWithin, waitUntil } from '../waiting.ts'
import { carnet, carnetJson, emptyFolder, endAll, type Served, type Settings, serve } from './processes.ts'

const ID = /^[0-9a-z]{26}$/
const KEY = /^dpp_live_[0-9A-Za-z]{42}$/

let folder: Awaited<ReturnType<typeof emptyFolder>>
let settings: Settings
let server: Served
let account: { id: string; name: string; plan: string }

before(async () => {
  folder = await emptyFolder()
  settings = {
    cwd: folder.path,
    env: { DATA_DIR: join(folder.path, 'data'), PORT: '0', PUBLIC_URL: 'https://passports.example' },
  }
  account = await carnetJson(['accounts', 'create', '--name', 'Nordlicht', '--plan', 'pro'], settings)
  server = await serve(settings)
})

after(async () => {
  await endAll()
  await folder.remove()
})

const json = <T>(line: string) => carnetJson<T>(line.split(' '), settings)

describe('accounts', () => {
  test('create makes an account before any server has run', () => {
    assert.deepEqual(account, { id: account.id, name: 'Nordlicht', plan: 'pro' })
    assert.match(account.id, /^\d+$/)
  })

  test('set-plan and list', async () => {
    const changed = await json(`accounts set-plan ${account.id} --plan business --quota model=1,item=3`)
    assert.deepEqual(changed, { ...account, plan: 'business', quota: { model: 1, item: 3 } })
    const quick = await json(`accounts set-plan ${account.id} --plan business --requests-per-minute 900`)
    assert.deepEqual(quick, { ...account, plan: 'business', quota: {}, requests_per_minute: 900 })
    const [listed] =
      await json<{ plan: string; used: object; quota: object; requests_per_minute: number }[]>(
        'accounts list',
      )
    assert.equal(listed?.plan, 'business')
    assert.deepEqual(listed?.used, { model: 0, batch: 0, item: 0 })
    assert.deepEqual([listed?.quota, listed?.requests_per_minute], [{}, 900])
    await json(`accounts set-plan ${account.id} --plan business --quota item=3,model=1`)
    assert.match((await carnet(['accounts', 'list'], settings)).stdout, /OVER THE PLAN\n.* model 1, item 3\n/)
    await json(`accounts set-plan ${account.id} --plan business`)
  })

  test('set-indexing', async () => {
    const quiet = await json(`accounts set-indexing ${account.id} --search-engines no`)
    assert.deepEqual(quiet, { id: account.id, name: 'Nordlicht', indexable: false })
    const loud = await json(`accounts set-indexing ${account.id} --search-engines yes`)
    assert.deepEqual(loud, { id: account.id, name: 'Nordlicht', indexable: true })
    const unclear = ['accounts', 'set-indexing', account.id, '--search-engines', 'maybe']
    assert.equal((await carnet(unclear, settings)).code, 2)
    const unknown = ['accounts', 'set-indexing', '99999', '--search-engines', 'no']
    assert.equal((await carnet(unknown, settings)).code, 1)
  })

  test('set-audience', async () => {
    const law = await json(`accounts set-audience ${account.id} --profile law`)
    assert.deepEqual(law, { id: account.id, name: 'Nordlicht', audience_profile: 'law' })
    const contract = await json(`accounts set-audience ${account.id} --profile contract`)
    assert.deepEqual(contract, { id: account.id, name: 'Nordlicht', audience_profile: 'contract' })
    const unclear = ['accounts', 'set-audience', account.id, '--profile', 'public']
    assert.equal((await carnet(unclear, settings)).code, 2)
    const unknown = ['accounts', 'set-audience', '99999', '--profile', 'law']
    assert.equal((await carnet(unknown, settings)).code, 1)
  })

  test('registry: on and off, and the address of the copies', async () => {
    type Registry = { registry: boolean; backup_base_url: string | null }
    const command = (words: string) => json<Registry>(`accounts ${words} --account ${account.id}`)
    assert.deepEqual(await command('registry'), { registry: false, backup_base_url: null })
    assert.equal((await command('registry --on')).registry, true)
    const url = 'https://backup.example.net/copies'
    assert.equal((await command(`backup-url --url ${url}`)).backup_base_url, url)
    assert.deepEqual(await command('backup-url'), { registry: true, backup_base_url: url })
    for (const wrong of ['http://backup.example.net', `${url}/`, 'backup.example.net', `${url}?a`]) {
      const refused = await carnet(
        ['accounts', 'backup-url', '--account', account.id, '--url', wrong],
        settings,
      )
      assert.equal(refused.code, 1, wrong)
      assert.match(refused.stderr, /The address must/)
    }
    assert.equal((await command('backup-url --url none')).backup_base_url, null)
    assert.equal((await command('registry --off')).registry, false)
    const both = await carnet(['accounts', 'registry', '--account', account.id, '--on', '--off'], settings)
    assert.equal(both.code, 2)
  })

  test('registry export and import', async () => {
    const file = (name: string) => join(folder.path, name)
    const of = ['--account', account.id]
    const csv = await carnet(
      ['registry', 'export', ...of, '--to', file('a.csv'), '--format', 'csv', '--json'],
      settings,
    )
    assert.deepEqual(JSON.parse(csv.stdout), {
      path: file('a.csv'),
      lines: 0,
      state: 'ready',
      format: 'csv',
      incomplete: 0,
    })
    assert.match(await readFile(file('a.csv'), 'utf8'), /^action,passportId/)
    const again = await carnet(['registry', 'export', ...of, '--to', file('a.csv')], settings)
    assert.equal(again.code, 1)
    const odd = await carnet(['registry', 'export', ...of, '--to', file('b'), '--state', 'none'], settings)
    assert.equal(odd.code, 2)
    const rows = [{ passport_id: '0'.repeat(26), version_no: 1, state: 'registered' }, { state: 'odd' }]
    await writeFile(file('results.json'), JSON.stringify({ results: rows }))
    const from = ['registry', 'import', ...of, '--from']
    const refused = await carnet([...from, file('results.json'), '--json'], settings)
    assert.equal(refused.code, 1)
    const { summary, errors } = JSON.parse(refused.stdout)
    assert.deepEqual(summary, { requested: 2, stored: 0, unchanged: 0, failed: 2 })
    assert.deepEqual(
      errors.map((one: { code: string }) => one.code),
      ['not_found', 'validation'],
    )
    await writeFile(file('odd.json'), '{"results": []}')
    for (const name of ['odd.json', 'missing.json'])
      assert.equal((await carnet([...from, file(name)], settings)).code, 1, name)
  })

  test('signing: on, a new key, a stolen one', async () => {
    type Signing = { signing: boolean; did: string; keys: { key: string; revoked_at: string | null }[] }
    const command = (words: string) => json<Signing>(`accounts signing ${words}--account ${account.id}`)
    assert.deepEqual(await command(''), { signing: false })
    const on = await json<Signing>(`accounts signing --account ${account.id} --on`)
    assert.match(on.did, /^did:web:[\w.%-]+:issuers:[a-z]{12}$/)
    assert.deepEqual([on.signing, on.keys.map(({ key }) => key)], [true, ['key-1']])
    assert.equal((await command('rotate ')).keys.length, 2)
    const revoked = await json<Signing>(`accounts signing revoke --account ${account.id} --key key-2`)
    assert.deepEqual(
      revoked.keys.map(({ key, revoked_at }) => [key, revoked_at === null]),
      [
        ['key-1', true],
        ['key-2', false],
        ['key-3', true],
      ],
    )
    const off = await json<Signing>(`accounts signing --account ${account.id} --off`)
    assert.equal(off.signing, false)
    const unclear = ['accounts', 'signing', 'revoke', '--account', account.id, '--key', 'first']
    assert.equal((await carnet(unclear, settings)).code, 2)
    const none = ['passports', 'proof', '01m45m2vp0fqh9ek41pvnj0nca', '--to', join(folder.path, 'proof.json')]
    assert.equal((await carnet(none, settings)).code, 1)
    assert.equal((await carnet(none.slice(0, 3), settings)).code, 2)
    assert.equal((await carnet(['passports', 'commitment', 'first'], settings)).code, 2)
    const unknown = await carnet(['passports', 'commitment', '01m45m2vp0fqh9ek41pvnj0nca'], settings)
    assert.equal(unknown.code, 1)
  })

  test('operator marks an account, which the list shows; both are in the audit log once', async () => {
    const on = await json(`accounts operator ${account.id} on`)
    assert.deepEqual(on, { id: account.id, name: 'Nordlicht', operator: true })
    await json(`accounts operator ${account.id} on`)
    const [listed] = await json<{ operator: boolean }[]>('accounts list')
    assert.equal(listed?.operator, true)
    assert.match((await carnet(['accounts', 'list'], settings)).stdout, /, operator/)
    const off = await json(`accounts operator ${account.id} off`)
    assert.deepEqual(off, { id: account.id, name: 'Nordlicht', operator: false })
    assert.doesNotMatch((await carnet(['accounts', 'list'], settings)).stdout, /, operator/)
    for (const [words, code] of [
      [['99999', 'on'], 1],
      [[account.id, 'yes'], 2],
      [[account.id], 2],
    ] as const)
      assert.equal((await carnet(['accounts', 'operator', ...words], settings)).code, code)
  })

  test('close and reopen', async () => {
    const closed = await json<{ closed_at: string }>(`accounts close ${account.id}`)
    assert.ok(Date.parse(closed.closed_at) > 0)
    const [listed] = await json<{ closed_at: string | null }[]>('accounts list')
    assert.equal(listed?.closed_at, closed.closed_at)
    assert.match((await carnet(['accounts', 'list'], settings)).stdout, /, closed/)
    const key = await carnet(['keys', 'create', '--account', account.id, '--scope', 'full'], settings)
    assert.deepEqual([key.code, key.stdout], [1, ''])
    assert.match(key.stderr, /^Account \d+ is closed, so its keys do not work/)
    const open = await json(`accounts reopen ${account.id}`)
    assert.deepEqual(open, { id: account.id, name: 'Nordlicht', closed_at: null })
    assert.equal((await carnet(['accounts', 'close', '99999'], settings)).code, 1)
  })

  test('spread needs numbers of shards, and shards', async () => {
    const unclear = await carnet(['accounts', 'spread', account.id, '--over', '1,x'], settings)
    assert.equal(unclear.code, 2)
    assert.match(unclear.stderr, /"1,x": it must be numbers of shards like 2,3,5/)
    const plain = await carnet(['accounts', 'spread', account.id, '--over', '2'], settings)
    assert.equal(plain.code, 1)
    assert.match(plain.stderr, /There are no shards: everything is in one schema/)
  })

  test('an unknown plan is rejected with a list of the plans', async () => {
    const { code, stdout, stderr } = await carnet(
      ['accounts', 'create', '--name', 'X', '--plan', 'gold'],
      settings,
    )
    assert.deepEqual([code, stdout], [1, ''])
    assert.equal(stderr, 'There is no plan "gold". The plans are free, pro, beta, business, enterprise.\n')
  })
})

describe('accounts brand', () => {
  test('sets, shows and removes the brand', async () => {
    const file = join(folder.path, 'logo.svg')
    await writeFile(file, '<svg viewBox="0 0 40 20"><path d="M0 0h40v20z"/></svg>')
    const set = await json<Record<string, unknown>>(
      `accounts brand ${account.id} --name Nordlicht --accent #f5c400 --logo ${file} --frame-ancestors https://a.example,https://b.example`,
    )
    assert.match(String(set.logo), /^https:\/\/passports\.example\/brand\/[0-9a-f]{32}\.svg$/)
    assert.deepEqual(
      [set.name, set.accent, set.accent_dark, set.dark_logo, set.frame_ancestors],
      ['Nordlicht', '#f5c400', '#f5c400', null, ['https://a.example', 'https://b.example']],
    )
    assert.deepEqual(await json(`accounts brand ${account.id}`), set)
    const less = await json(`accounts brand ${account.id} --remove logo,frame-ancestors`)
    assert.deepEqual(less, { ...set, logo: null, frame_ancestors: [] })
  })

  test('sets, shows and removes the block “From the brand”', async () => {
    const file = join(folder.path, 'story.json')
    const links = [{ url: 'https://shop.example', label: { en: 'Our shop' } }]
    await writeFile(file, JSON.stringify({ text: { de: 'Hallo', en: 'Hello' }, links }))
    const set = await json<Record<string, unknown>>(
      `accounts brand ${account.id} --name Südlicht --story ${file}`,
    )
    assert.deepEqual(
      [set.name, set.story],
      ['Südlicht', { text: { de: 'Hallo', en: 'Hello' }, links, picture: null }],
    )
    const shown = await carnet(['accounts', 'brand', account.id], settings)
    assert.match(shown.stdout, /story +text in de, en; 1 link\n/)
    const brand = (...words: string[]) => carnet(['accounts', 'brand', account.id, ...words], settings)
    await writeFile(file, JSON.stringify({ text: { xx: 'Hello' } }))
    const wrong = await brand('--name', 'Other', '--story', file)
    assert.equal(wrong.code, 1)
    assert.match(wrong.stderr, /text\.xx must be under one of the 24 official languages/)
    await writeFile(file, 'Hello')
    assert.match((await brand('--story', file)).stderr, /of --story has no JSON object/)
    const removed = await json<Record<string, unknown>>(`accounts brand ${account.id} --remove story`)
    assert.deepEqual([removed.name, removed.story], ['Südlicht', null])
  })

  test('explains wrong values', async () => {
    const brand = (...words: string[]) => carnet(['accounts', 'brand', account.id, ...words], settings)
    const colour = await brand('--accent', 'red')
    assert.deepEqual([colour.code, colour.stderr], [1, 'accent must be a colour such as #1a5f4b.\n'])
    const file = await brand('--logo', join(folder.path, 'none.png'))
    assert.equal(file.code, 1)
    assert.match(file.stderr, /^The file .*none\.png of --logo cannot be read \(ENOENT\)\.\n$/)
    const removal = await brand('--remove', 'logo,constructor')
    assert.equal(removal.code, 2)
    assert.match(removal.stderr, /choose from name, accent, logo, dark-logo, frame-ancestors, story/)
  })
})

describe('keys', () => {
  test('create, use, list, revoke', async () => {
    const made = await json<{ id: string; key: string; scope: string; name: string; expires_at: string }>(
      `keys create --account ${account.id} --scope read --name till --expires 2030-01-31`,
    )
    assert.match(made.id, ID)
    assert.match(made.key, KEY)
    assert.deepEqual([made.scope, made.name, made.expires_at], ['read', 'till', '2030-01-31T00:00:00.000Z'])
    assert.equal(await statusWith(made.key), 200)
    const [listed] = await json<Record<string, unknown>[]>(`keys list --account ${account.id}`)
    assert.deepEqual([listed?.id, listed?.last4, listed?.key], [made.id, made.key.slice(-4), undefined])
    const revoked = await json<{ id: string; revoked_at: string }>(`keys revoke ${made.id}`)
    assert.equal(revoked.id, made.id)
    assert.ok(Date.parse(revoked.revoked_at) > 0)
  })

  test('rotate: the new key works at once, the old one until the overlap ends', async () => {
    const old = await json<{ id: string; key: string }>(
      `keys create --account ${account.id} --scope read --name erp`,
    )
    const made = await json<{
      id: string
      key: string
      name: string
      replaced: { id: string; expires_at: string }
    }>(`keys rotate ${old.id} --overlap 2h`)
    assert.match(made.key, KEY)
    assert.deepEqual([made.name, made.replaced.id], ['erp', old.id])
    const HOUR_MS = 3_600_000
    const isAhead = (expiresAt: string, hours: number) => {
      const ahead = Date.parse(expiresAt) - Date.now()
      assert.ok(ahead > (hours - 1) * HOUR_MS && ahead <= hours * HOUR_MS, `${ahead} ms`)
    }
    isAhead(made.replaced.expires_at, 2)
    const other = await json<{ id: string }>(`keys create --account ${account.id} --scope read --name shop`)
    const { replaced } = await json<{ replaced: { expires_at: string } }>(`keys rotate ${other.id}`)
    isAhead(replaced.expires_at, 24)
    assert.deepEqual([await statusWith(made.key), await statusWith(old.key)], [200, 200])
    const next = await json<{ id: string; key: string }>(`keys rotate ${made.id} --overlap 0m`)
    const { code, stderr } = await carnet(['keys', 'rotate', made.id], settings)
    assert.deepEqual(
      [code, stderr],
      [1, 'The key "erp" has expired: there is nothing to replace. Create a new key.\n'],
    )
    assert.equal(await statusWith(next.key), 200)
    await assertWithin(2_000, () =>
      waitUntil('the replaced key is refused', async () => (await statusWith(made.key)) === 401),
    )
  })

  test('an account that does not exist', async () => {
    const { code, stderr } = await carnet(['keys', 'create', '--account', '99', '--scope', 'full'], settings)
    assert.deepEqual([code, stderr], [1, 'There is no such account.\n'])
  })
})

const statusWith = async (key: string) =>
  (await fetch(`${addressOf(server)}/api/v1/products`, { headers: { authorization: `Bearer ${key}` } }))
    .status

/** PUBLIC_URL points elsewhere; the server prints the address on which it listens. */
const addressOf = ({ said }: Served) => (JSON.parse(said.stdout) as { address: string }).address

describe('passports revoke-credential', () => {
  const revoke = ['passports', 'revoke-credential']

  test('revokes once, and says where that is published', async () => {
    await json(`accounts signing --account ${account.id} --on`)
    const { key } = await json<{ key: string }>(`keys create --account ${account.id} --scope full`)
    const body = JSON.stringify({
      category: 'battery',
      data: {
        ...CATEGORY_EXAMPLES.battery.value.data,
        manufacturingFacility: { facilityId: '9521234003007', name: 'Werk Dresden' },
      },
    })
    const authorization = `Bearer ${key}`
    const headers = { authorization, 'content-type': 'application/json' }
    const made = await fetch(`${addressOf(server)}/api/v1/products`, { method: 'POST', headers, body })
    const { data } = (await made.json()) as { data: { id: string } }
    const none = await carnet([...revoke, data.id], settings)
    assert.equal(none.code, 1)
    assert.match(none.stderr, /has no credential: nobody has read one/)
    const read = await fetch(`${addressOf(server)}/dpp/v1/dpps/${data.id}`, {
      headers: { accept: 'application/vc' },
    })
    const { credentialStatus } = (await read.json()) as {
      credentialStatus: { statusListCredential: string; statusListIndex: number }
    }
    const revoked = await carnet([...revoke, data.id], settings)
    assert.equal(revoked.code, 0)
    assert.match(revoked.stdout, /up to version 1 are revoked \(number \d+ of https:\/\/passports\.example\//)
    const { statusListCredential: list_url, statusListIndex: index } = credentialStatus
    assert.deepEqual(await json(`passports revoke-credential ${data.id}`), {
      product_id: data.id,
      account_id: account.id,
      last_version: 1,
      status: { list_url, index },
      newly_revoked: false,
    })
    await json(`accounts signing --account ${account.id} --off`)
  })

  test('needs the id of a product', async () => {
    assert.equal((await carnet(revoke, settings)).code, 2)
    for (const id of ['01m45m2vp0fqh9ek41pvnj0nca', 'x']) {
      const { code, stderr } = await carnet([...revoke, id], settings)
      assert.deepEqual([code, stderr], [1, 'There is no such product.\n'])
    }
  })
})

describe('users', () => {
  test('create and reset-password give links to set a password', async () => {
    const made = await json<{ id: string; email: string; set_password_url: string }>(
      `users create --account ${account.id} --email Ada@Nordlicht.example --role owner`,
    )
    assert.match(made.id, ID)
    assert.equal(made.email, 'ada@nordlicht.example')
    assert.match(made.set_password_url, /^https:\/\/passports\.example\/console\/set-password\?token=\w+$/)
    const again = await json<typeof made>('users reset-password --email ada@nordlicht.example')
    assert.notEqual(again.set_password_url, made.set_password_url)
  })

  test('browser-link gives a link to people who have a password', async () => {
    const email = 'grace@nordlicht.example'
    const browserLink = ['users', 'browser-link', '--email', email]
    const unknown = await carnet(browserLink, settings)
    assert.deepEqual([unknown.code, unknown.stderr], [1, `There is no person with the e-mail ${email}.\n`])
    const { set_password_url: url } = await json<{ set_password_url: string }>(
      `users create --account ${account.id} --email ${email} --role viewer`,
    )
    const early = await carnet(browserLink, settings)
    const hint = `${email} has not set a password yet. Run "carnet users reset-password --email ${email}".\n`
    assert.deepEqual([early.code, early.stderr], [1, hint])
    const form = { token: new URL(url).searchParams.get('token') ?? '', password: 'seven grey herons stand' }
    const set = await fetch(`${addressOf(server)}/console/set-password`, {
      method: 'POST',
      headers: { origin: 'https://passports.example', 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams(form),
      redirect: 'manual',
    })
    assert.equal(set.status, 303)
    const made = await json<{ email: string; browser_url: string }>(`users browser-link --email ${email}`)
    assert.equal(made.email, email)
    assert.match(
      made.browser_url,
      /^https:\/\/passports\.example\/console\/known-browser\?token=[0-9A-Za-z]{43}$/,
    )
    const { stdout } = await carnet(browserLink, settings)
    assert.match(stdout, /known-browser\?token=.*\n\nSend this link to grace@.*within 30 minutes/)
  })

  test('without an e-mail no link is created', async () => {
    const { code, stderr } = await carnet(
      ['users', 'create', '--account', account.id, '--email', 'ada', '--role', 'owner'],
      settings,
    )
    assert.deepEqual([code, stderr], [1, '"ada" is not an e-mail address.\n'])
  })
})

describe('access-links', () => {
  test('create a link for the whole account, list it, revoke it', async () => {
    const made = await json<{ id: string; token: string; url: null; expires_at: string }>(
      `access-links create --account ${account.id} --audience authority --label Customs --expires 7d`,
    )
    assert.match(made.id, ID)
    assert.equal(made.url, null)
    assert.ok(made.token.length > 40)
    assert.ok(Math.abs(Date.parse(made.expires_at) - Date.now() - 7 * 86_400_000) < 60_000)
    const listed = await json<{ id: string }[]>(`access-links list --account ${account.id}`)
    assert.deepEqual(
      listed.map(link => link.id),
      [made.id],
    )
    const revoked = await json<{ revoked_at: string }>(`access-links revoke ${made.id}`)
    assert.ok(Date.parse(revoked.revoked_at) > 0)
  })
})

describe('gtin release', () => {
  test('says that no product has the GTIN', async () => {
    const { code, stderr } = await carnet(['gtin', 'release', '9521234500001'], settings)
    assert.equal(code, 1)
    assert.match(stderr, /GTIN/)
  })

  test('requires exactly one of --to and --for-anyone, and an account that exists', async () => {
    const words = ['gtin', 'release', '9521234500001', '--to', '4711']
    const both = await carnet([...words, '--for-anyone'], settings)
    assert.deepEqual([both.code, both.stderr.split('\n')[0]], [2, 'Give --to or --for-anyone, not both.'])
    const { code, stderr } = await carnet(words, settings)
    assert.equal(code, 1)
    assert.match(stderr, /account/)
  })
})

describe('migrate', () => {
  test('has nothing to do on a current database', async () => {
    assert.deepEqual(await json('migrate'), { applied: [], pending: [] })
  })
})

describe('doctor', () => {
  test('finds no problem', async () => {
    const checks = await json<{ name: string; ok: boolean; detail: string }[]>('doctor --verify')
    assert.deepEqual(
      checks.map(({ name, ok }) => `${name} ${ok}`),
      [
        'settings',
        'data directory',
        'secret key',
        'port',
        'country data',
        'rules',
        'backups',
        'pictures and documents',
        'database',
        'migrations',
        'clock',
        'connections',
        'jit',
        'transport',
        'roles',
        'counters',
        'claims',
        'private keys',
        'sealed secrets',
        'deliveries',
        'mirrors',
        'registry proofs',
        'histories',
        'daily roots',
        'files',
      ].map(name => `${name} true`),
    )
  })

  test('reports a setting whose name is nearly one of ours', async () => {
    const odd = { ...settings, env: { ...settings.env, PUBLIC_ULR: 'https://passport.example' } }
    const { code, stdout } = await carnet(['doctor'], odd)
    assert.equal(code, 1)
    assert.match(stdout, /BAD +settings +The setting PUBLIC_ULR .* Did you mean PUBLIC_URL\?/)
  })
})

describe('the secret key', () => {
  test('is readable by its owner only', async () => {
    const { mode } = await stat(join(folder.path, 'data', 'secret-key'))
    assert.equal(mode & 0o777, 0o600)
  })
})
