/**
 * `scans`: bursts of scans by different readers, recorded and flushed, compared with a bare batched upsert of
 * the same rows; the page with and without counting; the statistics of a year compared with a week.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { idFromUuid, newUuid } from '../src/kernel/crypto/ids.ts'
import type { Sql } from '../src/kernel/db/database.ts'
import { createLog } from '../src/kernel/errors/log.ts'
import { systemClock } from '../src/kernel/values/clock.ts'
import { createScanRecorder } from '../src/scans/recorder.ts'
import { fill } from '../test/fill-database.ts'
import type { Bench, BenchRow } from './environment.ts'
import { type BenchDatabase, type BenchEnvironment, measureInTurns } from './environment.ts'
import { load, request } from './load.ts'

/** One second of the fastest required rate. */
const BURST = 20_000
const PASSPORTS = 2_000
const AGENT =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36'
const CONNECTIONS = 32
/** Long enough for two flushes. */
const SECONDS = 2
/**
 * More rounds than elsewhere, because the measured difference is smaller than the noise between two runs of
 * one server.
 */
const PAGE_ROUNDS = 21
/**
 * Waits until earlier scans are flushed, so that they are not written while pages without counting are
 * measured.
 */
const FLUSHED_MS = 1_500
/** Roll-up rows of a year: 365 days times passports, countries and devices. */
const YEAR_ROWS = 1_000_000
const COUNTRIES = 40

export const scanRows: Bench = async stage => [
  await burst(stage),
  await besidePage(stage),
  await yearAgainstWeek(stage),
]

const passports = Array.from({ length: PASSPORTS }, () => newUuid(Date.UTC(2026, 0)))
let readers = 0
const nextAddress = () => `10.${(++readers >> 16) & 255}.${(readers >> 8) & 255}.${readers & 255}`

/** Every scan is by a different reader, over some thousand passports of one account. */
async function burst(stage: BenchEnvironment): Promise<BenchRow> {
  const { sql } = await stage.openDatabase('scans')
  const log = createLog({ logLevel: 'warn', logFormat: 'json' })
  const recorder = createScanRecorder({ sql, clock: systemClock, log, geoMmdbPath: undefined })
  let slowestNotes = 0
  const figures = await measureInTurns({
    ours: async () => {
      const started = performance.now()
      const now = systemClock.now()
      for (let i = 0; i < BURST; i++) {
        const id = passports[i % PASSPORTS] ?? ''
        const passport = {
          id,
          account_id: 1,
          category: 'textile',
          level: 'm',
          model_id: id,
          parent_id: null,
        } as const
        recorder.record(
          passport,
          { address: nextAddress(), userAgent: AGENT, country: i % 2 ? 'DE' : 'FR' },
          now,
        )
      }
      slowestNotes = Math.max(slowestNotes, performance.now() - started)
      await recorder.flush()
      return (BURST / (performance.now() - started)) * 1_000
    },
    bare: () => bareUpsert(sql),
  })
  if (recorder.dropped() > 0) throw new Error(`${recorder.dropped()} scans were dropped`)
  const [row] = await sql<{ n: number }[]>`select sum(scans) as n from scan_total where account_id = 1`
  if (Number(row?.n) % BURST !== 0)
    throw new Error(`${row?.n} scans are counted, which is not a number of bursts`)
  stage.log(`scans: a burst of ${BURST} was noted in ${slowestNotes.toFixed(0)} ms at most`)
  return {
    row: 'scans',
    ours: figures.ours,
    limit: figures.bare,
    ratio: figures.ours / figures.bare,
    unit: `scans/s in bursts of ${BURST}, readers all new`,
  }
}

/** Inserts the rows that any exact counting needs: unique visitors and daily sums, one statement each. */
async function bareUpsert(sql: Sql): Promise<number> {
  const visitors = Array.from({ length: BURST }, () => newUuid(Date.now() - Math.floor(Math.random() * 1e9)))
  const countries = visitors.map((_, i) => (i % 2 ? 'DE' : 'FR'))
  const started = performance.now()
  await sql`
    with fresh as (
      insert into scan_visitor (day, account_id, slot, visitor)
      select '2026-11-21', 2, i, v from unnest(${visitors}::text[]::uuid[]) with ordinality as u(v, i)
      on conflict (day, account_id, visitor) do nothing returning slot
    )
    select count(*) from fresh`
  await sql`
    insert into scan_day as d (account_id, day, scans, uniques, crawlers, passport_id, "of", device, country)
    select 2, '2026-11-21', count(*), count(*), 0, p, 'o', 'm', c
    from unnest(${visitors.map((_, i) => passports[i % PASSPORTS] ?? '')}::text[]::uuid[], ${countries}::text[]) as u(p, c)
    group by p, c
    on conflict (passport_id, day, "of", country, device, account_id) do update
    set scans = d.scans + excluded.scans, uniques = d.uniques + excluded.uniques`
  return (BURST / (performance.now() - started)) * 1_000
}

