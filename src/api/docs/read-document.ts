/** Reads the OpenAPI document for the reference page, which shows what the document says and nothing else. */

import type { DescribedOperation } from './operation.ts'
import type { Parameter, Schema } from './schema.ts'

type Ref = { $ref: string }
type Content = Readonly<
  Record<
    string,
    {
      schema: Schema
      example?: unknown
      examples?: Readonly<Record<string, { summary: string; value: unknown }>>
    }
  >
>
type Response = { description: string; content?: Content }
type Operation = {
  operationId: string
  summary: string
  description: string
  tags: readonly string[]
  security?: readonly unknown[]
  parameters: readonly (Parameter | Ref)[]
  requestBody?: { required: boolean; content: Content }
  responses: Readonly<Record<string, Response | Ref>>
}

export type ApiDocument = {
  info: { version: string; description: string }
  servers: readonly { url: string }[]
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  webhooks: Readonly<Record<string, { post: Operation }>>
  components: {
    parameters: Readonly<Record<string, Parameter>>
    schemas: Readonly<Record<string, Schema>>
  }
}

const JSON_TYPE = 'application/json'
const lastPart = ({ $ref }: Ref) => $ref.slice($ref.lastIndexOf('/') + 1)

/** The operations with a tag, in the order of the document. */
export function listOperations(document: ApiDocument, tag: string): readonly DescribedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => readOperation(document, path, method, operation)),
  )
}

function readOperation(
  document: ApiDocument,
  path: string,
  method: string,
  operation: Operation,
): DescribedOperation {
  const { operationId, summary, description, requestBody } = operation
  const content = requestBody?.content[JSON_TYPE]
  return {
    method: method.toUpperCase(),
    path,
    operationId,
    summary,
    description,
    needsKey: operation.security === undefined,
    parameters: resolveParameters(document, operation),
    body: content && {
      required: requestBody?.required ?? false,
      schema: resolveSchema(document, content.schema),
      examples: Object.values(content.examples ?? {}),
    },
    ...readResponses(operation),
  }
}

/** Resolves the references of a body, so that the page shows it in full. */
function resolveSchema(document: ApiDocument, schema: Schema): Schema {
  const { $ref, oneOf, anyOf } = schema
  if ($ref !== undefined) {
    const named = document.components.schemas[lastPart({ $ref })]
    return named === undefined ? schema : resolveSchema(document, named)
  }
  const choices = (oneOf ?? anyOf)?.map(choice => resolveSchema(document, choice))
  return choices === undefined ? schema : { ...schema, oneOf: choices }
}

const resolveParameters = (document: ApiDocument, operation: Operation): Parameter[] =>
  operation.parameters.flatMap(parameter =>
    '$ref' in parameter ? (document.components.parameters[lastPart(parameter)] ?? []) : parameter,
  )

/** The name of an error response is its codes, separated by dots. */
function readResponses({ responses }: Operation): Pick<DescribedOperation, 'successes' | 'errors'> {
  const all = Object.entries(responses)
  return {
    errors: all.flatMap(([status, response]) =>
      '$ref' in response ? [{ status, codes: lastPart(response).split('.') }] : [],
    ),
    successes: all.flatMap(([status, response]) => {
      if ('$ref' in response) return []
      const { description, content = {} } = response
      const [type, body] = Object.entries(content)[0] ?? []
      return [{ status, description, type, schema: body?.schema, example: body?.example }]
    }),
  }
}

export type DescribedEvent = {
  name: string
  id: string
  summary: string
  description: string
  schema: Schema
  example: unknown
}

export const listWebhookEvents = (document: ApiDocument): readonly DescribedEvent[] =>
  Object.entries(document.webhooks).flatMap(([name, { post }]) => {
    const content = post.requestBody?.content[JSON_TYPE]
    const { operationId: id, summary, description } = post
    return content
      ? [{ name, id, summary, description, schema: content.schema, example: content.example }]
      : []
  })

export const listEventHeaders = (document: ApiDocument): readonly Parameter[] => {
  const [first] = Object.values(document.webhooks)
  return first === undefined ? [] : resolveParameters(document, first.post)
}
