/** Applies writing calls to the model, with errors in the server's order. */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { toGtin14 } from '../../src/gs1/gtin.ts'
import type { Answer } from '../harness.ts'
import {
  change,
  createModel,
  FIELDS,
  type Fields,
  issue,
  reading,
  refresh,
  type Unit,
} from '../passports/inheritance-model.ts'
import type { Claims, Verdict } from './call.ts'
import {
  type Account,
  type Entry,
  entryOf,
  etagOf,
  familyOf,
  type Level,
  newEntry,
  recordOf,
  rootOf,
  summaryOf,
  used,
  type Version,
  versionOf,
} from './world.ts'

/** A value that is invalid for every field. */
export const BAD = 'bad'

const isBad = (fields: Fields) => Object.values(fields).includes(BAD)
const refused = (code: string, detail?: string): Verdict =>
  detail === undefined ? { refused: code } : { refused: code, detail }

/** The whole record with its tag. */
const showing = (entry: Entry, status = 200, learn: (answer: Answer) => void = () => {}): Verdict => ({
  status,
  check(answer) {
    learn(answer)
    assert.deepEqual(answer.json.data, recordOf(entry))
    const isTried = answer.json.meta?.dry_run === true
    assert.equal(answer.headers.etag, isTried ? undefined : etagOf(entry))
    if (status === 201 && !isTried) assert.ok(answer.headers.location?.endsWith(`/products/${entry.id}`))
  },
})

const holderOf = (claims: Claims, gtin: unknown) =>
  typeof gtin === 'string' ? claims.get(toGtin14(gtin)) : undefined

export type NewModel = {
  productName: string
  sku: string
  fields: Fields
  isStrict: boolean
  isStrange: boolean
}

export function judgeCreate(account: Account, claims: Claims, sent: NewModel, now: number): Verdict {
  if (isBad(sent.fields) || (sent.isStrict && sent.isStrange)) return refused('validation')
  const unit = createModel(sent.fields)
  if (unit === undefined) return refused('validation')
  const { gtin } = sent.fields
  if (holderOf(claims, gtin) !== undefined) return refused('gtin_taken')
  if (used(account, 'model') >= account.quota.model) return refused('plan_limit')
  const { productName, sku } = sent
  const entry = newEntry(account, unit, now, { productName, sku })
  if (typeof gtin === 'string') claims.set(toGtin14(gtin), entry)
  return showing(entry, 201, ({ json }) => {
    entry.id = json.data.id
  })
}

export type Patch = {
  fields: Fields
  isCorrection: boolean
  note?: string | undefined
  /** The version in `If-Match`, if sent. */
  matches?: number | undefined
}

export function judgePatch(entry: Entry, claims: Claims, patch: Patch, now: number): Verdict {
  const refusal = patchRefusal(entry, claims, patch)
  if (refusal !== undefined) return refusal
  if (!applyPatch(entry, claims, patch, now)) return refused('validation')
  return showing(entry)
}

function patchRefusal(
  entry: Entry,
  claims: Claims,
  { fields, isCorrection, matches }: Patch,
): Verdict | undefined {
  if (matches !== undefined && matches !== versionOf(entry)) return refused('version_conflict')
  if (isBad(fields) || (entry.unit.level !== 'model' && 'gtin' in fields)) return refused('validation')
  const holder = holderOf(claims, fields.gtin)
  const isValid = change(copyOf(entry.unit), fields, isCorrection)
  if (isValid && holder !== undefined && holder !== entry) return refused('gtin_taken')
  return undefined
}

/** A copy of the family, to try a change. */
function copyOf(unit: Unit): Unit {
  return structuredClone(unit)
}

/** False if the change is rejected; then nothing has changed. */
function applyPatch(
  entry: Entry,
  claims: Claims,
  { fields, isCorrection, note }: Patch,
  now: number,
): boolean {
  const before = reading(entry.unit)
  if (!change(entry.unit, fields, isCorrection)) return false
  const version = { at: now, change_type: isCorrection ? ('correction' as const) : ('change' as const) }
  noteVersion(entry, before, { ...version, note: note ?? null }, now)
  if (isCorrection) noteCorrected(entry, before, now)
  const { gtin } = entry.unit.own
  if (entry.unit.level === 'model' && typeof gtin === 'string') claims.set(toGtin14(gtin), entry)
  return true
}

const differing = (before: Fields, after: Fields) =>
  new Set(FIELDS.filter(field => !isDeepStrictEqual(before[field], after[field])))

