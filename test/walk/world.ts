/**
 * The content of two accounts as plain values: passports with the rules of `inheritance-model.ts`, and their
 * API records.
 */
import assert from 'node:assert/strict'
import { toGtin14 } from '../../src/gs1/gtin.ts'
import { ADDRESSES, CORES } from '../harness.ts'
import { FIELDS, type Fields, family, reading, type Unit } from '../passports/inheritance-model.ts'

/** `changed` has no order. */
export type Version = {
  at: number
  change_type: 'change' | 'correction' | 'refresh' | null
  changed: Set<string>
  note: string | null
  own: Fields
}

export type Entry = {
  account: Account
  unit: Unit
  id: string
  lot: string | null
  serial: string | null
  productName: string
  sku: string
  createdAt: number
  updatedAt: number
  /** When a correction last reached it. */
  correctedAt: number
  history: Version[]
  /** Each different record it has had, oldest first. */
  past: { at: number; record: WireRecord }[]
}

export type Receipt = {
  at: number
  fingerprint: string
  status: number
  text: string
  etag: string | undefined
}

export type Account = {
  id: number
  keys: { full: string; read: string; revoked: string }
  quota: Record<Level, number>
  entries: Entry[]
  receipts: Map<string, Receipt>
}

export type Level = 'model' | 'batch' | 'item'
export type WireRecord = Record<string, unknown> & { data: Record<string, unknown> }

/** Valid whichever language comes first. */
const STATIC: Record<string, unknown> = {
  ...CORES.battery,
  endOfLife: {
    recyclingInstructions: { en: 'Take it to a collection point.', de: 'Zur Sammelstelle bringen.' },
    disposalInstructions: { en: 'Not in household waste.', de: 'Nicht in den Hausmüll.' },
  },
}

export const modelData = ({ productName, sku }: { productName: string; sku: string }, fields: Fields) => ({
  ...Object.fromEntries(
    Object.entries(STATIC).filter(([name]) => !(FIELDS as readonly string[]).includes(name)),
  ),
  productName,
  sku,
  ...fields,
})

export function newEntry(account: Account, unit: Unit, now: number, names: Partial<Entry>): Entry {
  const parent = unit.parent && entryOf(account, unit.parent)
  const entry: Entry = {
    account,
    unit,
    id: '',
    serial: null,
    createdAt: now,
    updatedAt: now,
    correctedAt: 0,
    past: [],
    productName: parent?.productName ?? '',
    sku: parent?.sku ?? '',
    lot: parent?.lot ?? null,
    ...names,
    history: [{ at: now, change_type: null, changed: new Set(), note: null, own: unit.own }],
  }
  account.entries.push(entry)
  return entry
}

export function entryOf(account: Account, unit: Unit): Entry {
  const entry = account.entries.find(one => one.unit === unit)
  assert.ok(entry, 'every unit has its entry')
  return entry
}

/** The entry and everything under it, the entry first. */
export const familyOf = (entry: Entry): Entry[] =>
  family(entry.unit).map(unit => entryOf(entry.account, unit))

export const rootOf = (entry: Entry): Entry =>
  entry.unit.parent === undefined ? entry : rootOf(entryOf(entry.account, entry.unit.parent))

export const used = (account: Account, level: Level) =>
  account.entries.filter(({ unit }) => unit.level === level).length

export const versionOf = ({ unit }: Entry) => unit.versions.length

export const etagOf = (entry: Entry) =>
  `"v${versionOf(entry)}${entry.unit.archived ? '.archived' : ''}${entry.unit.outdated ? '.outdated' : ''}"`

const time = (ms: number) => new Date(ms).toISOString()

function head(entry: Entry) {
  const { unit, id, lot, serial, account } = entry
  const { gtin } = reading(unit) as { gtin?: string }
  const path = [lot === null ? '' : `/10/${lot}`, serial === null ? '' : `/21/${serial}`].join('')
  return {
    id,
    category: 'battery',
    level: unit.level,
    status: unit.archived ? 'archived' : 'active',
    gtin: gtin ?? null,
    lot,
    serial,
    version_no: versionOf(entry),
    updated_at: time(entry.updatedAt),
    created_at: time(entry.createdAt),
    passport_url: `${ADDRESSES.publicUrl}/p/${id}`,
    gs1_url: gtin === undefined ? null : `${ADDRESSES.publicUrl}/01/${toGtin14(gtin)}${path}`,
    qr_url: `${ADDRESSES.apiUrl}/products/${id}/qr`,
    parent_id: unit.parent === undefined ? null : entryOf(account, unit.parent).id,
    outdated: unit.outdated,
  }
}

export const recordOf = (entry: Entry): WireRecord => ({
  ...head(entry),
  data: modelData(entry, reading(entry.unit)),
})

export const summaryOf = (entry: Entry) => ({
  ...head(entry),
  product_name: entry.productName,
  sku: entry.sku,
  brand_name: STATIC.brandName,
})

/** Stores every passport's record if it has changed. */
export function remember(accounts: readonly Account[], now: number): void {
  for (const entry of accounts.flatMap(account => account.entries)) {
    const record = recordOf(entry)
    if (JSON.stringify(entry.past.at(-1)?.record) !== JSON.stringify(record))
      entry.past.push({ at: now, record })
  }
}

/** The record at a time; undefined if it did not exist yet. */
export const recordAt = (entry: Entry, at: number) => entry.past.findLast(one => one.at <= at)?.record

export type Filter = {
  status?: 'all' | 'active' | 'archived'
  level?: Level | 'all'
  category?: string
  outdated?: boolean
  sku?: string
  gtin?: string
  lot?: string
  serial?: string
  q?: string
  updated_since?: number
}

/** Newest first. */
export function listed(entries: readonly Entry[], filter: Filter): Entry[] {
  return entries
    .filter(entry => FILTERS.every(keeps => keeps(entry, filter)))
    .sort((a, b) => (a.id < b.id ? 1 : -1))
}

const FILTERS: readonly ((entry: Entry, filter: Filter) => boolean)[] = [
  ({ unit }, { status = 'all' }) => status === 'all' || unit.archived === (status === 'archived'),
  ({ unit }, { level = 'all' }) => level === 'all' || unit.level === level,
  (_entry, { category = 'battery' }) => category === 'battery',
  ({ unit }, { outdated }) => outdated === undefined || unit.outdated === outdated,
  // A SKU or GTIN filter finds the model that has it, not its units.
  ({ unit, sku }, filter) => filter.sku === undefined || (unit.level === 'model' && sku === filter.sku),
  ({ unit }, { gtin }) => gtin === undefined || (unit.level === 'model' && sameGtin(unit.own.gtin, gtin)),
  ({ lot }, filter) => filter.lot === undefined || lot === filter.lot,
  ({ serial }, filter) => filter.serial === undefined || serial === filter.serial,
  (entry, { q }) => q === undefined || isHit(entry, q),
  (entry, { updated_since: since }) =>
    since === undefined || entry.updatedAt >= since || (entry.unit.outdated && entry.correctedAt >= since),
]

const sameGtin = (one: unknown, other: string) => typeof one === 'string' && toGtin14(one) === toGtin14(other)

/** Matches the start of an item's serial; otherwise a part of the names or the lot. */
function isHit({ unit, productName, sku, lot, serial }: Entry, q: string): boolean {
  if (unit.level === 'item') return serial?.startsWith(q) ?? false
  const texts = [productName, sku, ...(unit.level === 'batch' ? [lot ?? ''] : [])]
  return texts.some(text => text.toLowerCase().includes(q.toLowerCase()))
}
