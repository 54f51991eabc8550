/**
 * `resolver`: the redirect from a GS1 address, compared with a bare server that sends the same redirect. Once
 * for an address that everybody scans, once for addresses that each need a look-up.
 */
import { computeMod10CheckDigit } from '../src/gs1/check-digit.ts'
import { fill } from '../test/fill-database.ts'
import { type Bench, measureInTurns } from './environment.ts'
import { load, request } from './load.ts'

const CONNECTIONS = 32
const SECONDS = 3
const ADDRESSES = 100_000

const gtin14 = (n: number) => {
  const digits = `0952${String(n).padStart(9, '0')}`
  return digits + computeMod10CheckDigit(digits)
}

export const resolverRows: Bench = async stage => {
  const hall = await stage.openDatabase('small')
  const { accountId } = await stage.createTenant(hall)
  const ids = await fill(hall.sql, { accountId, count: ADDRESSES, word: 'resolver' })
  const gtins = ids.map((_id, i) => gtin14(i))
  await hall.sql`
    insert into gtin_claim (gtin14, account_id, model_id, claimed_at)
    select gtin14, ${accountId}, id, now() from unnest(${gtins}::text[], ${ids}::text[]::uuid[]) as c(gtin14, id)`
  await hall.sql`analyze`
  const ours = await stage.startServer(hall, 'ours.ts')
  const pathOf = (n: number) => `/01/${gtins[n % ADDRESSES]}`
  const answer = await fetch(`http://127.0.0.1:${ours.port}${pathOf(0)}`, { redirect: 'manual' })
  if (answer.status !== 307) throw new Error(`the resolver answered ${answer.status}`)
  const { connection: _, 'keep-alive': __, date: ___, ...headers } = Object.fromEntries(answer.headers)
  const bare = await stage.startServer(hall, 'bare.ts', {
    what: 'bytes',
    pool: 1,
    status: 307,
    bytes: '',
    headers,
  })
  const ask = (n: number) => request('GET', pathOf(n), { accept: 'text/html', 'accept-language': 'de' })
  const one = ask(0)
  const shoot = (port: number, next: (n: number) => string) => async () =>
    (await load({ port, connections: CONNECTIONS, seconds: SECONDS, next })).perSecond
  let asked = 0
  const figures = await measureInTurns({
    one: shoot(ours.port, () => one),
    each: shoot(ours.port, () => ask(asked++)),
    limit: shoot(bare.port, () => one),
  })
  await Promise.all([ours.stop(), bare.stop()])
  const { limit } = figures
  return [
    {
      row: 'resolver, one address',
      ours: figures.one,
      limit,
      ratio: figures.one / limit,
      unit: 'requests/s',
    },
    {
      row: 'resolver, each once',
      ours: figures.each,
      limit,
      ratio: figures.each / limit,
      unit: 'requests/s, a look-up each',
    },
  ]
}