function noteVersion(
  entry: Entry,
  before: Fields,
  told: Omit<Version, 'changed' | 'own'>,
  now: number,
): void {
  const changed = differing(before, reading(entry.unit))
  entry.history.push({ ...told, changed, own: entry.unit.own })
  entry.updatedAt = now
}

/** Marks all units under the entry if the correction changes something. */
function noteCorrected(entry: Entry, before: Fields, now: number): void {
  if (differing(before, reading(entry.unit)).size === 0) return
  for (const one of familyOf(entry).slice(1)) one.correctedAt = now
}

/** A dry run also reports which units a correction would reach. */
export function judgeDryPatch(entry: Entry, claims: Claims, patch: Patch, now: number): Verdict {
  const before = reading(entry.unit)
  const verdict = judgePatch(entry, claims, patch, now)
  if ('refused' in verdict) return verdict
  const fields = [...differing(before, reading(entry.unit))]
  return {
    status: 200,
    check(answer) {
      const { correction } = answer.json.meta
      if (patch.isCorrection) assertReach(entry, fields, correction)
      else assert.equal(correction, undefined)
      // A dry run leaves the units and their `outdated` unchanged.
      assert.deepEqual(answer.json.data, recordOf(entry))
      assert.equal(answer.headers.etag, undefined)
    },
  }
}

type Reach = { fields: string[]; units: number; own_values: Record<string, number> }

function assertReach(entry: Entry, fields: readonly string[], told: Reach): void {
  const isNothing = fields.length === 0 || entry.unit.level === 'item'
  const below = isNothing ? [] : familyOf(entry).slice(1)
  const own = fields.map(field => [field, below.filter(({ unit }) => field in unit.own).length] as const)
  assert.deepEqual([...told.fields].sort(), [...fields].sort())
  assert.equal(told.units, below.length)
  assert.deepEqual(told.own_values, Object.fromEntries(own.filter(([, n]) => n > 0)))
}

export function judgeRevert(
  entry: Entry,
  claims: Claims,
  wish: Omit<Patch, 'fields'> & { n: number },
  now: number,
): Verdict {
  const earlier = entry.history[wish.n - 1]?.own
  if (earlier === undefined) return refused('not_found')
  const gone = Object.keys(entry.unit.own).filter(name => !(name in earlier))
  const fields = { ...earlier, ...Object.fromEntries(gone.map(name => [name, null])) }
  return judgePatch(entry, claims, { ...wish, fields }, now)
}

export function judgeStatus(
  entry: Entry,
  { archived, matches }: { archived: boolean; matches: number | undefined },
  now: number,
): Verdict {
  if (matches !== undefined && matches !== versionOf(entry)) return refused('version_conflict')
  if (entry.unit.archived !== archived) {
    entry.unit.archived = archived
    entry.updatedAt = now
  }
  return showing(entry)
}

export type SentUnit = { name: string; fields: Fields }
type UnitLevel = 'batch' | 'item'
type Issued = { entry: Entry } | { refused: 'validation' | 'plan_limit'; detail?: string }

const GOOD_NAME = /^[A-Z0-9]{1,20}$/

/** Issues one unit or rejects it: invalid data comes before a used name, and a used name before the quota. */
function issueOne(parent: Entry, level: UnitLevel, sent: SentUnit, now: number): Issued {
  const { account } = parent
  if (!GOOD_NAME.test(sent.name) || isBad(sent.fields) || 'gtin' in sent.fields)
    return { refused: 'validation' }
  const unit = issue(parent.unit, level, sent.fields)
  if (unit === undefined) return { refused: 'validation' }
  const member = level === 'batch' ? 'lot' : 'serial'
  const isTaken = account.entries.some(
    one => rootOf(one) === rootOf(parent) && one.unit.level === level && one[member] === sent.name,
  )
  const isOver = used(account, level) >= account.quota[level]
  if (isTaken || isOver) {
    parent.unit.children.splice(parent.unit.children.indexOf(unit), 1)
    return isTaken ? { refused: 'validation', detail: `${member}_taken` } : { refused: 'plan_limit' }
  }
  return { entry: newEntry(account, unit, now, { [member]: sent.name }) }
}

const fits = (parent: Entry, level: UnitLevel) =>
  parent.unit.level === 'model' || (parent.unit.level === 'batch' && level === 'item')

export function judgeIssue(parent: Entry, level: UnitLevel, sent: SentUnit, now: number): Verdict {
  if (!fits(parent, level)) return refused('validation')
  if (parent.unit.archived) return refused('archived')
  const issued = issueOne(parent, level, sent, now)
  if ('refused' in issued) return refused(issued.refused, issued.detail)
  return showing(issued.entry, 201, ({ json }) => {
    issued.entry.id = json.data.id
  })
}

