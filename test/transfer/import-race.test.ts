/** Tests rows of imports that change a part of a field, beside changes of the rest of it: none is lost. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inTransaction, repeatTransaction } from '../../src/kernel/db/transaction.ts'
import { writeRows } from '../../src/transfer/spreadsheets/import/write-rows.ts'
import { type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'

const ROUNDS = 25

let t: Harness
let other: Harness
let account: TestAccount
before(async () => {
  t = await startHarness()
  other = await t.beside()
  account = await t.account({ plan: 'enterprise' })
})
after(async () => {
  await other.close()
  await t.close()
})

/** As an import with a column for French writes it: other languages stay. */
const importFrench = (sku: string, fr: string) =>
  repeatTransaction(() =>
    inTransaction(account.ctx.sql, sql =>
      writeRows(
        { ...account.ctx, sql },
        [{ data: { sku, careInstructions: { fr } }, empty: [], cells: [] }],
        {
          category: 'textile',
          matchBy: 'sku',
          changeType: 'change',
          dryRun: false,
          before: 0,
          reading: { columns: [], mark: 'point', clears: false },
          isConfirmed: true,
        },
      ),
    ),
  )

test('an import keeps the languages that others have changed meanwhile', async () => {
  const sku = 'race'
  const made = await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct({ sku }) })
  const { id } = made.json.data
  const call = async (server: Harness, method: 'GET' | 'PATCH', path: string, body?: object) => {
    const answer = await server.ask(method, `/api/v1/products/${id}${path}`, {
      key: account.key,
      ...(body && { body }),
    })
    assert.ok(answer.status < 300, answer.text)
    return answer.json.data
  }
  const importRows = async () => {
    for (let i = 0; i < ROUNDS; i++)
      assert.equal((await importFrench(sku, `fr ${i}`)).updated, 1, `import ${i} is written`)
  }
  const patch = async (server: Harness, name: string) => {
    for (let i = 0; i < ROUNDS; i++)
      await call(server, 'PATCH', '', { data: { careInstructions: { en: `${name} ${i}` } } })
  }
  await Promise.all([importRows(), patch(t, 'a'), patch(other, 'b')])
  const { version_no: last } = await call(t, 'GET', '')
  assert.equal(last, 1 + 3 * ROUNDS, 'each write is a version')
  let english = 'Wash at 30 °C.'
  let imports = 0
  for (let no = 2; no <= last; no++) {
    const { careInstructions: texts } = (await call(t, 'GET', `/versions/${no}`)).data
    // A change replaces the whole field; an import adds French to what is there.
    if (Object.hasOwn(texts, 'fr')) {
      imports++
      assert.equal(texts.en, english, `version ${no} has the English text of the version before`)
    }
    english = texts.en
  }
  assert.equal(imports, ROUNDS)
})
