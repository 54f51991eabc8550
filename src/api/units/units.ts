/** Batches and items: listed, issued one by one or in bulk, and changed by serial or lot. */
import { asObject } from '../../kernel/values/data-object.ts'
import { getPassport } from '../../passports/read/find.ts'
import { issueUnits, UNIT_LEVELS, type UnitsResult } from '../../passports/units/issue-units.ts'
import { UNIT_MEMBERS } from '../../passports/units/unit-members.ts'
import { updateUnits } from '../../passports/units/update-units.ts'
import {
  type BodyMember,
  choiceMember,
  invalidMember,
  membersReadLater,
  objectBody,
  rowsMember,
} from '../endpoint/body.ts'
import { MAX_BULK_BYTES } from '../endpoint/body-limits.ts'
import { closedSchema, jsonResponse, pageResponse, schemaRef } from '../endpoint/documented-response.ts'
import { type AccountCall, type ApiResponse, defineEndpoint } from '../endpoint/endpoint.ts'
import { STRICT } from '../endpoint/header-parameters.ts'
import { bulkError, bulkJson, bulkResultSchema, bulkWrittenSchema } from '../products/bulk-response.ts'
import { CHANGE_MEMBERS } from '../products/change-members.ts'
import {
  BATCH,
  CHANGED,
  exampleItem,
  exampleRecord,
  exampleSummary,
  LONGER_WARRANTY,
} from '../products/examples.ts'
import { respondWithUnits, UNIT_LIST_QUERY } from '../products/list-products.ts'
import { createdResponse, isStrict, WRITTEN_SCHEMA } from '../products/record-response.ts'

export const listChildren = defineEndpoint({
  method: 'GET',
  path: '/products/:id/children',
  id: 'listChildren',
  tag: 'units',
  summary: 'List the units under a product',
  description: 'Batches and items issued directly under a model or a batch, newest first.',
  query: UNIT_LIST_QUERY,
  responses: { 200: pageResponse('A page of units.', 'ProductSummary', [exampleSummary(BATCH)]) },
  async handle(call) {
    const parent = await getPassport(call.account, call.path.id)
    return respondWithUnits(call, parent.id)
  },
})

const choice = choiceMember('', UNIT_LEVELS)
const level: BodyMember<(typeof UNIT_LEVELS)[number]> = {
  schema: { type: 'string', enum: UNIT_LEVELS },
  isRequired: true,
  read(sent, name) {
    const found = choice.read(sent, name)
    if (found !== undefined) return found
    throw invalidMember(name, 'required', 'is missing; send batch or item.')
  },
}

const NEW_UNIT = {
  lot: UNIT_MEMBERS.lot.schema,
  serial: UNIT_MEMBERS.serial.schema,
  data: UNIT_MEMBERS.data.schema,
}
/** A change is of data, so that must not be null. */
const CHANGED_UNIT = { ...NEW_UNIT, data: { ...NEW_UNIT.data, type: 'object' } }

const ONE_UNIT = objectBody({ level, ...membersReadLater(UNIT_MEMBERS) })
const MANY_UNITS = objectBody({ level, items: rowsMember('units', closedSchema(NEW_UNIT, [])) })

