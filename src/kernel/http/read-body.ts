/** Reads the body of a request, up to a limit. All bodies but files enter here. */
import { type IncomingHttpHeaders, IncomingMessage, type ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { FairTurns } from '../concurrency/fair-turns.ts'
import { releaseWithResponse } from '../concurrency/semaphore.ts'
import { AppError } from '../errors/errors.ts'
import { freeMemory } from '../values/free-memory.ts'
import { joinChunks } from '../values/join-chunks.ts'
import { BodiesInFlight } from './bodies-in-flight.ts'
import { getNetwork } from './network.ts'

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

/** For the whole process, because its memory is. */
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
  const collected = collectBody(announced, body)
  let size = 0
  let isLarge = announced !== undefined && announced >= MIN_LARGE_BODY_BYTES
  if (isLarge) await waitForLargeBody(request, accountId)
  await readChunks(body, chunk => {
    size += chunk.length
    if (size > maxBytes) throw bodyTooLarge(maxBytes)
    hold(size)
    collected.add(chunk)
    if (isLarge) return pauseSometimes(body, size, chunk)
    if (size < MIN_LARGE_BODY_BYTES) return
    isLarge = true
    body.pause()
    waitForLargeBody(request, accountId).finally(() => body.resume())
  })
  if (announced !== undefined && announced !== size) {
    throw new AppError('bad_request', 'The body is not as long as Content-Length says.')
  }
  return collected.take(size)
}

type CollectedBody = { add: (chunk: Buffer) => void; take: (size: number) => Buffer | Promise<Buffer> }

/**
 * A large body of known length is copied as it arrives: joining a megabyte at its end takes milliseconds of
 * the only thread. An announced length alone takes no memory, because none is written yet.
 */
function collectBody(announced: number | undefined, body: Readable): CollectedBody {
  if (announced === undefined || announced < MIN_LARGE_BODY_BYTES) {
    const chunks: Buffer[] = []
    // A copy, because a chunk would keep the whole buffer that the socket was read into.
    return { add: chunk => chunks.push(chunk), take: size => joinChunks(chunks, size) }
  }
  // Node copies the bytes of a request for the only reader of its body.
  const ownsChunks = body instanceof IncomingMessage
  const bytes = Buffer.allocUnsafeSlow(announced)
  let at = 0
  return {
    add(chunk) {
      if (at + chunk.length <= announced) bytes.set(chunk, at)
      at += chunk.length
      if (ownsChunks) freeMemory(chunk)
    },
    take: () => bytes,
  }
}

/** Node reads two megabytes of a connection at a time, which takes milliseconds. */
const TURN_BYTES = 256 * 1024

function pauseSometimes(body: Readable, size: number, { length }: Buffer): void {
  if (size % TURN_BYTES >= length) return
  body.pause()
  setImmediate(() => body.resume())
}

/** A smaller body takes less time than the look-ups around it. */
export const MIN_LARGE_BODY_BYTES = 64 * 1024
/** Less than a body may take to arrive. */
const MAX_WAIT_MS = 4_000

/** For a client without an account, who has no use for many large bodies. */
const MIN_ANONYMOUS_PAUSE_MS = 100

const largeBodies = new FairTurns({ capacity: 64, maxWaiting: 256 })

/**
 * Waits until an earlier large body of the same client is answered, if other clients are active: reading and
 * checking a few megabytes takes tens of milliseconds of the only thread. Never for long; nothing is refused.
 */
async function waitForLargeBody(
  { ownAddress, response }: BodyRequest,
  accountId: number | undefined,
): Promise<void> {
  if (response === null || (ownAddress === undefined && accountId === undefined)) return
  const key = `${accountId ?? ''} ${ownAddress === undefined ? '' : getNetwork(ownAddress, 56)}`
  const minPauseMs = accountId === undefined ? MIN_ANONYMOUS_PAUSE_MS : 0
  const groups = [{ name: key, max: 1, pauses: true, minPauseMs }]
  const turn = await largeBodies.acquire({
    key,
    groups,
    response,
    maxOfKey: 64,
    maxWaitMs: MAX_WAIT_MS,
  })
  if (typeof turn === 'function') releaseWithResponse(response, turn)
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
