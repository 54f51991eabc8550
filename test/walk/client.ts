/** A client of two accounts that takes random steps and predicts each response. */
import assert from 'node:assert/strict'
import { setPlan } from '../../src/accounts/account/accounts.ts'
import { listKeys, revokeKey } from '../../src/accounts/keys/keys.ts'
import { toGtin14 } from '../../src/gs1/gtin.ts'
import { type Harness, nextGtin } from '../harness.ts'
import type { Fields } from '../passports/inheritance-model.ts'
import { accountOf, type Call, perform, type State, type Walk } from './call.ts'
import * as reads from './reads.ts'
import type { DrawnFields, DrawnRow, DrawnUnit, Step } from './steps.ts'
import { type Account, type Entry, etagOf, type Filter, modelData, versionOf } from './world.ts'
import * as writes from './writes.ts'

const QUOTA = { model: 4, batch: 4, item: 9 }
const DAY_MS = 86_400_000
const STEP_MS = 2_000
/** Paging must end within this many pages. */
const MOST_PAGES = 60

/**
 * Times of walks never overlap: each starts later than the previous one, and later than the database's clock.
 */
let nextStart = Date.now() + DAY_MS

export class Client {
  private readonly walk: Walk
  private readonly gtins: readonly string[]
  private last: Call | undefined

  static async begin(t: Harness): Promise<Client> {
    const accounts = [await openAccount(t), await openAccount(t)]
    nextStart += 100 * DAY_MS
    return new Client({ t, state: { accounts, claims: new Map() }, now: nextStart })
  }

  private constructor(walk: Walk) {
    this.walk = walk
    const [one, two] = [nextGtin(), nextGtin()]
    // The last GTIN is the second one in another length.
    this.gtins = [one, two, nextGtin(), `0${two}`]
  }

  async take(step: Step): Promise<void> {
    if (step.do === 'revoke') return this.revoke(accountOf(this.walk, step))
    if (step.do === 'wait a day') {
      this.walk.now += DAY_MS
      return
    }
    if (step.do === 'list' || step.do === 'children' || step.do === 'versions') return this.page(step)
    const call = step.do === 'again' ? this.last : this.callOf(step)
    if (call === undefined) return
    if (call.method !== 'GET') this.last = call
    await perform(this.walk, call)
  }

  /** Checks that every passport of both accounts is returned as expected. */
  async compare(): Promise<void> {
    for (const [account, { entries }] of this.walk.state.accounts.entries()) {
      for (const index of entries.keys()) {
        const entry = this.entry(account, index)
        const judge = (state: State) => reads.judgeRead(entryOf(state, account, index), undefined)
        await perform(this.walk, {
          account,
          caller: 'full',
          method: 'GET',
          path: `/products/${entry.id}`,
          judge,
        })
      }
    }
  }

  private entry(account: number, index: number): Entry {
    return entryOf(this.walk.state, account, index)
  }

  /** Replaces the key. The old one is rejected from now on. */
  private async revoke(account: Account): Promise<void> {
    const operator = { sql: this.walk.t.sql, clock: this.walk.t.clock }
    const keys = await listKeys(operator, account.id)
    const current = keys.find(({ scope, revoked_at }) => scope === 'full' && revoked_at === null)
    assert.ok(current)
    await revokeKey(operator, current.id)
    account.keys = {
      ...account.keys,
      revoked: account.keys.full,
      full: await this.walk.t.apiKey({ id: account.id }, 'full'),
    }
  }

  /** The passport of the step, if the account has any; otherwise the step is skipped. */
  private target({ account, who, isForeign }: Step) {
    const owner = isForeign ? 1 - account : account
    const count = this.walk.state.accounts[owner]?.entries.length ?? 0
    if (count === 0) return undefined
    const index = who % count
    const entry = this.entry(owner, index)
    const of = (state: State) => entryOf(state, owner, index)
    return { entry, of, path: `/products/${entry.id}`, isForeign }
  }

  private callOf(step: Step): Call | undefined {
    const { account, caller } = step
    const idempotencyKey = step.idempotencyKey === undefined ? undefined : `key-${step.idempotencyKey}`
    const common = { account, caller, idempotencyKey }
    const own = this.callOfAccount(step)
    if (own !== undefined) return { ...common, ...own }
    const target = this.target(step)
    if (target === undefined) return undefined
    const { isForeign } = target
    const told = this.writeOf(step, target) ?? this.readOf(step, target)
    return told && { ...common, ...told, isMissing: isForeign || told.isMissing === true }
  }

