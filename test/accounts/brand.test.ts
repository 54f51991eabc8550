/** Tests setBrand: changes only the given fields, all or none, and writes an audit entry. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { findLogo, getBrand, getCachedBrand, NO_BRAND } from '../../src/accounts/brand/brand.ts'
import { updateBrand } from '../../src/accounts/brand/update-brand.ts'
import { AppError } from '../../src/kernel/errors/errors.ts'
import { type Harness, startHarness } from '../harness.ts'

const SVG = (colour: string) =>
  Buffer.from(`<svg viewBox="0 0 40 20"><path fill="${colour}" d="M0 0h40v20z"/></svg>`)

let harness: Harness
before(async () => {
  harness = await startHarness()
})
after(() => harness.close())

describe('updateBrand', () => {
  test('changes the given members and keeps the others', async () => {
    const { ctx } = await harness.account()
    assert.deepEqual(await getBrand(ctx), NO_BRAND)
    const first = await updateBrand(ctx, { name: ' Nordlicht ', accent: '#FC0', logo: SVG('red') })
    assert.equal(first.name, 'Nordlicht')
    assert.equal(first.accent, '#ffcc00')
    assert.match(first.logo?.file ?? '', /^[0-9a-f]{32}\.svg$/)
    const second = await updateBrand(ctx, {
      frameAncestors: ['https://Shop.example/', 'https://*.shop.example:8443'],
    })
    assert.deepEqual(second, {
      ...first,
      version: 2,
      frameAncestors: ['https://shop.example', 'https://*.shop.example:8443'],
    })
    const third = await updateBrand(ctx, { accent: null, logo: null })
    assert.deepEqual(third, { ...second, version: 3, accent: null, logo: null })
    assert.deepEqual(await getBrand(ctx), third)
  })

  test('two concurrent changes of different members are both stored', async () => {
    const { ctx } = await harness.account()
    await Promise.all([
      updateBrand(ctx, { name: 'A' }),
      updateBrand(ctx, { accent: '#000' }),
      updateBrand(ctx, { frameAncestors: ['https://shop.example'] }),
    ])
    const { name, accent, frameAncestors, version } = await getBrand(ctx)
    assert.deepEqual([name, accent, frameAncestors, version], ['A', '#000000', ['https://shop.example'], 3])
  })

  test('reports all errors at once and changes nothing', async () => {
    const { ctx } = await harness.account()
    await assert.rejects(
      updateBrand(ctx, {
        name: 'a\nb',
        accent: 'red',
        logo: Buffer.from('no'),
        logoDark: Buffer.from('no'),
        frameAncestors: [
          'https://ok.example',
          "https://x.example; script-src 'unsafe-inline'",
          '*',
          'https://*.example',
        ],
      }),
      (error: unknown) => {
        assert.ok(error instanceof AppError)
        assert.deepEqual(
          error.details?.map(({ path }) => path[0]),
          ['name', 'accent', ...Array(3).fill('frame_ancestors'), 'logo', 'logo_dark'],
        )
        return true
      },
    )
    assert.deepEqual(await getBrand(ctx), NO_BRAND)
  })

  test('accepts only origins as frame ancestors', async () => {
    const { ctx } = await harness.account()
    const bad = [
      "'self'",
      'https:',
      'http://shop.example',
      'https://a.example/path',
      'https://a.example?x',
      'data:',
      'https://ä.example',
      'https://a b',
      '',
    ]
    for (const origin of bad)
      await assert.rejects(updateBrand(ctx, { frameAncestors: [origin] }), AppError, origin)
    const many = Array.from({ length: 21 }, (_, i) => `https://s${i}.example`)
    await assert.rejects(updateBrand(ctx, { frameAncestors: many }), /at most 20/)
    const { frameAncestors } = await updateBrand(ctx, {
      frameAncestors: ['http://localhost:3001', 'https://a.example', 'https://a.example'],
    })
    assert.deepEqual(frameAncestors, ['http://localhost:3001', 'https://a.example'])
  })

  test('writes an audit entry with the actor and the changed members', async () => {
    const { ctx, id } = await harness.account()
    await updateBrand(ctx, { name: 'X', accent: '#000' })
    const [entry] =
      await harness.sql`select actor, subject from audit_entry where account_id = ${id} and action = 'brand_changed'`
    assert.deepEqual({ ...entry }, { actor: ctx.actorId, subject: 'accent, name' })
  })

  test('keeps a replaced logo for a day', async () => {
    const { ctx } = await harness.account()
    harness.clock.set('2026-11-01T10:00:00Z')
    const { logo } = await updateBrand(ctx, { logo: SVG('blue') })
    const file = logo?.file ?? ''
    harness.clock.set('2026-11-20T10:00:00Z')
    await updateBrand(ctx, { logo: SVG('green') })
    assert.ok(await findLogo(harness.sql, file))
    harness.clock.set('2026-11-21T10:00:01Z')
    await updateBrand(ctx, { name: 'Y' })
    assert.equal(await findLogo(harness.sql, file), undefined)
    const kept = (await getBrand(ctx)).logo?.file ?? ''
    assert.ok(await findLogo(harness.sql, kept))
    harness.clock.release()
  })
})

test('getCachedBrand caches for one second, and never hides a change made by this process', async () => {
  const { ctx, id } = await harness.account()
  harness.clock.set('2026-11-21T10:00:00.000Z')
  const read = async () => (await getCachedBrand(harness.sql, id, harness.clock.now())).name
  assert.equal(await read(), null)
  await updateBrand(ctx, { name: 'One' })
  assert.equal(await read(), 'One')
  await harness.sql`update brand set name = 'Two' where account_id = ${id}`
  harness.clock.advance(999)
  assert.equal(await read(), 'One')
  harness.clock.advance(1)
  assert.equal(await read(), 'Two')
  harness.clock.release()
})
