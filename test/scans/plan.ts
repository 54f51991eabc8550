/** Scans made up by a rule, so that several processes can note them and a test can say beforehand what must come out. */
import type { ScannedPassport } from '../../src/scans/batch.ts'
import type { ScanReader } from '../../src/scans/count-scan.ts'

export type Plan = {
  scans: number
  passports: number
  readers: number
  days: number
  processes: number
  /** First day. */
  from: string
  /** Scans between two flushes of a process. */
  flushEvery: number
}
/** `isNew`: nobody before in the plan is the same reader of the same passport on the same day. */
export type PlannedScan = {
  passport: ScannedPassport
  reader: ScanReader
  at: number
  day: number
  isNew: boolean
}

const COUNTRIES =
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK NO CH IS GB US CA BR JP KR IN AU ZA MX'.split(
    ' ',
  )
const AGENTS = [
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0',
  'curl/8.5.0',
]
const DAY_MS = 86_400_000

/** A number that looks random, the same for the same words. */
function mix(n: number, salt: number): number {
  let x = Math.imul(n + 1, 0x9e3779b1) ^ Math.imul(salt + 1, 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d)
  x = Math.imul(x ^ (x >>> 12), 0x297a2d39)
  return (x ^ (x >>> 15)) >>> 0
}

const uuid = (n: number) => `01890a5d-ac96-774b-bcce-${n.toString(16).padStart(12, '0')}`

/** Made once each: a million scans share them. */
function kept<T>(make: (n: number) => T): (n: number) => T {
  const made = new Map<number, T>()
  return n => {
    const known = made.get(n)
    if (known !== undefined) return known
    const fresh = make(n)
    made.set(n, fresh)
    return fresh
  }
}

/** One in ten is a model, the others items under it; two accounts in turns. */
const passportOf = kept((n): ScannedPassport => {
  const model = n - (n % 10)
  return {
    id: uuid(n),
    account_id: 1 + ((model / 10) % 2),
    category: ['textile', 'battery', 'furniture'][(model / 10) % 3] ?? 'textile',
    level: n === model ? 'm' : 'i',
    model_id: uuid(model),
    parent_id: n === model ? null : uuid(model),
  }
})

const readerOf = kept(
  (n): ScanReader => ({
    // Each in a network of its own.
    address: `2001:db8:${(n >> 8).toString(16)}:${((n & 255) << 8).toString(16)}::1`,
    userAgent: AGENTS[n % AGENTS.length] ?? '',
    country: COUNTRIES[mix(n, 5) % COUNTRIES.length],
  }),
)

/** The share of one process. A few passports are scanned far more often than the others. */
export function* scansOf(plan: Plan, part: number): Generator<PlannedScan> {
  const perDay = Math.ceil(plan.scans / plan.days)
  for (let i = part; i < plan.scans; i += plan.processes) {
    const few = mix(i, 1) % 4 === 0
    const passport = passportOf(mix(i, 2) % (few ? Math.ceil(plan.passports / 100) : plan.passports))
    const at =
      Date.parse(plan.from) + Math.floor(i / perDay) * DAY_MS + (i % perDay) * Math.floor(DAY_MS / perDay)
    yield {
      passport,
      reader: readerOf(mix(i, 3) % plan.readers),
      at,
      day: Math.floor(at / DAY_MS),
      isNew: false,
    }
  }
}

/** All of them, with what is new decided by a set of names: none of the service's own rules. */
export function allScansOf(plan: Plan): PlannedScan[] {
  const all = Array.from({ length: plan.processes }, (_, part) => [...scansOf(plan, part)]).flat()
  const passports = numbering()
  const readers = numbering()
  const seen = new Set<number>()
  for (const scan of all) {
    const name = (scan.day * 100_000 + passports(scan.passport)) * 1_000_000 + readers(scan.reader)
    scan.isNew = !seen.has(name)
    seen.add(name)
  }
  return all
}

/** A number for each object, from 0 on. */
function numbering(): (one: object) => number {
  const numbers = new Map<object, number>()
  return one => {
    const number = numbers.get(one) ?? numbers.size
    numbers.set(one, number)
    return number
  }
}
