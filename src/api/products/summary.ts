/** A product as lists show it. */

import { type Addresses, formatMetadataMembers } from '../../passports/core/record.ts'
import type { PassportSummary } from '../../passports/read/list.ts'
import { DATE_TIME, NULLABLE_TEXT, TEXT } from '../endpoint/documented-response.ts'

/** The record without its data, with the names that people look for. */
export function summaryJson(addresses: Addresses, row: Omit<PassportSummary, 'picture'>): string {
  const names = JSON.stringify({ product_name: row.product_name, sku: row.sku, brand_name: row.brand_name })
  return `{${formatMetadataMembers(addresses, row)},${names.slice(1)}`
}

export const ID_SCHEMA = {
  type: 'string',
  pattern: '^[0-7][0-9a-hjkmnp-tv-z]{25}$',
  description: 'Passport UID.',
}

/** The properties of a record except `data`. */
export const RECORD_PROPERTIES = {
  id: ID_SCHEMA,
  category: { ...TEXT, description: 'One of GET /categories.' },
  level: { type: 'string', enum: ['model', 'batch', 'item'] },
  status: { type: 'string', enum: ['active', 'archived'] },
  gtin: { ...NULLABLE_TEXT, description: 'The GTIN as it was entered.' },
  lot: NULLABLE_TEXT,
  serial: NULLABLE_TEXT,
  version_no: { type: 'integer', minimum: 1, description: '1 at creation; each successful change adds one.' },
  updated_at: DATE_TIME,
  created_at: DATE_TIME,
  passport_url: {
    type: 'string',
    format: 'uri',
    description: 'The public page; also what the QR code contains.',
  },
  gs1_url: { ...NULLABLE_TEXT, format: 'uri', description: 'GS1 Digital Link; null without a GTIN.' },
  qr_url: { ...TEXT, format: 'uri', description: 'The QR code of this product (needs the key).' },
  parent_id: { ...NULLABLE_TEXT, description: 'The model or batch that a unit belongs to.' },
  outdated: { type: 'boolean', description: 'A correction was made that this unit does not include yet.' },
}

export const SUMMARY_PROPERTIES = {
  ...RECORD_PROPERTIES,
  product_name: NULLABLE_TEXT,
  sku: NULLABLE_TEXT,
  brand_name: NULLABLE_TEXT,
}
