/**
 * The setup for API and site tests: the real server on its own database, a clock that the test controls,
 * accounts and keys.
 */
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance, HTTPMethods } from 'fastify'
import { findHome } from '../src/accounts/account/account-shard.ts'
import { createAccount, setPlan } from '../src/accounts/account/accounts.ts'
import { getOperatorActor } from '../src/accounts/account/actors.ts'
import type { AccountContext } from '../src/accounts/account/context.ts'
import { createKey, type Scope } from '../src/accounts/keys/keys.ts'
import { CATEGORY_EXAMPLES } from '../src/categories/examples.ts'
import { type AppSetup, createApp } from '../src/cli/server/app.ts'
import { createSecretCipher } from '../src/kernel/crypto/secret-cipher.ts'
import { listShardTables } from '../src/kernel/db/create-shard.ts'
import { openPool, type Sql } from '../src/kernel/db/database.ts'
import { createLog } from '../src/kernel/errors/log.ts'
import { createAddressList } from '../src/kernel/http/ip-ranges.ts'
import { openOutbound } from '../src/kernel/http-out/outbound-http.ts'
import { openMailer } from '../src/kernel/http-out/smtp.ts'
import { createSecurityLog } from '../src/kernel/monitoring/security-events.ts'
import { type Clock, systemClock } from '../src/kernel/values/clock.ts'
import { openMediaServices } from '../src/media/upkeep/media-services.ts'
import { createScanRecorder, type ScanRecorder } from '../src/scans/recorder.ts'
import { spreadAccount } from '../src/webhooks/spread-account.ts'
import { watchAnswers } from './answers.ts'
import {
  addTestShards,
  cloneDatabase,
  endPools,
  getTestShard,
  openPools,
  type PoolSettings,
  type Target,
  TEST_SHARDS,
  type TestDatabase,
} from './database.ts'
import { watchForms } from './statement-forms.ts'

export const ADDRESSES = { publicUrl: 'https://carnet.example', apiUrl: 'https://carnet.example/api/v1' }

