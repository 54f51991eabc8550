/** Reads the OpenAPI document for the reference page: the page shows what the document says, not what the tables say. */

import type { Parameter } from '../endpoint/operation-parts.ts'
import type { DescribedOperation } from './operation.ts'
import type { Schema } from './schema.ts'

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

/** The operations that bear a tag, in the order of the document. */
export function listOperations(document: ApiDocument, tag: string): readonly DescribedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, one]) => one.tags.includes(tag))
      .map(([method, one]) => describe(document, path, method, one)),
  )
}

function describe(
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
    parameters: parametersOf(document, operation),
    ...(content && requestBody
      ? {
          body: {
            required: requestBody.required,
            schema: resolved(document, content.schema),
            examples: Object.values(content.examples ?? {}),
          },
        }
      : {}),
    ...responsesOf(operation),
  }
}

/** A body is shown in full; what it is made of has its own place on the page. */
function resolved(document: ApiDocument, schema: Schema): Schema {
  const { $ref, oneOf, anyOf } = schema
  if ($ref !== undefined) {
    const named = document.components.schemas[lastPart({ $ref })]
    return named === undefined ? schema : resolved(document, named)
  }
  const choices = (oneOf ?? anyOf)?.map(one => resolved(document, one))
  return choices === undefined ? schema : { ...schema, oneOf: choices }
}

const parametersOf = (document: ApiDocument, operation: Operation): Parameter[] =>
  operation.parameters.flatMap(one =>
    '$ref' in one ? (document.components.parameters[lastPart(one)] ?? []) : one,
  )

/** A refusal's component is named by the codes it can have, apart by dots. */
function responsesOf({ responses }: Operation): Pick<DescribedOperation, 'successes' | 'refusals'> {
  const all = Object.entries(responses)
  return {
    refusals: all.flatMap(([status, one]) =>
      '$ref' in one ? [{ status, codes: lastPart(one).split('.') }] : [],
    ),
    successes: all.flatMap(([status, one]) => {
      if ('$ref' in one) return []
      const [type, body] = Object.entries(one.content ?? {})[0] ?? []
      const { schema, example } = body ?? {}
      return [
        {
          status,
          description: one.description,
          ...(schema && type ? { schema, type } : {}),
          ...(example === undefined ? {} : { example }),
        },
      ]
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

/** The headers that come with every event. */
export const eventHeaders = (document: ApiDocument): readonly Parameter[] => {
  const [first] = Object.values(document.webhooks)
  return first === undefined ? [] : parametersOf(document, first.post)
}
