/**
 * Compares random actions on three levels with a simple model: every passport, every version, every
 * `outdated`.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import type { AccountContext } from '../../src/accounts/account/context.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { AppError } from '../../src/kernel/errors/errors.ts'
import {
  findBrokenHistories,
  findWrongCounts,
  findWrongUnitCounts,
} from '../../src/passports/copies/verify.ts'
import type { PassportRow } from '../../src/passports/core/record.ts'
import { getPassport } from '../../src/passports/read/find.ts'
import { getVersion } from '../../src/passports/read/history.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { refreshPassport } from '../../src/passports/units/refresh-job.ts'
import { setStatus } from '../../src/passports/write/archive.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { updatePassport } from '../../src/passports/write/update.ts'
import { countRepetitions } from '../full.ts'
import { CORES, type Harness, startHarness } from '../harness.ts'
import {
  change,
  createModel,
  FIELDS,
  type Fields,
  issue,
  type Outcome,
  reading,
  refresh,
  type Unit,
} from './inheritance-model.ts'

const SEQUENCES = countRepetitions(import.meta.url, { few: 90, near: 300, full: 10_000 })
/** Each run has its own account. More parallel runs would only wait for each other. */
const AT_ONCE = 6

type Step =
  | { do: 'issue'; level: 'batch' | 'item'; under: number; own: Fields }
  | { do: 'patch'; who: number; isCorrection: boolean; data: Fields }
  | { do: 'refresh'; who: number }
  | { do: 'archive' | 'restore'; who: number }

const VALUES = {
  weightKg: fc.constantFrom(1, 2, 3),
  energyWh: fc.constantFrom(1, 2),
  languages: fc.constantFrom(['en', 'de'], ['de', 'en']),
  safetyInformation: fc.constantFrom(
    { en: 'Keep dry.' },
    { de: 'Trocken halten.' },
    { en: 'Dry.', de: 'Trocken.' },
  ),
}

/**
 * One to three fields. Mostly numbers with few values, so that chains of corrections often return to an
 * earlier value.
 */
const someFields = (options: { nulls: boolean }): fc.Arbitrary<Fields> =>
  fc
    .uniqueArray(
      fc.oneof(
        { weight: 6, arbitrary: fc.constant('weightKg' as const) },
        { weight: 4, arbitrary: fc.constant('energyWh' as const) },
        { weight: 1, arbitrary: fc.constantFrom('languages' as const, 'safetyInformation' as const) },
      ),
      { minLength: 1, maxLength: 3 },
    )
    .chain(names =>
      fc.record(Object.fromEntries(names.map(name => [name, fieldValue(name, options)])), {
        noNullPrototype: true,
      }),
    )

const fieldValue = (name: keyof typeof VALUES, { nulls }: { nulls: boolean }): fc.Arbitrary<unknown> =>
  nulls ? fc.option<unknown>(VALUES[name], { freq: 4 }) : VALUES[name]

const ownFields = fc.oneof(fc.constant({}), someFields({ nulls: false }))
/** Number 0 is the model, which changes most often. */
const someone = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 4, arbitrary: fc.nat({ max: 9 }) },
)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('issue' as const),
      level: fc.constantFrom('item' as const, 'batch' as const, 'item' as const),
      under: fc.nat({ max: 9 }),
      own: ownFields,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('patch' as const),
      who: someone,
      isCorrection: fc.constantFrom(true, true, false),
      data: someFields({ nulls: true }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('refresh' as const), who: someone }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('archive' as const, 'restore' as const), who: someone }),
  },
)

const sequence = fc.record({
  model: fc.record({ weightKg: VALUES.weightKg, languages: VALUES.languages }, { noNullPrototype: true }),
  // Without units there is nothing to compare, so the first steps issue some.
  units: fc.tuple(ownFields, ownFields, ownFields),
  steps: fc.array(step, { minLength: 1, maxLength: 14, size: 'max' }),
})

/** Languages are fixed, so that all data is valid. */
const BOTH_LANGUAGES = {
  endOfLife: {
    recyclingInstructions: { en: 'Take it to a collection point.', de: 'Zur Sammelstelle bringen.' },
    disposalInstructions: { en: 'Not in household waste.', de: 'Nicht in den Hausmüll.' },
  },
}

/** Keeps each passport twice: in the simple model and in the database. */
class World {
  readonly ctx: AccountContext
  readonly units: Unit[] = []
  private readonly uuids = new Map<Unit, string>()

