/** The worst accounts: many models, large passports, all languages, beside another account's many items. */

import { findHome } from '../../../src/accounts/account/account-shard.ts'
import { createAccount, setPlan } from '../../../src/accounts/account/accounts.ts'
import { getOperatorActor } from '../../../src/accounts/account/actors.ts'
import type { AccountContext } from '../../../src/accounts/account/context.ts'
import { setOperatorAccount } from '../../../src/accounts/account/operator-accounts.ts'
import { setSigning } from '../../../src/accounts/issuer/issuer.ts'
import { createKey, type Scope } from '../../../src/accounts/keys/keys.ts'
import { createToken } from '../../../src/accounts/people/one-time-links.ts'
import { createPerson, type Role } from '../../../src/accounts/people/people.ts'
import { getSessionCookieName } from '../../../src/accounts/people/session-cookie.ts'
import { sha256Hex } from '../../../src/kernel/crypto/crypto.ts'
import { idFromUuid, newUuid, parseId } from '../../../src/kernel/crypto/ids.ts'
import { createSecretCipher } from '../../../src/kernel/crypto/secret-cipher.ts'
import { systemClock } from '../../../src/kernel/values/clock.ts'
import { createAccessLink } from '../../../src/passports/access/access-links.ts'
import { STATUS_LIST_LENGTH } from '../../../src/standards/signing/status-list.ts'
import { fill, fillItems } from '../../fill-database.ts'
import { nextGtin } from '../../harness.ts'
import { makePdf, makePng } from '../../media/sample-files.ts'
import { LANGUAGES, LONG, MANY_VALUES, OFFER, RICH, speak } from './heavy-data.ts'
import { SECRET_KEY, type Stand } from './stand.ts'

/** `otherItems`: of another account. The rest is of the account that is called. */
export type Scale = {
  models: number
  otherItems: number
  units: number
  versions: number
  offers: number
  people: number
  /** In each of the first status lists. */
  places: number
}

/** Status lists of the account. One more than the attempts of a call, as a copy is shared for a while. */
export const FULL_LISTS = 4

export const WHOLE: Scale = {
  models: 2_000,
  otherItems: 30_000,
  units: 2_000,
  versions: 200,
  offers: 100,
  people: 15,
  places: STATUS_LIST_LENGTH,
}
export const SAMPLE: Scale = {
  models: 200,
  otherItems: 3_000,
  // The most that a call may change.
  units: 500,
  versions: 10,
  offers: 20,
  people: 3,
  places: 4_000,
}

/** `id`: of the session, as addresses name it. */
export type OpenSession = { cookie: string; id: string; personId: string }

