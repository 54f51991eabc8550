/** Makes the calls of all routes, each alone, and says which have none, none that is accepted, or cost too much. */
import { API_PREFIX } from '../../../src/api/door/door.ts'
import { listApiCalls } from './api-calls.ts'
import { findExcess, getBudget } from './budgets.ts'
import type { RouteCalls, WorstCall } from './call.ts'
import { listConsoleCalls } from './console-calls.ts'
import { type Figures, measure } from './measure.ts'
import { send } from './send.ts'
import { listDppCalls, listSiteCalls } from './site-calls.ts'
import type { Stand } from './stand.ts'
import type { World } from './world.ts'

export type Measured = { route: string; call: WorstCall; figures: Figures; excess: readonly string[] }

/** A call beyond its budget is repeated: a first call loads code, and other programs disturb. */
const ATTEMPTS = 3
/** A call this far beyond its budget is repeated once. */
const HOPELESS = 5
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'OPTIONS']

export async function listAllCalls(
  world: World,
  maxJsonBytes = Number.POSITIVE_INFINITY,
): Promise<RouteCalls[]> {
  const routes = await world.stand.routes()
  const reads = new Set(routes.filter(({ method }) => method === 'GET').map(({ url }) => url))
  const tables = [...listApiCalls(world, maxJsonBytes), ...listConsoleCalls(world), ...listDppCalls(world)]
  const known = new Set(tables.map(({ route }) => route))
  const urls = [...reads].filter(url => !known.has(`GET ${url}`))
  return [...tables, ...listSiteCalls(world, urls)]
}

/**
 * The routes without an entry that do not refuse their method. An address that some table names still needs an
 * entry for each method that it serves.
 */
export async function findRoutesWithoutEntry(
  world: World,
  entries: readonly RouteCalls[],
): Promise<string[]> {
  const known = new Set(entries.map(({ route }) => route))
  const routes = await world.stand.routes()
  const missing = routes.filter(
    ({ method, url }) => METHODS.includes(method) && method !== 'HEAD' && !known.has(`${method} ${url}`),
  )
  const found: string[] = []
  for (const { method, url } of new Map(missing.map(one => [`${one.method} ${one.url}`, one])).values()) {
    const path = url.replaceAll(/:\w+|\*/g, 'x')
    const headers = {
      origin: world.stand.url,
      ...(url.startsWith(API_PREFIX) && { authorization: `Bearer ${world.keys.full}` }),
    }
    const status = await send(world.stand, { method, path, headers })
    const isRefused =
      status === 405 || (method === 'OPTIONS' && status < 500) || (status === 404 && url.endsWith('*'))
    if (!isRefused) found.push(`${method} ${url} has no entry (it was answered ${status})`)
  }
  return found
}

type Options = {
  /** Which calls of a route are made. */
  choose: (calls: readonly WorstCall[]) => readonly WorstCall[]
  /** By processor time and with a slower machine's measure, so that other programs do not matter. */
  scale?: number
  onMeasured?: (measured: Measured) => void
}

export type Result = { measured: Measured[]; unaccepted: string[] }

export async function runCalls(
  stand: Stand,
  entries: readonly RouteCalls[],
  options: Options,
): Promise<Result> {
  const result: Result = { measured: [], unaccepted: [] }
  for (const { route, calls, accepts } of entries) {
    const statuses: number[] = []
    for (const call of options.choose(calls)) {
      const one = await measureCall(stand, route, call, options)
      statuses.push(one.figures.status)
      result.measured.push(one)
      options.onMeasured?.(one)
    }
    const isAccepted = (status: number) => accepts?.includes(status) ?? (status >= 200 && status < 400)
    if (!statuses.some(isAccepted))
      result.unaccepted.push(`${route} accepted no call: ${[...new Set(statuses)]}`)
  }
  return result
}

async function measureCall(
  stand: Stand,
  route: string,
  call: WorstCall,
  { scale }: Options,
): Promise<Measured> {
  let best: Measured | undefined
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const figures = await measure(stand, await call.make(), call.afterwardsMs)
    const budget = getBudget(route)
    const least = best === undefined ? figures : takeLeast(best.figures, figures)
    const blockedMs = scale === undefined ? least.blockedMs : least.turnCpuMs
    const excess = findExcess(least, budget, blockedMs, scale)
    best = { route, call, figures: least, excess }
    if (excess.length === 0) break
    if (
      attempt === 2 &&
      (blockedMs > HOPELESS * budget.blockedMs || least.databaseMs > HOPELESS * budget.databaseMs)
    )
      break
    await stand.collect()
  }
  if (best === undefined) throw new Error('there is at least one attempt')
  return best
}

/** The first status counts: a repeated write may be refused. */
const takeLeast = (a: Figures, b: Figures): Figures => ({
  status: a.status,
  blockedMs: Math.min(a.blockedMs, b.blockedMs),
  turnCpuMs: Math.min(a.turnCpuMs, b.turnCpuMs),
  databaseMs: Math.min(a.databaseMs, b.databaseMs),
  rssMb: Math.min(a.rssMb, b.rssMb),
  ms: Math.min(a.ms, b.ms),
})

/** As sentences: those beyond their budget. */
export const describeExcess = (measured: readonly Measured[]): string[] =>
  measured
    .filter(one => one.excess.length > 0)
    .map(
      ({ route, call, figures, excess }) =>
        `${route}, ${call.name}, ${call.credential} (${figures.status}): ${excess.join(', ')}`,
    )

/** How large a part of its budget a call takes. */
const getShare = ({ route, figures }: Measured): number => {
  const budget = getBudget(route)
  const { blockedMs, databaseMs, rssMb } = figures
  return Math.max(blockedMs / budget.blockedMs, databaseMs / budget.databaseMs, rssMb / budget.rssMb)
}

/** The worst call of each of the worst routes. */
export function findWorst(measured: readonly Measured[], count: number): Measured[] {
  const sorted = measured.toSorted((a, b) => getShare(b) - getShare(a))
  return [...new Map(sorted.toReversed().map(one => [one.route, one])).values()]
    .toSorted((a, b) => getShare(b) - getShare(a))
    .slice(0, count)
}

export function* describeWorst(worst: readonly Measured[]) {
  yield 'blocked ms  database ms  memory MB  status  call'
  for (const { route, call, figures } of worst) {
    const { blockedMs, databaseMs, rssMb, status } = figures
    const cells = [
      blockedMs.toFixed(0).padStart(10),
      databaseMs.toFixed(0).padStart(11),
      rssMb.toFixed(0).padStart(9),
    ]
    yield `${cells.join('  ')}  ${String(status).padStart(6)}  ${route}, ${call.name}, ${call.credential}`
  }
}
