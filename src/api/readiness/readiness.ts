/** Readiness: what the law still wants of a passport. Advice, which changes no other answer. */
import { storeReadinessSettings } from '../../accounts/account/readiness-settings.ts'
import { sumReadiness } from '../../passports/readiness/account-readiness.ts'
import {
  getReadinessSettings,
  type ReadinessReport,
  type ReportOptions,
  reportData,
  reportPassport,
} from '../../passports/readiness/report-passport.ts'
import { RULE_LEVELS } from '../../readiness/act.ts'
import { REPORT_DETAILS } from '../../readiness/report-json.ts'
import { getRules } from '../../readiness/rules.ts'
import { GATE_MODES, parseReadinessSettings } from '../../readiness/settings.ts'
import { categoryMember, choiceMember, dataMember, memberWithDefault, objectBody } from '../endpoint/body.ts'
import { MAX_PASSPORT_BYTES, MAX_SETTINGS_BYTES } from '../endpoint/body-limits.ts'
import {
  arrayOf,
  closedSchema,
  dataResponse,
  INTEGER,
  NULLABLE_TEXT,
  objectSchema,
  schemaRef,
  TEXT,
  TEXTS,
} from '../endpoint/documented-response.ts'
import { type ApiResponse, defineEndpoint, successJson } from '../endpoint/endpoint.ts'
import {
  choiceParameter,
  dateTimeParameter,
  type QueryValues,
  textParameter,
  withDefault,
} from '../endpoint/query-parameters.ts'
import { EXAMPLE_REPORT, EXAMPLE_SETTINGS, EXAMPLE_SUMS } from './examples.ts'
import { ACT_REPORT_SCHEMA, ACT_SUMS_SCHEMA, RULE_REPORT_SCHEMA } from './report-schemas.ts'

const REPORT_QUERY = {
  act: textParameter('Only this act, such as `eu.battery.passport`.', 100),
  as_of: dateTimeParameter('A day or moment that stands in place of today, in UTC.', '2027-02-18T00:00:00Z'),
  detail: withDefault(
    choiceParameter(
      '`summary`: the rules that are missing, met in part, or to be checked. `full`: every rule.',
      REPORT_DETAILS,
    ),
    'summary',
  ),
}

const readOptions = ({ act, as_of, detail }: QueryValues<typeof REPORT_QUERY>): ReportOptions => ({
  act,
  asOf: as_of?.toISOString().slice(0, 10),
  detail,
})

/** The report depends on the day, so no cache may store it. */
const respond = (value: ReadinessReport | object): ApiResponse => ({
  body: successJson(JSON.stringify(value)),
  headers: { 'cache-control': 'private, no-store' },
})

const DESCRIPTION =
  'For each act: what it wants, what the passport has, and what is missing. It is advice, not legal advice: `rules_version` is the day when the rules were last compared with the law.'

export const productReadiness = defineEndpoint({
  method: 'GET',
  path: '/products/:id/readiness',
  id: 'getProductReadiness',
  tag: 'readiness',
  summary: 'See what a product still needs',
  description: `${DESCRIPTION} A unit is judged by its own data and what it inherits.`,
  query: REPORT_QUERY,
  responses: {
    200: { ...dataResponse('The report.', 'ReadinessReport', EXAMPLE_REPORT), isIllustration: true },
  },
  async handle({ setup, account, path, query }) {
    return respond(await reportPassport(account, setup.addresses, path.id, readOptions(query)))
  },
})

export const accountReadiness = defineEndpoint({
  method: 'GET',
  path: '/readiness',
  id: 'getReadiness',
  tag: 'readiness',
  summary: 'See how many products are ready',
  isCostly: () => true,
  description:
    'For each act: how many active products of all levels fall under it, are ready, incomplete, or undetermined because something that decides is not known; and which rules they do not meet. The sums are kept for at most a minute; `computed_at` is their time. Advice, not legal advice.',
  query: { act: textParameter('Only this act, such as `eu.battery.passport`.', 100) },
  responses: {
    200: { ...dataResponse('The sums.', 'AccountReadiness', EXAMPLE_SUMS), isIllustration: true },
  },
  async handle({ account, query }) {
    const { acts, pending } = await sumReadiness(account, query.act)
    return respond({ acts, pending })
  },
})

