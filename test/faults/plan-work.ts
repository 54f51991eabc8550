/**
 * Work whose statements test/faults/plans.test.ts counts: writes, scheduled tasks, exports, imports and
 * copies.
 */
import { join } from 'node:path'
import type { AccountContext } from '../../src/accounts/account/context.ts'
import { deleteExpiredKeys } from '../../src/accounts/idempotency/idempotency.ts'
import { flushKeyUse } from '../../src/accounts/keys/key-use.ts'
import { deleteExpiredShares } from '../../src/accounts/limits/stored-shares.ts'
import { computeMod10CheckDigit } from '../../src/gs1/check-digit.ts'
import { createSecretCipher } from '../../src/kernel/crypto/secret-cipher.ts'
import { createLog } from '../../src/kernel/errors/log.ts'
import { createAddressList } from '../../src/kernel/http/ip-ranges.ts'
import { systemClock } from '../../src/kernel/values/clock.ts'
import { openMediaStore } from '../../src/media/store/open-media-store.ts'
import { flushAccessUses } from '../../src/passports/access/count-uses.ts'
import { deleteOldDrafts } from '../../src/passports/drafts/store-drafts.ts'
import { listChangedPassports } from '../../src/passports/read/list-changes.ts'
import { createFactsTask } from '../../src/passports/readiness/facts.ts'
import { createRegistryTask } from '../../src/passports/registry/registry-task.ts'
import { createDueRoots } from '../../src/passports/signed/daily-roots.ts'
import { resumeRefreshes } from '../../src/passports/units/refresh-job.ts'
import { deleteOldScans } from '../../src/scans/delete-old-scans.ts'
import { exportAccountToFile } from '../../src/transfer/accounts/export-account.ts'
import { importAccountFromFile } from '../../src/transfer/accounts/import-account.ts'
import { createBackup } from '../../src/transfer/backup/create-backup.ts'
import { resumeImports } from '../../src/transfer/spreadsheets/import/run-import.ts'
import { deleteOldImports } from '../../src/transfer/spreadsheets/import/spreadsheet-import.ts'
import { deleteExpiredWebhookRows } from '../../src/webhooks/retention.ts'
import { unstickDeliveries } from '../../src/webhooks/unstick.ts'
import { createMediaCleanup } from '../../src/worker/media-tasks.ts'
import { carnetJson } from '../cli/processes.ts'
import type { TestDatabase } from '../database.ts'
import { ADDRESSES, newProduct, startHarness } from '../harness.ts'
import { BACKUP_KEY, type Folder, poolOfOne } from '../transfer/stores.ts'
import { SECRET_KEY, type Stand } from './worst/stand.ts'
import type { World } from './worst/world.ts'

const SECRET_CIPHER = createSecretCipher(SECRET_KEY)
const NO_POLICY = { allowInsecureLoopback: false, allowed: createAddressList([]) }
const PAGES = 3

let turn = 0
const nextName = () => `W${++turn}`
/** A GTIN of a prefix that no request for verification names. */
const nextGtin = () => {
  const digits = `400638${String(++turn).padStart(6, '0')}`
  return `${digits}${computeMod10CheckDigit(digits)}`
}
const makeProduct = () => newProduct({ sku: nextName(), gtin: nextGtin() })

/** Writes of passports, each with few rows. */
export async function writePassports({ call }: World): Promise<void> {
  const issue = (id: unknown, level: 'batch' | 'item', names: readonly string[]) => {
    const items = names.map(name => (level === 'batch' ? { lot: name } : { serial: name }))
    return call('POST', `/products/${id}/children`, { level, items })
  }
  const { id, gtin } = await call('POST', '/products', makeProduct())
  await call('POST', '/products/bulk', { items: [makeProduct(), makeProduct(), makeProduct()] })
  await call('PUT', `/products/by-gtin/${gtin}`, newProduct({ sku: nextName(), gtin }))
  await issue(id, 'batch', [nextName()])
  const serials = [nextName(), nextName()]
  await issue(id, 'item', serials)
  const change = { data: { productName: nextName() } }
  await call('PATCH', `/products/${id}`, { ...change, change_type: 'correction' })
  const items = serials.map(serial => ({ serial, ...change }))
  await call('POST', `/products/${id}/children/update`, { items })
  await call('POST', `/products/${id}/refresh`)
  await call('PUT', `/products/${id}/recall`, { hazard: { en: 'It may break.' }, action: { en: 'Stop.' } })
  await call('DELETE', `/products/${id}/recall`)
  await call('POST', `/products/${id}/versions/1/revert`, {})
  await call('POST', `/products/${id}/archive`)
  await call('POST', `/products/${id}/restore`)
}

