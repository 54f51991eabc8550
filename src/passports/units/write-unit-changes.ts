/** Writes the next versions of up to 500 units with as few statements as possible. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { yieldBetweenRows } from '../../kernel/concurrency/yield-to-event-loop.ts'
import { AppError, notFound } from '../../kernel/errors/errors.ts'
import { findUnknownFiles } from '../core/file-uses.ts'
import type { RowRejection } from '../core/row-problems.ts'
import { type BulkState, readStatesInBatches } from '../core/state.ts'
import { attemptLocked } from '../write/change-queue.ts'
import type { WrittenPassport } from '../write/create.ts'
import { type PlannedVersion, planNextVersion } from '../write/plan-version.ts'
import type { PassportChange } from '../write/update.ts'
import { splitForStatements, writeStorable } from '../write/write-storable.ts'
import { listUsesOfVersion, writeVersions } from '../write/write-versions.ts'

/** Each unit is in one change. */
export type UnitChange = { index: number; change: PassportChange }
/** With the data of a summary. */
export type UpdatedUnit = { index: number; written: WrittenPassport }
export type UnitOutcome = { updated: UpdatedUnit[]; errors: RowRejection[] }

/** Without the effective data: of 500 units it may not fit into memory. */
type PlannedUnit = Pick<PlannedVersion, 'summary' | 'next' | 'warnings'>
type PlannedChange = { row: UnitChange; planned: PlannedUnit }

/** A unit that fails does not affect others. Units that others change meanwhile are locked and read again. */
export async function writeUnitChanges(
  ctx: AccountContext,
  changes: readonly UnitChange[],
  out: UnitOutcome,
): Promise<void> {
  const lost: UnitChange[] = []
  await planChanges(ctx, changes, { out, lost }, some => writePlanned(ctx, some, { out, lost }))
  if (lost.length === 0) return
  const uuids = lost.map(({ change }) => change.uuid)
  const { updated, errors } = await attemptLocked(ctx, uuids, async tx => {
    const locked: Target = { out: { updated: [], errors: [] }, lost: [] }
    await planChanges(tx, lost, locked, some => writePlanned(tx, some, locked))
    for (const { index } of locked.lost) rejectUnit(locked.out, index, notFound('product'))
    return locked.out
  })
  out.updated.push(...updated)
  out.errors.push(...errors)
}

/** Checks all that can be checked and writes nothing. */
export async function previewUnitChanges(
  ctx: AccountContext,
  changes: readonly UnitChange[],
  out: UnitOutcome,
): Promise<void> {
  const lost: UnitChange[] = []
  await planChanges(ctx, changes, { out, lost }, async planned => {
    const uses = planned.flatMap(one => listUsesOfVersion(ctx, one.planned.next))
    const refused = await findUnknownFiles(ctx.sql, uses)
    await addResults(planned, out, ({ next }) => refused.get(next.id) ?? next.now)
  })
  for (const { index } of lost) rejectUnit(out, index, notFound('product'))
}

/** `lost`: units that another request changed or removed after they were looked up. */
type Target = { out: UnitOutcome; lost: UnitChange[] }

/** Calls `use` with the plans of as many units at a time as fit into memory. */
async function planChanges(
  ctx: AccountContext,
  changes: readonly UnitChange[],
  { out, lost }: Target,
  use: (planned: readonly PlannedChange[]) => Promise<void>,
): Promise<void> {
  const open = new Map(changes.map(row => [row.change.uuid, row]))
  const pauseIfDue = yieldBetweenRows()
  for await (const states of readStatesInBatches(ctx, [...open.keys()])) {
    const planned: PlannedChange[] = []
    for (const state of states) {
      await pauseIfDue()
      const row = open.get(state.row.id)
      open.delete(state.row.id)
      if (row !== undefined) planned.push(...planUnit(ctx, row, state, out))
    }
    await use(planned)
  }
  lost.push(...open.values())
}

/** Nothing if the change is rejected. */
function planUnit(ctx: AccountContext, row: UnitChange, state: BulkState, out: UnitOutcome): PlannedChange[] {
  try {
    const { summary, next, warnings } = planNextVersion(ctx, state, row.change)
    return [{ row, planned: { summary, next, warnings } }]
  } catch (error) {
    rejectUnit(out, row.index, error)
    return []
  }
}

async function writePlanned(
  ctx: AccountContext,
  planned: readonly PlannedChange[],
  { out, lost }: Target,
): Promise<void> {
  const ownBytes = ({ planned: { next } }: PlannedChange) => JSON.stringify(next.own).length
  const write = async (some: readonly PlannedChange[]) => {
    const versions = some.map(({ planned: { next } }) => next)
    const { written, refused } = await writeVersions(ctx, versions)
    const isLost = ({ planned: { next } }: PlannedChange) => !written.has(next.id) && !refused.has(next.id)
    lost.push(...some.filter(isLost).map(({ row }) => row))
    await addResults(some, out, ({ next }) => written.get(next.id) ?? refused.get(next.id))
  }
  for (const some of splitForStatements(ctx, planned, ownBytes))
    await writeStorable(some, write, ({ row }, error) => rejectUnit(out, row.index, error))
}

/** `resultOf`: when the version was written, why it was not, or nothing. */
async function addResults(
  planned: readonly PlannedChange[],
  out: UnitOutcome,
  resultOf: (planned: PlannedUnit) => Date | AppError | undefined,
): Promise<void> {
  const pauseIfDue = yieldBetweenRows()
  for (const { row, planned: one } of planned) {
    await pauseIfDue()
    const result = resultOf(one)
    if (result instanceof AppError) rejectUnit(out, row.index, result)
    else if (result !== undefined) {
      const { summary, warnings } = one
      addUpdated(out, row.index, { passport: { ...summary, updated_at: result }, warnings })
    }
  }
}

const addUpdated = ({ updated }: UnitOutcome, index: number, written: WrittenPassport) =>
  updated.push({ index, written })

/** Throws any error that is not the row's. */
function rejectUnit({ errors }: UnitOutcome, index: number, error: unknown): void {
  if (!(error instanceof AppError)) throw error
  errors.push({ index, error })
}
