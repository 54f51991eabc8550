/** `POST /products` */
import { CATEGORY_EXAMPLES } from '../../categories/examples.ts'
import { isObject } from '../../kernel/values/data-object.ts'
import { isCategory, requireCategory } from '../../passports/core/check-data.ts'
import {
  checkNewData,
  createPassport,
  previewCreate,
  type WrittenPassport,
} from '../../passports/write/create.ts'
import { categoryMember, dataMember, findValidationError, objectBody } from '../endpoint/body.ts'
import { MAX_PASSPORT_BYTES } from '../endpoint/body-limits.ts'
import { jsonResponse, schemaRef, TEXT } from '../endpoint/documented-response.ts'
import { defineEndpoint } from '../endpoint/endpoint.ts'
import { STRICT } from '../endpoint/header-parameters.ts'
import { exampleRecord } from './examples.ts'
import { createdResponse, isStrict, WRITTEN_SCHEMA } from './record-response.ts'

const NEW_PRODUCT = objectBody({
  category: categoryMember(TEXT),
  data: dataMember({ type: 'object' }),
})

export const createProduct = defineEndpoint({
  method: 'POST',
  path: '/products',
  id: 'createProduct',
  tag: 'products',
  summary: 'Create a model passport',
  description:
    'Creates version 1. Fields that the schema does not know are stored, shown to the account only, and listed in `warnings`.',
  takesDryRun: true,
  storesIdempotencyRecord: true,
  requestHeaders: [STRICT],
  body: {
    maxBytes: MAX_PASSPORT_BYTES,
    // The category decides which fields `data` has.
    schema: schemaRef('NewProduct'),
    examples: CATEGORY_EXAMPLES,
    read: NEW_PRODUCT.read,
    async findNestedError(call, { category, data }) {
      if (!isCategory(category) || !isObject(data)) return undefined
      return findValidationError(() =>
        checkNewData(requireCategory(category), data, { strict: isStrict(call) }),
      )
    },
  },
  responses: {
    201: jsonResponse('Created.', WRITTEN_SCHEMA, exampleRecord(), ['ETag', 'Location']),
  },
  errors: ['gtin_taken', 'plan_limit'],
  async handle(call) {
    const input = { ...call.body, strict: isStrict(call) }
    if (call.isDryRun) {
      return createdResponse(call, await previewCreate(call.account, input), { dry_run: true })
    }
    const buildResponse = (written: WrittenPassport) => createdResponse(call, written)
    // With an `Idempotency-Key`, createPassport also calls `buildResponse`, for the response to store.
    return buildResponse(await createPassport(call.account, input, buildResponse))
  },
})
