/**
 * The worst legal call of each route, by each credential, alone: the event loop, the database and the memory that
 * it takes. Then the ten worst from one attacker at his limit, beside honest clients.
 */
import { say } from './look-through.ts'
import { attackWithWorst } from './worst/attack.ts'
import type { RouteCalls } from './worst/call.ts'
import { appendMeasured, readMeasured } from './worst/measured-file.ts'
import {
  describeExcess,
  describeWorst,
  findRoutesWithoutEntry,
  findWorst,
  listAllCalls,
  type Measured,
  type Result,
  runCalls,
} from './worst/run-calls.ts'
import { openWorstStand, type Stand } from './worst/stand.ts'
import { withTestServer } from './worst/test-server.ts'
import { createWorld, describeWorld, type Scale, WHOLE } from './worst/world.ts'

const PRINTED = 10
const MINUTE_MS = 60_000

type Run = {
  /** A part of the names of the routes that are measured. */
  only?: string | undefined
  /** Measuring stops after this time. */
  minutes: number
  /** For each attack; 0: none. */
  seconds: number
  /** Where figures are kept. Routes in this file are not measured again. */
  file?: string | undefined
  scale?: Scale
}

/** Returns the number of broken promises. */
export const worstCalls = ({ only = '', minutes, seconds, file, scale = WHOLE }: Run): Promise<number> =>
  withTestServer(async () => {
    const stand = await openWorstStand()
    try {
      const world = await createWorld(stand, scale)
      const unit = (await stand.measureUnit()).toFixed(1)
      say(`worst calls: ${describeWorld(scale)}; a unit of work is ${unit} ms`)
      const entries = await listAllCalls(world)
      const missing = await findRoutesWithoutEntry(world, entries)
      const known = file === undefined ? new Map<string, Result>() : await readMeasured(file, entries)
      const chosen = entries.filter(({ route }) => route.includes(only) && !known.has(route))
      await measureRoutes(stand, chosen, known, { minutes, file })
      const measured = [...known.values()].flatMap(result => result.measured)
      const worst = findWorst(measured, PRINTED)
      say(`${measured.length} calls of ${known.size} of ${entries.length} routes. The worst, each alone:`)
      for (const line of describeWorst(worst)) say(line)
      const unaccepted = [...known.values()].flatMap(result => result.unaccepted)
      const broken = [...missing, ...unaccepted, ...describeExcess(measured)]
      if (seconds > 0) broken.push(...(await attackWithWorst(world, worst, seconds)))
      for (const sentence of broken) say(`  ${sentence}`)
      return broken.length
    } finally {
      await stand.close()
    }
  })

/** Adds the results to `known`, route by route, and to the file. */
async function measureRoutes(
  stand: Stand,
  routes: readonly RouteCalls[],
  known: Map<string, Result>,
  { minutes, file }: Pick<Run, 'minutes' | 'file'>,
): Promise<void> {
  const began = performance.now()
  for (const [n, entry] of routes.entries()) {
    if (performance.now() - began > minutes * MINUTE_MS)
      return say(`${routes.length - n} routes are left after ${minutes} minutes; run again with --file`)
    const result = await runCalls(stand, [entry], { choose: calls => calls, onMeasured: sayExcess })
    known.set(entry.route, result)
    if (file !== undefined) await appendMeasured(file, entry.route, result)
    const seconds = ((performance.now() - began) / 1_000).toFixed(0)
    say(`${n + 1} of ${routes.length}, ${seconds} s: ${entry.route}, ${result.measured.length} calls`)
  }
}

const sayExcess = ({ route, call, figures, excess }: Measured) =>
  excess.length > 0 &&
  say(`  ${figures.status} ${route}, ${call.name}, ${call.credential}: ${excess.join(', ')}`)