export const createUnits = defineEndpoint({
  method: 'POST',
  path: '/products/:id/children',
  id: 'createChildren',
  tag: 'units',
  summary: 'Issue batches or items',
  description:
    'One unit, or up to 500 in `items`. A unit inherits the current data of its model or batch and sends only its own fields. In bulk, valid rows are stored and rejected rows are listed under `errors`. The call fails only if no row could be stored.',
  takesDryRun: true,
  isBulk: true,
  requestHeaders: [STRICT],
  body: {
    maxBytes: MAX_BULK_BYTES,
    schema: { anyOf: [schemaRef('NewUnit'), schemaRef('NewUnits')] },
    examples: {
      batch: { summary: 'One batch', value: { level: 'batch', lot: '2026-11' } },
      item: { summary: 'One item', value: { level: 'item', serial: 'SN0001' } },
      bulk: {
        summary: 'Several items, one with a field of its own',
        value: {
          level: 'item',
          items: [{ serial: 'SN0001' }, { serial: 'SN0002', data: { countryOfManufacture: 'AT' } }],
        },
      },
    },
    read(sent) {
      if (!Object.hasOwn(asObject(sent), 'items')) {
        return { level: ONE_UNIT.read(sent).level, units: [sent], isOne: true }
      }
      const { level, items } = MANY_UNITS.read(sent)
      return { level, units: items, isOne: false }
    },
  },
  responses: {
    201: jsonResponse(
      'The unit, or the result of each row.',
      { anyOf: [WRITTEN_SCHEMA, bulkWrittenSchema('CreatedUnits')] },
      exampleRecord(BATCH),
      ['ETag', 'Location'],
    ),
  },
  errors: ['archived', 'plan_limit'],
  async handle(call) {
    const { level, units, isOne } = call.body
    const result = await issueUnits(call.account, {
      parentUuid: call.path.id,
      level,
      units,
      bulk: !isOne,
      strict: isStrict(call),
      dryRun: call.isDryRun,
    })
    return isOne ? createdUnitResponse(call, result) : createdUnitsResponse(call, result)
  },
})

function createdUnitResponse(call: AccountCall, { created: [unit], errors: [failed] }: UnitsResult) {
  if (unit === undefined) throw failed?.error ?? new Error('one unit was neither issued nor rejected')
  const passport = { ...unit.passport, data: JSON.stringify(unit.data) }
  const meta = call.isDryRun ? { dry_run: true } : {}
  return createdResponse(call, { passport, warnings: unit.warnings }, meta)
}

function createdUnitsResponse(call: AccountCall, { created, errors }: UnitsResult): ApiResponse {
  if (created.length === 0) throw bulkError(errors, 'No unit could be created')
  return { status: 201, body: bulkJson(call, { created }, errors) }
}

const UNIT_CHANGES = objectBody({
  items: rowsMember('units', closedSchema(CHANGED_UNIT, ['data'])),
  ...CHANGE_MEMBERS,
})

export const changeUnits = defineEndpoint({
  method: 'POST',
  path: '/products/:id/children/update',
  id: 'updateChildren',
  tag: 'units',
  summary: 'Change many units',
  description:
    'Up to 500 in a call, each found by its serial or lot; for example the state of health of a whole fleet. Valid rows are stored, and rejected rows are reported.',
  takesDryRun: true,
  isBulk: true,
  requestHeaders: [STRICT],
  body: {
    maxBytes: MAX_BULK_BYTES,
    ...UNIT_CHANGES,
    examples: {
      warranty: {
        summary: 'A longer warranty for one item',
        value: {
          items: [{ serial: 'SN0001', data: LONGER_WARRANTY }],
          note: 'Longer for this customer',
        },
      },
    },
  },
  responses: {
    200: jsonResponse('The result of each row.', bulkWrittenSchema('UpdatedUnits'), {
      updated: [{ index: 0, ...exampleSummary({ ...exampleItem('SN0001'), ...CHANGED }) }],
      errors: [],
      summary: { requested: 1, updated: 1, failed: 0 },
    }),
  },
  async handle(call) {
    const { items: units, change_type: changeType, note } = call.body
    const { updated, errors } = await updateUnits(call.account, {
      parentUuid: call.path.id,
      units,
      changeType,
      note,
      strict: isStrict(call),
      dryRun: call.isDryRun,
    })
    if (updated.length === 0) throw bulkError(errors, 'No unit could be changed')
    const rows = updated.map(({ index, written }) => ({ index, ...written }))
    return { body: bulkJson(call, { updated: rows }, errors) }
  },
})

export const UNIT_SCHEMAS = {
  NewUnit: ONE_UNIT.schema,
  NewUnits: MANY_UNITS.schema,
  CreatedUnits: bulkResultSchema('created'),
  UpdatedUnits: bulkResultSchema('updated'),
}
