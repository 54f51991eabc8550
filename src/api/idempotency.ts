/** `Idempotency-Key` for every endpoint that writes. */
import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { runIdempotent } from '../accounts/idempotency.ts'
import type { StoredResponse } from '../accounts/idempotency-record.ts'
import { isLongerThan } from '../kernel/characters.ts'
import { type AppError, type Detail, invalid } from '../kernel/errors.ts'
import type { AccountCall, ApiResponse } from './endpoint/endpoint.ts'

const MAX_KEY_LENGTH = 200
const HEADER = 'idempotency-key'

const bodies = new WeakMap<FastifyRequest, Buffer>()

/** Keeps the bytes of a body for the fingerprint. */
export function keepBodyBytes(request: FastifyRequest, bytes: Buffer): void {
  if (request.headers[HEADER] !== undefined) bodies.set(request, bytes)
}

type IdempotentWork = {
  key: string
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
  { key, handle, storesIdempotencyRecord }: IdempotentWork,
): Promise<ApiResponse> {
  const { answer, replayed } = await runIdempotent(
    call.account,
    { key, fingerprint: fingerprintRequest(request) },
    {
      work: async account =>
        toStoredResponse(await handle({ ...call, account, setup: { ...call.setup, sql: account.sql } })),
      storesIdempotencyRecord,
    },
  )
  if (!replayed) return answer
  return { ...answer, headers: { ...answer.headers, 'idempotency-replayed': 'true' } }
}

const toStoredResponse = ({ status = 200, headers = {}, body }: ApiResponse): StoredResponse => ({
  status,
  headers,
  body: String(body),
})

/** The hash of the method, the address with its query, and the body, as they were sent. */
function fingerprintRequest(request: FastifyRequest): Buffer {
  const head = Buffer.from(`${request.method} ${request.raw.url ?? ''}\n`)
  return hash('sha256', Buffer.concat([head, bodies.get(request) ?? Buffer.alloc(0)]), 'buffer')
}

/**
 * The key of a request: undefined when none was sent, an error when it is invalid. Header bytes that are
 * valid UTF-8 are decoded.
 */
export function findIdempotencyKey(request: FastifyRequest): string | AppError | undefined {
  if (request.headers[HEADER] === undefined) return undefined
  const sent = String(request.headers[HEADER])
  const text = Buffer.from(sent, 'latin1').toString()
  const key = text.includes('\ufffd') ? sent : text
  const times = request.raw.rawHeaders.filter(
    (name, i) => i % 2 === 0 && name.toLowerCase() === HEADER,
  ).length
  if (times > 1)
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
