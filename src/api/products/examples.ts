/**
 * The example values of the OpenAPI document: one small story of a table, its batch and two of its items. A test sends
 * each request to the running server and compares the answer with the one shown here.
 */

import { findUuid } from '../../kernel/ids.ts'
import { shopSnippet } from '../../passports/read/shop-snippet.ts'

const MODEL_ID = '01m7ywhcr7fxwrqq1xd4m28c2t'
const BATCH_ID = '01m7ywkq2vff6r9x0c4tq0m5hn'
export const ITEM_IDS = ['01m7ywm3p9eknbw8v1r6za7d4s', '01m7ywm3pafz2t5c7y0khg9q1x'] as const
const CREATED = '2026-11-21T09:30:00.000Z'
const LATER = '2026-11-24T16:05:12.000Z'
const PUBLIC = 'https://carnet.example'
const API = `${PUBLIC}/api/v1`
export const NEXT_CURSOR = '01m7yv90c8fa3sn2j4q7x5d6bk'

export const TABLE = {
  productName: 'Oak side table',
  sku: 'OST-45',
  brandName: 'Nordlicht',
  gtin: '9521234000013',
  languages: ['en'],
  economicOperator: {
    role: 'manufacturer',
    legalName: 'Nordlicht Möbel GmbH',
    address: 'Werkstraße 1, 26122 Oldenburg',
    country: 'DE',
    contactEmail: 'passport@nordlicht.example',
  },
  materialComposition: [{ material: 'wood', percentage: 100 }],
  countryOfManufacture: 'DE',
  careInstructions: { en: 'Wipe with a dry cloth; oil once a year.' },
  repair: { repairable: true, sparePartsAvailable: true },
  endOfLife: {
    recyclingInstructions: { en: 'Untreated wood: take it to a wood collection point.' },
    disposalInstructions: { en: 'Bulky waste collection.' },
  },
}

export const SHIRT = {
  productName: 'Crew neck T-shirt',
  sku: 'TS-204',
  brandName: 'Lindwerk',
  languages: ['en', 'de'],
  economicOperator: {
    role: 'manufacturer',
    legalName: 'Lindwerk Textil GmbH',
    address: 'Weberstraße 12, 01099 Dresden',
    country: 'DE',
    contactEmail: 'service@lindwerk.example',
  },
  fiberComposition: [
    { fiber: 'cotton', percentage: 95 },
    { fiber: 'elastane', percentage: 5 },
  ],
  countryOfManufacture: 'PT',
  careInstructions: { en: 'Wash at 30 °C.', de: 'Bei 30 °C waschen.' },
  repair: { repairable: true, sparePartsAvailable: false },
  endOfLife: {
    recyclingInstructions: { en: 'Bring it to a textile bank.' },
    disposalInstructions: { en: 'Household waste.' },
  },
}

export const CELL = {
  productName: 'Pedelec battery 36 V',
  sku: 'PB-36',
  brandName: 'Stromwerk',
  languages: ['en'],
  economicOperator: {
    role: 'manufacturer',
    legalName: 'Stromwerk Akkus GmbH',
    address: 'Industriering 8, 04249 Leipzig',
    country: 'DE',
    contactEmail: 'passport@stromwerk.example',
  },
  batteryCategory: 'lmt',
  cellChemistry: 'nmc',
  weightKg: 2.9,
  countryOfManufacture: 'DE',
  manufacturingDate: '2026-05',
  ratedCapacity: 13.4,
  endOfLife: {
    recyclingInstructions: { en: 'Hand it in where it was sold.' },
    disposalInstructions: { en: 'Never in household waste.' },
  },
}

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
    gtin: TABLE.gtin,
    lot: null,
    serial: null,
    version_no: 1,
    updated_at: CREATED,
    created_at: CREATED,
    passport_url: `${PUBLIC}/p/${id}`,
    gs1_url: `${PUBLIC}/01/0${TABLE.gtin}${qualifiers}`,
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
  product_name: TABLE.productName,
  sku: TABLE.sku,
  brand_name: TABLE.brandName,
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
  shopSnippet(
    { publicUrl: PUBLIC, apiUrl: API },
    {
      id: findUuid(MODEL_ID) ?? '',
      category: 'furniture',
      gtin: TABLE.gtin,
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
