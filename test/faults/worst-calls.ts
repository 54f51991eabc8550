/**
 * The worst legal call of each route, by each credential, alone: the event loop, the database and the memory that
 * it takes. Then the ten worst from one attacker at his limit, beside honest clients.
 */
import { say } from './look-through.ts'
import { attackWithWorst } from './worst/attack.ts'
import {
  describeExcess,
  describeWorst,
  findRoutesWithoutEntry,
  findWorst,
  listAllCalls,
  runCalls,
} from './worst/run-calls.ts'
import { openWorstStand } from './worst/stand.ts'
import { withTestServer } from './worst/test-server.ts'
import { createWorld, describeWorld, type Scale, WHOLE } from './worst/world.ts'

const PRINTED = 10

/** Returns the number of broken promises. `only`: a part of the names of routes. */
export const worstCalls = (only = '', scale: Scale = WHOLE): Promise<number> =>
  withTestServer(async () => {
    const stand = await openWorstStand()
    try {
      const world = await createWorld(stand, scale)
      say(
        `worst calls: ${describeWorld(scale)}; a unit of work is ${(await stand.measureUnit()).toFixed(1)} ms`,
      )
      const entries = await listAllCalls(world)
      const missing = await findRoutesWithoutEntry(world, entries)
      const chosen = entries.filter(({ route }) => route.includes(only))
      const { measured, unaccepted } = await runCalls(stand, chosen, {
        choose: calls => calls,
        onMeasured: ({ route, call, figures, excess }) =>
          excess.length > 0 &&
          say(`  ${figures.status} ${route}, ${call.name}, ${call.credential}: ${excess.join(', ')}`),
      })
      const worst = findWorst(measured, PRINTED)
      say(`${measured.length} calls of ${chosen.length} routes. The worst, each alone:`)
      for (const line of describeWorst(worst)) say(line)
      const broken = [...missing, ...unaccepted, ...describeExcess(measured)]
      if (only === '') broken.push(...(await attackWithWorst(world, worst)))
      for (const sentence of broken) say(`  ${sentence}`)
      return broken.length
    } finally {
      await stand.close()
    }
  })
