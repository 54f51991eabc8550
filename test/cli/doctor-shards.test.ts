/** Tests what `carnet doctor` finds on shards, here plain schemas. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { checkClaims, checkCounters, checkHistories, checkShards } from '../../src/cli/store/verify-store.ts'
import { createSecretCipher } from '../../src/kernel/crypto/secret-cipher.ts'
import { checkNodes } from '../../src/kernel/db/check-nodes.ts'
import { getShard } from '../../src/kernel/db/shards.ts'
import { createAddressList } from '../../src/kernel/http/ip-ranges.ts'
import { countOpenJobs } from '../../src/passports/units/refresh-job.ts'
import { addWebhook } from '../../src/webhooks/manage-webhooks.ts'
import { getQueueSize } from '../../src/webhooks/queue-size.ts'
import { countSecretsByKey, hasWebhookSecrets, reencryptSecrets } from '../../src/webhooks/rotate-secret.ts'
import { countStuckDeliveries, unstickAllShards } from '../../src/webhooks/unstick.ts'
import {
  type Harness,
  newProduct,
  nextGtin,
  spreadClosed,
  startHarness,
  type TestAccount,
} from '../harness.ts'

let t: Harness
let accounts: [TestAccount, TestAccount]

before(async () => {
  t = await startHarness({ shards: 2 })
  accounts = [await t.account(), await t.account()]
})
after(() => t.close())

const create = async (account: TestAccount, data: Record<string, unknown> = {}) => {
  const answer = await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct(data) })
  assert.equal(answer.status, 201, answer.text)
  return answer.json.data as { id: string }
}
const shard = (number: number) => getShard(t.setup.sql, number)
/** Breaks the database, checks it, and mends it. */
const check = async <T>(broken: string, run: () => Promise<T>, mended: string): Promise<T> => {
  await t.setup.sql.unsafe(broken)
  try {
    return await run()
  } finally {
    await t.setup.sql.unsafe(mended)
  }
}

describe('the checks of shards', () => {
  test('find no problem in a sound database', async () => {
    for (const account of accounts) await create(account, { gtin: nextGtin(), sku: 'sound' })
    const { sql } = t.setup
    assert.equal(await checkShards(sql), '2 shards with the tables of public')
    assert.equal(await checkCounters(sql), 'agree with the rows')
    assert.equal(await checkHistories(sql), 'every version is there, and every hash is right')
    assert.equal(await checkClaims(sql, true), '2 claims and 2 products agree')
    assert.equal(await checkNodes(sql), 'all shards are in this PostgreSQL')
  })

  test('find a wrong counter on any shard, and name it', async () => {
    const found = await check(
      `update shard_2.account_usage set used = used + 1 where account_id = ${accounts[1].id} and level = 'm'`,
      () => checkCounters(t.setup.sql),
      `update shard_2.account_usage set used = used - 1 where account_id = ${accounts[1].id} and level = 'm'`,
    )
    assert.deepEqual(found, [
      `shard 2: account ${accounts[1].id} has 1 products of level model, but its usage says 2`,
    ])
  })

  test('find a broken history on any shard', async () => {
    const found = await check(
      'update shard_2.passport set version_no = 5',
      () => checkHistories(t.setup.sql),
      'update shard_2.passport set version_no = 1',
    )
    assert.match(String(found), /^shard 2: product \w{26} is at version 5, but 0 are stored/)
  })

  const PROBLEMS: [string, string, string, RegExp][] = [
    [
      'a column that public lacks',
      'alter table shard_2.event add column odd integer',
      'alter table shard_2.event drop column odd',
      /^shard_2\.event differs from the table in public in odd:/,
    ],
    [
      'a column of another type',
      'alter table shard_1.scan_cleaning alter column done_at type timestamp',
      'alter table shard_1.scan_cleaning alter column done_at type timestamptz',
      /^shard_1\.scan_cleaning differs from the table in public in done_at:/,
    ],
    [
      'a table that is missing',
      'alter table shard_1.rate_share rename to away',
      'alter table shard_1.away rename to rate_share',
      /shard_1\.rate_share differs from the table in public in account_id,/,
    ],
    [
      'a shard that is behind',
      'update shard_migration set number = 31 where shard = 2',
      'update shard_migration set number = (select max(number) from schema_migration)',
      /^shard_2 has the migrations up to 31, public up to \d+: restore/,
    ],
    [
      'a schema that is missing',
      'insert into shard_migration values (3, 40)',
      'delete from shard_migration where shard = 3',
      /^the schema shard_3 is missing: restore/,
    ],
    [
      'accounts on a shard that does not exist',
      "insert into account (name, plan, created_at, shard) values ('Lost', 'beta', now(), 9)",
      "delete from account where name = 'Lost'",
      /^1 accounts are on shard 9, which does not exist: restore/,
    ],
    [
      'accounts with products on a shard that does not exist',
      "insert into account (name, plan, created_at, shard, shards, model_shards) values ('Lost', 'beta', now(), 1, '{1,9}', '{9}')",
      "delete from account where name = 'Lost'",
      /^1 accounts are on shard 9, which does not exist: restore/,
    ],
    [
      'accounts on no shard',
      "insert into account (name, plan, created_at) values ('Lost', 'beta', now())",
      "delete from account where name = 'Lost'",
      /^1 accounts are on no shard: a server/,
    ],
  ]
  for (const [name, broken, mended, expected] of PROBLEMS) {
    test(`find ${name}`, async () => {
      const found = await check(broken, () => checkShards(t.setup.sql), mended)
      assert.match(Array.isArray(found) ? found.join('; ') : '', expected)
      assert.equal(typeof (await checkShards(t.setup.sql)), 'string')
    })
  }

  test('find a claim without its product, and a product without its claim, over shards', async () => {
    const [lost, kept, moved] = [nextGtin(), nextGtin(), nextGtin()]
    await create(accounts[0], { gtin: kept, sku: 'kept' })
    const { id } = await create(accounts[1], { gtin: moved, sku: 'moved' })
    const found = await check(
      `insert into gtin_claim (gtin14, account_id, model_id, claimed_at)
         values ('0${lost}', ${accounts[1].id}, gen_random_uuid(), now());
       update gtin_claim set account_id = ${accounts[0].id} where gtin14 = '0${moved}'`,
      () => checkClaims(t.setup.sql, false),
      `delete from gtin_claim where gtin14 = '0${lost}';
       update gtin_claim set account_id = ${accounts[1].id} where gtin14 = '0${moved}'`,
    )
    assert.ok(Array.isArray(found))
    assert.equal(found.length, 3, found.join('\n'))
    assert.ok(found.some(line => line.includes(lost) && line.includes(`carnet gtin release 0${lost}`)))
    assert.ok(found.some(line => line.startsWith(`product ${id} of account ${accounts[1].id} has the GTIN`)))
    assert.ok(found.some(line => line.startsWith(`the GTIN 0${moved} belongs to product ${id} of account`)))
    assert.equal(typeof (await checkClaims(t.setup.sql, true)), 'string')
  })

  test('find no problem with an account on two shards', async () => {
    const account = await t.account()
    await spreadClosed(t.setup.sql, account.id, [1, 2])
    for (let i = 0; i < 16; i++) await create(account, { gtin: nextGtin(), sku: `spread-${i}` })
    const rows = await t.setup.sql<{ shard: number }[]>`
      select 1 as shard from shard_1.passport where account_id = ${account.id}
      union select 2 from shard_2.passport where account_id = ${account.id}`
    assert.equal(rows.length, 2)
    const { sql } = t.setup
    assert.equal(await checkShards(sql), '2 shards with the tables of public')
    assert.equal(await checkCounters(sql), 'agree with the rows')
    assert.equal(typeof (await checkHistories(sql)), 'string')
    assert.equal(typeof (await checkClaims(sql, true)), 'string')
  })

  test('find claims by ids that name another shard', async () => {
    const { id } = await create(accounts[0], { gtin: nextGtin(), sku: 'named' })
    const [row] = await shard(1)<{ id: string }[]>`select id from passport where sku = 'named'`
    const other = `${row?.id.slice(0, -3)}002`
    await t.setup.sql.unsafe(`
      update gtin_claim set model_id = '${other}' where model_id = '${row?.id}';
      update shard_1.passport set id = '${other}', model_id = '${other}' where id = '${row?.id}'`)
    assert.ok(id)
    assert.equal(typeof (await checkClaims(t.setup.sql, true)), 'string')
  })
})

