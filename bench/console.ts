/**
 * `console`: loads every console page, one at a time, for an account with 1,000,000 passports, a year of
 * scans and a thousand audit log entries. The limit is 50 ms; a page that fails to load fails the run.
 */
import { getOperatorActor } from '../src/accounts/account/actors.ts'
import { audit } from '../src/accounts/account/audit.ts'
import type { AccountContext } from '../src/accounts/account/context.ts'
import { createOwnKey } from '../src/accounts/keys/own-keys.ts'
import { CONSOLE_ROUTES } from '../src/console/routes.ts'
import { idFromUuid, newUuid } from '../src/kernel/crypto/ids.ts'
import { createSecretCipher } from '../src/kernel/crypto/secret-cipher.ts'
import { createLog } from '../src/kernel/errors/log.ts'
import { createAddressList } from '../src/kernel/http/ip-ranges.ts'
import { openOutbound } from '../src/kernel/http-out/outbound-http.ts'
import { systemClock } from '../src/kernel/values/clock.ts'
import { createAccessLink } from '../src/passports/access/access-links.ts'
import { createRecord } from '../src/passports/core/store-records.ts'
import { OFFER_STORE } from '../src/passports/offers/store-offers.ts'
import { updatePassport } from '../src/passports/write/update.ts'
import { createScanRecorder } from '../src/scans/recorder.ts'
import { createImport } from '../src/transfer/spreadsheets/import/spreadsheet-import.ts'
import { addWebhook } from '../src/webhooks/manage-webhooks.ts'
import { fill, fillItems } from '../test/fill-database.ts'
import type { Bench, BenchRow } from './environment.ts'
import { type BenchDatabase, type BenchEnvironment, median, type Server, type Tenant } from './environment.ts'
import { signIn, type Visit } from './sign-in.ts'

const MODELS = 100_000
/** Items under each model; one model also has ITEMS_OF_ONE. */
const ITEMS = 8
const ITEMS_OF_ONE = 100_000
const DAYS = 365
const SCANS_A_DAY = 300
const SCANNED = 2_000
const ENTRIES = 1_000
const KEYS = 20
const LINKS = 20
const WEBHOOKS = 5
const LIMIT_MS = 50
const TIMES = 21
const WARM_UPS = 3
/** One person may send 300 requests per minute. */
const PEOPLE = 6
/** How many of the slowest pages without their own row are printed. */
const SLOWEST = 12
const DAY_MS = 86_400_000
const IS_FILE = /\/(code\.png|file|template|errors)$/
const ADDRESSES = { publicUrl: 'http://localhost:3000', apiUrl: 'http://localhost:3000/api/v1' }
const SECRET_KEY = 'bench-bench-bench-bench-bench-bench'
const AGENT =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/126.0.0.0 Mobile Safari/537.36'
const COUNTRIES = 'DE AT CH FR NL PL SE NO ES IT US JP BR ZA GB'.split(' ')

export const consoleRows: Bench = async stage => {
  const hall = await stage.openDatabase('console')
  const tenant = await stage.createTenant(hall)
  const ctx: AccountContext = {
    sql: hall.sql,
    clock: systemClock,
    accountId: tenant.accountId,
    actorId: await getOperatorActor({ sql: hall.sql, clock: systemClock }, tenant.accountId),
  }
  const { models, item, big } = await fillPassports(stage, hall, tenant)
  await fillScans(hall, tenant, models)
  const server = await stage.startServer(hall, 'ours.ts')
  const visit = await signIn(hall, server, tenant)
  const visits = [visit]
  while (visits.length < PEOPLE) visits.push(await signIn(hall, server, tenant, visits.length))
  const ids = await fillTheRest(ctx, visit, big)
  await correct(ctx, big)
  await hall.sql`vacuum (analyze)`
  const [far] = await hall.sql<
    { id: string }[]
  >`select id from passport where parent_id = ${big} order by id limit 1`
  const lists = await time(server, visits, listPaths({ model: big, item: far?.id ?? '' }))
  const pages = await time(server, visits, pagePaths(ids, { item, model: models[7] ?? '' }))
  await server.stop()
  const slowest = [...pages].sort((a, b) => b[1] - a[1]).slice(0, SLOWEST)
  return [...lists, ...slowest].map(([name, ms]) => rowOf(name, ms))
}

