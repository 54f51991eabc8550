/** The worst calls of the console, from its table of routes. A new page gets them by its line alone. */
import type { ConsoleRoute } from '../../../src/console/page/route.ts'
import { CONSOLE_ROUTES } from '../../../src/console/routes.ts'
import { idFromUuid, parseId } from '../../../src/kernel/crypto/ids.ts'
import { makePng } from '../../media/sample-files.ts'
import { type Credential, type RouteCalls, varyRead, type WorstCall, withBodies, withQuery } from './call.ts'
import { buildForm, FORM_FILES, FORM_TYPE, makeLargeFiles, SHEETS } from './large-files.ts'
import type { Ask } from './send.ts'
import { FORM_SHAPES } from './shapes.ts'
import { createThing } from './things.ts'
import type { World } from './world.ts'

const FORM_BYTES = 16 * 1024

/** The meaning of `:id`, by the beginning of the path. */
const THINGS: Readonly<Record<string, string>> = {
  '/console/drafts/': 'draft',
  '/console/settings/offers/': 'offer',
  '/console/settings/verification-requests/': 'request',
  '/console/settings/people/': 'person',
  '/console/settings/access-links/': 'link',
  '/console/keys/': 'key',
  '/console/webhooks/': 'webhook',
  '/console/import/': 'import',
}

type Override = {
  /** The worst queries of a page. */
  queries?: readonly string[]
  fields?: Readonly<Record<string, string>>
  accepts?: readonly number[]
  /** Instead of the least role that may enter. */
  as?: Credential
  /** It ends its session, or its account. */
  needsOwn?: 'session' | 'account'
}

const LISTS = ['q=e&page=99', 'q=merino+1&level=model&status=active', 'q=%25_%5C&page=1']
const LABELS = ['of=items&content=passport&file=png600&size=90', 'of=items&content=gs1&file=pdf']

/** By method and path: what a new route needs beyond the defaults. */
const OVERRIDES: Readonly<Record<string, Override>> = {
  'GET /console/products': { queries: LISTS },
  'GET /console/drafts': { queries: ['q=e&page=9'] },
  'GET /console/products/:id': { queries: ['children=99', 'include=units', 'snippet=html&product=x'] },
  'GET /console/products/:id/labels/file': { queries: LABELS },
  'GET /console/export/file': { queries: ['category=textile', 'category=textile&file=xlsx&format=xlsx'] },
  'GET /console/scans': { queries: ['days=365'] },
  'GET /console/set-up': { accepts: [404, 200, 303] },
  'GET /console/set-password': { accepts: [404, 410, 200] },
  // The first person has been set up, the link is none, and no delivery is waiting.
  'POST /console/set-up': { accepts: [404] },
  'POST /console/set-password': { accepts: [404] },
  'GET /console/known-browser': { accepts: [404, 200] },
  'POST /console/known-browser': { accepts: [404] },
  'POST /console/account': { accepts: [303, 404] },
  // After 20 invitations an hour, which the form for new people may have used up before.
  'POST /console/settings/people/:id/invite': { accepts: [303, 429] },
  'POST /console/webhooks/:id/resend': { accepts: [303, 404] },
  // Others than owners can remove only themselves.
  'GET /console/settings/people/:id/remove': { as: 'owner' },
  'POST /console/settings/people/:id/remove': { as: 'owner' },
  'POST /console/sign-out': { needsOwn: 'session' },
  'POST /console/settings/close': { needsOwn: 'account', fields: { name: 'Spare' } },
  'POST /console/settings/sessions/:id/end': { needsOwn: 'session' },
  'POST /console/settings/sessions/end-others': { needsOwn: 'session' },
  'POST /console/media/:id/withdrawal': { fields: { reason: 'It names a person.' } },
  'POST /console/settings/identity/request': { fields: { legal_name: 'Heavy Ltd', note: 'By letter.' } },
  'POST /console/settings/verification-requests/:id/decline': { fields: { reason: 'Which register?' } },
  'POST /console/settings/signatures': { fields: { to: 'on' } },
  'POST /console/settings/registry/switch': { fields: { to: 'on' } },
}

