/** Tests endpoints: add, change, pause, remove; at most twenty per account; none of another account. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  addWebhook,
  changeWebhook,
  pauseWebhook,
  removeWebhook,
  resumeWebhook,
} from '../../src/webhooks/manage-webhooks.ts'
import { rotateSecret } from '../../src/webhooks/rotate-secret.ts'
import { getWebhook, listWebhooks } from '../../src/webhooks/webhook.ts'
import { waitForLocks } from '../waiting.ts'
import { type Stand, startStand } from './stand.ts'

const URL = 'https://shop.example/hooks?a=b'

let stand: Stand

before(async () => {
  stand = await startStand()
})

after(() => stand.close())

test('add returns the record with the secret, list without it', async () => {
  stand.clock.set('2026-11-21T10:00:00Z')
  const account = await stand.account()
  const { secret, id, ...rest } = await stand.endpoint(account, { url: ` ${URL} `, description: 'ERP' })
  assert.match(id, /^[0-9a-z]{26}$/)
  assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32)
  assert.deepEqual(rest, {
    url: URL,
    description: 'ERP',
    events: ['*'],
    status: 'active',
    created_at: '2026-11-21T10:00:00.000Z',
    last_delivery: null,
    failing_since: null,
    left_in_peace_until: null,
    disabled_reason: null,
    old_secret_until: null,
    old_secret_signs: false,
  })
  assert.deepEqual(await listWebhooks(account.ctx), [{ id, ...rest }])
})

test('change replaces the given members; pause and resume have one audit entry each', async () => {
  const account = await stand.account()
  const { id } = await stand.endpoint(account, { url: URL, events: ['product.created', 'product.created'] })
  assert.deepEqual((await getWebhook(account.ctx, id)).events, ['product.created'])
  const changed = await changeWebhook(account.ctx, stand.setup, id, { url: 'https://erp.example/' })
  assert.deepEqual([changed.url, changed.events], ['https://erp.example/', ['product.created']])
  assert.deepEqual((await changeWebhook(account.ctx, stand.setup, id, { events: ['*'] })).events, ['*'])
  for (let twice = 0; twice < 2; twice++) {
    assert.equal((await pauseWebhook(account.ctx, id)).status, 'paused')
  }
  for (let twice = 0; twice < 2; twice++) {
    assert.equal((await resumeWebhook(account.ctx, id)).status, 'active')
  }
  await removeWebhook(account.ctx, id)
  assert.deepEqual(await listWebhooks(account.ctx), [])
  await assert.rejects(getWebhook(account.ctx, id), { code: 'not_found' })
  const log = await stand.sql<
    { action: string }[]
  >`select action from audit_entry where account_id = ${account.id} and action like 'webhook%' order by id`
  const actions = ['added', 'changed', 'changed', 'paused', 'resumed', 'removed'].map(one => `webhook_${one}`)
  assert.deepEqual(
    log.map(row => row.action),
    actions,
  )
})

test('an account has at most twenty endpoints, also if they are added concurrently; removing one makes room', async () => {
  const account = await stand.account()
  const add = () => addWebhook(account.ctx, stand.setup, { url: URL })
  const results = await Promise.allSettled(Array.from({ length: 25 }, add))
  const made = results.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
  // Concurrent calls for the same slot may fail before there are twenty.
  for (let n = made.length; n < 20; n++) made.push(await add())
  assert.equal((await listWebhooks(account.ctx)).length, 20)
  await assert.rejects(add(), {
    code: 'validation',
    message: 'An account has at most 20 webhooks. Remove one that is not used.',
  })
  await removeWebhook(account.ctx, made[3]?.id ?? '')
  await add()
  assert.equal((await listWebhooks(account.ctx)).length, 20)
})

test('an endpoint whose slot another process takes at the same moment gets the next slot', async () => {
  const account = await stand.account()
  const { adding } = await stand.sql.begin(async tx => {
    await tx`
      insert into webhook_endpoint (account_id, id, slot, status, url, description, secret, created_at)
      values (${account.id}, gen_random_uuid(), 1, 'a', ${URL}, '', '', now())`
    const adding = addWebhook(account.ctx, stand.setup, { url: URL })
    adding.catch(() => undefined)
    await waitForLocks(stand.sql, 1)
    return { adding }
  })
  const { id } = await adding
  const rows = await stand.sql<{ slot: number }[]>`
    select slot from webhook_endpoint where account_id = ${account.id} order by slot`
  assert.deepEqual(
    rows.map(({ slot }) => slot),
    [1, 2],
  )
  assert.equal((await getWebhook(account.ctx, id)).status, 'active')
})

test('removing an endpoint deletes both of its secrets', async () => {
  const account = await stand.account()
  const { id } = await stand.endpoint(account, { url: URL })
  await rotateSecret(account.ctx, stand.setup, id)
  const readSecrets = () => stand.sql<{ bytes: number; old: Buffer | null }[]>`
    select octet_length(secret) as bytes, old_secret as old from webhook_endpoint where account_id = ${account.id}`
  assert.ok((await readSecrets())[0]?.old)
  await removeWebhook(account.ctx, id)
  assert.deepEqual([...(await readSecrets())], [{ bytes: 0, old: null }])
})

test('invalid input is refused with the name of the member', async () => {
  const account = await stand.account()
  const wrong: [Parameters<typeof addWebhook>[2], RegExp][] = [
    [{ url: 'shop.example' }, /must begin with https/],
    [{ url: `https://shop.example/${'x'.repeat(2048)}` }, /longer than 2048/],
    [{ url: URL, events: ['product.sold'] }, /There is no event "product.sold"/],
    [{ url: URL, events: [] }, /events is empty/],
    [{ url: URL, description: 'x'.repeat(501) }, /longer than 500/],
    [{ url: URL, description: 'a\u0000b' }, /cannot be shown/],
  ]
  for (const [input, message] of wrong) {
    await assert.rejects(stand.endpoint(account, input), { code: 'validation', message })
  }
})

test("another account's endpoint is not found", async () => {
  const account = await stand.account()
  const other = await stand.account()
  const { id } = await stand.endpoint(account, { url: URL })
  for (const verb of [getWebhook, pauseWebhook, resumeWebhook, removeWebhook]) {
    await assert.rejects(verb(other.ctx, id), { code: 'not_found' })
    await assert.rejects(verb(account.ctx, 'nonsense'), { code: 'not_found' })
  }
  await assert.rejects(changeWebhook(other.ctx, stand.setup, id, { url: URL }), { code: 'not_found' })
  assert.equal((await getWebhook(account.ctx, id)).status, 'active')
})
