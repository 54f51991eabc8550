/** History is only added to: the database refuses every other change of these tables. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Harness, startHarness } from '../harness.ts'

let t: Harness
before(async () => {
  t = await startHarness()
})
after(() => t.close())

for (const table of ['content', 'passport_version', 'passport_status', 'audit_entry']) {
  test(`rows of ${table} are never updated, deleted or truncated`, async () => {
    const name = t.sql(table)
    for (const change of [
      t.sql`update ${name} set account_id = 1`,
      t.sql`delete from ${name}`,
      t.sql`truncate ${name}`,
    ]) {
      await assert.rejects(change, { code: 'CA002' })
    }
  })
}

test('a trigger on TRUNCATE is for nothing else', async () => {
  const mixed = await t.sql`
    select tgname from pg_trigger where not tgisinternal and tgtype & 32 > 0 and tgtype & 28 > 0`
  assert.deepEqual([...mixed], [])
})
