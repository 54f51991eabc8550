/** The schemas of reports: of an act, of a rule, and of the sums of an account. */
import { AUDIENCES } from '../../categories/field.ts'
import { RULE_LEVELS } from '../../readiness/act.ts'
import {
  arrayOf,
  BOOLEAN,
  INTEGER,
  NULLABLE_TEXT,
  objectSchema,
  schemaRef,
  TEXT,
  TEXTS,
} from '../endpoint/documented-response.ts'

const ASKED_UNITS = {
  ...objectSchema(
    {
      asked: INTEGER,
      lacking: INTEGER,
      at_least: { ...BOOLEAN, const: true, description: 'Not all units were counted.' },
    },
    ['at_least'],
  ),
  description: 'Active units of which it is asked, and how many of these lack it.',
}

export const RULE_REPORT_SCHEMA = objectSchema(
  {
    id: { ...TEXT, description: 'Never used again for another rule.' },
    nr: { ...INTEGER, description: 'Number of the data point in the Commission’s list.' },
    outcome: {
      type: 'string',
      enum: [
        'met',
        'partial',
        'missing',
        'check',
        'unit',
        'early',
        'not_yet',
        'not_applicable',
        'not_displayed',
      ],
      description:
        '`check`: a person must say whether it applies. `unit`: the units tell it. `early`: there before it is due. `not_displayed`: there, though this kind of product does not need it.',
    },
    severity: { type: 'string', enum: ['required', 'recommended', 'when_applicable', 'pending', 'excluded'] },
    title: TEXT,
    question: { ...TEXT, description: 'What to ask a person.' },
    hint: TEXT,
    note: TEXT,
    pending: { ...TEXT, description: 'Why it is not due yet.' },
    unverified: { ...TEXT, description: 'Why the rule may differ from its source.' },
    from: { ...NULLABLE_TEXT, format: 'date', description: 'The day of the rule, if not that of the act.' },
    from_for: { ...TEXT, description: 'For whom that day is.' },
    source: { ...TEXTS, description: 'Where the law says so.' },
    level: { type: 'string', enum: RULE_LEVELS },
    audience: {
      ...arrayOf({ type: 'string', enum: AUDIENCES }),
      description: 'Who the law wants to see it.',
    },
    audience_gap: {
      type: 'boolean',
      const: true,
      description: 'The fields are shown to others than the law wants.',
    },
    paths: { ...TEXTS, description: 'The fields that answer it, the best first.' },
    issued_units: {
      ...objectSchema({
        lacking: INTEGER,
        fill_by: { type: 'string', enum: ['refresh', 'children/update'] },
      }),
      description: 'Issued units that lack what the product has, and the call that gives it to them.',
    },
    units: ASKED_UNITS,
    edit_url: { ...TEXT, format: 'uri', description: 'The form in the console, at the first field.' },
  },
  [
    'nr',
    'hint',
    'note',
    'pending',
    'unverified',
    'from',
    'from_for',
    'audience_gap',
    'issued_units',
    'units',
    'edit_url',
  ],
)

export const ACT_REPORT_SCHEMA = objectSchema(
  {
    act: TEXT,
    title: TEXT,
    status: { type: 'string', enum: ['in_force', 'framework', 'draft'] },
    duty: {
      type: 'string',
      enum: ['passport', 'inform', 'hold'],
      description:
        '`passport`: wanted in the passport. `inform`: to be told to buyers. `hold`: to be kept for authorities.',
    },
    applies: { type: ['boolean', 'null'], description: '`null`: it cannot be told yet; see `question`.' },
    undetermined: { ...TEXTS, description: 'The kinds of product that it may be.' },
    question: { ...TEXT, description: 'What decides whether the act applies.' },
    scope: { ...TEXT, description: 'The kind of product as which it falls under the act.' },
    due: { ...NULLABLE_TEXT, format: 'date' },
    due_days: {
      ...arrayOf(
        objectSchema({
          on: { ...TEXT, format: 'date' },
          for: { ...TEXT, description: 'The condition in words.' },
          source: TEXTS,
          applies: { type: ['boolean', 'null'], description: '`null`: see `due_question`.' },
        }),
      ),
      description: 'The days of the act. `due` is the first that applies.',
    },
    due_question: { ...TEXT, description: 'What decides which day applies.' },
    days_left: { type: ['integer', 'null'], minimum: 0 },
    as_of: { ...TEXT, format: 'date', description: 'The day that the report is about.' },
    met: INTEGER,
    total: INTEGER,
    percent: { ...INTEGER, minimum: 0, maximum: 100 },
    ready: {
      ...BOOLEAN,
      description: 'Something counts, all of it is met, and the rules are the whole act.',
    },
    nothing_asked: {
      type: 'string',
      enum: ['units', 'check', 'later', 'not_applicable'],
      description:
        'Why nothing counts: the units tell all of it, a person must say whether it applies, it is due later, or none of it applies.',
    },
    units: ASKED_UNITS,
    whole: { ...BOOLEAN, description: 'Whether the rules are the whole act. If not, it is never ready.' },
    not_modelled: {
      ...arrayOf(objectSchema({ title: TEXT, source: TEXTS })),
      description: 'What of the act no rule asks for.',
    },
    counts: objectSchema({
      partial: INTEGER,
      missing: INTEGER,
      check: INTEGER,
      unit: INTEGER,
      not_yet: INTEGER,
    }),
    advised: { ...TEXTS, description: 'Rules of good practice that are not met. They do not count.' },
    rules: arrayOf(schemaRef('ReadinessRule')),
  },
  [
    'undetermined',
    'question',
    'scope',
    'due',
    'due_days',
    'due_question',
    'days_left',
    'as_of',
    'met',
    'total',
    'percent',
    'ready',
    'nothing_asked',
    'units',
    'whole',
    'not_modelled',
    'counts',
    'advised',
    'rules',
  ],
)

export const ACT_SUMS_SCHEMA = objectSchema({
  act: TEXT,
  in_scope: { ...INTEGER, description: 'Products that fall under the act, without undetermined ones.' },
  ready: INTEGER,
  incomplete: INTEGER,
  undetermined: { ...INTEGER, description: 'Products of which it cannot be told yet.' },
  nothing_asked: {
    ...INTEGER,
    description:
      'Products of which the act asks nothing itself, such as models whose units tell all of it. They are in no other count.',
  },
  by_rule: {
    type: 'object',
    additionalProperties: objectSchema({ missing: INTEGER, partial: INTEGER, check: INTEGER }),
    description: 'By rule: products that do not meet it, meet it in part, or of which a person must say.',
  },
  computed_at: { ...TEXT, format: 'date-time' },
})
