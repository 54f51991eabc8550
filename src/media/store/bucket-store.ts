/** Objects in a bucket that understands S3. The operator chose the address, so it is not guarded. */
import { AwsClient } from 'aws4fetch'
import type { MediaPlace } from '../../kernel/config/environment-reader.ts'
import { unavailable } from '../../kernel/errors/errors.ts'
import { type ByteRange, formatRange, type ReadRange, resolveRange, sliceRange } from './byte-range.ts'
import type { MediaStore } from './media-store.ts'

const TIMEOUT_MS = 15_000
const RETRIES = 2

type Answer = { status: number; isOk: boolean; headers: Headers; body: Buffer }

/** An overloaded or restarting server, after the retries: not a fault of ours, nor of the settings. */
const isBusy = (status: number): boolean => status === 429 || status >= 500

/** Without its bucket, no object is there, and that is a wrong setting. */
const isMissingObject = ({ status, body }: Answer): boolean =>
  status === 404 && !body.includes('<Code>NoSuchBucket</Code>')

export function openBucket(place: Extract<MediaPlace, { bucket: string }>): MediaStore {
  const { bucket, endpoint, prefix, ...credentials } = place
  const client = new AwsClient({ ...credentials, service: 's3', retries: RETRIES })
  const send = (key: string, options: RequestInit) =>
    fetchUrl(`${endpoint}/${bucket}/${prefix}${key}`, options)
  const fetchUrl = async (url: string, options: RequestInit): Promise<Answer> => {
    try {
      const response = await client.fetch(url, { ...options, signal: AbortSignal.timeout(TIMEOUT_MS) })
      const body = Buffer.from(await response.arrayBuffer())
      const { status, ok: isOk, headers } = response
      if (!isBusy(status)) return { status, isOk, headers, body }
    } catch {
      // The network failed, perhaps in the middle of the body.
    }
    throw unavailable(
      'The store of pictures and documents cannot be reached right now; try again in a moment.',
    )
  }
  const requireSuccess = ({ status, isOk, body }: Answer): Buffer => {
    if (isOk) return body
    throw new Error(`the bucket ${bucket} answered ${status}: ${body.toString().slice(0, 500)}`)
  }
  return {
    place: `${endpoint}/${bucket}/${prefix}`,
    async write(key, bytes, type) {
      const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      requireSuccess(await send(key, { method: 'PUT', body, headers: { 'content-type': type } }))
    },
    async read(key) {
      const answer = await send(key, {})
      return isMissingObject(answer) ? undefined : requireSuccess(answer)
    },
    async readRange(key, range) {
      const answer = await send(key, { headers: { range: `bytes=${formatRange(range)}` } })
      if (isMissingObject(answer)) return undefined
      if (answer.status === 416) {
        // S3 does not say here how long the object is.
        const head = await send(key, { method: 'HEAD' })
        requireSuccess(head)
        return { bytes: Buffer.alloc(0), from: 0, size: Number(head.headers.get('content-length')) }
      }
      const sent = requireSuccess(answer)
      const part = findReadRange(answer, range)
      if (part !== undefined) return part
      // The server ignores ranges, or has sent another one: some do not understand `-10`.
      const whole = answer.status === 206 ? requireSuccess(await send(key, {})) : sent
      const { bytes, from, size } = sliceRange(whole, range)
      // A copy lets go of the other bytes.
      return { bytes: Buffer.from(bytes), from, size }
    },
    async delete(key) {
      const answer = await send(key, { method: 'DELETE' })
      if (!isMissingObject(answer)) requireSuccess(answer)
    },
    async *listKeys() {
      let token: string | undefined
      do {
        const query = new URLSearchParams({ 'list-type': '2', prefix })
        if (token !== undefined) query.set('continuation-token', token)
        const page = requireSuccess(await fetchUrl(`${endpoint}/${bucket}?${query}`, {})).toString()
        for (const key of readTexts(page, 'Key')) yield key.slice(prefix.length)
        token = readTexts(page, 'NextContinuationToken')[0]
      } while (token !== undefined)
    },
  }
}

/** Undefined if the bytes are others than those of the range. */
function findReadRange({ headers, body }: Answer, range: ByteRange): ReadRange | undefined {
  const [, from = '', to = '', size = ''] =
    /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? []
  const wanted = resolveRange(range, Number(size))
  const isWanted = wanted?.from === Number(from) && wanted.end === Number(to) + 1
  if (!isWanted || body.length !== wanted.end - wanted.from) return undefined
  return { bytes: body, from: wanted.from, size: Number(size) }
}

const XML_CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** The texts of the elements of this name. */
const readTexts = (xml: string, name: string): string[] =>
  Array.from(xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g')), ([, text = '']) =>
    text.replace(/&(\w+);/g, (all, entity: string) => XML_CHARACTERS[entity] ?? all),
  )
