/**
 * The example values of the OpenAPI document: one small story of a table, its batch and two of its items. A test sends
 * each request to the running server and compares the answer with the one shown here.
 */

import { furniture } from '../../categories/furniture.ts'
import type { Data } from '../../categories/value.ts'
import { findUuid } from '../../kernel/ids.ts'
import { buildShopSnippet } from '../../passports/read/shop-snippet.ts'

const MODEL_ID = '01m7ywhcr7fxwrqq1xd4m28c2t'
const BATCH_ID = '01m7ywkq2vff6r9x0c4tq0m5hn'
export const ITEM_IDS = ['01m7ywm3p9eknbw8v1r6za7d4s', '01m7ywm3pafz2t5c7y0khg9q1x'] as const
const CREATED = '2026-11-21T09:30:00.000Z'
const LATER = '2026-11-24T16:05:12.000Z'
const PUBLIC = 'https://carnet.example'
const API = `${PUBLIC}/api/v1`
export const NEXT_CURSOR = '01m7yv90c8fa3sn2j4q7x5d6bk'

/** The table of the story: the example of its category. */
export const TABLE: Data = furniture.example?.data ?? {}
const textOf = (name: string) => String(TABLE[name])
const gtin = textOf('gtin')

type Head = Partial<
  Record<'id' | 'level' | 'status' | 'lot' | 'serial' | 'parent_id', string | null> & {
    version_no: number
    updated_at: string
    outdated: boolean
  }
>

function head(more: Head = {}) {
  const id = more.id ?? MODEL_ID
  const qualifiers = `${more.lot ? `/10/${more.lot}` : ''}${more.serial ? `/21/${more.serial}` : ''}`
  return {
    id,
    category: 'furniture',
    level: 'model',
    status: 'active',
    gtin,
    lot: null,
    serial: null,
    version_no: 1,
    updated_at: CREATED,
    created_at: CREATED,
    passport_url: `${PUBLIC}/p/${id}`,
    gs1_url: `${PUBLIC}/01/0${gtin}${qualifiers}`,
    qr_url: `${API}/products/${id}/qr`,
    parent_id: null,
    outdated: false,
    ...more,
  }
}

/** A full record; `own` are the fields that differ from the table's. */
export const exampleRecord = (more?: Head, own: object = {}) => ({
  ...head(more),
  data: { ...TABLE, ...own },
})

export const exampleSummary = (more?: Head) => ({
  ...head(more),
  product_name: textOf('productName'),
  sku: textOf('sku'),
  brand_name: textOf('brandName'),
})

export const LONGER_WARRANTY = { warrantyMonths: 36 }
export const CHANGED: Head = { version_no: 2, updated_at: LATER }
export const ARCHIVED: Head = { status: 'archived', updated_at: LATER }
export const BATCH: Head = { id: BATCH_ID, level: 'batch', lot: '2026-11', parent_id: MODEL_ID }

export const exampleItem = (serial: string, place: 0 | 1 = 0): Head => ({
  id: ITEM_IDS[place],
  level: 'item',
  serial,
  parent_id: MODEL_ID,
})

/** What a shop is given for its page. */
export const exampleSnippet = () =>
  buildShopSnippet(
    { publicUrl: PUBLIC, apiUrl: API },
    {
      id: findUuid(MODEL_ID) ?? '',
      category: 'furniture',
      gtin,
      lot: null,
      serial: null,
      data: JSON.stringify(TABLE),
    },
  )

/** What stands beside the rows of a page. */
export const examplePageMeta = (total: number, more: object = {}) => ({
  page: 1,
  limit: 25,
  total,
  total_pages: 1,
  has_more: false,
  next_cursor: null,
  ...more,
})

export const VERSIONS = [
  {
    version_no: 2,
    change_type: 'change',
    changed: ['warrantyMonths'],
    created_at: LATER,
    created_by: 'ERP sync',
    note: 'Warranty extended for 2027',
  },
  {
    version_no: 1,
    change_type: null,
    changed: [],
    created_at: CREATED,
    created_by: 'ERP sync',
    note: null,
  },
]

export const HEALTH = { status: 'ok', version: '0.1.0', time: CREATED }