export type World = {
  stand: Stand
  ctx: AccountContext
  keys: Record<Scope, string>
  /** The token of an access link to the whole account, for authorities. */
  linkToken: string
  /** The cookie of one of several people with this role, each with his own limit of requests. */
  cookieOf: (role: Role) => string
  /** A session of its own, for calls that end a session or an account: of this account, or of a new one. */
  openSession: (role: Role, isNewAccount?: boolean) => Promise<OpenSession>
  /** Public ids. The first is the worst in most respects. */
  products: { rich: string; long: string; values: string; crowded: string; item: string; plain: string }
  gtin: string
  itemSerial: string
  issuer: string
  picture: string
  document: string
  /** Calls the API with the full key, and returns `data`. */
  call: (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>
}

const ROLES = ['owner', 'editor', 'viewer'] as const

export async function createWorld(stand: Stand, scale: Scale): Promise<World> {
  const operator = { sql: stand.sql, clock: systemClock }
  await fillOther(stand, scale)
  const ctx = await openAccount(stand, 'Heavy')
  const accountId = ctx.accountId
  await setOperatorAccount(operator, { accountId, isOperator: true })
  const models = await fill(ctx.sql, { accountId, count: scale.models, word: 'Merino', rare: 'rare' })
  const makeKey = async (scope: Scope) =>
    (await createKey(operator, { accountId, name: scope, scope, expiresAt: undefined, createdBy: 'test' }))
      .key
  const keys = { full: await makeKey('full'), read: await makeKey('read') }
  const call = createCaller(stand, keys.full)
  const cookies = { owner: [], editor: [], viewer: [] } as Record<Role, string[]>
  for (const role of ROLES)
    for (let n = 0; n < scale.people; n++)
      cookies[role].push((await createSession(stand, accountId, role)).cookie)
  let turn = 0
  const files = await createFiles(stand, keys.full)
  const issuer = await setSigning({ ...ctx, secretCipher: createSecretCipher(SECRET_KEY) }, true)
  await fillStatusLists(ctx, models, scale.places)
  const gtin = nextGtin()
  const products = await createProducts(call, scale, gtin, files)
  const expiresAt = new Date(Date.now() + 86_400_000)
  const addresses = { publicUrl: stand.url, apiUrl: `${stand.url}/api/v1` }
  const link = {
    passportId: undefined,
    audience: 'authority',
    label: 'Authority',
    expiresAt,
    addresses,
  } as const
  return {
    stand,
    ctx,
    keys,
    call,
    products,
    gtin,
    ...files,
    itemSerial: 'C0',
    issuer: issuer?.name ?? '',
    linkToken: (await createAccessLink(ctx, link)).token,
    cookieOf: role => cookies[role][turn++ % scale.people] ?? '',
    openSession: async (role, isNewAccount = false) =>
      createSession(stand, isNewAccount ? (await openAccount(stand, 'Spare')).accountId : accountId, role),
  }
}

export async function openAccount(stand: Stand, name: string): Promise<AccountContext> {
  const operator = { sql: stand.sql, clock: systemClock }
  const plan = 'enterprise'
  const accountId = Number((await createAccount(operator, { name, plan })).id)
  await setPlan(operator, { accountId, plan, quota: {}, requestsPerMinute: 9_000_000 })
  const home = await findHome(stand.sql, accountId)
  const actorId = await getOperatorActor(operator, accountId)
  return { ...home, clock: systemClock, accountId, actorId, readiness: null }
}

/** Another account, whose rows must make nothing slower. */
async function fillOther(stand: Stand, { otherItems }: Scale): Promise<void> {
  const { sql, accountId } = await openAccount(stand, 'Other')
  const models = await fill(sql, { accountId, count: 30, word: 'Linen' })
  await fillItems(sql, { accountId, models, each: otherItems / 30, prefix: 'O' })
}

/** With places of old versions, so that recalls are looked up for each. */
async function fillStatusLists(
  { sql, accountId }: AccountContext,
  models: readonly string[],
  places: number,
) {
  for (let list = 1; list <= FULL_LISTS; list++)
    await sql`
      insert into credential_status (account_id, passport_id, first_version, list_no, list_index, created_at)
      select ${accountId}, m.id, ${list}::int + i / ${models.length}::int * ${FULL_LISTS}::int, ${list}, i, now()
      from generate_series(0, ${places - 1}::int) i
      join unnest(${`{${models.join(',')}}`}::text::uuid[]) with ordinality as m(id, n) on m.n = 1 + i % ${models.length}::int`
}

let people = 0

/** Returns the cookie. The proof of identity is in the future, so that it counts during the whole run. */
async function createSession({ sql, url }: Stand, accountId: number, role: Role): Promise<OpenSession> {
  const operator = { sql, clock: systemClock }
  const person = await createPerson(operator, { accountId, role, email: `${role}${++people}@worst.example` })
  const token = createToken()
  const id = newUuid(Date.now())
  await sql`
    insert into person_session (hash, id, person_id, account_id, created_at, proven_at, expires_at)
    values (${sha256Hex(token)}, ${id}, ${parseId(person.id) ?? ''}, ${accountId}, now(),
      now() + interval '1 day', now() + interval '14 days')`
  return { cookie: `${getSessionCookieName(url)}=${token}`, id: idFromUuid(id), personId: person.id }
}

function createCaller({ url }: Stand, key: string): World['call'] {
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${text.slice(0, 500)}`)
    return (text === '' ? {} : (JSON.parse(text) as { data: Record<string, unknown> }).data) ?? {}
  }
}

async function createFiles({ url }: Stand, key: string): Promise<{ picture: string; document: string }> {
  const upload = async (bytes: Buffer, type: string) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': type }
    const answer = await fetch(`${url}/api/v1/media`, {
      method: 'POST',
      headers,
      body: new Uint8Array(bytes),
    })
    const { data } = (await answer.json()) as { data: { id: string } }
    return data.id
  }
  return {
    picture: await upload(await makePng({ width: 1_600, height: 1_200 }), 'image/png'),
    document: await upload(await makePdf(), 'application/pdf'),
  }
}

async function createProducts(
  call: World['call'],
  { units, versions, offers }: Scale,
  gtin: string,
  { picture, document }: { picture: string; document: string },
): Promise<World['products']> {
  const create = async (body: { category: string; data: object }) =>
    (await call('POST', '/products', body)).id as string
  const withFiles = {
    ...RICH,
    data: {
      ...RICH.data,
      gtin,
      pictures: [{ media: picture, alt: speak('Front'), caption: speak('From the front') }],
      documents: [{ title: speak('Manual'), type: 'manual', media: document }],
    },
  }
  const rich = await create(withFiles)
  const long = await create(LONG)
  const values = await create(MANY_VALUES)
  const crowded = await create({ ...RICH, data: { ...RICH.data, sku: 'CROWDED', gtin: nextGtin() } })
  for (let n = 0; n < versions; n++)
    await call('PATCH', `/products/${crowded}`, { data: { weightGrams: n + 1 } })
  const issued: string[] = []
  for (let done = 0; done < units; done += 500) {
    const items = Array.from({ length: Math.min(500, units) }, (_, n) => ({ serial: `C${done + n}` }))
    const { created } = await call('POST', `/products/${crowded}/children`, { level: 'item', items })
    issued.push(...(created as { id: string }[]).map(({ id }) => id))
  }
  for (let n = 0; n < offers; n++)
    await call('POST', '/offers', { ...OFFER, category: 'textile', position: n })
  const notice = { hazard: speak('It may break.'), action: speak('Stop using it.') }
  await call('PUT', `/products/${crowded}/recall`, notice)
  const plain = await create({ ...LONG, data: { ...LONG.data, sku: 'PLAIN', note: 'x' } })
  return { rich, long, values, crowded, item: issued[0] ?? '', plain }
}

export const describeWorld = ({ models, otherItems, units, versions, offers }: Scale) =>
  `${models} models, ${units} units, ${versions} versions, ${offers} offers in ${LANGUAGES.length} languages; ${otherItems} items of another account`
