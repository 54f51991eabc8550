/** The form of a rule file, `rules/acts/*.json`, as a JSON Schema. docs/readiness.md explains each member. */
import { AUDIENCES } from '../categories/field.ts'

const text = { type: 'string', minLength: 1, maxLength: 1_000 }
const id = { type: 'string', pattern: '^[a-z0-9][a-z0-9.-]{0,99}$' }
const date = { type: 'string', format: 'date' }
const facts = {
  type: 'array',
  maxItems: 20,
  items: { type: 'array', minItems: 1, maxItems: 20, items: text },
}
const severity = { enum: ['required', 'recommended', 'when_applicable', 'pending', 'excluded'] }
const condition = { $ref: '#/$defs/condition' }
const texts = { type: 'array', minItems: 1, items: text }

const closed = (required: readonly string[], properties: Record<string, unknown>) => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
})

/** One day for all, or days with their conditions. */
const days = {
  oneOf: [
    date,
    { type: 'null' },
    {
      type: 'array',
      minItems: 1,
      maxItems: 20,
      items: closed(['on', 'for', 'source'], {
        on: date,
        for: text,
        when: condition,
        question: text,
        source: texts,
      }),
    },
  ],
}

const RULE = closed(['id', 'title', 'question', 'source', 'level', 'audience', 'severity', 'met'], {
  id,
  nr: { type: 'integer', minimum: 1 },
  title: text,
  question: text,
  hint: text,
  note: text,
  source: texts,
  unverified: text,
  level: { enum: ['model', 'batch', 'item'] },
  audience: { type: 'array', minItems: 1, items: { enum: AUDIENCES } },
  nature: { enum: ['static', 'dynamic'] },
  severity: { oneOf: [severity, { type: 'object', minProperties: 1, additionalProperties: severity }] },
  categories: { type: 'array', minItems: 1, items: id },
  from: days,
  earliest: { type: 'object', additionalProperties: date },
  due: { const: 'in_use' },
  pending: text,
  when: condition,
  met: facts,
  partial: facts,
})

export const ACT_SCHEMA = {
  ...closed(
    [
      'version',
      'id',
      'title',
      'category',
      'duty',
      'status',
      'activation',
      'due',
      'scopes',
      'sources',
      'rules',
    ],
    {
      version: date,
      id,
      title: text,
      category: { oneOf: [{ const: '*' }, id, { type: 'array', minItems: 1, items: id }] },
      duty: { enum: ['passport', 'inform', 'hold'] },
      status: { enum: ['in_force', 'framework', 'draft'] },
      activation: { enum: ['auto', 'opt_in'] },
      counts: { enum: ['required', 'recommended'] },
      granularity: { const: 'item' },
      due: days,
      due_small: date,
      expected: closed([], { adoption: text, application: text }),
      parameters: {
        type: 'object',
        additionalProperties: {
          oneOf: [{ const: 'boolean' }, { type: 'array', minItems: 1, items: text }],
        },
      },
      default_parameters: { type: 'object', additionalProperties: { type: ['string', 'boolean'] } },
      applies: condition,
      scopes: { type: 'object', minProperties: 1, additionalProperties: condition },
      scope_question: { type: 'object', additionalProperties: text },
      sources: texts,
      not_modelled: {
        type: 'array',
        minItems: 1,
        maxItems: 50,
        items: closed(['title', 'source'], { title: text, source: texts }),
      },
      note: text,
      rules: { type: 'array', minItems: 1, maxItems: 1_000, items: RULE },
    },
  ),
  $defs: {
    condition: {
      oneOf: [
        { const: true },
        text,
        closed(['all'], { all: { type: 'array', minItems: 1, items: condition } }),
        closed(['any'], { any: { type: 'array', minItems: 1, items: condition } }),
        closed(['not'], { not: condition }),
      ],
    },
  },
}
