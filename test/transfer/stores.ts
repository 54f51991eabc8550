/** The setup for tests of backups and exports: a store with every kind of history, and empty ones. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setBackupUrl, setRegistryUse } from '../../src/accounts/account/registry-settings.ts'
import { updateBrand } from '../../src/accounts/brand/update-brand.ts'
import { parseId } from '../../src/kernel/crypto/ids.ts'
import { openPool, type Sql } from '../../src/kernel/db/database.ts'
import { migrate } from '../../src/kernel/db/migrate.ts'
import { readShards } from '../../src/kernel/db/shards.ts'
import { asSql } from '../../src/kernel/db/transaction.ts'
import { systemClock } from '../../src/kernel/values/clock.ts'
import { openMediaStore } from '../../src/media/store/open-media-store.ts'
import { createAccessLink } from '../../src/passports/access/access-links.ts'
import { createRecord } from '../../src/passports/core/store-records.ts'
import { createDraft } from '../../src/passports/drafts/store-drafts.ts'
import { OFFER_STORE } from '../../src/passports/offers/store-offers.ts'
import { getOrCreatePlace } from '../../src/passports/signed/credential-status.ts'
import { revokeCredential } from '../../src/passports/signed/revoke-credential.ts'
import { openPassport } from '../../src/site/passport/page-renderer.ts'
import { deriveBackupKey } from '../../src/transfer/backup/backup-key.ts'
import { enterSchema } from '../../src/transfer/snapshot.ts'
import type { PublicPassport } from '../../src/transfer/static/passport-pages.ts'
import { listBackupTables } from '../../src/transfer/tables.ts'
import type { UnitStand } from '../api/unit-stand.ts'
import { cloneDatabase, emptyDatabase, IS_SHARDED, type TestDatabase } from '../database.ts'
import { ADDRESSES } from '../harness.ts'

export const MIGRATIONS = join(import.meta.dirname, '../../migrations')
export const KEY = 'a secret key that only tests know, long enough'
export const BACKUP_KEY = deriveBackupKey(KEY)

/** For stores without pictures and documents. */
export const NO_FILES = openMediaStore({ folder: join(tmpdir(), 'carnet-no-files') })

export type Folder = { path: string; file: (name: string) => string; remove: () => Promise<void> }

export async function temporaryFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'carnet-transfer-'))
  return { path, file: name => join(path, name), remove: () => rm(path, { recursive: true, force: true }) }
}

/** Opens the passports of a server for exports. Throws if there is no such passport. */
export const passportsOf =
  (setup: Parameters<typeof openPassport>[0]) =>
  async (id: string): Promise<PublicPassport> =>
    (await openPassport(setup, id)) ?? assert.fail(`${id} is no passport`)

export const poolOfOne = (database: TestDatabase) => () =>
  openPool(database.target, { max: 1, name: 'transfer', isDistributed: database.isDistributed === true })

/**
 * An empty database with a pool of what accounts share: without tables, or with the shards of this run. With `last`,
 * migrated up to that and without shards.
 */
export async function emptyStore(
  last?: number,
): Promise<{ database: TestDatabase; sql: Sql; drop: () => Promise<void> }> {
  const database = await (IS_SHARDED && last === undefined ? cloneDatabase() : emptyDatabase())
  const sql = openPool(database.target, { max: 2, name: 'empty' })
  if (last !== undefined) await migrate(sql, MIGRATIONS, systemClock.now(), last)
  return {
    database,
    sql,
    async drop() {
      await sql.end({ timeout: 5 })
      await database.drop()
    },
  }
}

/** Calls `read` for the tables that accounts share and for those of each shard, in one transaction each. */
export async function onSchemas<T>(
  sql: Sql,
  read: (tx: Sql, shard: number | null) => Promise<T>,
): Promise<T[]> {
  const results: T[] = []
  for (const shard of [null, ...(await readShards(sql))]) {
    await sql.begin(async tx => {
      await enterSchema(asSql(tx), shard)
      results.push(await read(asSql(tx), shard))
    })
  }
  return results
}

/** A digest of the rows of each table in a backup. */
export async function digests(sql: Sql): Promise<Record<string, string>> {
  const all: Record<string, string> = {}
  await onSchemas(sql, async (tx, shard) => {
    for (const { name, columns } of await listBackupTables(tx)) {
      const rows = await tx<{ row: string }[]>`
        select row_to_json(r)::text as row from (select ${tx(columns)} from ${tx(name)}) r order by 1`
      all[`${shard ?? ''} ${name}`] = createHash('sha256')
        .update(rows.map(({ row }) => row).join('\n'))
        .digest('hex')
    }
  })
  return all
}

/**
 * Creates models, batches and items with changes, corrections, refreshes, reversions, archiving, a brand,
 * offers, recalls, events, access links, drafts and places in a status list.
 */
