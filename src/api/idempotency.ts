/** `Idempotency-Key` on whatever changes something: every route but GET takes part, without knowing. */
import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { runIdempotent } from '../accounts/idempotency.ts'
import type { StoredResponse } from '../accounts/idempotency-record.ts'
import { isLongerThan } from '../kernel/characters.ts'
import { type AppError, type Detail, invalid } from '../kernel/errors.ts'
import type { AccountCall, AccountRoute, ApiResponse } from './endpoint/endpoint.ts'

const LONGEST_KEY = 200
const HEADER = 'idempotency-key'

const bodies = new WeakMap<FastifyRequest, Buffer>()

/** Remembers the bytes of a body for the comparison with a repetition of it. */
export function noteBody(request: FastifyRequest, bytes: Buffer): void {
  if (request.headers[HEADER] !== undefined) bodies.set(request, bytes)
}

/**
 * Answers a call by `work`, or, when its key has been used for the same request in the last 24 hours, as that was
 * answered. Throws what `runIdempotent` throws.
 */
export async function answerOnce(
  request: FastifyRequest,
  call: AccountCall,
  { key, handle, keepsReceipt }: Pick<AccountRoute, 'handle' | 'keepsReceipt'> & { key: string },
): Promise<ApiResponse> {
  const { answer, replayed } = await runIdempotent(
    call.account,
    { key, fingerprint: fingerprintOf(request) },
    {
      work: async account =>
        kept(await handle({ ...call, account, setup: { ...call.setup, sql: account.sql } })),
      keepsReceipt,
    },
  )
  if (!replayed) return answer
  return { ...answer, headers: { ...answer.headers, 'idempotency-replayed': 'true' } }
}

const kept = ({ status = 200, headers = {}, body }: ApiResponse): StoredResponse => ({
  status,
  headers,
  body: String(body),
})

/** Method, address with its query, and body, each as it was sent. */
function fingerprintOf(request: FastifyRequest): Buffer {
  const head = Buffer.from(`${request.method} ${request.raw.url ?? ''}\n`)
  return hash('sha256', Buffer.concat([head, bodies.get(request) ?? Buffer.alloc(0)]), 'buffer')
}

/**
 * 1 to 200 characters, sent once; undefined when there is none, its refusal when it cannot be one. Header bytes that
 * are UTF-8 count as the characters they spell.
 */
export function findKey(request: FastifyRequest): string | AppError | undefined {
  if (request.headers[HEADER] === undefined) return undefined
  const sent = String(request.headers[HEADER])
  const text = Buffer.from(sent, 'latin1').toString()
  const key = text.includes('\ufffd') ? sent : text
  const times = request.raw.rawHeaders.filter(
    (name, i) => i % 2 === 0 && name.toLowerCase() === HEADER,
  ).length
  if (times > 1)
    return fault('duplicate', 'The header Idempotency-Key is given more than once; send it once.')
  if (key.trim() === '' || isLongerThan(key, LONGEST_KEY)) {
    return fault('length', `The header Idempotency-Key must have 1 to ${LONGEST_KEY} characters.`)
  }
  if (/[\u0000-\u001f\u007f]/.test(key)) {
    return fault('format', 'The header Idempotency-Key has a control character; send plain text.')
  }
  return key
}

const fault = (code: Detail['code'], message: string) =>
  invalid([{ field: 'Idempotency-Key', pointer: '', code, message }])
