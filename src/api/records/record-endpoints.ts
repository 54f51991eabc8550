/** The five endpoints of a record and its schemas, from the table of its members. */
import {
  changeRecord,
  createRecord,
  deleteRecord,
  getRecord,
  listRecords,
  type RecordStore,
} from '../../passports/core/store-records.ts'
import {
  listRecordMembers,
  type MemberType,
  type RecordType,
  type RecordValues,
  type StoredRecord,
} from '../../records/record.ts'
import { toRecordJson } from '../../records/record-json.ts'
import { buildRecordSchemas } from '../../records/record-schema.ts'
import {
  arrayOf,
  DATE_TIME,
  dataResponse,
  jsonResponse,
  objectSchema,
  schemaRef,
  TEXT,
} from '../endpoint/documented-response.ts'
import { type AccountEndpoint, defineEndpoint, successJson } from '../endpoint/endpoint.ts'
import { PATH_PARAMETERS } from '../endpoint/path-parameters.ts'

const EXAMPLE_TIME = '2026-11-24T09:30:00.000Z'

/** In the order of the documentation. */
export const defineRecordEndpoints = (store: RecordStore): readonly AccountEndpoint[] => [
  ...defineForAll(store),
  ...defineForOne(store),
]

function defineForAll(store: RecordStore): AccountEndpoint[] {
  const { type } = store
  const { names, max, documentation } = type
  const { name, list, create, newExample } = documentation
  const shared = { path: `/${names.many}`, tag: names.many }
  return [
    defineEndpoint({
      ...shared,
      method: 'GET',
      id: `list${name}s`,
      summary: `List ${names.many}`,
      description: list,
      responses: {
        200: {
          ...jsonResponse(`The ${names.many}.`, objectSchema({ data: arrayOf(schemaRef(name)) }), [
            buildExample(type),
          ]),
          isIllustration: true,
        },
      },
      handle: async ({ account }) => ({
        body: successJson(
          JSON.stringify((await listRecords(account, store)).map(one => toRecordJson(type, one))),
        ),
      }),
    }),
    defineEndpoint({
      ...shared,
      method: 'POST',
      id: `create${name}`,
      summary: `Add ${names.article} ${names.one}`,
      description: `${create} An account can have ${max} ${names.many}.`,
      body: describeBody(type, { schema: `New${name}`, ...newExample, value: type.example }),
      responses: { 201: describeRecord(type) },
      errors: ['plan_limit'],
      handle: async ({ account, body }) => respond(type, await createRecord(account, store, body), 201),
    }),
  ]
}

function defineForOne(store: RecordStore): AccountEndpoint[] {
  const { type } = store
  const { id, names, documentation } = type
  const { name, change, changeExample } = documentation
  const aRecord = `${names.article} ${names.one}`
  const shared = { path: `/${names.many}/:${id}`, tag: names.many, responses: { 200: describeRecord(type) } }
  const readId = ({ path }: { path: Readonly<Record<string, unknown>> }) => String(path[id])
  return [
    defineEndpoint({
      ...shared,
      method: 'GET',
      id: `get${name}`,
      summary: `Read ${aRecord}`,
      description: `One ${names.one} of the account.`,
      handle: async call => respond(type, await getRecord(call.account, store, readId(call))),
    }),
    defineEndpoint({
      ...shared,
      method: 'PATCH',
      id: `update${name}`,
      summary: `Change ${aRecord}`,
      description: change,
      body: describeBody(type, { schema: `${name}Change`, ...changeExample }),
      handle: async call =>
        respond(type, await changeRecord(call.account, store, { id: readId(call), sent: call.body })),
    }),
    defineEndpoint({
      ...shared,
      method: 'DELETE',
      id: `delete${name}`,
      summary: `Delete ${aRecord}`,
      description: `Answers with the ${names.one} as it was.`,
      handle: async call => respond(type, await deleteRecord(call.account, store, readId(call))),
    }),
  ]
}

/** The schemas of a new record, of a change of one, and of one that is read. */
export function defineRecordSchemas({ type }: RecordStore): Readonly<Record<string, object>> {
  const { name } = type.documentation
  const { change, created, properties } = buildRecordSchemas(type)
  return {
    [`New${name}`]: created,
    [`${name}Change`]: change,
    [name]: objectSchema({
      id: { ...TEXT, minLength: 26, maxLength: 26 },
      ...properties,
      created_at: DATE_TIME,
      updated_at: DATE_TIME,
    }),
  }
}

const respond = (type: RecordType, record: StoredRecord, status = 200) => ({
  status,
  body: successJson(JSON.stringify(toRecordJson(type, record))),
})

type Body = { schema: string; name: string; summary: string; value: RecordValues }

/** The operation checks the body, and reports everything that is wrong at once. */
const describeBody = ({ documentation }: RecordType, { schema, name, summary, value }: Body) => ({
  maxBytes: documentation.maxBytes,
  schema: schemaRef(schema),
  examples: { [name]: { summary, value } },
  read: (sent: unknown) => sent,
})

const describeRecord = (type: RecordType) =>
  ({
    ...dataResponse(`The ${type.names.one}.`, type.documentation.name, buildExample(type)),
    isIllustration: true,
  }) as const

const buildExample = ({ id, members, example }: RecordType) => ({
  id: PATH_PARAMETERS[id].example,
  ...Object.fromEntries(
    listRecordMembers(members).map(([name, { type }]) => [
      name,
      example[name] ?? EMPTY_EXAMPLES[type] ?? null,
    ]),
  ),
  created_at: EXAMPLE_TIME,
  updated_at: EXAMPLE_TIME,
})

const EMPTY_EXAMPLES: Readonly<Partial<Record<MemberType, unknown>>> = { countries: [], position: 0 }