const rowOf = (name: string, ms: number): BenchRow => ({
  row: `console, ${name}`,
  ours: ms,
  limit: LIMIT_MS,
  ratio: ms / LIMIT_MS,
  unit: 'ms at 1,000,000 passports',
})

async function fillPassports({ log }: BenchEnvironment, { sql }: BenchDatabase, { accountId }: Tenant) {
  const models = await fill(sql, { accountId, count: MODELS, word: 'jersey', rare: 'quixotry', log })
  const item = await fillItems(sql, { accountId, models, each: ITEMS, prefix: 'L1-', log })
  const big = models[models.length >> 1] ?? ''
  await fillItems(sql, { accountId, models: [big], each: ITEMS_OF_ONE, prefix: 'L2-', log })
  return { models, item, big }
}

/** Inserts the scans as readers would have caused them, some on every day. */
async function fillScans(
  { sql }: BenchDatabase,
  { accountId }: Tenant,
  models: readonly string[],
): Promise<void> {
  const log = createLog({ logLevel: 'warn', logFormat: 'json' })
  const recorder = createScanRecorder({ sql, clock: systemClock, log, geoMmdbPath: undefined })
  const now = systemClock.now().getTime()
  for (let back = DAYS - 1; back >= 0; back--) {
    for (let i = 0; i < SCANS_A_DAY; i++) {
      const n = back * SCANS_A_DAY + i
      // Some products are scanned far more often than others.
      const id = models[Math.floor(SCANNED * ((n * 7_919) % 1_000) ** 2 * 1e-6)] ?? ''
      const model = {
        id,
        account_id: accountId,
        category: 'textile',
        level: 'm',
        model_id: id,
        parent_id: null,
      } as const
      const country = COUNTRIES[n % COUNTRIES.length] ?? ''
      recorder.record(
        model,
        {
          address: `2001:db8::${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}`,
          userAgent: AGENT,
          country,
        },
        new Date(now - back * DAY_MS),
      )
    }
    await recorder.flush()
  }
  if (recorder.dropped() > 0) throw new Error(`${recorder.dropped()} scans were dropped`)
}

/** Creates everything else an account has. Returns the ids for the page addresses, by path prefix. */
async function fillTheRest(
  ctx: AccountContext,
  { email }: Visit,
  big: string,
): Promise<readonly [string, string][]> {
  const expiresAt = new Date(systemClock.now().getTime() + 90 * DAY_MS)
  const { policy } = openOutbound({ allowInsecureLoopback: false, allowed: createAddressList([]) })
  const setup = { secretCipher: createSecretCipher(SECRET_KEY), policy }
  for (let n = 0; n < ENTRIES; n++) await audit(ctx, 'account_renamed', `Bench ${n}`)
  const made = { key: '', link: '', webhook: '' }
  for (let n = 0; n < KEYS; n++) {
    made.key = (
      await createOwnKey(ctx, { name: `Key ${n}`, scope: 'full', expiresAt: undefined, createdBy: email })
    ).id
  }
  for (let n = 0; n < LINKS; n++) {
    const link = {
      passportId: idFromUuid(big),
      audience: 'authority',
      label: `Link ${n}`,
      expiresAt,
      addresses: ADDRESSES,
    }
    made.link = (await createAccessLink(ctx, link)).id
  }
  for (let n = 0; n < WEBHOOKS; n++) {
    made.webhook = (
      await addWebhook(ctx, setup, { url: `https://example.com/${n}`, events: ['product.updated'] })
    ).id
  }
  const offer = await createRecord(ctx, OFFER_STORE, {
    kind: 'repair',
    title: { en: 'Repair' },
    url: 'https://shop.example/repair',
  })
  const rows = Array.from({ length: 1_000 }, (_, n) => `Coat ${n};AC-${n};Nordmoor`)
  const bytes = Buffer.from(['Product name;SKU;Brand', ...rows].join('\n'))
  const sheet = await createImport(ctx, { fileName: 'Coats.csv', bytes, category: 'textile' })
  const [person] = await ctx.sql<{ id: string }[]>`select id from person where email = ${email}`
  const passkey = newUuid(systemClock.now().getTime())
  await ctx.sql`
    insert into passkey (id, person_id, credential_id, public_key, counter, transports, name, created_at)
    values (${passkey}, ${person?.id ?? ''}, 'bench', '\\x00', 0, '{internal}', 'Laptop', now())`
  return [
    ['/console/settings/people/', idFromUuid(person?.id ?? '')],
    ['/console/settings/passkeys/', idFromUuid(passkey)],
    ['/console/settings/access-links/', made.link],
    ['/console/settings/offers/', idFromUuid(offer.id)],
    ['/console/keys/', made.key],
    ['/console/webhooks/', made.webhook],
    ['/console/import/', idFromUuid(sheet)],
    ['/console/products/', idFromUuid(big)],
  ]
}