/** A clock that runs until it is set, and then changes only when it is moved. */
export class TestClock implements Clock {
  private held: number | undefined
  now(): Date {
    return this.held === undefined ? new Date() : new Date(this.held)
  }
  set(time: Date | string): void {
    this.held = new Date(time).getTime()
  }
  advance(ms: number): void {
    this.held = this.now().getTime() + ms
  }
  release(): void {
    this.held = undefined
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape
export type Answer = { status: number; headers: Record<string, string>; text: string; json: any }
export type Ask = {
  key?: string
  body?: unknown
  text?: string | Buffer
  headers?: Record<string, string>
  /** The client's address; by default a new one for each request. */
  from?: string
}
export type TestAccount = { id: number; key: string; ctx: AccountContext }

export type Harness = {
  app: FastifyInstance
  /** The server's setup, to create a second server. */
  setup: AppSetup
  sql: Sql
  /** Where another pool can connect to the same database. */
  target: Target
  /** The same for another process that opens the pools of all shards. */
  database: TestDatabase
  /** Other pools on the same database, like another process. End them with `endPools`. */
  openPools: (options?: PoolSettings) => Promise<Sql>
  clock: TestClock
  /** Flushed by the scan endpoints or by hand: no timer runs. */
  scans: ScanRecorder
  /** A request to the whole server. `body` is sent as JSON, `text` unchanged. */
  ask: (method: HTTPMethods, path: string, ask?: Ask) => Promise<Answer>
  /** `isLimited`: applies the plan's rate limit; by default tests are not limited. */
  account: (settings?: { plan?: string; scope?: Scope; isLimited?: boolean }) => Promise<TestAccount>
  apiKey: (account: Pick<TestAccount, 'id'>, scope: Scope, expiresAt?: Date) => Promise<string>
  /**
   * A server with its own connections on the same database, like another process. Close it before this one.
   */
  beside: (settings?: { signatureDays?: number }) => Promise<Harness>
  close: () => Promise<void>
}

export async function startHarness(
  settings: {
    allowQueryApiKey?: boolean
    anyAccept?: AppSetup['anyAccept']
    trustedProxies?: readonly string[]
    /** A shared database, dropped by its creator. */
    database?: TestDatabase
    countryHeader?: string
    geoMmdbPath?: string
    /** Creates so many; new accounts are then on one of them. */
    shards?: number
    signatureDays?: number
  } = {},
): Promise<Harness> {
  const database = settings.database ?? (await cloneDatabase())
  const { target, isDistributed = false } = database
  if (settings.shards !== undefined) await addTestShards(database, settings.shards)
  let tables: readonly string[] = []
  const forms = watchForms(() => tables)
  const shared = await openPools(database, { onStatementEnd: forms.onStatementEnd })
  tables = await listShardTables(shared)
  const views = TEST_SHARDS > 1 ? openPool(target, { searchPath: 'all_shards, public' }) : undefined
  const sql = views ?? getTestShard(shared)
  const clock = new TestClock()
  const log = createLog({ logLevel: 'silent', logFormat: 'json' })
  const mail = openMailer(undefined, log)
  const scans = createScanRecorder({ sql: shared, clock, log, geoMmdbPath: settings.geoMmdbPath })
  const mediaFolder = join(tmpdir(), `carnet-media-${randomUUID()}`)
  const setup: AppSetup = {
    sql: shared,
    openPoolOfOne: () => openPool(target, { max: 1, isDistributed }),
    clock,
    addresses: ADDRESSES,
    mail,
    nsUrl: `${ADDRESSES.publicUrl}/ns/dpp`,
    signatureDays: settings.signatureDays ?? 90,
    secretKey: 'a secret key that only tests know, long enough',
    security: createSecurityLog({ log, clock }),
    secretCipher: createSecretCipher('a secret key that only tests know, long enough'),
    outbound: openOutbound({ allowInsecureLoopback: true, allowed: createAddressList([]) }),
    allowQueryApiKey: settings.allowQueryApiKey ?? false,
    anyAccept: settings.anyAccept ?? 'html',
    trustedProxies: settings.trustedProxies ?? [],
    version: '0.0.0-test',
    countryHeader: settings.countryHeader,
    scans,
    media: openMediaServices({ folder: mediaFolder }),
    log,
    findReadiness: async () => 'ready',
  }
  const app = createApp(setup)
  const undocumented = watchAnswers(app)
  await app.ready()
  const operator = { sql: shared, clock }

  const ask = async (
    method: HTTPMethods,
    path: string,
    { key, body, text, headers = {}, from = nextAddress() }: Ask = {},
  ): Promise<Answer> => {
    const payload = text ?? (body === undefined ? undefined : JSON.stringify(body))
    const answer = await app.inject({
      method: method as 'GET',
      url: path,
      remoteAddress: from,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload === undefined ? {} : { payload }),
    })
    const isJson = /[/+]json\b|\/vc$/.test(String(answer.headers['content-type']))
    return {
      status: answer.statusCode,
      headers: answer.headers as Record<string, string>,
      text: answer.body,
      json: isJson && answer.body !== '' ? JSON.parse(answer.body) : undefined,
    }
  }

  const apiKey = async (account: { id: number }, scope: Scope, expiresAt?: Date) =>
    (
      await createKey(operator, {
        accountId: account.id,
        name: `test ${scope}`,
        scope,
        expiresAt,
        createdBy: 'test',
      })
    ).key

  return {
    app,
    setup,
    sql,
    target,
    database,
    openPools: options => openPools(database, options),
    clock,
    scans,
    ask,
    apiKey,
    async account({ plan = 'beta', scope = 'full', isLimited = false } = {}) {
      const made = await createAccount(operator, { name: 'Test', plan })
      const id = Number(made.id)
      if (!isLimited) await setPlan(operator, { accountId: id, plan, quota: {}, requestsPerMinute: MANY })
      if (TEST_SHARDS > 1) await spreadOverAll(shared, id)
      const home = await findHome(shared, id)
      const actorId = await getOperatorActor(operator, id)
      // The API knows the readiness settings from the look-up of the key.
      const ctx = { ...home, clock, accountId: id, actorId, readiness: null }
      return { id, key: await apiKey({ id }, scope), ctx }
    },
    beside: more => {
      const { shards: _, ...others } = settings
      return startHarness({ ...others, ...more, database })
    },
    async close() {
      await app.close()
      await rm(mediaFolder, { recursive: true, force: true })
      await setup.outbound.close()
      await Promise.all([endPools(shared), views?.end({ timeout: 5 })])
      if (settings.database === undefined) await database.drop()
      forms.requireNone()
      if (undocumented.length > 0) {
        throw new Error(`answers that the OpenAPI document does not allow:\n${undocumented.join('\n')}`)
      }
    },
  }
}

/** Its home is the first, whose tables tests read. */
async function spreadOverAll(sql: Sql, accountId: number): Promise<void> {
  const modelShards = Array.from({ length: TEST_SHARDS }, (_, i) => i + 1)
  await spreadClosed(sql, accountId, modelShards)
  await sql`update account set shard = 1, shards = model_shards where id = ${accountId}`
}

/** Spreads an account that no request has used yet. */
export async function spreadClosed(
  sql: Sql,
  accountId: number,
  modelShards: readonly number[],
): Promise<void> {
  await sql`update account set closed_at = '2000-01-01' where id = ${accountId}`
  await spreadAccount({ sql, clock: systemClock }, { accountId, modelShards })
  await sql`update account set closed_at = null where id = ${accountId}`
}

/** A rate limit that no test reaches. */
const MANY = 10_000_000

let requests = 0

/** A new address in 10.0.0.0/8 at each call. */
function nextAddress(): string {
  const n = ++requests
  return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
}

let gtins = 0

/** A new GTIN-13 of GS1's example range at each call. `prefix`: the digits after those of the range. */
export function nextGtin(prefix = ''): string {
  const digits = `952${prefix}${String(++gtins).padStart(9 - prefix.length, '0')}`
  const sum = [...digits].reduce((total, digit, i) => total + Number(digit) * (i % 2 === 0 ? 1 : 3), 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

const CORE = {
  productName: 'Test product',
  sku: 'T-1',
  brandName: 'Testmarke',
  languages: ['en', 'de'],
  economicOperator: {
    role: 'manufacturer',
    legalName: 'Testmarke GmbH',
    address: 'Werkstraße 1, 26122 Oldenburg',
    country: 'DE',
    contactEmail: 'passport@testmarke.example',
  },
  endOfLife: {
    recyclingInstructions: { en: 'Take it to a collection point.' },
    disposalInstructions: { en: 'Not in household waste.' },
  },
}

/** The required fields of some categories, valid as they are. Other categories use their example. */
export const CORES: Record<'textile' | 'battery' | 'furniture', Record<string, unknown>> = {
  ...Object.fromEntries(Object.entries(CATEGORY_EXAMPLES).map(([id, { value }]) => [id, value.data])),
  textile: {
    ...CORE,
    fiberComposition: [
      { fiber: 'wool', percentage: 60 },
      { fiber: 'polyamide', percentage: 40 },
    ],
    countryOfManufacture: 'PT',
    careInstructions: { en: 'Wash at 30 °C.', de: 'Bei 30 °C waschen.' },
    repair: { repairable: true, sparePartsAvailable: false },
  },
  battery: {
    ...CORE,
    batteryCategory: 'lmt',
    cellChemistry: 'nmc',
    weightKg: 2.9,
    countryOfManufacture: 'DE',
    manufacturingDate: '2026-05',
    ratedCapacity: 13.4,
  },
  furniture: {
    ...CORE,
    materialComposition: [{ material: 'wood', percentage: 100 }],
    countryOfManufacture: 'DE',
    careInstructions: { en: 'Wipe dry.' },
    repair: { repairable: true, sparePartsAvailable: true },
  },
}

/** A body for POST /products. */
export const newProduct = (data: Record<string, unknown> = {}, category: keyof typeof CORES = 'textile') => ({
  category,
  data: { ...CORES[category], ...data },
})
