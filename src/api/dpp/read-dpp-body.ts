/** Reads the bodies of requests that write. */
import type { IncomingHttpHeaders } from 'node:http'
import { AppError, invalidField } from '../../kernel/errors/errors.ts'
import { MIN_LARGE_BODY_BYTES } from '../../kernel/http/read-body.ts'
import { readJsonInSteps } from '../../kernel/text/json-rows.ts'
import { readJson } from '../../kernel/text/strict-json.ts'
import { type DataObject, isObject } from '../../kernel/values/data-object.ts'
import { requireUtf8Json } from '../endpoint/require-utf8-json.ts'

/** `bytes`: undefined without a body. */
export type SentBody = { bytes: Buffer | undefined; headers: IncomingHttpHeaders }

/** Throws `bad_request`, `validation` with the place of each violation, or `unsupported_media_type`. */
export async function readDppBody({ bytes, headers }: SentBody): Promise<unknown> {
  requireUtf8Json(headers)
  if (bytes === undefined || bytes.length === 0) {
    throw new AppError('bad_request', 'The body is missing. Send JSON as application/json.')
  }
  return bytes.length >= MIN_LARGE_BODY_BYTES ? readJsonInSteps(bytes) : readJson(bytes)
}

/** The body as an object. Throws `validation` for anything else. */
export async function readDppObject(body: SentBody): Promise<DataObject> {
  const sent = await readDppBody(body)
  if (isObject(sent)) return sent
  throw invalidField([], 'type', 'The body must be a JSON object: a document in the compressed form.')
}
