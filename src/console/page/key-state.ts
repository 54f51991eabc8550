/** Whether a key opens anything at a moment. */
import type { KeyRecord } from '../../accounts/keys/keys.ts'

const isExpired = (key: KeyRecord, now: Date) =>
  key.expires_at !== null && Date.parse(key.expires_at) <= now.getTime()

export const isInUse = (key: KeyRecord, now: Date) => key.revoked_at === null && !isExpired(key, now)
