/** The pieces that the descriptions of operations are put together from. */
import type { ErrorCode } from '../../kernel/errors.ts'
import type { HEADERS } from './response-headers.ts'

export type Parameter = {
  name: string
  in: 'query' | 'header' | 'path'
  required?: true
  description: string
  schema: object
  example?: unknown
}

/** An answer that is no refusal. `type` is JSON unless said; no `schema` means no body. */
export type Success = {
  description: string
  schema?: object
  type?: string
  example?: unknown
  headers?: readonly (keyof typeof HEADERS)[]
  /** Other media types the same status can have. */
  others?: Readonly<Record<string, object>>
  /** The example is not this server's answer word for word. */
  isIllustration?: true
}

export type Operation = {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT'
  path: string
  /** Name of the method in a generated client. */
  id: string
  tag: 'products' | 'units' | 'scans' | 'categories' | 'service'
  summary: string
  /** Markdown. */
  description: string
  open?: true
  /** Of query and header; those of the path come from `PATH_PARAMETERS`, those of every write by themselves. */
  parameters: readonly Parameter[]
  body?: {
    required?: boolean
    schema: object
    examples: Readonly<Record<string, { summary: string; value: unknown }>>
  }
  responses: Readonly<Record<number, Success>>
  /** Codes beyond those that every call of its kind has (`openapi/responses.ts`). */
  errors: readonly ErrorCode[]
  /** The document then says so, with the headers that tell since when and until when (RFC 9745, RFC 8594). */
  deprecated?: true
}

export const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` })
export const envelope = (data: object, more: Record<string, object> = {}) => ({
  type: 'object',
  properties: { data, ...more },
  required: ['data'],
})
export const list = (of: string) => ({
  type: 'object',
  properties: { data: { type: 'array', items: schema(of) }, meta: schema('PageMeta') },
  required: ['data', 'meta'],
})
const WARNINGS = {
  type: 'array',
  items: schema('Detail'),
  description: 'Fields the schema does not know; they are kept.',
}
const TRUNCATED = { type: 'boolean', description: 'There were more than 100 warnings.' }
/** `meta` is there where the call was a dry run. */
export const written = envelope(schema('Product'), {
  warnings: WARNINGS,
  truncated: TRUNCATED,
  meta: schema('DryRun'),
})

/** What became of each row; `meta` as above. */
export const bulkWritten = (result: string) =>
  envelope(schema(result), {
    warnings: {
      ...WARNINGS,
      description: `${WARNINGS.description} Of all rows, each with its \`index\` and a pointer into \`items\`.`,
    },
    truncated: TRUNCATED,
    meta: schema('DryRun'),
  })

export const json = (
  description: string,
  of: object,
  example: unknown,
  headers: Success['headers'] = [],
): Success => ({ description, schema: of, example, headers })
/** The example tells what an answer is like; this server's own differs with who reads its pages. */
export const illustrated = (of: Success): Success => ({ ...of, isIllustration: true })
export const notModified: Success = {
  description: 'The client has it already (`If-None-Match`).',
  headers: ['ETag'],
}

export const queryParameter = (
  name: string,
  description: string,
  of: object,
  example?: unknown,
): Parameter => ({
  name,
  in: 'query',
  description,
  schema: of,
  ...(example === undefined ? {} : { example }),
})
export const headerParameter = (
  name: string,
  description: string,
  of: object = { type: 'string' },
): Parameter => ({
  name,
  in: 'header',
  description,
  schema: of,
})

export const PATH_PARAMETERS: Readonly<Record<string, Omit<Parameter, 'in' | 'required'>>> = {
  id: {
    name: 'id',
    description: 'The product: a model, a batch or an item.',
    schema: { type: 'string', minLength: 26, maxLength: 26 },
    example: '01m7ywhcr7fxwrqq1xd4m28c2t',
  },
  n: {
    name: 'n',
    description: 'Number of the version.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  sku: {
    name: 'sku',
    description: 'The SKU of the product; a slash in it is sent as %2F.',
    schema: { type: 'string', minLength: 1, maxLength: 500 },
    example: 'OST-45',
  },
  gtin: {
    name: 'gtin',
    description: 'The GTIN of the product, in any of its lengths.',
    schema: { type: 'string', minLength: 8, maxLength: 14 },
    example: '9521234000013',
  },
  category: {
    name: 'category',
    description: 'One of `GET /categories`.',
    schema: { type: 'string' },
    example: 'textile',
  },
}

export const IF_NONE_MATCH = headerParameter('If-None-Match', 'ETag of the answer the client has.')
export const IF_MATCH = headerParameter(
  'If-Match',
  'ETag that the product must still bear; the version part is enough (`"v3"`).',
)
export const STRICT = headerParameter(
  'Prefer',
  '`handling=strict` refuses unknown fields instead of warning about them.',
)
export const DRY_RUN = queryParameter('dry_run', 'Check and work it out, write nothing.', {
  type: 'boolean',
  default: false,
})
/** Taken by every call that writes. */
export const IDEMPOTENCY_KEY = headerParameter(
  'Idempotency-Key',
  'A text of your choice, another for each wish. Sent again within 24 hours, it gives the first answer again and changes nothing.',
  { type: 'string', minLength: 1, maxLength: 200 },
)
export const LIMIT = queryParameter('limit', 'Rows in a page.', {
  type: 'integer',
  minimum: 1,
  maximum: 100,
  default: 25,
})
export const PAGE = queryParameter('page', 'Number of the page; excludes `cursor`.', {
  type: 'integer',
  minimum: 1,
  default: 1,
})
export const TEXT_SCHEMA = { type: 'string', minLength: 1, maxLength: 500 }

export const CURSOR = queryParameter('cursor', '`next_cursor` of an earlier answer; excludes `page`.', {
  type: 'string',
})
const LOT_OR_SERIAL = { type: 'string', minLength: 1, maxLength: 20 }

export const LIST_FILTERS = [
  queryParameter(
    'q',
    'Part of a name, SKU, GTIN or lot, in any case, without the spaces around it; of an item, how its serial begins.',
    TEXT_SCHEMA,
  ),
  queryParameter('status', 'Active ones, archived ones, or all.', {
    type: 'string',
    enum: ['all', 'active', 'archived'],
    default: 'all',
  }),
  queryParameter('outdated', 'Only units that are, or are not, outdated.', { type: 'boolean' }),
  queryParameter('lot', 'Exactly this lot.', LOT_OR_SERIAL),
  queryParameter('serial', 'Exactly this serial.', LOT_OR_SERIAL),
]

export const CHANGE_WORDS = {
  change_type: {
    type: 'string',
    enum: ['change', 'correction'],
    description:
      '`change`, also without it: the product changed from now on. `correction`: the data was wrong, units already issued become outdated.',
  },
  note: { type: ['string', 'null'], minLength: 1, maxLength: 500, description: 'Why; kept in the history.' },
}
export const UNIT_LEVEL = { type: 'string', enum: ['batch', 'item'] }
/** A member that is null is as one that is not there. */
export const UNIT = {
  lot: {
    ...LOT_OR_SERIAL,
    type: ['string', 'null'],
    description: "Of a batch: 1 to 20 of GS1's 82 characters.",
  },
  serial: {
    ...LOT_OR_SERIAL,
    type: ['string', 'null'],
    description: "Of an item: 1 to 20 of GS1's 82 characters.",
  },
  data: { type: 'object', additionalProperties: true, description: 'The fields this unit sets itself.' },
}
