/** How a list shows a product. */

import { type Addresses, recordHead } from '../../passports/core/record.ts'
import type { PassportSummary } from '../../passports/read/list.ts'

/** A list's row: the record without its data, with the names a person looks for. */
export function summaryJson(addresses: Addresses, row: PassportSummary): string {
  const names = JSON.stringify({ product_name: row.product_name, sku: row.sku, brand_name: row.brand_name })
  return `{${recordHead(addresses, row)},${names.slice(1)}`
}
