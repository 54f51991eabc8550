/** Reads the header `Idempotency-Key`, and replays the stored response of a repeated request. */
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { StoredResponse } from '../../accounts/account/idempotency-record.ts'
import { runIdempotent } from '../../accounts/idempotency/idempotency.ts'
import { yieldBetweenRows } from '../../kernel/concurrency/yield-to-event-loop.ts'
import { type AppError, type Detail, invalid } from '../../kernel/errors/errors.ts'
import { isLongerThan } from '../../kernel/values/characters.ts'
import type { AccountCall, ApiResponse } from './endpoint.ts'

const MAX_KEY_LENGTH = 200
const HEADER = 'idempotency-key'
/** Bytes that are hashed before other work may run. */
const HASH_STEP_BYTES = 512 * 1024

const bodies = new WeakMap<FastifyRequest, Buffer>()

/** Keeps the bytes of a body for the fingerprint, if the request has a key. Returns whether it has. */
export function keepBodyBytes(request: FastifyRequest, bytes: Buffer): boolean {
  const hasKey = request.headers[HEADER] !== undefined
  if (hasKey) bodies.set(request, bytes)
  return hasKey
}

type IdempotentCall = {
  key: string
  /** Called with the call's transaction, or with the idempotency record to store. */
  handle: (call: AccountCall) => Promise<ApiResponse>
  storesIdempotencyRecord: boolean | undefined
}

/**
 * Handles a call, or replays the response if its key was used for the same request in the last 24 hours.
 * Throws what `runIdempotent` throws.
 */
export async function handleIdempotently(
  request: FastifyRequest,
  call: AccountCall,
  { key, handle, storesIdempotencyRecord }: IdempotentCall,
): Promise<ApiResponse> {
  const { response, isReplayed } = await runIdempotent(
    call.account,
    { key, fingerprint: await fingerprintRequest(request) },
    {
      work: async account =>
        toStoredResponse(await handle({ ...call, account, setup: { ...call.setup, sql: account.sql } })),
      storesIdempotencyRecord,
    },
  )
  if (!isReplayed) return response
  return { ...response, headers: { ...response.headers, 'idempotency-replayed': 'true' } }
}

const toStoredResponse = ({ status = 200, headers = {}, body }: ApiResponse): StoredResponse => ({
  status,
  headers,
  body: String(body),
})

/** A hash of the method, the address with its query, and the body, as they were sent. */
async function fingerprintRequest(request: FastifyRequest): Promise<Buffer> {
  const hash = createHash('sha256').update(`${request.method} ${request.raw.url ?? ''}\n`)
  const bytes = bodies.get(request)
  if (bytes === undefined) return hash.digest()
  const pauseIfDue = yieldBetweenRows()
  for (let at = 0; at < bytes.length; at += HASH_STEP_BYTES) {
    if (at > 0) await pauseIfDue()
    hash.update(bytes.subarray(at, at + HASH_STEP_BYTES))
  }
  return hash.digest()
}

/**
 * The key of a request: undefined if none was sent, an error if it is invalid. A key in UTF-8 is decoded,
 * because Node reads headers as Latin-1.
 */
export function parseIdempotencyKey(request: FastifyRequest): string | AppError | undefined {
  if (request.headers[HEADER] === undefined) return undefined
  const sent = String(request.headers[HEADER])
  const text = Buffer.from(sent, 'latin1').toString()
  const key = text.includes('\ufffd') ? sent : text
  const count = request.raw.rawHeaders.filter(
    (name, i) => i % 2 === 0 && name.toLowerCase() === HEADER,
  ).length
  if (count > 1)
    return keyError('duplicate', 'The header Idempotency-Key is given more than once; send it once.')
  if (key.trim() === '' || isLongerThan(key, MAX_KEY_LENGTH)) {
    return keyError('length', `The header Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} characters.`)
  }
  if (/[\u0000-\u001f\u007f]/.test(key)) {
    return keyError('format', 'The header Idempotency-Key has a control character; send plain text.')
  }
  return key
}

const keyError = (code: Detail['code'], message: string) =>
  invalid([{ path: ['Idempotency-Key'], in: 'header', code, message }])