  /** Calls that name no passport by its id. */
  private callOfAccount(step: Step): Told | undefined {
    const { account } = step
    const the = (state: State) => accountOf({ state }, { account })
    if (step.do === 'create') {
      const sent = { ...names(step.name), fields: this.fields(step.fields) }
      const strange = step.isStrange ? { colour: 'red' } : {}
      const body = { category: 'battery', data: { ...modelData(sent, sent.fields), ...strange } }
      // Another test covers unknown fields that are stored; here they are rejected or not sent.
      if (step.isStrange && !step.isStrict) return undefined
      const headers = step.isStrict ? { headers: { prefer: 'handling=strict' } } : {}
      const wish = { ...sent, isStrict: step.isStrict, isStrange: step.isStrange }
      const judge: Call['judge'] = (state, now) => writes.judgeCreate(the(state), state.claims, wish, now)
      return { ...dry(step, { method: 'POST', path: '/products', body }), ...headers, judge }
    }
    if (step.do === 'put by sku' || step.do === 'put by gtin') return this.putOf(step, the)
    if (step.do !== 'sync many') return undefined
    const rows = step.rows.map(row => withoutGtin(this.row(row)))
    const body = { items: rows.map(bodyOfRow), ...changeType(step), ...note(step) }
    const wish = { isCorrection: step.isCorrection, note: step.note }
    const judge: Call['judge'] = (state, now) =>
      writes.judgeSyncMany(the(state), state.claims, { rows, wish }, now)
    return { ...dry(step, { method: 'POST', path: '/products/bulk', body }), judge }
  }

  private putOf(
    step: Extract<Step, { do: 'put by sku' | 'put by gtin' }>,
    the: (state: State) => Account,
  ): Told {
    const isBySku = step.do === 'put by sku'
    const drawn = this.row(step.row)
    const gtin = this.gtins[step.gtin] ?? ''
    const row = isBySku ? drawn : withoutGtin(drawn)
    const { data, ...category } = bodyOfRow(row)
    // By GTIN the SKU is an ordinary field, which this walk does not change.
    const { sku: _, productName: __, ...rest } = data as Record<string, unknown>
    const sent = isBySku || row.isFull ? data : rest
    const holder = this.walk.state.claims.get(toGtin14(gtin))
    const isThere = !isBySku && holder !== undefined
    const body = { ...category, data: isThere ? rest : sent, ...changeType(step), ...note(step) }
    const there = isBySku
      ? the(this.walk.state).entries.find(({ unit, sku }) => unit.level === 'model' && sku === row.sku)
      : holder
    const matches = matched(step, there)
    const headers = {
      ...(matches === undefined ? {} : { 'if-match': `"v${matches}"` }),
      ...(step.isNew ? { 'if-none-match': '*' } : {}),
    }
    const wish = { isCorrection: step.isCorrection, note: step.note, matches, isNew: step.isNew }
    const judge: Call['judge'] = (state, now) =>
      isBySku
        ? writes.judgePutBySku(the(state), state.claims, { row, wish }, now)
        : writes.judgePutByGtin(the(state), state.claims, { row, wish, gtin }, now)
    const path = isBySku ? `/products/by-sku/${row.sku}` : `/products/by-gtin/${gtin}`
    return { ...dry(step, { method: 'PUT', path, body }), headers, judge }
  }

  private writeOf(step: Step, { entry, of, path }: Target): Told | undefined {
    if (step.do === 'patch') {
      const matches = matched(step, entry)
      const patch = {
        fields: this.fields(step.fields),
        isCorrection: step.isCorrection,
        note: step.note,
        matches,
      }
      const judged = step.isDryRun ? writes.judgeDryPatch : writes.judgePatch
      const judge: Call['judge'] = (state, now) => judged(of(state), state.claims, patch, now)
      const body = { data: patch.fields, ...changeType(step), ...note(step) }
      return { ...dry(step, { method: 'PATCH', path, body }), ...ifMatch(matches), judge }
    }
    if (step.do === 'revert') {
      const matches = matched(step, entry)
      const wish = { n: step.n, isCorrection: step.isCorrection, note: step.note, matches }
      const judge: Call['judge'] = (state, now) => writes.judgeRevert(of(state), state.claims, wish, now)
      const body = { ...changeType(step), ...note(step) }
      const isMissing = entry.history[step.n - 1] === undefined
      const told = { path: `${path}/versions/${step.n}/revert`, body, isMissing }
      return { method: 'POST', ...told, ...ifMatch(matches), judge }
    }
    if (step.do === 'archive' || step.do === 'restore') {
      const matches = matched(step, entry)
      const wish = { archived: step.do === 'archive', matches }
      const judge: Call['judge'] = (state, now) => writes.judgeStatus(of(state), wish, now)
      return { method: 'POST', path: `${path}/${step.do}`, ...ifMatch(matches), judge }
    }
    if (step.do === 'refresh') {
      const judge: Call['judge'] = (state, now) => writes.judgeRefresh(of(state), now)
      return { method: 'POST', path: `${path}/refresh`, judge }
    }
    return this.unitsOf(step, { of, path })
  }

