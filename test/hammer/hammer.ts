/**
 * Random requests, valid, damaged and hostile, against a separate server process: it must never crash, fail,
 * omit a required header or leak memory.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type Chance, chanceOf } from './chance.ts'
import { spoil } from './hostility.ts'
import { DELIVERIES, type Delivery, Lane, type Outcome, SLOW_DELIVERIES } from './lane.ts'
import { type Callers, goodRequest, Memory, type Request } from './requests.ts'
import { type Heard, toBytes } from './wire.ts'

export type Hammering = {
  port: number
  pid: number
  callers: Callers
  files: readonly string[]
  /** Done by the operator at equal distances while requests are under way. */
  operate: () => Promise<void>
  count: number
  seed: number
  isAlive: () => boolean
  /** The server's log lines so far. */
  logged: readonly string[]
  log: (line: string) => void
}

export type Report = {
  sent: number
  /** Counts by status; `closed`, `gone` and `no answer` are requests without a response. */
  outcomes: Record<string, number>
  /** At most 20 sentences, each with the request's number and bytes. */
  faults: string[]
  seconds: number
  /** Resident MiB after the warm-up, at the end, and the maximum; NaN if the system does not report it. */
  memory: { warm: number; last: number; most: number }
}

const LANES = 32
const SLOW_LANES = 8
const MOST_FAULTS = 20
/** How often the operator acts in a run. */
const OPERATIONS = 8
/** Memory samples per run. */
const SAMPLES = 200
/** The first quarter is warm-up, which fills pools, caches and compiled code. */
const WARM_FROM = 0.25
const WARM_TO = 0.35

type Run = Hammering & {
  report: Report
  memory: Memory
  next: number
  samples: { at: number; mib: number }[]
  isOver: () => boolean
}

export async function hammer(hammering: Hammering): Promise<Report> {
  const begun = performance.now()
  const report: Report = {
    sent: 0,
    outcomes: {},
    faults: [],
    seconds: 0,
    memory: { warm: Number.NaN, last: Number.NaN, most: Number.NaN },
  }
  const run: Run = {
    ...hammering,
    report,
    memory: new Memory(hammering.files),
    next: 0,
    samples: [],
    isOver: () => run.next >= run.count || report.faults.length >= MOST_FAULTS || !hammering.isAlive(),
  }
  await Promise.all([
    ...Array.from({ length: LANES }, () => drive(run, DELIVERIES)),
    ...Array.from({ length: SLOW_LANES }, () => drive(run, SLOW_DELIVERIES)),
  ])
  report.seconds = (performance.now() - begun) / 1_000
  report.memory = memoryOf(run.samples)
  return report
}

async function drive(run: Run, deliveries: readonly (readonly [number, Delivery])[]): Promise<void> {
  const lane = new Lane(run.port)
  while (!run.isOver()) {
    const n = run.next++
    const chance = chanceOf(run.seed, n)
    const request = spoil(goodRequest(chance, run.memory, run.callers), chance)
    const { bytes, isSound } = toBytes(request, chance)
    const delivery = chance.weighted(deliveries)
    await shoot(run, lane, { n, request, bytes, isSound, delivery, chance })
    if (n % Math.ceil(run.count / SAMPLES) === 0) sample(run, n)
    if (n % Math.ceil(run.count / OPERATIONS) === 0) await run.operate()
  }
  lane.close()
}

type Shot = {
  n: number
  request: Request
  bytes: Buffer
  isSound: boolean
  delivery: Delivery
  chance: Chance
}

async function shoot(run: Run, lane: Lane, shot: Shot): Promise<void> {
  const outcome = await lane
    .exchange({ ...shot, method: shot.request.method }, shot.delivery, shot.chance)
    .catch(async (error: Error): Promise<Outcome> => {
      run.log(`request ${shot.n}: ${error.message}`)
      await pause(50)
      return { answer: undefined, why: 'closed', detail: error.message }
    })
  run.report.sent++
  const name = outcome.answer === undefined ? outcome.why : String(outcome.answer.status)
  run.report.outcomes[name] = (run.report.outcomes[name] ?? 0) + 1
  const faults = outcome.answer === undefined ? missing(outcome, shot) : wrong(outcome.answer, shot)
  for (const fault of faults) {
    run.log(`fault: ${fault}\n${tell(shot)}\nlogged last: ${run.logged.at(-1) ?? 'nothing'}`)
    if (run.report.faults.length < MOST_FAULTS) run.report.faults.push(`${fault}\n${tell(shot)}`)
  }
  if (outcome.answer !== undefined) learn(run.memory, outcome.answer)
}