const DATA_BODY = objectBody({
  category: categoryMember({ ...TEXT, description: 'Category of the product.' }),
  data: dataMember({ type: 'object', additionalProperties: true, description: 'The fields that are known.' }),
  level: memberWithDefault(choiceMember('What the data is about.', RULE_LEVELS), 'model'),
})

export const checkReadiness = defineEndpoint({
  method: 'POST',
  path: '/readiness',
  id: 'checkReadiness',
  tag: 'readiness',
  summary: 'See what data would still need',
  description: `${DESCRIPTION} Nothing is stored. A missing field is no error here, but a wrong type is.`,
  query: REPORT_QUERY,
  body: {
    maxBytes: MAX_PASSPORT_BYTES,
    schema: schemaRef('ReadinessCheck'),
    examples: {
      battery: {
        summary: 'A battery of which little is known yet',
        value: { category: 'battery', data: { batteryCategory: 'lmt', weightKg: 2.6 } },
      },
    },
    read: DATA_BODY.read,
  },
  responses: {
    200: {
      ...dataResponse('The report.', 'ReadinessReport', { ...EXAMPLE_REPORT, product_id: null }),
      isIllustration: true,
    },
  },
  async handle({ account, body, query }) {
    const { category, data, level } = body
    return respond(await reportData(account, { category, data, level }, readOptions(query)))
  },
})

export const readinessSettings = defineEndpoint({
  method: 'GET',
  path: '/readiness/settings',
  id: 'getReadinessSettings',
  tag: 'readiness',
  summary: 'Get the readiness settings',
  description: 'The acts that the account has opted in to, facts about the company, and the gate.',
  responses: {
    200: { ...dataResponse('The settings.', 'ReadinessSettings', EXAMPLE_SETTINGS), isIllustration: true },
  },
  async handle({ account }) {
    return respond(await getReadinessSettings(account))
  },
})

const settingsSchema = closedSchema(
  {
    acts: { ...TEXTS, description: 'Ids of acts that hold only for some companies, and hold for this one.' },
    parameters: {
      type: 'object',
      additionalProperties: { type: ['string', 'boolean'] },
      description: 'Facts about the company that acts ask for, such as `eudr_role`.',
    },
    gate: closedSchema(
      {
        acts: { ...TEXTS, description: 'The acts whose required rules must be met before publishing.' },
        on: {
          type: 'string',
          enum: GATE_MODES,
          description: '`drafts`: when a draft is published. `everything`: also for new products.',
        },
      },
      [],
    ),
  },
  [],
)

export const changeReadinessSettings = defineEndpoint({
  method: 'PUT',
  path: '/readiness/settings',
  id: 'putReadinessSettings',
  tag: 'readiness',
  summary: 'Set the readiness settings',
  description: 'Replaces all settings. What is left out gets its default.',
  body: {
    maxBytes: MAX_SETTINGS_BYTES,
    schema: schemaRef('ReadinessSettings'),
    examples: { france: { summary: 'A seller of textiles in France', value: EXAMPLE_SETTINGS } },
    read: (sent: unknown) => parseReadinessSettings(getRules(), sent),
  },
  responses: { 200: dataResponse('The settings.', 'ReadinessSettings', EXAMPLE_SETTINGS) },
  async handle({ account, body }) {
    await storeReadinessSettings(account, body)
    return respond(body)
  },
})

export const READINESS_SCHEMAS = {
  AccountReadiness: objectSchema({
    acts: arrayOf(schemaRef('ReadinessSums')),
    pending: {
      ...INTEGER,
      description:
        'Products whose data is not read yet, such as new ones. They are in no sum; ask again later.',
    },
  }),
  ReadinessSums: ACT_SUMS_SCHEMA,
  ReadinessReport: objectSchema({
    product_id: NULLABLE_TEXT,
    level: { type: 'string', enum: RULE_LEVELS },
    rules_version: {
      ...TEXT,
      format: 'date',
      description: 'When the rules were last compared with the law.',
    },
    acts: arrayOf(schemaRef('ReadinessAct')),
    notes: {
      ...arrayOf(objectSchema({ code: TEXT, field: TEXT, message: TEXT })),
      description: 'Values that contradict each other. Advice, never an error.',
    },
  }),
  ReadinessAct: ACT_REPORT_SCHEMA,
  ReadinessRule: RULE_REPORT_SCHEMA,
  ReadinessCheck: DATA_BODY.schema,
  ReadinessSettings: settingsSchema,
}