export async function fill(s: UnitStand): Promise<{ model: string; batch: string; items: string[] }> {
  await setRegistryUse(s.account.ctx, true)
  await setBackupUrl(s.account.ctx, 'https://backup.example.net/carnet')
  const model = await s.model({
    weightKg: 3,
    safetyInformation: { en: 'Line\nbreak, "quotes" \\ and \tü🔋' },
  })
  const batch = await s.batch(model, 'L-1', { ratedCapacity: 12.5 })
  const own = await s.item(batch, 'own', { stateOfHealth: 97.5, x: { '10': 1.0, '9': 1e-7, b: [] } })
  const items = [own, ...(await s.items(batch, 'b', 3)), ...(await s.items(model, 'm', 3))]
  await s.call('PATCH', `/${model}`, { data: { weightKg: 9 }, note: 'new cells,\nold case' })
  await s.correct(model, { countryOfManufacture: 'FR' })
  await s.call('POST', `/${model}/refresh`)
  await s.call('PATCH', `/${own}`, { data: { stateOfHealth: 90, energyWh: 480 } })
  await s.correct(batch, { ratedCapacity: 13 })
  await s.call('POST', `/${batch}/refresh`)
  await s.call('PATCH', `/${model}`, { data: { gtin: null } })
  await s.call('POST', `/${model}/versions/1/revert`, {})
  await s.call('POST', `/${own}/archive`)
  const { ctx } = s.account
  await updateBrand(ctx, { name: 'Nordlicht', accent: '#1a5f4b', logo: Buffer.from(LOGO) })
  const offer = {
    kind: 'repair',
    title: { de: 'Werkstatt', bg: '"Сервиз"' },
    url: 'https://shop.example/?a=1&b=2',
  }
  await createRecord(ctx, OFFER_STORE, { ...offer, category: 'battery', countries: ['DE', 'AT'] })
  await createRecord(ctx, OFFER_STORE, {
    ...offer,
    product_id: batch,
    text: { en: 'Free of charge.' },
    position: 0,
  })
  await recall(s, batch, { url: 'https://shop.example/?a=1&b=2' })
  await recall(s, batch, { contact: '"Line\tbreak" ü🔋' })
  await recall(s, model, {})
  await s.call('DELETE', `/${model}/recall`)
  await measure(s, items[0], {
    at: '2026-01-31T23:59:59Z',
    values: { capacity: 99.5, chargeDischargeCycles: 1 },
  })
  await measure(s, items[0], { at: '2026-02-01T00:00:00Z', values: { capacity: 98, power: 0.1 } })
  const correction = {
    at: '2026-02-01T00:00:00Z',
    values: { power: 0.2 },
    source: 'workshop',
    corrects: true,
  }
  await measure(s, items[0], correction)
  await measure(s, items[1], {
    at: '2025-12-01T12:00:00Z',
    values: { remainingUsableEnergy: 7 },
    occasion: 'handover',
  })
  await addEvents(s, items)
  const expiresAt = new Date(systemClock.now().getTime() + 86_400_000)
  const link = { audience: 'authority', expiresAt, addresses: ADDRESSES }
  await createAccessLink(ctx, { ...link, passportId: batch, label: 'market surveillance' })
  await createAccessLink(ctx, { ...link, passportId: undefined, label: 'all' })
  await createDraft(ctx, { category: 'battery', data: { sku: 'draft', stateOfHealth: 61.5 }, note: 'ü\n"' })
  const product = parseId(model) ?? ''
  const data = { weightKg: 11, dueDiligenceUrl: null }
  await createDraft(ctx, { product, changeType: 'correction', data, note: undefined })
  for (const id of [model, own]) {
    const version = { accountId: ctx.accountId, passportId: parseId(id) ?? '', versionNo: 1 }
    await getOrCreatePlace(s.t.setup.sql, version, systemClock.now())
  }
  await revokeCredential(ctx, { id: parseId(own) ?? '', version_no: 2 })
  return { model, batch, items }
}

const measure = (s: UnitStand, id: string | undefined, body: object) =>
  s.call('POST', `/${id}/measurements`, body)

const recall = (s: UnitStand, id: string, more: object) =>
  s.call('PUT', `/${id}/recall`, {
    hazard: { en: 'It can catch fire.', tr: 'Alev alabilir.' },
    action: { en: 'Line\nbreak' },
    ...more,
  })

/** Four events of two units: one with all members, one of a time, one corrected. */
async function addEvents(s: UnitStand, [first = '', second = '']: readonly string[]): Promise<void> {
  const add = (id: string, body: object) => s.call('POST', `/${id}/events`, body)
  await add(first, {
    kind: 'repair',
    at: '2026-01-04',
    note: { de: 'Modul 4 „getauscht“\n\t🔋', en: 'Replaced module 4.' },
    reference: 'W-"2213"',
    parts: [{ name: 'Module 4', serial: '8841', passportUrl: 'https://parts.example/p/1' }],
    by: { name: 'Werkstatt', country: 'DE' },
  })
  await add(first, { kind: 'accident', at: '2026-01-05T10:00:00.5+02:00' })
  await add(second, { kind: 'put_into_service', at: '2026-01-04' })
  const event = { kind: 'repair', at: '2026-01-06', public: false }
  await add(first, { kind: 'correction', corrects: 2, note: { en: 'No accident.' }, event })
}

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20" width="40" height="20"><rect width="40" height="20" fill="#1a5f4b"/></svg>'