export function judgeIssueMany(
  parent: Entry,
  level: UnitLevel,
  rows: readonly SentUnit[],
  now: number,
): Verdict {
  if (!fits(parent, level)) return refused('validation')
  if (parent.unit.archived) return refused('archived')
  const issued = rows.map(row => issueOne(parent, level, row, now))
  const kept = issued.flatMap((one, index) => ('entry' in one ? [{ index, entry: one.entry }] : []))
  const lost = issued.flatMap((one, index) => ('refused' in one ? [{ index, code: one.refused }] : []))
  if (kept.length === 0)
    return refused(lost.every(one => one.code === 'plan_limit') ? 'plan_limit' : 'validation')
  return {
    status: 201,
    check({ json: { data } }) {
      assert.deepEqual(
        data.created.map((one: { index: number }) => one.index),
        kept.map(one => one.index),
      )
      for (const [i, { entry }] of kept.entries()) entry.id = data.created[i].id
      assertRows(data, 'created', kept, lost)
    },
  }
}

type Kept = { index: number; entry: Entry }
type Lost = { index: number; code: string }

function assertRows(
  // biome-ignore lint/suspicious/noExplicitAny: an answer of whatever shape
  data: any,
  verb: 'created' | 'updated',
  kept: readonly Kept[],
  lost: readonly Lost[],
): void {
  assert.deepEqual(
    data[verb],
    kept.map(({ index, entry }) => ({ index, ...summaryOf(entry) })),
  )
  assert.deepEqual(
    data.errors.map(({ index, code }: Lost) => ({ index, code })),
    lost,
  )
  assert.deepEqual(data.summary, {
    requested: kept.length + lost.length,
    [verb]: kept.length,
    failed: lost.length,
  })
}

/** All rows name items by serial, or all name batches by lot. */
export function judgeChangeMany(
  parent: Entry,
  claims: Claims,
  {
    rows,
    member,
    isCorrection,
    note,
  }: { rows: readonly SentUnit[]; member: 'serial' | 'lot' } & Omit<Patch, 'fields'>,
  now: number,
): Verdict {
  const level: Level = member === 'serial' ? 'item' : 'batch'
  const below = parent.unit.level === 'item' ? [] : familyOf(parent).slice(1)
  const kept: Kept[] = []
  const lost: Lost[] = []
  const seen = new Set<string>()
  for (const [index, { name, fields }] of rows.entries()) {
    const entry = below.find(one => one.unit.level === level && one[member] === name)
    const patch = { fields, isCorrection, note }
    if (entry === undefined) lost.push({ index, code: 'not_found' })
    else if (seen.has(name)) lost.push({ index, code: 'validation' })
    else if (patchRefusal(entry, claims, patch) !== undefined || !applyPatch(entry, claims, patch, now)) {
      seen.add(name)
      lost.push({ index, code: 'validation' })
    } else {
      seen.add(name)
      kept.push({ index, entry })
    }
  }
  if (kept.length === 0) return refused('validation')
  return { status: 200, check: ({ json }) => assertRows(json.data, 'updated', kept, lost) }
}

export function judgeRefresh(entry: Entry, now: number): Verdict {
  const all = familyOf(entry)
  const before = new Map(all.map(one => [one.unit, reading(one.unit)]))
  const outcome = refresh(entry.unit)
  for (const unit of outcome.refreshed) {
    const one = entryOf(entry.account, unit)
    const was = before.get(unit) ?? {}
    noteVersion(one, was, { at: now, change_type: 'refresh', note: null }, now)
    if (unit.level === 'batch') noteCorrected(one, was, now)
  }
  const idOf = (unit: Unit) => entryOf(entry.account, unit).id
  const skipped = Array.from(outcome.skipped, ([unit, fields]) => `${idOf(unit)} ${fields.join(' ')}`)
  return {
    status: 200,
    check({ json: { data } }) {
      assert.deepEqual([data.refreshed, data.pending], [outcome.refreshed.length, 0])
      const told = data.skipped.map(
        (one: { id: string; fields: string[] }) => `${one.id} ${one.fields.join(' ')}`,
      )
      assert.deepEqual(told.sort(), skipped.sort())
      assert.deepEqual(
        data.failed.map((one: { id: string }) => one.id).sort(),
        outcome.failed.map(idOf).sort(),
      )
    },
  }
}

export type SyncRow = { sku: string; productName: string; fields: Fields; isFull: boolean }
type Synced =
  | { did: 'created' | 'updated' | 'unchanged'; entry: Entry }
  | { refused: string; detail?: string }