describe('the operator, on shards', () => {
  const context = () => ({ sql: t.setup.sql, clock: t.clock })

  test('sees the secrets of all webhooks, and encrypts them again', async () => {
    assert.equal(await hasWebhookSecrets(t.setup.sql), false)
    for (const [i, { ctx }] of accounts.entries()) {
      const policy = { allowInsecureLoopback: true, allowed: createAddressList([]) }
      const setup = { secretCipher: t.setup.secretCipher, policy }
      await addWebhook({ ...ctx, sql: shard(i + 1) }, setup, { url: 'https://example.com/hook' })
    }
    assert.equal(await hasWebhookSecrets(t.setup.sql), true)
    const old = 'a secret key that only tests know, long enough'
    const cipher = createSecretCipher('another key of tests, long enough too', [old])
    assert.deepEqual(await countSecretsByKey(context(), cipher), { current: 0, other: 2 })
    assert.deepEqual(await reencryptSecrets(context(), cipher), { sealed_anew: 2, already_current: 0 })
    assert.deepEqual(await countSecretsByKey(context(), cipher), { current: 2, other: 0 })
  })

  test('sees deliveries and refreshes of all shards, and frees stuck ones', async () => {
    for (const account of accounts) await create(account, { sku: 'delivered' })
    const { due, waiting } = await getQueueSize(context())
    assert.equal(due + waiting, 2)
    for (const number of [1, 2]) {
      await shard(number)`update webhook_delivery set due_at = now() + interval '10 days'`
      await shard(number)`
        insert into refresh_job (created_at, alive_at, account_id, actor_id, refreshed, id, passport_id, skipped, failed)
        values (now(), now(), 1, 1, 0, gen_random_uuid(), gen_random_uuid(), '[]', '[]')`
    }
    assert.equal(await countOpenJobs(t.setup.sql), 2)
    const stuck = { leases: 0, deliveries: 2, endpoints: 0 }
    assert.deepEqual(await countStuckDeliveries(context()), stuck)
    assert.deepEqual(await unstickAllShards(context()), stuck)
    assert.deepEqual(await countStuckDeliveries(context()), { ...stuck, deliveries: 0 })
  })
})
