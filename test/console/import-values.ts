/** Shared by tests of imports: spreadsheets as text, values for every row, and the stored data. */
import assert from 'node:assert/strict'
import { effectiveData, getState } from '../../src/passports/core/state.ts'
import { findBySku } from '../../src/passports/write/find-matches.ts'
import { formatCsvLine } from '../../src/transfer/spreadsheets/files/write-csv.ts'
import type { Browser, Stand } from './stand.ts'

export const lines = (rows: readonly (readonly string[])[], separator: ',' | ';' = ',') =>
  rows.map(row => formatCsvLine(row, separator)).join('')

/** Values that apply to all products of the shop. */
export const SAME: Record<string, string> = {
  'k.brandName': 'Testmarke',
  'k.economicOperator.role': 'manufacturer',
  'k.economicOperator.legalName': 'Testmarke GmbH',
  'k.economicOperator.address': 'Werkstraße 1\r\n26121 Oldenburg',
  'k.economicOperator.country': 'Deutschland',
  'k.economicOperator.contactEmail': 'pass@testmarke.example',
  'k.languages': 'de',
  'k.fiberComposition': '60 % Baumwolle; 40 % Leinen',
  'k.countryOfManufacture': 'Portugal',
  'k.careInstructions': 'Bei 30 °C waschen',
  'k.repair.repairable': 'true',
  'k.repair.sparePartsAvailable': 'false',
  'k.endOfLife.recyclingInstructions': 'Sammelstelle',
  'k.endOfLife.disposalInstructions': 'Nicht in den Hausmüll',
  k_language: 'de',
}

export async function newEditor(stand: Stand): Promise<{ account: number; editor: Browser }> {
  const account = await stand.account({ plan: 'enterprise' })
  return { account, editor: await stand.signedIn(account, 'editor') }
}

export async function findData(stand: Stand, account: number, sku: string): Promise<Record<string, unknown>> {
  const ctx = { ...stand.ctx, sql: stand.sql, accountId: account, actorId: 0 }
  const [id] = (await findBySku(ctx, [sku])).get(sku)?.ids ?? []
  assert.ok(id, sku)
  return effectiveData(await getState(ctx, id))
}
