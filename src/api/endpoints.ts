/** All endpoints of the API, in the order of the OpenAPI document and the reference page. */
import { CATEGORY_SCHEMAS, listCategories, readSchema } from './categories/categories.ts'
import {
  changeDraftEndpoint,
  createDraftEndpoint,
  DRAFT_SCHEMAS,
  deleteDraftEndpoint,
  listDraftsEndpoint,
  publishDraftEndpoint,
  readDraft,
} from './drafts/drafts.ts'
import type { ApiSetup, Endpoint } from './endpoint/endpoint.ts'
import { measureChildren, measureProduct } from './in-use/measure.ts'
import { MEASUREMENT_SCHEMAS } from './in-use/measurement-schemas.ts'
import { listMeasurementsEndpoint, readLatestMeasurements } from './in-use/measurements.ts'
import { addEventEndpoint, addUnitEventsEndpoint, listEventsEndpoint } from './life/events.ts'
import { LIFE_EVENT_SCHEMAS } from './life/schemas.ts'
import {
  createMedia,
  deleteMediaEndpoint,
  listMediaEndpoint,
  MEDIA_SCHEMAS,
  readMedia,
} from './media/media.ts'
import { buildOpenapiDocument } from './openapi/document.ts'
import { archiveProduct, restoreProduct } from './products/archive.ts'
import { changeProduct } from './products/change-product.ts'
import { createProduct } from './products/create-product.ts'
import { listProducts } from './products/list-products.ts'
import { readQr } from './products/qr.ts'
import { readProduct } from './products/read-product.ts'
import { PRODUCT_SCHEMAS } from './products/schemas.ts'
import { readSnippet } from './products/snippet.ts'
import { putByGtin, putBySku, syncProducts } from './products/sync.ts'
import { listProductVersions, readProductVersion, revertProduct } from './products/versions.ts'
import {
  accountReadiness,
  changeReadinessSettings,
  checkReadiness,
  productReadiness,
  READINESS_SCHEMAS,
  readinessSettings,
} from './readiness/readiness.ts'
import {
  deleteRecall,
  listRecallsEndpoint,
  putRecall,
  RECALL_SCHEMAS,
  readRecall,
} from './recalls/recalls.ts'
import { RECORD_ENDPOINTS, RECORD_SCHEMAS } from './records/records.ts'
import { exportRegistry, importRegistryResults, REGISTRY_SCHEMAS } from './registry/registry.ts'
import { accountScans, productScans, SCAN_SCHEMAS } from './scans/scans.ts'
import { HEALTH_SCHEMAS, health } from './service/health.ts'
import { openapiEndpoint } from './service/openapi.ts'
import { REFRESH_SCHEMAS, refreshUnits, showRefresh } from './units/refresh.ts'
import { changeUnits, createUnits, listChildren, UNIT_SCHEMAS } from './units/units.ts'

export const ENDPOINTS: readonly Endpoint[] = [
  listProducts,
  createProduct,
  readProduct,
  changeProduct,
  readQr,
  readSnippet,
  listProductVersions,
  readProductVersion,
  revertProduct,
  archiveProduct,
  restoreProduct,
  putBySku,
  putByGtin,
  syncProducts,
  listChildren,
  createUnits,
  changeUnits,
  showRefresh,
  refreshUnits,
  listEventsEndpoint,
  addEventEndpoint,
  addUnitEventsEndpoint,
  listMeasurementsEndpoint,
  measureProduct,
  readLatestMeasurements,
  measureChildren,
  readRecall,
  putRecall,
  deleteRecall,
  listRecallsEndpoint,
  productScans,
  accountScans,
  listDraftsEndpoint,
  createDraftEndpoint,
  readDraft,
  changeDraftEndpoint,
  deleteDraftEndpoint,
  publishDraftEndpoint,
  productReadiness,
  accountReadiness,
  checkReadiness,
  readinessSettings,
  changeReadinessSettings,
  exportRegistry,
  importRegistryResults,
  listMediaEndpoint,
  createMedia,
  readMedia,
  deleteMediaEndpoint,
  ...RECORD_ENDPOINTS,
  health,
  openapiEndpoint(buildApiDocument),
  listCategories,
  readSchema,
]

const SCHEMAS = {
  ...PRODUCT_SCHEMAS,
  ...UNIT_SCHEMAS,
  ...REFRESH_SCHEMAS,
  ...MEDIA_SCHEMAS,
  ...RECORD_SCHEMAS,
  ...MEASUREMENT_SCHEMAS,
  ...RECALL_SCHEMAS,
  ...LIFE_EVENT_SCHEMAS,
  ...SCAN_SCHEMAS,
  ...DRAFT_SCHEMAS,
  ...READINESS_SCHEMAS,
  ...REGISTRY_SCHEMAS,
  ...HEALTH_SCHEMAS,
  ...CATEGORY_SCHEMAS,
}

export function buildApiDocument(setup: Pick<ApiSetup, 'addresses' | 'version'>) {
  return buildOpenapiDocument(setup, { endpoints: ENDPOINTS, schemas: SCHEMAS })
}