/**
 * A complete request must be answered, unless the client disconnects. Node also treats a half-closed
 * connection as closed.
 */
function missing(outcome: Outcome & { answer: undefined }, { isSound, delivery }: Shot): string[] {
  if (outcome.why === 'gone') return []
  if (outcome.why === 'no answer') return [`neither answered nor closed: ${outcome.detail}`]
  const isOwed = isSound && delivery !== 'never' && delivery !== 'half-close'
  return isOwed ? [`closed without an answer: ${outcome.detail}`] : []
}

const RATE = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

function wrong({ status, headers, body }: Heard, { request, isSound }: Shot): string[] {
  const faults: string[] = []
  if (!(status >= 200 && status < 500)) faults.push(`answered ${status}: ${body.toString().slice(0, 300)}`)
  const id = headers.get('x-request-id')
  if (!/^[0-9a-z]{26}$/.test(id ?? '')) faults.push(`answered ${status} with X-Request-Id ${id}`)
  const isJson = headers.get('content-type')?.startsWith('application/json') ?? false
  // An unparsable request belongs to no door, so it counts against its address, like a request without a key.
  const isUnreadable = !isSound && status >= 400 && request.path === ''
  const isApi = isUnreadable || /^(?:https?:\/\/[^/]+)?\/api\/v1(?:[/?]|$)/.test(request.path)
  if (!isApi) return faults
  for (const name of RATE) {
    if (!/^\d+$/.test(headers.get(name) ?? '')) faults.push(`answered ${status} without ${name}`)
  }
  if (isJson && body.length > 0) faults.push(...wrongBody(status, body, id))
  if (status === 405 && !headers.has('allow')) faults.push('405 without Allow')
  if (status === 429 && !headers.has('retry-after')) faults.push('429 without Retry-After')
  if (status === 401 && !headers.has('www-authenticate')) faults.push('401 without WWW-Authenticate')
  return faults
}

function wrongBody(status: number, body: Buffer, id: string | undefined): string[] {
  try {
    const json = JSON.parse(body.toString())
    if (status < 400)
      return 'data' in json || 'openapi' in json || '$schema' in json ? [] : [`${status} without data`]
    const isWhole = typeof json.error === 'string' && typeof json.code === 'string' && json.request_id === id
    return isWhole ? [] : [`answered ${status} with ${body.toString().slice(0, 300)}`]
  } catch {
    return [`answered ${status} with a body that is not JSON: ${body.toString().slice(0, 300)}`]
  }
}

const tell = ({ n, delivery, bytes }: Shot) =>
  `  request ${n}, ${delivery}, ${bytes.length} bytes: ${JSON.stringify(bytes.toString('latin1').slice(0, 1_500))}`

function learn(memory: Memory, { status, headers, body }: Heard): void {
  if ((status !== 200 && status !== 201) || body.length === 0) return
  if (!headers.get('content-type')?.startsWith('application/json') || headers.has('content-encoding')) return
  const { data, meta } = JSON.parse(body.toString())
  memory.note('etags', headers.get('etag'))
  memory.note('cursors', meta?.next_cursor)
  if (status !== 201) return
  for (const one of [data, ...(data.created ?? [])]) {
    memory.note('ids', one.id)
    memory.note('gtins', one.data?.gtin)
  }
}

function sample(run: Run, n: number): void {
  const mib = residentMib(run.pid)
  run.samples.push({ at: n / run.count, mib })
  if (run.samples.length % 20 === 0) {
    const { sent, outcomes, faults } = run.report
    run.log(`${sent} sent, ${faults.length} faults, ${mib.toFixed(0)} MiB: ${JSON.stringify(outcomes)}`)
  }
}

function residentMib(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
  } catch {
    return Number.NaN
  }
}

function memoryOf(samples: Run['samples']): Report['memory'] {
  const between = (from: number, to: number) =>
    samples.filter(({ at }) => at >= from && at < to).map(one => one.mib)
  const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
  return {
    warm: median(between(WARM_FROM, WARM_TO)),
    last: median(between(0.9, 1)),
    most: Math.max(...between(WARM_FROM, 1)),
  }
}
