/** The limits: bare `node:http` servers that do only what is measured. Prints the port. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { newUuid, parseId } from '../src/kernel/crypto/ids.ts'
import { type DatabaseTarget, openPool } from '../src/kernel/db/database.ts'
import { systemClock } from '../src/kernel/values/clock.ts'
import { getState } from '../src/passports/core/state.ts'
import { listPassports } from '../src/passports/read/list.ts'
import { buildNextVersion, writeVersions } from '../src/passports/write/write-versions.ts'
import { insertPlain } from './units.ts'

type Settings = {
  target: DatabaseTarget
  what: 'read' | 'past' | 'create' | 'bulk' | 'bytes' | 'list' | 'patch'
  pool: number
  /** The length of the body, for `list` and `patch`. */
  bodyLength?: number
  /** Default: 200. */
  status?: number
  bytes?: string
  headers?: Record<string, string>
}

const settings = JSON.parse(process.argv[2] ?? '{}') as Settings
const sql = openPool(settings.target, { max: settings.pool, name: 'bench-bare' })

/** The prepared SELECT of one read; one for each request. */
async function read(request: IncomingMessage, response: ServerResponse) {
  const [, id = '', account = ''] = /^\/(.{36})\/(\d+)/.exec(request.url ?? '') ?? []
  const [row] = await sql<{ data: string }[]>`
    select p.id, p.version_no, p.level, p.status, p.category, p.updated_at, c.data->>'gtin' as gtin,
      coalesce(c.data || p.own, c.data)::text as data
    from passport p join content c on c.id = p.content_id and c.account_id = p.account_id
    where p.id = ${id} and p.account_id = ${Number(account)}`
  send(response, 'application/json; charset=utf-8', `{"data":{"id":"${id}","data":${row?.data}}}`)
}

/** The prepared SELECT of one version; one for each request. */
async function past(request: IncomingMessage, response: ServerResponse) {
  const [, id = '', account = '', at = ''] = /^\/(.{36})\/(\d+)\/(.+)$/.exec(request.url ?? '') ?? []
  const [row] = await sql<{ data: string }[]>`
    select p.id, v.version_no, p.level, p.status, p.category, v.created_at, c.data->>'gtin' as gtin,
      coalesce(c.data || v.own, c.data)::text as data
    from passport p join passport_version v on v.passport_id = p.id and v.account_id = p.account_id
    join content c on c.id = v.content_id and c.account_id = v.account_id
    where p.id = ${id} and p.account_id = ${Number(account)} and v.created_at <= ${at}::text::timestamptz
    order by v.version_no desc limit 1`
  send(response, 'application/json; charset=utf-8', `{"data":{"id":"${id}","data":${row?.data}}}`)
}

function send(response: ServerResponse, type: string, body: string | Buffer) {
  response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

/** The INSERTs of one unbatched create; one statement for each request. */
async function create(request: IncomingMessage, response: ServerResponse) {
  const id = await insert(
    JSON.parse(await body(request)) as { data: object },
    Number(request.headers['x-account']),
  )
  send(response, 'application/json; charset=utf-8', `{"data":{"id":"${id}"}}`)
}

/** Inserts the rows of plain items. The response names their serials. */
async function bulk(request: IncomingMessage, response: ServerResponse) {
  const [, model = '', account = ''] = /^\/(.{36})\/(\d+)/.exec(request.url ?? '') ?? []
  const { items } = JSON.parse(await body(request)) as { items: { serial: string }[] }
  const ids = await insertPlain(
    sql,
    Number(account),
    model,
    items.map(item => item.serial),
  )
  const created = items.map(({ serial }, index) => ({ index, id: ids[index], serial }))
  send(response, 'application/json; charset=utf-8', JSON.stringify({ data: { created } }))
}

function body(request: IncomingMessage): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  let text = ''
  request.setEncoding('utf8')
  request.on('data', chunk => {
    text += chunk
  })
  request.on('end', () => resolve(text))
  return promise
}

