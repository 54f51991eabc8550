/**
 * The largest possible statistics of an account: scans from every country, in every week of a year, with all
 * lists full.
 */
import { readFileSync } from 'node:fs'
import type { Sql } from '../../src/kernel/db/database.ts'
import { createLog } from '../../src/kernel/errors/log.ts'
import type { Clock } from '../../src/kernel/values/clock.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { createScanRecorder } from '../../src/scans/recorder.ts'
import { newProduct } from '../harness.ts'

/** The number of entries that each list of the scan page shows. */
const LISTED = 10
const DAY_MS = 86_400_000
const AGENTS = [
  'Mozilla/5.0 (Android 14; Mobile)',
  'Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X)',
  'Mozilla/5.0 (X11; Linux)',
]
/** The maximum length of a name; the lists shorten names. */
const MAX_NAME_LENGTH = 500
const NAME = 'Waxed field jacket with a removable woollen lining, '.repeat(MAX_NAME_LENGTH)

type World = { shapes: Record<string, string>; dots: Record<string, [number, number]> }
const WORLD: World = JSON.parse(readFileSync(new URL('../../assets/world.json', import.meta.url), 'utf8'))
const COUNTRIES = [...new Set(['XX', ...Object.keys(WORLD.shapes), ...Object.keys(WORLD.dots)])]

type Scanned = { sql: Sql; clock: Clock; account: number; actor: number; model: string }

export async function scanEverywhere({ sql, clock, account, actor, model }: Scanned): Promise<void> {
  const ctx = { sql, clock, accountId: account, actorId: actor }
  const models = [model]
  for (let n = 1; n < LISTED; n++) {
    const body = newProduct({ productName: `${n} ${NAME}`.slice(0, MAX_NAME_LENGTH) }, 'battery')
    models.push((await createPassport(ctx, { ...body, strict: false })).passport.id)
  }
  const units = Array.from({ length: LISTED }, (_, n) => ({ serial: `SN-2026-${n}` }))
  const { created } = await issueUnits(ctx, {
    parentUuid: model,
    level: 'item',
    units,
    bulk: true,
    strict: true,
  })
  const log = createLog({ logLevel: 'silent', logFormat: 'json' })
  const scans = createScanRecorder({ sql, clock, log, geoMmdbPath: undefined })
  const note = (id: string, level: 'm' | 'i', i: number, at: Date) => {
    const country = COUNTRIES[i % COUNTRIES.length] ?? 'XX'
    const reader = { address: `2001:db8::${i + 1}`, userAgent: AGENTS[i % AGENTS.length] ?? '', country }
    const parent_id = level === 'i' ? model : null
    const model_id = level === 'i' ? model : id
    scans.record({ id, account_id: account, category: 'battery', level, model_id, parent_id }, reader, at)
  }
  const now = clock.now().getTime()
  for (const [i] of COUNTRIES.entries()) {
    const times = 40 + Math.round((COUNTRIES.length - i) ** 2 / 6)
    for (let n = 0; n < times; n++) {
      const at = now - (n % 2 === 0 ? (i % 90) * DAY_MS : (i % 52) * 7 * DAY_MS)
      note(models[n % LISTED] ?? model, 'm', i, new Date(at))
    }
  }
  for (const { passport } of created) {
    for (let i = 0; i < 12; i++) note(passport.id, 'i', i, new Date(now))
  }
  await scans.flush()
}
