/** Scans made up by a rule, so that several processes can note them and a test can say beforehand what must come out. */
import type { Scanned } from '../../src/scans/batch.ts'
import type { Reader } from '../../src/scans/derive.ts'

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
export type PlannedScan = { passport: Scanned; reader: Reader; at: number }

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

/** One in ten is a model, the others items under it; two accounts in turns. */
function passportOf(n: number): Scanned {
  const model = n - (n % 10)
  return {
    id: uuid(n),
    account_id: 1 + ((model / 10) % 2),
    category: ['textile', 'battery', 'furniture'][(model / 10) % 3] ?? 'textile',
    level: n === model ? 'm' : 'i',
    model_id: uuid(model),
    parent_id: n === model ? null : uuid(model),
  }
}

function readerOf(n: number): Reader {
  return {
    address: `2001:db8::${n.toString(16)}`,
    userAgent: AGENTS[n % AGENTS.length] ?? '',
    country: COUNTRIES[mix(n, 5) % COUNTRIES.length],
  }
}

/** The share of one process. A few passports are scanned far more often than the others. */
export function* scansOf(plan: Plan, part: number): Generator<PlannedScan> {
  const perDay = Math.ceil(plan.scans / plan.days)
  for (let i = part; i < plan.scans; i += plan.processes) {
    const few = mix(i, 1) % 4 === 0
    const passport = passportOf(mix(i, 2) % (few ? Math.ceil(plan.passports / 100) : plan.passports))
    const at =
      Date.parse(plan.from) + Math.floor(i / perDay) * DAY_MS + (i % perDay) * Math.floor(DAY_MS / perDay)
    yield { passport, reader: readerOf(mix(i, 3) % plan.readers), at }
  }
}

export const allScansOf = (plan: Plan): PlannedScan[] =>
  Array.from({ length: plan.processes }, (_, part) => [...scansOf(plan, part)]).flat()
