/** How an endpoint describes its successful responses, and the schemas that such descriptions are made of. */
import type { RESPONSE_HEADERS } from './response-headers.ts'

/** A success response. `type` is JSON unless given; without `schema` there is no body. */
export type DocumentedResponse = {
  description: string
  schema?: object
  type?: string
  example?: unknown
  headers?: readonly (keyof typeof RESPONSE_HEADERS)[]
  /** Other media types of the same status. */
  others?: Readonly<Record<string, object>>
  /** The example is invented, so tests do not compare it with the server's response. */
  isIllustration?: true
}

export const TEXT = { type: 'string' }
export const NULLABLE_TEXT = { type: ['string', 'null'] }
export const DATE_TIME = { ...TEXT, format: 'date-time' }
export const INTEGER = { type: 'integer' }
export const BOOLEAN = { type: 'boolean' }
export const arrayOf = (items: object) => ({ type: 'array', items })
export const TEXTS = arrayOf(TEXT)

export const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** An object to which properties may be added later. All are required except `optional`. */
export const objectSchema = (properties: Record<string, object>, optional: readonly string[] = []) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter(name => !optional.includes(name)),
})

/** An object with these properties and no others. */
export const closedSchema = (properties: Record<string, object>, required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

export const envelopeSchema = (data: object, more: Record<string, object> = {}) =>
  objectSchema({ data, ...more }, Object.keys(more))

/** `data` is the example of the value in the envelope. */
export const jsonResponse = (
  description: string,
  schema: object,
  data?: unknown,
  headers: DocumentedResponse['headers'] = [],
): DocumentedResponse => ({
  description,
  schema,
  example: data === undefined ? undefined : { data },
  headers,
})

/** An envelope around the schema with this name. */
export const dataResponse = (description: string, name: string, data?: unknown) =>
  jsonResponse(description, envelopeSchema(schemaRef(name)), data)

/** A page of the schema with this name; in the example it is the only one. */
export const pageResponse = (
  description: string,
  name: string,
  data: readonly object[],
): DocumentedResponse => ({
  description,
  schema: objectSchema({ data: arrayOf(schemaRef(name)), meta: schemaRef('PageMeta') }),
  example: {
    data,
    meta: { page: 1, limit: 25, total: data.length, total_pages: 1, has_more: false, next_cursor: null },
  },
})