async function insert({ data }: { data: object }, account: number): Promise<string> {
  const id = crypto.randomUUID()
  const now = new Date()
  const body = JSON.stringify(data)
  const { productName, sku } = data as { productName: string; sku: string }
  await sql`
    with room as (
      update account_usage u set used = u.used + 1 from account a join plan p on p.id = a.plan
      where u.account_id = ${account} and u.level = 'm' and a.id = u.account_id
        and (coalesce(a.model_quota, p.model_quota) is null or u.used + 1 <= coalesce(a.model_quota, p.model_quota))
      returning 1
    ), counted as (
      insert into passport_count (account_id, level, status, category, n) values (${account}, 'm', 'a', 'textile', 1)
      on conflict (account_id, level, status, category) do update set n = passport_count.n + 1
    ), written_content as (
      insert into content (account_id, upto, id, owner_id, data) values (${account}, 1, ${id}, ${id}, ${body}::text::jsonb)
    ), written as (
      insert into passport (updated_at, account_id, version_no, created_by, last_correction, id, content_id, model_id,
        schema_version, level, status, category, sku, search)
      values (${now}, ${account}, 1, 1, 0, ${id}, ${id}, ${id}, 1, 'm', 'a', 'textile', ${sku}, ${`${productName}\n${sku}`})
    ), announced as (
      insert into event (created_at, account_id, id, type, data)
      values (${now}, ${account}, ${id}, 'product.created', '{"category": "textile", "version_no": 1}'::jsonb)
    )
    select 1 from room`
  return id
}

const filler = Buffer.alloc(settings.bodyLength ?? 0, ' ')
const sendFiller = (response: ServerResponse) => send(response, 'application/json; charset=utf-8', filler)

const contextOf = (request: IncomingMessage) => ({
  sql,
  clock: systemClock,
  actorId: 1,
  accountId: Number(request.headers['x-account']),
})

type Statement = { string?: string; parameters: readonly string[] }
const firstPages = new Map<number, Promise<Statement[]>>()

/** The statements of a first page of the list, as Carnet sends them, together. */
async function list(request: IncomingMessage, response: ServerResponse) {
  const ctx = contextOf(request)
  const statements = firstPages.get(ctx.accountId) ?? recordFirstPage(ctx)
  firstPages.set(ctx.accountId, statements)
  const sent = (await statements).map(({ string = '', parameters }) =>
    sql.unsafe(string, [...parameters], { prepare: true }),
  )
  await Promise.all(sent)
  sendFiller(response)
}

async function recordFirstPage(ctx: ReturnType<typeof contextOf>): Promise<Statement[]> {
  const made: Statement[] = []
  const recorder = new Proxy(sql, {
    apply(target, self, args) {
      const statement: Statement = Reflect.apply(target, self, args)
      made.push(statement)
      return statement
    },
  })
  await listPassports({ ...ctx, sql: recorder }, { levels: ['m'] }, { page: 1, limit: 25 })
  // Fragments are never sent, so they have no text.
  return made.filter(({ string }) => string !== undefined)
}

/** The two statements of a PATCH that changes one field, for each request its own. Nothing is checked. */
async function patch(request: IncomingMessage, response: ServerResponse) {
  const ctx = contextOf(request)
  const uuid = parseId(request.url?.split('/').at(-1) ?? '') ?? ''
  const { data } = JSON.parse(await body(request)) as { data: Record<string, unknown> }
  const { row, inherited, versionHash, contentHash } = await getState(ctx, uuid)
  const now = new Date()
  const { productName, sku } = inherited as { productName: string; sku: string }
  const next = buildNextVersion(row, now, {
    version_hash: versionHash,
    old_content_hash: contentHash,
    content_hash: null,
    content_id: newUuid(now.getTime()),
    data: { ...inherited, ...data },
    own: null,
    kind: 'h',
    note: null,
    changed: Object.keys(data),
    corrects: false,
    schema_version: 1,
    gtin14: null,
    sku,
    search: `${productName}\n${sku}`,
  })
  const { written } = await writeVersions(ctx, [next])
  if (written.size === 0) throw new Error('the product was changed meanwhile')
  sendFiller(response)
}

const bytes = Buffer.from(settings.bytes ?? '', 'base64')
const HANDLERS = {
  read,
  past,
  create,
  bulk,
  list,
  patch,
  bytes: (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(settings.status ?? 200, settings.headers)
    response.end(bytes)
  },
}

const server = createServer(HANDLERS[settings.what])
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(typeof address === 'object' && address ? address.port : 0)
})
