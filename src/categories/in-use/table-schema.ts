/** The form of `rules/in-use/*.json` as a JSON Schema. docs/in-use.md explains each member. */
import { AUDIENCES } from '../field.ts'

/** The states of a unit that an event can lead to. */
export const LIFE_STATES = [
  'in_use',
  'refurbished',
  'taken_back',
  'lost',
  'stolen',
  'recycled',
  'destroyed',
  'succeeded',
] as const

/** A bit each in `measurement_latest.bits`. */
const MAX_METRICS = 64
const MAX_CHARTS = 3

const audience = { type: 'array', minItems: 1, uniqueItems: true, items: { enum: AUDIENCES } }
const label = {
  type: 'object',
  minProperties: 1,
  propertyNames: { pattern: '^[a-z]{2}$' },
  additionalProperties: { type: 'string', minLength: 1, maxLength: 100 },
}

const closed = (required: readonly string[], properties: Record<string, unknown>) => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
})

const METRIC = closed(['name', 'slot', 'unit', 'kind', 'source'], {
  name: { type: 'string', pattern: '^[a-z][a-zA-Z0-9]{0,49}$' },
  slot: { type: 'integer', minimum: 0, maximum: MAX_METRICS - 1 },
  unit: { type: 'string', minLength: 1, maxLength: 20 },
  kind: { enum: ['gauge', 'counter'] },
  min: { type: 'number' },
  max: { type: 'number' },
  chart: { type: 'integer', minimum: 1, maximum: MAX_CHARTS },
  source: { type: 'array', minItems: 1, items: { type: 'string', minLength: 1, maxLength: 200 } },
  label,
})

const EVENT = closed(['kind'], {
  kind: { type: 'string', pattern: '^[a-z][a-z_]{0,49}$' },
  audience,
  negative: { type: 'boolean' },
  fields: { type: 'array', uniqueItems: true, items: { enum: ['parts'] } },
  ends: { type: 'boolean' },
  state: { enum: LIFE_STATES },
  by: { const: 'server' },
  label,
})

export const IN_USE_SCHEMA = closed(['format', 'category', 'version', 'audience', 'metrics', 'events'], {
  format: { const: 'carnet-in-use/1' },
  category: { type: 'string', pattern: '^(?:\\*|[a-z][a-z0-9_-]{0,49})$' },
  version: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
  audience,
  metrics: { type: 'array', maxItems: MAX_METRICS, items: METRIC },
  events: { type: 'array', maxItems: 200, items: EVENT },
})