  private unitsOf(step: Step, { of, path }: Pick<Target, 'of' | 'path'>): Told | undefined {
    const sentOf = ({ name, fields }: DrawnUnit) => ({ name, fields: this.fields(fields) })
    if (step.do === 'issue') {
      const sent = sentOf(step.unit)
      const body = { level: step.level, ...bodyOfUnit(sent, step.level) }
      const judge: Call['judge'] = (state, now) => writes.judgeIssue(of(state), step.level, sent, now)
      return { ...dry(step, { method: 'POST', path: `${path}/children`, body }), judge }
    }
    if (step.do === 'issue many') {
      const sent = step.units.map(sentOf)
      const body = { level: step.level, items: sent.map(one => bodyOfUnit(one, step.level)) }
      const judge: Call['judge'] = (state, now) => writes.judgeIssueMany(of(state), step.level, sent, now)
      return { ...dry(step, { method: 'POST', path: `${path}/children`, body }), judge }
    }
    if (step.do !== 'change many') return undefined
    const { member, isCorrection } = step
    const rows = step.units.map(sentOf)
    const items = rows.map(({ name, fields }) => ({ [member]: name, data: fields }))
    const wish = { rows, member, isCorrection, note: step.note }
    const judge: Call['judge'] = (state, now) => writes.judgeChangeMany(of(state), state.claims, wish, now)
    const body = { items, ...changeType(step), ...note(step) }
    return { ...dry(step, { method: 'POST', path: `${path}/children/update`, body }), judge }
  }

  private readOf(step: Step, { entry, of, path }: Target): Told | undefined {
    const get = (rest: string, judge: (entry: Entry) => ReturnType<Call['judge']>): Told => ({
      method: 'GET',
      path: path + rest,
      judge: state => judge(of(state)),
    })
    if (step.do === 'read') {
      const tag = { none: undefined, fresh: etagOf(entry), stale: `"v${versionOf(entry) + 1}"` }[step.knows]
      const headers: Record<string, string> = tag === undefined ? {} : { 'if-none-match': tag }
      return { ...get('', one => reads.judgeRead(one, tag)), headers }
    }
    if (step.do === 'read at') {
      const at = this.walk.now - step.ago * STEP_MS
      return get(`?at=${new Date(at).toISOString()}`, one => reads.judgeReadAt(one, at))
    }
    if (step.do === 'version') return get(`/versions/${step.n}`, one => reads.judgeVersion(one, step.n))
    if (step.do === 'see refresh') return get('/refresh', reads.judgeOutdated)
    if (step.do === 'qr') return get('/qr', reads.judgeQr)
    if (step.do === 'snippet') return get('/snippet', reads.judgeSnippet)
    return undefined
  }