async function besidePage(stage: BenchEnvironment): Promise<BenchRow> {
  const hall = await stage.openDatabase('small')
  const tenant = await stage.createTenant(hall)
  const [id = ''] = await fill(hall.sql, { accountId: tenant.accountId, count: 1, word: 'scan' })
  const server = await stage.startServer(hall, 'ours.ts')
  const path = `/p/${idFromUuid(id)}`
  const texts = Array.from({ length: 500 }, (_, i) =>
    request('GET', path, {
      accept: 'text/html',
      'accept-encoding': 'identity',
      'user-agent': `${AGENT} R/${i}`,
    }),
  )
  let turn = 0
  const next = () => texts[turn++ % texts.length] ?? ''
  const shoot = async () =>
    (await load({ port: server.port, connections: CONNECTIONS, seconds: SECONDS, next })).perSecond
  const silently = async () => {
    process.kill(server.pid, 'SIGUSR2')
    await pause(FLUSHED_MS)
    try {
      return await shoot()
    } finally {
      process.kill(server.pid, 'SIGUSR2')
    }
  }
  const figures = await measureInTurns({ ours: shoot, limit: silently }, PAGE_ROUNDS)
  await server.stop()
  return {
    row: 'scans, page',
    ...figures,
    ratio: figures.ours / figures.limit,
    unit: 'pages/s, 500 readers, with counting against without',
  }
}

async function yearAgainstWeek(stage: BenchEnvironment): Promise<BenchRow> {
  const hall = await stage.openDatabase('scans_year')
  const tenant = await stage.createTenant(hall)
  await fillYear(hall, tenant.accountId)
  const server = await stage.startServer(hall, 'ours.ts')
  const ask = (days: number) => async () => {
    const text = request('GET', `/api/v1/scans?days=${days}`, { authorization: `Bearer ${tenant.key}` })
    const tally = await load({ port: server.port, connections: 1, seconds: 1, next: () => text })
    if (tally.failed > 0) throw new Error('the statistics were refused')
    return tally.medianMs
  }
  const figures = await measureInTurns({ year: ask(365), week: ask(7) })
  await server.stop()
  return {
    row: 'scans, a year',
    ours: figures.year,
    limit: figures.week,
    ratio: figures.year / figures.week,
    unit: `ms of GET /scans?days=365 against 7, ${YEAR_ROWS} roll-up rows`,
  }
}

/**
 * Fills a year in which every day has scans from every country: the roll-ups of passports, and the sums of
 * the account.
 */
async function fillYear({ sql }: BenchDatabase, accountId: number): Promise<void> {
  const today = Math.floor(systemClock.now().getTime() / 86_400_000)
  const perDay = Math.ceil(YEAR_ROWS / 365 / COUNTRIES)
  const ids = Array.from({ length: perDay }, (_, i) => newUuid(Date.UTC(2026, 0) + i))
  for (let back = 0; back < 365; back++) {
    await sql`
      insert into scan_day (account_id, day, scans, uniques, crawlers, passport_id, "of", device, country)
      select ${accountId}::int, date '1970-01-01' + ${today - back}::int, 3, 2, 0, p, 'o', 'm', chr(65 + c / 26) || chr(65 + c % 26)
      from unnest(${ids}::text[]::uuid[]) p, generate_series(0, ${COUNTRIES - 1}::int) c`
  }
  await sql`
    insert into scan_account_span (account_id, days, first_day, scans, uniques, crawlers, counts)
    select ${accountId}::int, l, date '1970-01-01' + f, l * 8000, l * 5000, 0, (
      select json_object_agg(k, l * 200) from (
        select 'country:' || chr(65 + c / 26) || chr(65 + c % 26) as k from generate_series(0, ${COUNTRIES - 1}::int) c
        union all select unnest(array['device:mobile', 'device:desktop', 'category:textile', 'level:model', 'level:item'])
      ) keys)
    from unnest(array[1, 8, 64]) l,
      lateral generate_series((${today - 364}::int / l) * l, ${today}::int, l) f`
  await sql`analyze scan_day, scan_account_span`
}
