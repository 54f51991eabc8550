/** Tests that concurrent changes share a statement, and that one that is refused or waits affects no other. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { AccountContext } from '../../src/accounts/account/context.ts'
import { openPool, type Sql } from '../../src/kernel/db/database.ts'
import { AppError } from '../../src/kernel/errors/errors.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { updatePassport } from '../../src/passports/write/update.ts'
import { type Harness, newProduct, nextGtin, startHarness } from '../harness.ts'

let t: Harness
let sql: Sql
let ctx: AccountContext
let sent: string[] = []
before(async () => {
  t = await startHarness()
  sql = openPool(t.target, { onStatementEnd: ({ text }) => sent.push(text) })
  ctx = { ...(await t.account()).ctx, sql }
})
after(async () => {
  await sql.end()
  await t.close()
})

const create = async (n: number): Promise<string[]> =>
  Promise.all(
    Array.from({ length: n }, async () => {
      const made = await createPassport(ctx, { ...newProduct({ gtin: nextGtin() }), strict: false })
      return made.passport.id
    }),
  )

const change = async (uuid: string, data: Record<string, unknown>, at = ctx) => {
  const made = await updatePassport(at, {
    uuid,
    data,
    changeType: 'change',
    note: undefined,
    strict: false,
    expects: () => true,
  })
  return made.passport.version_no
}

/** Returns the version number of each change, or the code of its error. */
const changeAll = (changes: readonly (readonly [string, Record<string, unknown>])[]) =>
  Promise.all(
    changes.map(([uuid, data]) =>
      change(uuid, data).catch(error => {
        assert.ok(error instanceof AppError, String(error))
        return error.details?.[0]?.code ?? error.code
      }),
    ),
  )

const countWrites = () => sent.filter(text => text.includes('carnet_write_version')).length

test('concurrent changes of an account share one read and one write', async () => {
  const ids = await create(10)
  sent = []
  assert.deepEqual(
    await changeAll(ids.map(id => [id, { weightGrams: 5 }])),
    ids.map(() => 2),
  )
  assert.equal(sent.length, 2, sent.join('\n'))
})

test('those of several actors and accounts share the read alone', async () => {
  const [one = '', two = ''] = await create(2)
  const [key] = await t.sql<{ actor_id: number }[]>`
    select actor_id from api_key where account_id = ${ctx.accountId}`
  assert.ok(key)
  const other = { ...(await t.account()).ctx, sql }
  const made = await createPassport(other, { ...newProduct(), strict: false })
  sent = []
  await Promise.all([
    change(one, { weightGrams: 5 }),
    change(two, { weightGrams: 5 }, { ...ctx, actorId: key.actor_id }),
    change(made.passport.id, { weightGrams: 5 }, other),
  ])
  assert.equal(countWrites(), 3)
  assert.equal(sent.length, 4, sent.join('\n'))
  const authors =
    await t.sql`select created_by from passport where id = any(${[one, two]}::text[]::uuid[]) order by id`
  assert.deepEqual(new Set(authors.map(row => row.created_by)), new Set([ctx.actorId, key.actor_id]))
})

test('each row that is refused is refused alone', async () => {
  const [a = '', b = '', c = '', d = '', e = ''] = await create(5)
  const gtin = nextGtin()
  await createPassport(ctx, { ...newProduct({ gtin }), strict: false })
  const pictures = [{ media: randomBytes(32).toString('hex'), alt: { en: 'None' } }]
  assert.deepEqual(
    await changeAll([
      [a, { weightGrams: 5 }],
      [b, { pictures }],
      [c, { gtin }],
      [d, { weightGrams: 'heavy' }],
      [e, { weightGrams: 5 }],
    ]),
    [2, 'unknown_media', 'duplicate', 'type', 2],
  )
})

test('an error that names no row is the error of its row alone', async () => {
  const [a = '', b = '', c = ''] = await create(3)
  await t.sql.unsafe(`
    create function refuse_one() returns trigger language plpgsql as $$ begin raise 'broken'; end $$;
    create trigger refuse_one before insert on passport_version for each row when (new.passport_id = '${b}')
      execute function refuse_one()`)
  try {
    const outcomes = await Promise.allSettled([a, b, c].map(uuid => change(uuid, { weightGrams: 5 })))
    assert.deepEqual(
      outcomes.map(outcome => outcome.status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
  } finally {
    await t.sql.unsafe('drop trigger refuse_one on passport_version; drop function refuse_one()')
  }
})

test('changes of products that nobody has locked wait for none that somebody has', async () => {
  const ids = await create(6)
  const [locked = '', alone = ''] = ids
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  const { promise: isLocked, resolve: begun } = Promise.withResolvers<void>()
  const holder = t.sql.begin(async tx => {
    await tx`select from passport where id = any(${[locked, alone]}::text[]::uuid[]) order by id for update`
    begun()
    await isOver
  })
  await isLocked
  try {
    // The first is alone in its statement, the other one shares its.
    const waiting = [change(alone, { weightGrams: 6 })]
    await new Promise(resolve => setTimeout(resolve, 10))
    waiting.push(change(locked, { weightGrams: 6 }))
    assert.deepEqual(await changeAll(ids.slice(2).map(id => [id, { weightGrams: 6 }])), [2, 2, 2, 2])
    end()
    assert.deepEqual(await Promise.all(waiting), [2, 2])
  } finally {
    end()
    await holder
  }
})

test('large data has statements of its own, and is written whole', async () => {
  const ids = await create(3)
  const text = 'x'.repeat(40_000)
  await changeAll(ids.map(id => [id, { [`free${id.length}`]: text }]))
  sent = []
  assert.deepEqual(await changeAll(ids.map(id => [id, { other: text }])), [3, 3, 3])
  const rows = await t.sql<{ n: number }[]>`
    select length(c.data->>'other') as n from passport p join content c on c.id = p.content_id
    where p.id = any(${ids}::text[]::uuid[])`
  assert.deepEqual(
    rows.map(row => row.n),
    [40_000, 40_000, 40_000],
  )
})
