/** The pieces that the descriptions of operations are put together from. */

export type Operation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  path: string
  id: string
  tag: 'products' | 'units' | 'categories' | 'service'
  summary: string
  description: string
  open?: true
  /** The route announces that it will go away. */
  deprecated?: true
  parameters: readonly object[]
  body?: { required?: boolean; schema: object; examples: object }
  responses: Record<string, object>
  /** Statuses beyond those every call has. */
  refusals: readonly number[]
}

export const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` })
export const envelope = (data: object, more: Record<string, object> = {}) => ({
  type: 'object',
  properties: { data, ...more },
  required: ['data'],
})
export const list = (of: string) =>
  envelope({ type: 'array', items: schema(of) }, { meta: schema('PageMeta') })
export const written = envelope(schema('Product'), { warnings: { type: 'array', items: schema('Detail') } })

export const json = (description: string, body: object, headers: readonly string[] = []) => ({
  description,
  headers: Object.fromEntries(
    ['X-Request-Id', ...headers].map(name => [name, { $ref: `#/components/headers/${name}` }]),
  ),
  content: { 'application/json': { schema: body } },
})
export const notModified = { description: 'The client has it already (If-None-Match).' }

export const query = (name: string, description: string, of: object) => ({
  name,
  in: 'query',
  description,
  schema: of,
})
export const header = (name: string, description: string) => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
})

export const IF_NONE_MATCH = header('If-None-Match', 'ETag of the answer the client has.')
export const DRY_RUN = query('dry_run', 'Check and work it out, write nothing.', { type: 'boolean' })
export const IF_MATCH = header('If-Match', 'ETag (or `"v3"`) that the product must still bear.')
export const STRICT = header(
  'Prefer',
  '`handling=strict` refuses unknown fields instead of warning about them.',
)
export const LIMIT = query('limit', 'Rows in a page.', {
  type: 'integer',
  minimum: 1,
  maximum: 100,
  default: 25,
})
export const PAGE = query('page', 'Number of the page; excludes cursor.', {
  type: 'integer',
  minimum: 1,
  default: 1,
})
export const text = { type: 'string', minLength: 1, maxLength: 500 }

export const CURSOR = query('cursor', '`next_cursor` of an earlier answer; excludes page.', {
  type: 'string',
})
export const LIST_FILTERS = [
  query('q', 'Part of a name, SKU, GTIN or lot, in any case; how a serial begins.', text),
  query('status', 'Active ones, archived ones, or all.', {
    type: 'string',
    enum: ['all', 'active', 'archived'],
    default: 'all',
  }),
  query('outdated', 'Only units that are, or are not, outdated.', { type: 'boolean' }),
  query('lot', 'Exactly this lot.', text),
  query('serial', 'Exactly this serial.', text),
]

export const CHANGE_WORDS = {
  change_type: {
    type: 'string',
    enum: ['change', 'correction'],
    default: 'change',
    description:
      '`correction`: the data was wrong, units already issued become outdated. `change`: the product changed from now on.',
  },
  note: { type: 'string', maxLength: 500, description: 'Why; kept in the history.' },
}
export const UNIT_LEVEL = { type: 'string', enum: ['batch', 'item'] }
export const UNIT = {
  lot: {
    type: 'string',
    minLength: 1,
    maxLength: 20,
    description: "Of a batch: 1 to 20 of GS1's 82 characters.",
  },
  serial: {
    type: 'string',
    minLength: 1,
    maxLength: 20,
    description: "Of an item: 1 to 20 of GS1's 82 characters.",
  },
  data: { type: 'object', description: 'The fields this unit sets itself.' },
}
