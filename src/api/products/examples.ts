/**
 * The example values of the OpenAPI document: a table, its batch and its items. A test compares them with the
 * running server.
 */
import { CATEGORY_EXAMPLES } from '../../categories/examples.ts'
import { parseId } from '../../kernel/crypto/ids.ts'
import { requireCategory } from '../../passports/core/check-data.ts'
import { buildShopSnippet } from '../../passports/read/shop-snippet.ts'
import { PATH_PARAMETERS } from '../endpoint/path-parameters.ts'

const MODEL_ID = PATH_PARAMETERS.id.example
const BATCH_ID = '01m7ywkq2vff6r9x0c4tq0m5hn'
const ITEM_ID = '01m7ywm3p9eknbw8v1r6za7d4s'
const CREATED = '2026-11-21T09:30:00.000Z'
export const LATER = '2026-11-24T16:05:12.000Z'
const PUBLIC = 'https://carnet.example'
const API = `${PUBLIC}/api/v1`

const EXAMPLE_TABLE = CATEGORY_EXAMPLES.furniture.value.data
const { gtin, productName, sku, brandName } = EXAMPLE_TABLE

type Metadata = Partial<
  Record<'id' | 'level' | 'status' | 'lot' | 'serial' | 'parent_id', string | null> & {
    version_no: number
    updated_at: string
    outdated: boolean
  }
>

function exampleMetadata(more: Metadata = {}) {
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

/** A full record; `own` has the fields that differ from those of the example product. */
export const exampleRecord = (more?: Metadata, own: object = {}) => ({
  ...exampleMetadata(more),
  data: { ...EXAMPLE_TABLE, ...own },
})

export const exampleSummary = (more?: Metadata) => ({
  ...exampleMetadata(more),
  product_name: productName,
  sku,
  brand_name: brandName,
})

export const LONGER_WARRANTY = { warrantyMonths: 36 }
export const CHANGED: Metadata = { version_no: 2, updated_at: LATER }
export const ARCHIVED: Metadata = { status: 'archived', updated_at: LATER }
export const BATCH: Metadata = { id: BATCH_ID, level: 'batch', lot: '2026-11', parent_id: MODEL_ID }

export const exampleItem = (serial: string): Metadata => ({
  id: ITEM_ID,
  level: 'item',
  serial,
  parent_id: MODEL_ID,
})

export const exampleSnippet = () =>
  buildShopSnippet(
    { publicUrl: PUBLIC, apiUrl: API },
    {
      id: parseId(MODEL_ID) ?? '',
      category: 'furniture',
      schema_version: requireCategory('furniture').schemaVersion,
      audience_profile: 'contract',
      gtin,
      lot: null,
      serial: null,
      status: 'a',
      recalls: [],
      data: JSON.stringify(EXAMPLE_TABLE),
    },
  )

export const EXAMPLE_VERSIONS = [
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