  constructor(ctx: AccountContext) {
    this.ctx = ctx
  }

  uuidOf(unit: Unit): string {
    const uuid = this.uuids.get(unit)
    assert.ok(uuid)
    return uuid
  }

  pick(who: number): Unit {
    const unit = this.units[who % this.units.length]
    assert.ok(unit)
    return unit
  }

  add(unit: Unit, uuid: string): void {
    this.units.push(unit)
    this.uuids.set(unit, uuid)
  }

  async create(data: Fields): Promise<void> {
    const unit = createModel(data)
    assert.ok(unit)
    const sent = {
      category: 'battery',
      data: { ...CORES.battery, ...BOTH_LANGUAGES, ...data },
      strict: false,
    }
    this.add(unit, (await createPassport(this.ctx, sent)).passport.id)
  }

  async issue(parent: Unit, level: 'batch' | 'item', own: Fields): Promise<void> {
    const unit = issue(parent, level, own)
    const name = { [level === 'batch' ? 'lot' : 'serial']: `N${this.units.length}` }
    const issued = await orRefused(
      issueUnits(this.ctx, {
        parentUuid: this.uuidOf(parent),
        level,
        units: [{ ...name, data: own }],
        bulk: false,
        strict: false,
      }),
    )
    const [made] = issued?.created ?? []
    const row = made && { ...made.passport, data: JSON.stringify(made.data) }
    assert.equal(row !== undefined, unit !== undefined, 'issued or refused')
    if (unit === undefined || row === undefined) return
    this.add(unit, row.id)
    assert.deepEqual(stored(row), expected(unit))
  }

  async patch(unit: Unit, data: Fields, isCorrection: boolean): Promise<void> {
    const isTaken = change(unit, data, isCorrection)
    const written = await orRefused(
      updatePassport(this.ctx, {
        uuid: this.uuidOf(unit),
        data,
        changeType: isCorrection ? 'correction' : 'change',
        note: undefined,
        strict: false,
        expects: () => true,
      }),
    )
    assert.equal(written !== undefined, isTaken, 'changed or refused')
    if (written !== undefined) assert.deepEqual(stored(written.passport), expected(unit))
  }

  async refresh(top: Unit): Promise<void> {
    const outcome = refresh(top)
    const { refreshed, skipped, failed, pending } = await refreshPassport(this.ctx, this.uuidOf(top))
    assert.deepEqual(
      { refreshed, pending, skipped: sorted(skipped), failed: failed.map(one => one.id).sort() },
      this.checkOutcome(outcome),
    )
    await this.compare()
  }

  private checkOutcome({ refreshed, skipped, failed }: Outcome) {
    const idOf = (unit: Unit) => idFromUuid(this.uuidOf(unit))
    return {
      refreshed: refreshed.length,
      pending: 0,
      skipped: sorted(Array.from(skipped, ([unit, fields]) => ({ id: idOf(unit), fields }))),
      failed: failed.map(idOf).sort(),
    }
  }

  async compare(): Promise<void> {
    const rows = await Promise.all(this.units.map(unit => getPassport(this.ctx, this.uuidOf(unit))))
    assert.deepEqual(rows.map(stored), this.units.map(expected))
  }

  /** Compares every version of passports that have several. */
  async compareHistories(): Promise<void> {
    for (const unit of this.units.filter(one => one.versions.length > 1)) {
      const numbers = unit.versions.keys().map(index => index + 1)
      const rows = await Promise.all(Array.from(numbers, n => getVersion(this.ctx, this.uuidOf(unit), n)))
      assert.deepEqual(
        rows.map(row => stored(row).fields),
        unit.versions,
      )
    }
  }
}

/** Undefined if the request is rejected; other errors are thrown. */
async function orRefused<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof AppError && (error.code === 'validation' || error.code === 'archived'))
      return undefined
    throw error
  }
}

const sorted = (skips: readonly { id: string; fields: readonly string[] }[]) =>
  skips.map(({ id, fields }) => `${id} ${fields.join(' ')}`).sort()

function stored(row: PassportRow) {
  const data = JSON.parse(row.data)
  const fields = Object.fromEntries(FIELDS.filter(field => field in data).map(field => [field, data[field]]))
  return { fields, version: row.version_no, outdated: row.outdated, archived: row.status === 'x' }
}