const FIELDS: Readonly<Record<string, string>> = {
  email: 'nobody@worst.example',
  password: 'wrong',
  current: 'wrong',
  name: 'Heavy',
  token: 'x',
  scope: 'read',
  ends: 'never',
  role: 'viewer',
  to: 'no',
  label: 'Somebody',
  audience: 'authority',
  opens: 'all',
  filter: 'all',
  url: 'https://erp.example/other',
  accent: '#aa3300',
  kind: 'repair',
  language: 'en',
  title: 'Repair',
  level: 'item',
  serials: Array.from({ length: 500 }, (_, n) => `L-${n}`).join('\n'),
  category: 'textile',
}

/** A form whose handler has seen it; others were refused before. */
const SEEN = [200, 201, 204, 303, 302, 400, 409, 410, 422]

export const listConsoleCalls = (world: World): RouteCalls[] =>
  CONSOLE_ROUTES.map(route => {
    const name = `${route.method} ${route.path}`
    const override = OVERRIDES[name] ?? {}
    const calls =
      route.method === 'GET' ? listPages(world, route, override) : listForms(world, route, override)
    const accepts = override.accepts ?? (route.method === 'POST' ? SEEN : undefined)
    return { route: name, calls, ...(accepts && { accepts }) }
  })

const credentialOf = ({ access }: ConsoleRoute): Credential =>
  access === 'anyone' ? 'anonymous' : access === 'signed_in' ? 'viewer' : access

type Visitor = { cookie: string; sessionId: string; personId: string }

async function visit(
  world: World,
  credential: Credential,
  { needsOwn }: Override,
  path: string,
): Promise<Visitor> {
  if (credential === 'anonymous') return { cookie: '', sessionId: '', personId: '' }
  const role = credential === 'operator' ? 'owner' : (credential as 'viewer' | 'editor' | 'owner')
  const needsSession = needsOwn !== undefined || path.includes('passkeys/') || path.includes('sessions/')
  if (!needsSession) return { cookie: world.cookieOf(role), sessionId: '', personId: '' }
  const { cookie, id, personId } = await world.openSession(role, needsOwn === 'account')
  return { cookie, sessionId: id, personId }
}

async function fillPath(world: World, path: string, visitor: Visitor, product: string): Promise<string> {
  if (!path.includes(':id')) return path.replace(':n', '1')
  const kind = Object.entries(THINGS).find(([place]) => path.startsWith(place))?.[1]
  let id = product
  if (path.startsWith('/console/settings/sessions/')) id = visitor.sessionId
  else if (path.startsWith('/console/settings/passkeys/')) id = await createPasskey(world, visitor.personId)
  else if (path.startsWith('/console/media/')) id = path.endsWith('webp') ? world.picture : world.document
  else if (kind !== undefined) id = await createThing(world, kind)
  return path.replace(':id', id).replace(':n', '1')
}

let turn = 0

async function createPasskey({ stand: { sql } }: World, personId: string): Promise<string> {
  // Nobody may see it anyway.
  if (personId === '') return '01m7zzzzzzzzzzzzzzzzzzzzzz'
  const [row] = await sql<{ id: string }[]>`
    insert into passkey (id, person_id, credential_id, public_key, counter, transports, name, created_at)
    values (gen_random_uuid(), ${parseId(personId) ?? ''}, ${`worst ${++turn}`}, '', 0, '{}', 'Phone', now())
    returning id`
  return idFromUuid(row?.id ?? '')
}

/** Refused for everybody who may not see it, whoever asks: at most that is measured once for each. */
const lessThan = (credential: Credential): Credential[] =>
  credential === 'anonymous'
    ? []
    : credential === 'owner' || credential === 'operator'
      ? ['anonymous', 'editor']
      : ['anonymous']

