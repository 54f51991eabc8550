/**
 * A sample of the worst calls: every route of the server has an entry and accepts its worst call within its budget.
 * `npm run faults -- worst-calls` makes all of them.
 */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { endAll } from '../cli/processes.ts'
import { hasChangeNear } from '../full.ts'
import type { RouteCalls, WorstCall } from './worst/call.ts'
import {
  describeExcess,
  describeWorst,
  findRoutesWithoutEntry,
  findWorst,
  listAllCalls,
  runCalls,
} from './worst/run-calls.ts'
import { openWorstStand, type Stand } from './worst/stand.ts'
import { createWorld, SAMPLE, type World } from './worst/world.ts'

/** The unit of work of the machine for which the budgets are, in milliseconds. */
const UNIT_MS = 5.7
/** Budgets are met with room to spare, and other programs take caches away. */
const MARGIN = 2
const isNear = hasChangeNear(import.meta.url)

/**
 * The first is accepted; also all of 8 MiB that are accepted. The body that costs a parser most is refused before a
 * route sees it, so all routes get it only after a change near them.
 */
const chooseSample = (calls: readonly WorstCall[]): readonly WorstCall[] => {
  const [first] = calls
  const worst = isNear ? calls.find(({ name }) => name === 'deep brackets' || name === 'dots') : undefined
  const large = calls.filter(({ name }) => name.startsWith('rows of '))
  return [first, worst, ...large].filter(one => one !== undefined)
}

// Processor times and peaks of memory are read as Linux tells them.
describe('worst calls', { skip: !existsSync('/proc/self/schedstat') }, () => {
  let stand: Stand
  let world: World
  let entries: RouteCalls[]
  before(async () => {
    stand = await openWorstStand()
    world = await createWorld(stand, SAMPLE)
    entries = await listAllCalls(world)
  })
  after(async () => {
    await stand?.close()
    await endAll()
  })

  test('every route of the server has an entry', async () => {
    assert.ok(entries.length > 200)
    assert.deepEqual(await findRoutesWithoutEntry(world, entries), [])
  })

  test('a route without an entry is found', async () => {
    const [one, ...others] = entries
    const found = await findRoutesWithoutEntry(world, others)
    assert.equal(found.length, 1)
    assert.ok(found[0]?.startsWith(`${one?.route} has no entry`), String(found[0]))
  })

  test('every route accepts its worst call, alone within its budget', async t => {
    const scale = Math.max(1, (await stand.measureUnit()) / UNIT_MS) * MARGIN
    const { measured, unaccepted } = await runCalls(stand, entries, { choose: chooseSample, scale })
    for (const line of describeWorst(findWorst(measured, 10))) t.diagnostic(line)
    assert.deepEqual([...unaccepted, ...describeExcess(measured)], [])
  })
})