const expected = (unit: Unit): ReturnType<typeof stored> => ({
  fields: reading(unit),
  version: unit.versions.length,
  outdated: unit.outdated,
  archived: unit.archived,
})

async function take(world: World, one: Step): Promise<void> {
  if (one.do === 'issue') return world.issue(world.pick(one.under), one.level, one.own)
  const unit = world.pick(one.who)
  if (one.do === 'patch') return world.patch(unit, one.data, one.isCorrection)
  if (one.do === 'refresh') return world.refresh(unit)
  unit.archived = one.do === 'archive'
  await setStatus(world.ctx, {
    uuid: world.uuidOf(unit),
    status: unit.archived ? 'x' : 'a',
    expects: () => true,
  })
}

const [MODEL, BATCH, ITEM] = [0, 1, 2]

async function play(
  ctx: AccountContext,
  {
    model,
    units,
    steps,
  }: { model: Fields; units: readonly [Fields, Fields, Fields]; steps: readonly Step[] },
): Promise<void> {
  const world = new World(ctx)
  await world.create(model)
  await world.issue(world.pick(MODEL), 'batch', units[0])
  await world.issue(world.pick(BATCH), 'item', units[1])
  await world.issue(world.pick(MODEL), 'item', units[2])
  for (const one of steps) await take(world, one)
  await world.compare()
  await world.compareHistories()
}

describe('random use of three levels', () => {
  let t: Harness
  before(async () => {
    t = await startHarness()
  })
  after(() => t.close())

  const found = (title: string, steps: readonly Step[], own: Fields = {}) =>
    test(title, async () => {
      const { ctx } = await t.account({ plan: 'enterprise' })
      await play(ctx, { model: { weightKg: 1, languages: ['en', 'de'] }, units: [own, {}, {}], steps })
    })
  const patched = (who: number, weightKg: number | null, isCorrection = true): Step => ({
    do: 'patch',
    who,
    isCorrection,
    data: { weightKg },
  })
  const refreshed = (who: number): Step => ({ do: 'refresh', who })

  found('two corrections of one field before a refresh are not skipped by the items of a batch', [
    patched(MODEL, 2),
    patched(MODEL, 3),
    refreshed(MODEL),
  ])
  found('what a batch has taken over is not applied to its items once more', [
    patched(MODEL, 2, false),
    patched(MODEL, 3),
    patched(MODEL, 1, false),
    patched(MODEL, 2),
    refreshed(MODEL),
  ])
  found(
    'an item that its outdated batch lets inherit again takes over what the model corrected meanwhile',
    [patched(MODEL, 2), refreshed(ITEM), patched(BATCH, null), refreshed(ITEM)],
    { weightKg: 3 },
  )

  test('data without units is not refreshed', async () => {
    const { ctx } = await t.account({ plan: 'enterprise' })
    const world = new World(ctx)
    await world.create({ weightKg: 1, languages: ['en', 'de'] })
    await world.issue(world.pick(MODEL), 'batch', {})
    await world.issue(world.pick(BATCH), 'item', {})
    const count = async () =>
      (await t.sql`select count(*)::int as n from content where account_id = ${ctx.accountId}`)[0]?.n
    const before = await count()
    for (const weightKg of [2, 3, 1, 2, 3, 1, 2, 3]) {
      await world.patch(world.pick(MODEL), { weightKg }, true)
      await world.refresh(world.pick(MODEL))
    }
    // Each refresh adds three contents: of the model's new version, of the batch, and of the item.
    assert.equal(await count(), before + 8 * 3)
  })

  test(`${SEQUENCES} sequences of issuing, changing, correcting, refreshing and archiving`, async () => {
    const run = async (index: number) => {
      const { ctx } = await t.account({ plan: 'enterprise' })
      const property = fc.asyncProperty(sequence, whole => play(ctx, whole))
      const numRuns = Math.ceil((SEQUENCES - index) / AT_ONCE)
      await fc.assert(property, { numRuns })
    }
    // The database must outlive the last run, so the first failure is thrown after all have ended.
    const runs = Array.from({ length: AT_ONCE }, (_, index) => run(index))
    await Promise.allSettled(runs)
    await Promise.all(runs)
    assert.deepEqual(await findBrokenHistories(t.sql), [])
    assert.deepEqual(await findWrongCounts(t.sql), [])
    assert.deepEqual(await findWrongUnitCounts(t.sql), [])
  })
})
