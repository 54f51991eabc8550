/** Objects in a bucket that understands S3. The operator chose the address, so it is not guarded. */
import { AwsClient } from 'aws4fetch'
import type { MediaPlace } from '../../kernel/config/environment-reader.ts'
import { unavailable } from '../../kernel/errors.ts'
import type { MediaStore } from './media-store.ts'

const TIMEOUT_MS = 15_000
const RETRIES = 2

export function openBucket(place: Extract<MediaPlace, { bucket: string }>): MediaStore {
  const { bucket, endpoint, prefix, ...credentials } = place
  const client = new AwsClient({ ...credentials, service: 's3', retries: RETRIES })
  const send = (key: string, options: RequestInit) =>
    fetchUrl(`${endpoint}/${bucket}/${prefix}${key}`, options)
  const fetchUrl = async (url: string, options: RequestInit): Promise<Response> => {
    try {
      return await client.fetch(url, { ...options, signal: AbortSignal.timeout(TIMEOUT_MS) })
    } catch {
      throw unavailable(
        'The store of pictures and documents cannot be reached right now; try again in a moment.',
      )
    }
  }
  const requireSuccess = async (response: Response): Promise<string> => {
    // A body that is not read keeps its connection.
    const body = await response.text()
    if (response.ok) return body
    throw new Error(`the bucket ${bucket} answered ${response.status}: ${body.slice(0, 500)}`)
  }
  return {
    place: `${endpoint}/${bucket}/${prefix}`,
    async write(key, bytes, type) {
      const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      await requireSuccess(await send(key, { method: 'PUT', body, headers: { 'content-type': type } }))
    },
    async read(key) {
      const response = await send(key, {})
      if (response.ok) return Buffer.from(await response.arrayBuffer())
      if (response.status !== 404) await requireSuccess(response)
      await response.body?.cancel()
      return undefined
    },
    async delete(key) {
      const response = await send(key, { method: 'DELETE' })
      if (response.status === 404) await response.body?.cancel()
      else await requireSuccess(response)
    },
    async *listKeys() {
      let token: string | undefined
      do {
        const query = new URLSearchParams({ 'list-type': '2', prefix })
        if (token !== undefined) query.set('continuation-token', token)
        const page = await requireSuccess(await fetchUrl(`${endpoint}/${bucket}?${query}`, {}))
        for (const key of readTexts(page, 'Key')) yield key.slice(prefix.length)
        token = readTexts(page, 'NextContinuationToken')[0]
      } while (token !== undefined)
    },
  }
}

const XML_CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** The texts of the elements of this name. */
const readTexts = (xml: string, name: string): string[] =>
  Array.from(xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g')), ([, text = '']) =>
    text.replace(/&(\w+);/g, (all, entity: string) => XML_CHARACTERS[entity] ?? all),
  )
