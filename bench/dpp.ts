/**
 * `dpp`: documents of EN 18223 of 10,000 passports, for public readers, for their account and signed,
 * compared with GET of the product, and one of them with a bare server that sends the same bytes.
 */
import { setSigning } from '../src/accounts/issuer/issuer.ts'
import { idFromUuid } from '../src/kernel/crypto/ids.ts'
import { createSecretCipher } from '../src/kernel/crypto/secret-cipher.ts'
import { systemClock } from '../src/kernel/values/clock.ts'
import { fill } from '../test/fill-database.ts'
import type { BenchDatabase, BenchEnvironment } from './environment.ts'
import { type Bench, measureInTurns, type Server } from './environment.ts'
import { load, request } from './load.ts'

const PASSPORTS = 10_000
const CONNECTIONS = 64
const SECONDS = 2
/** The files of `ours.ts`. */
const SECRET_KEY = 'bench-bench-bench-bench-bench-bench'
/** The server believes who the load client says that it is: an address may make 300 requests a minute. */
const LOOPBACK = '127.0.0.0/8'

export const dppRows: Bench = async stage => {
  const hall = await stage.openDatabase('small')
  const [plain, signed] = [await openAccount(stage, hall), await openAccount(stage, hall, { signs: true })]
  await hall.sql`vacuum (analyze) passport`
  const ours = await stage.startServer(hall, 'ours.ts', { trustedProxies: [LOOPBACK] })
  const { key } = plain
  const own = { authorization: `Bearer ${key}` }
  const publicly = (path: string) => request('GET', path, { 'x-forwarded-for': nextAddress() })
  const first = documentPath(plain, 0)
  const bare = await startBare(stage, hall, ours, first)
  // Each is signed when it is first read.
  await shoot(ours, n => publicly(documentPath(signed, n)), 4 * SECONDS)()
  const figures = await measureInTurns({
    product: shoot(ours, n => request('GET', `/api/v1/products/${pick(plain, n)}`, own)),
    key: shoot(ours, n => request('GET', documentPath(plain, n), own)),
    public: shoot(ours, n => publicly(documentPath(plain, n))),
    signed: shoot(ours, n => publicly(documentPath(signed, n))),
    one: shoot(ours, () => publicly(first)),
    bytes: shoot(bare, () => publicly(first)),
  })
  await Promise.all([ours.stop(), bare.stop()])
  const unit = `requests/s, ${CONNECTIONS} connections`
  const compare = (name: string, mine: number, limit: number, reference: string) => ({
    row: name,
    ours: mine,
    limit,
    ratio: mine / limit,
    unit: `${unit}, against ${reference}`,
  })
  return [
    compare('dpp, key', figures.key, figures.product, 'GET of the product'),
    compare('dpp, public', figures.public, figures.product, 'GET of the product'),
    compare('dpp, signed', figures.signed, figures.product, 'GET of the product'),
    compare('dpp, one', figures.one, figures.bytes, 'a bare server with the same bytes'),
  ]
}

type Owner = { key: string; ids: string[] }

async function openAccount(
  stage: BenchEnvironment,
  hall: BenchDatabase,
  { signs = false } = {},
): Promise<Owner> {
  const { accountId, key } = await stage.createTenant(hall)
  const uuids = await fill(hall.sql, { accountId, count: PASSPORTS, word: 'document' })
  const secretCipher = createSecretCipher(SECRET_KEY)
  const ctx = { sql: hall.sql, clock: systemClock, accountId, actorId: 1, secretCipher }
  if (signs) await setSigning(ctx, true)
  return { key, ids: uuids.map(idFromUuid) }
}

const pick = ({ ids }: Owner, n: number): string => ids[(n * 7919) % ids.length] ?? ''
const documentPath = (owner: Owner, n: number): string => `/dpp/v1/dpps/${pick(owner, n)}`

let addresses = 0
const nextAddress = (): string => `198.18.${(addresses >> 8) & 255}.${addresses++ & 255}`

const shoot =
  ({ port }: Server, next: (n: number) => string, seconds = SECONDS) =>
  async () => {
    const tally = await load({ port, connections: CONNECTIONS, seconds, next })
    if (tally.failed > 0) throw new Error(`${tally.failed} requests failed`)
    return tally.perSecond
  }

async function startBare(
  stage: BenchEnvironment,
  hall: BenchDatabase,
  ours: Server,
  path: string,
): Promise<Server> {
  const answer = await fetch(`http://127.0.0.1:${ours.port}${path}`)
  if (answer.status !== 200) throw new Error(`the document answered ${answer.status}`)
  const bytes = Buffer.from(await answer.arrayBuffer()).toString('base64')
  const { connection: _, 'keep-alive': __, date: ___, ...headers } = Object.fromEntries(answer.headers)
  return stage.startServer(hall, 'bare.ts', { what: 'bytes', pool: 1, bytes, headers })
}