  /** Reads one page by its number, or all pages by their cursors. */
  private async page(step: Extract<Step, { filter: unknown }>): Promise<void> {
    const { account, caller, limit } = step
    const target = step.do === 'list' ? undefined : this.target(step)
    if (step.do !== 'list' && target === undefined) return
    const path = target === undefined ? '/products' : `${target.path}/${step.do}`
    const filter = this.filter(step)
    const isMissing = target?.isForeign ?? false
    let cursor: string | undefined
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const window =
        step.page !== undefined || cursor === undefined ? { limit, page: step.page ?? 1 } : { limit, cursor }
      const query = new URLSearchParams(queryOf(filter, { ...window, page: step.page, cursor }))
      const judge = (state: State) => {
        if (target === undefined) return reads.judgeList(accountOf({ state }, step).entries, filter, window)
        if (step.do === 'versions') return reads.judgeVersions(target.of(state), window)
        return reads.judgeChildren(target.of(state), filter, window)
      }
      const call = { account, caller, method: 'GET' as const, path: `${path}?${query}`, isMissing, judge }
      const answer = await perform(this.walk, call)
      cursor = answer.json?.meta?.next_cursor ?? undefined
      if (answer.status !== 200 || step.page !== undefined || cursor === undefined) return
    }
    assert.fail('the list has no end')
  }

  private filter({ do: kind, filter, ago }: Extract<Step, { filter: unknown }>): Filter {
    if (kind === 'versions') return {}
    const { gtin, category, sku, ...shared } = filter
    if (kind === 'children')
      return { ...shared, level: shared.level === 'model' ? 'all' : (shared.level ?? 'all') }
    return {
      ...shared,
      level: shared.level ?? 'model',
      ...(category === undefined ? {} : { category }),
      ...(sku === undefined ? {} : { sku }),
      ...(gtin === undefined ? {} : { gtin: this.gtins[Number(gtin)] ?? '' }),
      ...(ago === undefined ? {} : { updated_since: this.walk.now - ago * STEP_MS }),
    }
  }

  private fields({ gtin, ...fields }: DrawnFields): Fields {
    if (gtin === undefined) return fields
    return { ...fields, gtin: typeof gtin === 'number' ? this.gtins[gtin] : gtin }
  }

  private row({ name, fields, isFull }: DrawnRow): writes.SyncRow {
    return { ...names(name), fields: this.fields(fields), isFull }
  }
}

type Told = Pick<Call, 'method' | 'path' | 'judge' | 'isMissing'> &
  Pick<Partial<Call>, 'body' | 'headers' | 'isDryRun'>
type Target = { entry: Entry; of: (state: State) => Entry; path: string }

async function openAccount(t: Harness): Promise<Account> {
  const account = await t.account()
  const wish = { accountId: account.id, plan: 'beta', quota: QUOTA, requestsPerMinute: 10_000_000 }
  await setPlan({ sql: t.sql, clock: t.clock }, wish)
  const keys = { full: account.key, read: await t.apiKey(account, 'read'), revoked: 'dpp_live_none' }
  return { id: account.id, keys, quota: QUOTA, entries: [], receipts: new Map() }
}

function entryOf({ accounts }: State, account: number, index: number): Entry {
  const entry = accounts[account]?.entries[index]
  assert.ok(entry)
  return entry
}

/** A SKU always has the same product name, so that a create or update by SKU changes no name. */
const names = (n: number) => ({ productName: `Cell ${n}`, sku: `K${n}` })

const withoutGtin = (row: writes.SyncRow): writes.SyncRow => {
  const { gtin: _, ...fields } = row.fields
  return { ...row, fields }
}

const bodyOfRow = (row: writes.SyncRow) =>
  row.isFull
    ? { category: 'battery', data: modelData(row, row.fields) }
    : { data: { sku: row.sku, ...row.fields } }

const bodyOfUnit = ({ name, fields }: writes.SentUnit, level: 'batch' | 'item') => ({
  [level === 'batch' ? 'lot' : 'serial']: name,
  data: fields,
})

const changeType = ({ isCorrection }: { isCorrection: boolean }) =>
  isCorrection ? { change_type: 'correction' } : {}
const note = ({ note }: { note: string | undefined }) => (note === undefined ? {} : { note })

const matched = ({ match }: { match: 'none' | 'fresh' | 'stale' }, entry: Entry | undefined) => {
  if (match === 'none' || entry === undefined) return undefined
  return versionOf(entry) + (match === 'fresh' ? 0 : 1)
}
const ifMatch = (version: number | undefined) =>
  version === undefined ? {} : { headers: { 'if-match': `"v${version}"` } }

const dry = ({ isDryRun }: Step, call: Pick<Told, 'method' | 'path' | 'body'>) => ({
  ...call,
  path: isDryRun ? `${call.path}?dry_run=true` : call.path,
  isDryRun,
})

function queryOf(filter: Filter, window: Record<string, unknown>): [string, string][] {
  const { updated_since: since, ...rest } = filter
  const all = {
    ...rest,
    ...window,
    ...(since === undefined ? {} : { updated_since: new Date(since).toISOString() }),
  }
  return Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
}