export async function runTasks({ sql, url, settings }: Stand): Promise<void> {
  const clock = systemClock
  const now = clock.now()
  const isStopping = () => false
  const addresses = { publicUrl: url, apiUrl: `${url}/api/v1` }
  const setup = { sql, clock, secretCipher: SECRET_CIPHER, addresses, nsUrl: `${url}/ns` }
  await resumeRefreshes(sql, clock)
  await resumeImports(sql, clock, { publicUrl: url, policy: NO_POLICY })
  await deleteExpiredKeys(sql, now)
  await deleteExpiredShares(sql, now)
  await deleteOldImports(sql, now)
  await deleteOldDrafts(sql, now)
  await createFactsTask(sql, isStopping)()
  await createRegistryTask(setup, isStopping)()
  await createDueRoots(setup, () => true)
  await deleteOldScans({ sql, clock }, isStopping)
  await deleteExpiredWebhookRows({ sql, clock })
  await unstickDeliveries({ sql, clock })
  const mediaStore = openMediaStore({ folder: join(settings.cwd, 'media') })
  await createMediaCleanup(
    { sql, clock, log: createLog({ logLevel: 'error', logFormat: 'json' }), mediaStore },
    () => true,
  )()
  await flushKeyUse(sql)
  await flushAccessUses(sql)
}

const describeExport = (database: TestDatabase) => ({
  openPool: poolOfOne(database),
  clock: systemClock,
  version: 'test',
  publicUrl: ADDRESSES.publicUrl,
})

/** Accounts of another database with a few passports, as files. */
export async function exportElsewhere(folder: Folder, count: number): Promise<string[]> {
  const harness = await startHarness()
  try {
    const files = Array.from({ length: count }, (_, n) => folder.file(`other-${n}.ndjson`))
    for (const path of files) {
      const { id: accountId, key } = await harness.account({ plan: 'enterprise' })
      for (let n = 0; n < 3; n++) await harness.ask('POST', '/api/v1/products', { key, body: makeProduct() })
      await exportAccountToFile(describeExport(harness.database), { accountId, path })
    }
    return files
  } finally {
    await harness.close()
  }
}

export async function importAccount({ database, sql }: Stand, path: string): Promise<void> {
  const setup = { openPool: poolOfOne(database), sql, clock: systemClock, secretCipher: SECRET_CIPHER }
  await importAccountFromFile(setup, { path, name: undefined, plan: undefined })
}

/** Copies of an account with few passports, of one with many, and of everything. */
export async function makeCopies(stand: Stand, few: number, crowd: AccountContext): Promise<void> {
  const { settings, database } = stand
  const place = (name: string) => join(settings.cwd, `${name}-${++turn}`)
  for (const accountId of [few, crowd.accountId])
    await exportAccountToFile(describeExport(database), { accountId, path: place('export') })
  await carnetJson(['export', '--static', '--account', String(few), '--to', place('pages')], settings)
  await carnetJson(['mirror', '--account', String(few), '--to', place('mirror')], settings)
  const mediaStore = openMediaStore({ folder: place('media') })
  const setup = { ...describeExport(database), key: BACKUP_KEY, mediaStore }
  await createBackup(setup, { path: place('backup'), progress: () => undefined })
  await listChanges(crowd)
}

/** As a mirror does. All passports of this account have been stored in one moment. */
async function listChanges(ctx: AccountContext): Promise<void> {
  const filter = { levels: ['m', 'b', 'i'], since: new Date(0) } as const
  let window: Parameters<typeof listChangedPassports>[2] = { limit: 100, page: 1 }
  for (let page = 0; page < PAGES; page++) {
    const last = (await listChangedPassports(ctx, filter, window)).at(-2)
    if (last === undefined) return
    window = { limit: 100, after: { touchedUs: last.touched_us, id: last.id } }
  }
}
