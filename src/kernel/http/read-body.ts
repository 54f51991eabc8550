/** Reads the body of a request, up to a limit. All bodies but files enter here. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { AppError } from '../errors.ts'
import { joinChunks } from '../join-chunks.ts'
import { BodiesInFlight } from './bodies-in-flight.ts'

/** `maxBytes`: larger bodies are refused, if possible before they are read. */
export type BodyToRead = {
  request: BodyRequest
  body: Readable
  maxBytes: number
  /** Whose share of the memory the body takes besides that of its network. */
  accountId?: number | undefined
}

type BodyRequest = {
  headers: IncomingHttpHeaders
  ownAddress: string | undefined
  response: ServerResponse | null
}

/** Of the whole process, because its memory is. */
export const bodiesInFlight = new BodiesInFlight()

/**
 * Throws `payload_too_large`, `bad_request` for a body that is not as long as it says, and `unavailable` if
 * too many bytes are in memory. After an error the rest is discarded, so that the connection stays usable.
 */
export async function readBody({ request, body, maxBytes, accountId }: BodyToRead): Promise<Buffer> {
  const { headers, response } = request
  const announced = headers['content-length'] === undefined ? undefined : Number(headers['content-length'])
  if (announced !== undefined && announced > maxBytes) throw bodyTooLarge(maxBytes)
  const hold = bodiesInFlight.track({ request, accountId, response })
  const chunks: Buffer[] = []
  let size = 0
  await readChunks(body, chunk => {
    size += chunk.length
    if (size > maxBytes) throw bodyTooLarge(maxBytes)
    hold(size)
    chunks.push(chunk)
  })
  if (announced !== undefined && announced !== size) {
    throw new AppError('bad_request', 'The body is not as long as Content-Length says.')
  }
  // A copy, because a chunk would keep the whole buffer that the socket was read into.
  return joinChunks(chunks, size)
}

/** Iterating over the stream would destroy it, and its connection, after an error. */
function readChunks(body: Readable, onChunk: (chunk: Buffer) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const stop = () => body.off('data', onData).off('end', resolve).off('error', onError)
  const onError = (error: Error) => reject(error instanceof AppError ? error : connectionEnded())
  const onData = (chunk: Buffer) => {
    try {
      onChunk(chunk)
    } catch (error) {
      reject(error)
    }
  }
  body.on('data', onData).on('end', resolve).on('error', onError)
  return promise.finally(stop)
}

const connectionEnded = () => new AppError('bad_request', 'The connection ended before the body did.')

export const bodyTooLarge = (maxBytes: number) =>
  new AppError('payload_too_large', `The body is too large: at most ${formatByteLimit(maxBytes)} here.`)

/** A limit in the largest unit of which it is a whole number. */
export function formatByteLimit(bytes: number): string {
  if (bytes % 1024 ** 2 === 0) return `${bytes / 1024 ** 2} MiB`
  return bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} bytes`
}
