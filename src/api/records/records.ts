/** The endpoints and schemas of all records. */
import { RECORD_STORES } from '../../passports/records/record-stores.ts'
import { defineRecordEndpoints, defineRecordSchemas } from './record-endpoints.ts'

const STORES = Object.values(RECORD_STORES)

export const RECORD_ENDPOINTS = STORES.flatMap(defineRecordEndpoints)

export const RECORD_SCHEMAS: Readonly<Record<string, object>> = Object.assign(
  {},
  ...STORES.map(defineRecordSchemas),
)