/** Corrects the model that has many items, which makes all of them outdated. */
async function correct(ctx: AccountContext, uuid: string): Promise<void> {
  await updatePassport(ctx, {
    uuid,
    data: { weightGrams: 195 },
    changeType: 'correction',
    note: 'Weighed again',
    strict: false,
    expects: () => true,
  })
}

type Named = readonly (readonly [name: string, path: string])[]

/** `far`: a model and an item from the middle of the lists, from which some pages start. */
function listPaths(far: { model: string; item: string }): Named {
  const list = (name: string, query: string) => [`products, ${name}`, `/console/products?${query}`] as const
  const after = (uuid: string) => `page=5000&after=${idFromUuid(uuid)}`
  const oldest = `page=5000&before=${'0'.repeat(26)}`
  return [
    list('a rare word', 'q=quixotry'),
    list('a common word', 'q=jersey'),
    list('a common word, page 100', 'q=jersey&page=100'),
    list('two common parts', 'q=merino+99'),
    list('no such word', 'q=zephyr'),
    list('a serial', 'q=L2-0099999&level=item'),
    list('a word of all levels', 'q=quixotry&level=all'),
    list('active textiles', 'status=active&category=textile'),
    list('archived', 'status=archived'),
    list('items', 'level=item'),
    list('outdated items', 'level=item&outdated=yes'),
    list('outdated', 'level=all&outdated=yes'),
    list('items, the farthest number', 'level=item&page=2000'),
    list('models, middle', after(far.model)),
    list('models, last', oldest),
    list('items, middle', `level=item&${after(far.item)}`),
    list('items, last', `level=item&${oldest}`),
    list('all, middle', `level=all&${after(far.item)}`),
    list('all, last', `level=all&${oldest}`),
  ]
}

/** Every page that GET shows, and the pages whose query string makes them show more. */
function pagePaths(
  ids: readonly [string, string][],
  { item, model }: { item: string; model: string },
): Named {
  const pages = CONSOLE_ROUTES.filter(
    ({ method, path, access }) => method === 'GET' && access !== 'anyone' && !IS_FILE.test(path),
  )
  const all = pages.map(({ path }) => {
    const id = ids.find(([place]) => path.startsWith(place))?.[1] ?? ''
    return [path.replace('/console/', ''), path.replace(':id', id).replace(':n', '2')] as const
  })
  const product = (uuid: string) => `/console/products/${idFromUuid(uuid)}`
  const big = `/console/products/${ids.at(-1)?.[1]}`
  return [
    ...all,
    ['products/:id, any model', product(model)],
    ['products/:id, an item', product(item)],
    ['products/:id, units in the middle', `${big}?units=2000`],
    ['products/:id, the oldest units', `${big}?units=4000&before=${'0'.repeat(26)}`],
    ['products/:id, a year with units', `${big}?days=365&include=units`],
    ['scans, a week', '/console/scans?days=7'],
    ['scans, a year', '/console/scans?days=365'],
  ]
}

/** Median milliseconds of each page, one request at a time. */
async function time(server: Server, visits: readonly Visit[], paths: Named): Promise<[string, number][]> {
  const rows: [string, number][] = []
  for (const [i, [name, path]] of paths.entries()) {
    const times: number[] = []
    // A passkey page opens only for the person who owns the passkey.
    const cookie = visits[path.includes('/passkeys/') ? 0 : i % visits.length]?.cookie ?? ''
    for (let n = -WARM_UPS; n < TIMES; n++) {
      const started = performance.now()
      const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
        headers: { cookie },
        redirect: 'manual',
      })
      await answer.arrayBuffer()
      if (answer.status !== 200 && answer.status !== 303)
        throw new Error(`${path} was answered ${answer.status}`)
      if (n >= 0) times.push(performance.now() - started)
    }
    rows.push([name, median(times)])
  }
  return rows
}
