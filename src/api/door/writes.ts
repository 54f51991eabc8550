/** Handles requests that write. Reports the errors of query, `Idempotency-Key` and body together. */
import type { FastifyRequest } from 'fastify'
import { collectErrors } from '../../kernel/errors/collect-errors.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { asObject } from '../../kernel/values/data-object.ts'
import { callAtProduct, handleAtProduct } from '../endpoint/at-product.ts'
import type { AccountCall, AccountEndpoint, ApiResponse } from '../endpoint/endpoint.ts'
import { handleIdempotently, parseIdempotencyKey } from '../endpoint/idempotency.ts'
import { type RawPath, readPath } from '../endpoint/path-parameters.ts'
import { type RawQuery, readQuery } from '../endpoint/query-parameters.ts'

/** A request before its values are checked. */
export type RawInput = { params: RawPath; query: RawQuery; body: unknown }

/** Throws `validation` with all errors. A dry run changes nothing, so its key is not stored. */
export async function handleWrite(
  endpoint: AccountEndpoint,
  call: AccountCall,
  { request, sent }: { request: FastifyRequest; sent: RawInput },
): Promise<ApiResponse> {
  const key = parseIdempotencyKey(request)
  const handle = (prepared: AccountCall) => checkAndRun(endpoint, prepared, sent, key)
  if (key === undefined || key instanceof AppError || sent.query.dry_run === 'true') return handle(call)
  // If another request has used the key, that error is reported alone.
  return handleIdempotently(request, call, {
    key,
    handle,
    storesIdempotencyRecord: endpoint.storesIdempotencyRecord,
  })
}

async function checkAndRun(
  endpoint: AccountEndpoint,
  call: AccountCall,
  sent: RawInput,
  key: string | AppError | undefined,
): Promise<ApiResponse> {
  let query: ReturnType<typeof readQuery>
  try {
    query = readQueryAndKey(endpoint, sent, key)
  } catch (error) {
    // Without a dry run, the rest cannot be checked without writing.
    throw endpoint.takesDryRun ? addError(error, await findErrorsByDryRun(endpoint, call, sent)) : error
  }
  return runWithInput(endpoint, { ...call, isDryRun: query.dry_run === true }, { sent, query })
}

function readQueryAndKey({ query }: AccountEndpoint, sent: RawInput, key: string | AppError | undefined) {
  if (!(key instanceof AppError)) return readQuery(sent.query, query)
  return collectErrors({
    query: () => readQuery(sent.query, query),
    key: rethrow(key),
  }).query
}

const rethrow = (thrown: unknown) => () => {
  throw thrown
}

async function runWithInput(
  endpoint: AccountEndpoint,
  call: AccountCall,
  { sent, query }: { sent: RawInput; query: ReturnType<typeof readQuery> },
): Promise<ApiResponse> {
  let input: ReturnType<typeof readPathAndBody>
  try {
    input = readPathAndBody(endpoint, sent)
  } catch (error) {
    const { body } = endpoint
    if (body?.findNestedError === undefined) throw error
    const path = readPath(endpoint.pathParameterNames, sent.params)
    const at = await callAtProduct({ ...call, path })
    throw addError(error, await body.findNestedError(at, asObject(sent.body)))
  }
  return handleAtProduct(endpoint, { ...call, query, path: input.path, body: input.body })
}

const readPathAndBody = ({ pathParameterNames, body }: AccountEndpoint, sent: RawInput) =>
  collectErrors({ path: () => readPath(pathParameterNames, sent.params), body: () => body?.read(sent.body) })

/** The further errors of a request whose query or key is invalid, found by a dry run. */
async function findErrorsByDryRun(
  endpoint: AccountEndpoint,
  call: AccountCall,
  sent: RawInput,
): Promise<AppError | undefined> {
  try {
    const query = readQuery({}, endpoint.query)
    await runWithInput(endpoint, { ...call, isDryRun: true }, { sent, query })
    return undefined
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return error.code === 'validation' ? error : undefined
  }
}

/** One error with the details of both; `error` itself if there is no other. */
function addError(error: unknown, other: AppError | undefined): unknown {
  if (other === undefined) return error
  try {
    return collectErrors({ error: rethrow(error), other: rethrow(other) })
  } catch (both) {
    return both
  }
}
