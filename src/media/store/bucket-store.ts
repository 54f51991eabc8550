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
  const send = async (key: string, options: RequestInit): Promise<Response> => {
    const url = `${endpoint}/${bucket}/${prefix}${key}`
    try {
      return await client.fetch(url, { ...options, signal: AbortSignal.timeout(TIMEOUT_MS) })
    } catch {
      throw unavailable(
        'The store of pictures and documents cannot be reached right now; try again in a moment.',
      )
    }
  }
  const requireSuccess = async (response: Response): Promise<void> => {
    // A body that is not read keeps its connection.
    const body = await response.text()
    if (!response.ok)
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
  }
}
