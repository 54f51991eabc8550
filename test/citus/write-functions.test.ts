/** Writes of passports on a shard of Citus, with and without a GTIN: the same results as on one PostgreSQL. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { AccountContext } from '../../src/accounts/account/context.ts'
import { IdempotencyKeyTaken } from '../../src/accounts/account/idempotency-record.ts'
import { openPool, type Sql } from '../../src/kernel/db/database.ts'
import { getSearchPath } from '../../src/kernel/db/shards.ts'
import { systemClock } from '../../src/kernel/values/clock.ts'
import { syncModels } from '../../src/passports/sync/sync-models.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { refreshPassport } from '../../src/passports/units/refresh-job.ts'
import { setStatus } from '../../src/passports/write/archive.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { updatePassport } from '../../src/passports/write/update.ts'
import { newProduct, nextGtin } from '../harness.ts'
import { type CitusDatabase, findPlacement, SKIP_WITHOUT_CITUS } from './cluster.ts'
import { makeShardedDatabase } from './sharded-database.ts'

describe('writes on a shard of Citus', { skip: SKIP_WITHOUT_CITUS }, () => {
  let database: CitusDatabase
  let sql: Sql
  let ctx: AccountContext

  before(async () => {
    database = await makeShardedDatabase(1)
    const shared = database.coordinator.sql
    const [account] = await shared<{ id: number }[]>`
      insert into account (name, plan, created_at) values ('Brand', 'enterprise', now()) returning id`
    const { node } = await findPlacement(database, 'shard_1.passport')
    sql = openPool({ url: node.url }, { max: 1, searchPath: getSearchPath(1) })
    await sql`set plan_cache_mode = auto`
    ctx = { sql, clock: systemClock, accountId: account?.id ?? 0, actorId: 1 }
    await sql`insert into account_usage (account_id, level, used) values
      (${ctx.accountId}, 'm', 0), (${ctx.accountId}, 'b', 0), (${ctx.accountId}, 'i', 0)`
  })
  after(async () => {
    await sql?.end()
    await database?.drop()
  })

  const create = async (data = {}) =>
    (await createPassport(ctx, { ...newProduct(data), strict: false })).passport.id
  const change = (
    uuid: string,
    data: Record<string, unknown>,
    changeType: 'change' | 'correction' = 'change',
  ) => updatePassport(ctx, { uuid, data, changeType, note: undefined, strict: false, expects: () => true })
  const status = (uuid: string, letter: 'a' | 'x') =>
    setStatus(ctx, { uuid, status: letter, expects: () => true })
  const issue = (parentUuid: string, serials: readonly string[]) => {
    const units = serials.map(serial => ({ serial, data: { brandName: `Brand ${serial}` } }))
    return issueUnits(ctx, { parentUuid, level: 'item', units, bulk: true, strict: false })
  }
  const sync = (skus: readonly string[], brandName: string) => {
    const rows = skus.map(sku => newProduct({ sku, brandName }))
    const common = { matchBy: 'sku', changeType: 'change', note: undefined } as const
    return syncModels(ctx, { ...common, rows, strict: false, dryRun: false })
  }

  test('a GTIN belongs to one product, whichever call wants it', async () => {
    const gtin = nextGtin()
    const uuid = await create({ gtin })
    const other = await create()
    await assert.rejects(create({ gtin }), { code: 'gtin_taken' })
    await assert.rejects(change(other, { gtin }), { code: 'gtin_taken' })
    assert.equal((await change(other, { gtin: nextGtin() })).passport.version_no, 2)
    const made = await Promise.allSettled([gtin, nextGtin(), nextGtin()].map(one => create({ gtin: one })))
    assert.deepEqual(
      made.map(one => one.status),
      ['rejected', 'fulfilled', 'fulfilled'],
    )
    for (const letter of ['x', 'a'] as const) assert.equal((await status(uuid, letter)).status, letter)
  })

  test('an idempotency key is stored once, with its response', async () => {
    const createOnce = () =>
      createPassport(
        { ...ctx, idempotency: { request: { key: 'once', fingerprint: Buffer.alloc(32) }, isStored: false } },
        { ...newProduct(), strict: false },
        ({ passport }) => ({ status: 201, headers: {}, body: passport.id }),
      )
    const { passport } = await createOnce()
    await assert.rejects(createOnce(), IdempotencyKeyTaken)
    const rows =
      await sql`select body from idempotency_key where account_id = ${ctx.accountId} and key = 'once'`
    assert.deepEqual([...rows], [{ body: passport.id }])
  })

  test('units are issued under free names, changed and refreshed', async () => {
    const model = await create()
    const { created } = await issue(model, ['A', 'B', 'C'])
    assert.equal((await issue(model, ['C', 'D'])).created.length, 1)
    await change(created[1]?.passport.id ?? '', { productName: 'Its own' })
    await change(model, { brandName: 'Right', weightGrams: 5 }, 'correction')
    assert.deepEqual(await refreshPassport(ctx, model), { refreshed: 4, skipped: [], failed: [], pending: 0 })
  })

  test('a sync creates and updates, and claims a SKU that another product has given up', async () => {
    const skus = Array.from({ length: 20 }, (_, i) => `S-${i}`)
    assert.equal((await sync(skus, 'First')).created.length, 20)
    const { updated } = await sync(skus, 'Second')
    assert.equal(updated.length, 20)
    await change(updated[0]?.passport.id ?? '', { sku: 'Other' })
    assert.equal((await sync(['S-0'], 'Third')).created.length, 1)
  })

  test('all hashes and counters are right', async () => {
    const broken = await sql`
      select passport_id from (
        select v.passport_id, v.hash, carnet_chain(
          carnet_birth_hash(p.id, p.level, p.category, p.model_id, p.parent_id, p.lot, p.serial),
          carnet_version_facts(v.version_no, v.kind, v.created_at, v.created_by, c.hash, v.own, v.note, v.changed))
          over (partition by v.passport_id order by v.version_no) as expected
        from passport_version v join passport p on p.id = v.passport_id join content c on c.id = v.content_id
      ) version where hash <> expected`
    assert.deepEqual([...broken], [])
    const [counts] = await sql`
      select (select count(*) from passport where level = 'm') as models, (select count(*) from passport where level = 'i') as items,
        (select sum(used)::int from account_usage where level = 'm') as models_used,
        (select sum(n)::int from passport_count where level = 'm') as models_counted,
        (select sum(n)::int from content_units) as units_counted`
    assert.deepEqual([counts?.models_used, counts?.models_counted], [counts?.models, counts?.models])
    assert.equal(counts?.units_counted, counts?.items)
  })
})