function listPages(world: World, route: ConsoleRoute, override: Override): WorstCall[] {
  const { path } = route
  const credential = override.as ?? credentialOf(route)
  const isOfProduct = path.startsWith('/console/products/:id')
  const makeFor =
    (one: Credential, product: string, query = '') =>
    async (): Promise<Ask> => {
      const visitor = await visit(world, one, override, path)
      const filled = withQuery(await fillPath(world, path, visitor, product), query)
      return {
        method: 'GET',
        path: filled,
        headers: { cookie: visitor.cookie, 'sec-fetch-site': 'same-origin' },
      }
    }
  const { products } = world
  const crowded = products.crowded
  const subjects = isOfProduct ? Object.entries(products) : [['', ''] as const]
  return [
    ...(override.queries ?? []).map(query => ({
      name: `?${query}`,
      credential,
      make: makeFor(credential, crowded, query),
    })),
    ...subjects.map(([name, id]) => ({ name, credential, make: makeFor(credential, id) })),
    ...varyRead(makeFor(credential, products.plain), credential),
    ...lessThan(credential).map(one => ({
      name: 'refused',
      credential: one,
      make: makeFor(one, products.plain),
    })),
  ]
}

function listForms(world: World, route: ConsoleRoute, override: Override): WorstCall[] {
  const { path } = route
  const credential = override.as ?? credentialOf(route)
  const sendTo =
    (one: Credential, type: string) =>
    async (body: Buffer): Promise<Ask> => {
      const visitor = await visit(world, one, override, path)
      return {
        method: 'POST',
        body,
        path: await fillPath(
          world,
          path,
          visitor,
          world.products[path.endsWith('/refresh') ? 'crowded' : 'plain'],
        ),
        headers: { cookie: visitor.cookie, origin: world.stand.url, 'content-type': type },
      }
    }
  const send = sendTo(credential, 'application/x-www-form-urlencoded')
  const bytes = route.bodyLimit ?? FORM_BYTES
  const fields = new URLSearchParams({ ...FIELDS, ...override.fields })
  const accepted: WorstCall = {
    name: 'usual form',
    credential,
    make: () => send(Buffer.from(fields.toString())),
  }
  const shapes = withBodies(FORM_SHAPES, bytes, send, credential)
  const first = FORM_SHAPES.slice(0, 3)
  const strangers = withBodies(
    first,
    bytes,
    sendTo('anonymous', 'application/x-www-form-urlencoded'),
    'anonymous',
  )
  return [
    accepted,
    ...shapes,
    ...strangers,
    ...listFileForms(route, credential, sendTo(credential, FORM_TYPE)),
  ]
}

function listFileForms(
  { path, takesFile, uploads }: ConsoleRoute,
  credential: Credential,
  send: (body: Buffer) => Promise<Ask>,
): WorstCall[] {
  if (takesFile !== true && uploads === undefined) return []
  const broken = FORM_FILES.map(({ name, build }) => ({ name, credential, make: () => send(build()) }))
  if (path === '/console/import') {
    const sheets = SHEETS.map(({ name, file, build }) => ({
      name,
      credential,
      afterwardsMs: 300,
      make: () => send(buildForm({ category: 'textile' }, [{ field: 'sheet', name: file, bytes: build() }])),
    }))
    return [...sheets, ...broken]
  }
  const field = uploads?.[0] ?? 'files'
  const files = makeLargeFiles().map(({ name, make }) => ({
    name,
    credential,
    afterwardsMs: 300,
    make: async () => send(buildForm({}, [{ field, name, bytes: await make() }])),
  }))
  const many = async () => {
    const bytes = await makePng({ width: 600, height: 400 + (++turn % 50) })
    return send(
      buildForm(
        {},
        Array.from({ length: 30 }, (_, n) => ({ field, name: `${n}.png`, bytes })),
      ),
    )
  }
  return [...files, { name: 'many files', credential, make: many }, ...broken]
}