/** `matches`: the version in `If-Match`. `isNew`: `If-None-Match: *` is sent. */
type Conditions = { matches?: number | undefined; isNew?: boolean }

/** Creates a product, or changes it if anything differs. */
function syncOne(
  account: Account,
  claims: Claims,
  { there, row, wish }: { there: Entry | undefined; row: SyncRow; wish: Omit<Patch, 'fields'> & Conditions },
  now: number,
): Synced {
  if (there === undefined && wish.matches !== undefined) return { refused: 'version_conflict' }
  if (there !== undefined && wish.isNew) return { refused: 'version_conflict' }
  if (there === undefined) {
    if (!row.isFull) return { refused: 'validation' }
    const verdict = judgeCreate(account, claims, { ...row, isStrict: false, isStrange: false }, now)
    if ('refused' in verdict) return verdict
    return { did: 'created', entry: account.entries.at(-1) as Entry }
  }
  const patch = { ...wish, fields: row.fields }
  const refusal = patchRefusal(there, claims, patch)
  if (refusal !== undefined && 'refused' in refusal) return refusal
  const copy = copyOf(there.unit)
  if (!change(copy, row.fields, false)) return { refused: 'validation' }
  if (differing(reading(there.unit), reading(copy)).size === 0) return { did: 'unchanged', entry: there }
  applyPatch(there, claims, patch, now)
  return { did: 'updated', entry: there }
}

const modelsOf = (account: Account) => account.entries.filter(({ unit }) => unit.level === 'model')

export function judgePutBySku(
  account: Account,
  claims: Claims,
  { row, wish }: { row: SyncRow; wish: Omit<Patch, 'fields'> & Conditions },
  now: number,
): Verdict {
  const hits = modelsOf(account).filter(({ sku }) => sku === row.sku)
  if (hits.length > 1) return refused('validation', 'duplicate')
  return told(syncOne(account, claims, { there: hits[0], row, wish }, now))
}

/** A GTIN that a product had earlier, or that another account has, cannot be written to. */
export function judgePutByGtin(
  account: Account,
  claims: Claims,
  { row, wish, gtin }: { row: SyncRow; wish: Omit<Patch, 'fields'> & Conditions; gtin: string },
  now: number,
): Verdict {
  const holder = claims.get(toGtin14(gtin))
  const borne = holder?.unit.own.gtin
  const bears = typeof borne === 'string' && toGtin14(borne) === toGtin14(gtin)
  if (holder !== undefined && (holder.account !== account || !bears)) return refused('gtin_taken')
  const filled = holder === undefined ? { ...row, fields: { ...row.fields, gtin } } : row
  return told(syncOne(account, claims, { there: holder, row: filled, wish }, now))
}

function told(synced: Synced): Verdict {
  if ('refused' in synced) return synced
  const { did, entry } = synced
  const shown = showing(entry, did === 'created' ? 201 : 200, ({ json }) => {
    if (did === 'created') entry.id = json.data.id
    assert.equal(json.meta?.unchanged, did === 'unchanged' ? true : undefined)
  })
  return shown
}

/** Rows about different products, by SKU, without GTINs. */
export function judgeSyncMany(
  account: Account,
  claims: Claims,
  { rows, wish }: { rows: readonly SyncRow[]; wish: Omit<Patch, 'fields'> },
  now: number,
): Verdict {
  const lost: Lost[] = []
  const kept = { created: [] as Kept[], updated: [] as Kept[], unchanged: [] as Kept[] }
  for (const [index, row] of rows.entries()) {
    const hits = modelsOf(account).filter(({ sku }) => sku === row.sku)
    const synced: Synced =
      hits.length > 1
        ? { refused: 'validation' }
        : syncOne(account, claims, { there: hits[0], row, wish }, now)
    if ('refused' in synced) lost.push({ index, code: synced.refused })
    else kept[synced.did].push({ index, entry: synced.entry })
  }
  if (lost.length === rows.length) {
    return refused(lost.every(({ code }) => code === 'plan_limit') ? 'plan_limit' : 'validation')
  }
  return {
    status: 200,
    check({ json: { data } }) {
      for (const [i, { entry }] of kept.created.entries()) entry.id = data.created[i]?.id
      for (const verb of ['created', 'updated', 'unchanged'] as const) {
        assert.deepEqual(
          data[verb],
          kept[verb].map(({ index, entry }) => ({ index, ...summaryOf(entry) })),
        )
      }
      assert.deepEqual(
        data.errors.map(({ index, code }: Lost) => ({ index, code })),
        lost,
      )
    },
  }
}
