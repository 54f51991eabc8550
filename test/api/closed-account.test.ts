/** Tests a closed account: its keys are rejected, its passports stay unchanged, its pages are served. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { closeAccount, reopenAccount } from '../../src/accounts/account/close-account.ts'
import { newUuid } from '../../src/kernel/crypto/ids.ts'
import { refreshesEnded, resumeRefreshes } from '../../src/passports/units/refresh-job.ts'
import { type Harness, newProduct, startHarness } from '../harness.ts'

let harness: Harness
before(async () => {
  harness = await startHarness()
})
after(() => harness.close())

describe('a closed account', () => {
  test('every call rejects its keys within two seconds; when reopened it accepts them again', async () => {
    const { id, key } = await harness.account()
    const body = newProduct()
    const made = await harness.ask('POST', '/api/v1/products', { key, body })
    assert.equal(made.status, 201)
    const page = new URL(made.json.data.passport_url).pathname
    await closeAccount(harness, id)
    harness.clock.advance(2_000)
    const product = `/api/v1/products/${made.json.data.id}`
    for (const answer of [
      await harness.ask('GET', product, { key }),
      await harness.ask('POST', '/api/v1/products', { key, body }),
      await harness.ask('PATCH', product, { key, body: { data: { productName: 'Other' } } }),
      await harness.ask('POST', `${product}/archive`, { key }),
    ]) {
      assert.deepEqual([answer.status, answer.json.code], [401, 'unauthorized'])
    }
    assert.equal((await harness.ask('GET', page)).status, 200)
    assert.equal((await harness.ask('GET', `${page}?format=jsonld`)).status, 200)
    await reopenAccount(harness, id)
    harness.clock.advance(2_000)
    const back = await harness.ask('GET', product, { key })
    assert.deepEqual([back.status, back.json.data.version_no], [200, 1])
  })

  test('a running refresh waits until the account is reopened', async () => {
    const account = await harness.account()
    const made = await harness.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })
    assert.equal(made.status, 201)
    const [passport] = await harness.sql<{ id: string }[]>`
      select id from passport where account_id = ${account.id}`
    const long = new Date(harness.clock.now().getTime() - 60_000)
    await harness.sql`
      insert into refresh_job (created_at, alive_at, account_id, actor_id, refreshed, id, passport_id, skipped, failed)
      values (${long}, ${long}, ${account.id}, ${account.ctx.actorId}, 0, ${newUuid(long.getTime())},
        ${passport?.id ?? ''}, '[]', '[]')`
    await closeAccount(harness, account.id)
    assert.equal(await resumeRefreshes(harness.sql, harness.clock), 0)
    await reopenAccount(harness, account.id)
    assert.equal(await resumeRefreshes(harness.sql, harness.clock), 1)
    await refreshesEnded(harness.sql)
  })
})
