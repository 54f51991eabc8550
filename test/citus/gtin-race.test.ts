/**
 * Products of four shards that want one GTIN at the same moment: one gets it. CARNET_GTIN_ROUNDS runs more rounds than 60.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { getShard } from '../../src/kernel/db/shards.ts'
import { type Harness, newProduct, nextGtin, startHarness, type TestAccount } from '../harness.ts'
import { type CitusDatabase, SKIP_WITHOUT_CITUS } from './cluster.ts'
import { makeShardedDatabase } from './sharded-database.ts'

const SHARDS = 4
const ROUNDS = Number(process.env.CARNET_GTIN_ROUNDS ?? 60)

describe('a GTIN wanted on four shards of Citus', { skip: SKIP_WITHOUT_CITUS }, () => {
  let database: CitusDatabase
  let t: Harness
  let accounts: TestAccount[]

  before(async () => {
    database = await makeShardedDatabase(SHARDS)
    const target = { url: database.coordinator.url }
    t = await startHarness({ database: { target, isDistributed: true, drop: () => Promise.resolve() } })
    accounts = []
    for (let i = 0; i < SHARDS; i++) {
      const account = await t.account({ plan: 'enterprise' })
      accounts.push(account)
      // A new account is created on the shard with the fewest passports.
      await create(account, nextGtin())
    }
  })
  after(async () => {
    await t?.close()
    await database?.drop()
  })

  const create = ({ key }: TestAccount, gtin: string) =>
    t.ask('POST', '/api/v1/products', { key, body: newProduct({ gtin, sku: `G-${gtin}` }) })

  test(`is created once, and refused with 409 to the others, in ${ROUNDS} rounds`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const gtin = nextGtin()
      const answers = await Promise.all(accounts.map(account => create(account, gtin)))
      assert.deepEqual(answers.map(answer => answer.status).sort(), [201, 409, 409, 409])
    }
  })

  test('belongs to the product that has it, and to no other', async () => {
    const claims = await t.setup.sql<{ gtin14: string; model: string }[]>`
      select gtin14, model_id as model from gtin_claim`
    const lists = await Promise.all(
      [1, 2, 3, 4].map(
        shard => getShard(t.setup.sql, shard)<{ gtin14: string; model: string }[]>`
          select gtin14, id as model from passport where gtin14 is not null`,
      ),
    )
    assert.ok(lists.every(list => list.length > 0))
    const format = (rows: readonly { gtin14: string; model: string }[]) =>
      rows.map(({ gtin14, model }) => `${gtin14} ${model}`).sort()
    assert.deepEqual(format(claims), format(lists.flat()))
    assert.equal(claims.length, SHARDS + ROUNDS)
  })
})
