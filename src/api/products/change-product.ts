/** `PATCH /products/:id` */
import { isObject } from '../../kernel/values/data-object.ts'
import { getState } from '../../passports/core/state.ts'
import { planNextVersion } from '../../passports/write/plan-version.ts'
import { previewUpdate } from '../../passports/write/preview-update.ts'
import { type PassportChange, updatePassport } from '../../passports/write/update.ts'
import { dataMember, findValidationError, objectBody } from '../endpoint/body.ts'
import { MAX_PASSPORT_BYTES } from '../endpoint/body-limits.ts'
import { jsonResponse, schemaRef } from '../endpoint/documented-response.ts'
import { defineEndpoint } from '../endpoint/endpoint.ts'
import { IF_MATCH, STRICT } from '../endpoint/header-parameters.ts'
import { CHANGE_MEMBERS } from './change-members.ts'
import { CHANGED, exampleRecord, LONGER_WARRANTY } from './examples.ts'
import { isChangeAllowed, isStrict, WRITTEN_SCHEMA, writtenResponse } from './record-response.ts'

export const PRODUCT_CHANGE = objectBody({
  data: dataMember({
    type: 'object',
    additionalProperties: true,
    description: 'The fields to set. `null` removes an optional field.',
  }),
  ...CHANGE_MEMBERS,
})

export const changeProduct = defineEndpoint({
  method: 'PATCH',
  path: '/products/:id',
  id: 'updateProduct',
  tag: 'products',
  summary: 'Change a product',
  description:
    'Each field that you send replaces the whole field of that name. The other fields stay, and `null` removes an optional field. The result is the next version.',
  takesDryRun: true,
  requestHeaders: [IF_MATCH, STRICT],
  body: {
    maxBytes: MAX_PASSPORT_BYTES,
    schema: schemaRef('ProductChange'),
    examples: {
      warranty: {
        summary: 'The product is different from now on',
        value: { data: LONGER_WARRANTY, change_type: 'change', note: 'Warranty extended for 2027' },
      },
      correction: {
        summary: 'The data was wrong',
        value: { data: { countryOfManufacture: 'AT' }, change_type: 'correction' },
      },
    },
    read: PRODUCT_CHANGE.read,
    async findNestedError(call, { data }) {
      if (!isObject(data)) return undefined
      const current = await getState(call.account, call.path.id)
      const change = { data, changeType: 'change', note: undefined, strict: isStrict(call) } as const
      return findValidationError(() => planNextVersion(call.account, current, change))
    },
  },
  responses: {
    200: jsonResponse(
      'The new version; with `dry_run` what it would be.',
      WRITTEN_SCHEMA,
      exampleRecord(CHANGED, LONGER_WARRANTY),
      ['ETag'],
    ),
  },
  errors: ['gtin_taken', 'version_conflict'],
  async handle(call) {
    const { data, change_type: changeType, note } = call.body
    const change: PassportChange = {
      uuid: call.path.id,
      data,
      changeType,
      note,
      strict: isStrict(call),
      expects: isChangeAllowed(call),
    }
    if (!call.isDryRun) return writtenResponse(call, await updatePassport(call.account, change))
    const preview = await previewUpdate(call.account, change)
    const reach = preview.reach === null ? {} : { correction: preview.reach }
    return writtenResponse(call, preview, { dry_run: true, ...reach })
  },
})
