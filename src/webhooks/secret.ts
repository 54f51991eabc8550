/** The secrets that signatures are made with: 32 random bytes, shown when they are made, sealed where they are kept. */
import { randomBytes } from 'node:crypto'
import type { Sealer } from '../kernel/sealing.ts'

const PREFIX = 'whsec_'
const BYTES = 32

/** How long a rotated secret's predecessor signs too. */
export const SECRET_OVERLAP_MS = 24 * 3_600_000

export const createWebhookSecret = (): string => PREFIX + randomBytes(BYTES).toString('base64')

/** What the secret of an endpoint is sealed for: it opens for no other. */
export const getSealingContext = (accountId: number, endpointId: string): string =>
  `webhook ${accountId} ${endpointId}`

export type SealedSecrets = {
  account_id: number
  id: string
  secret: Uint8Array
  old_secret: Uint8Array | null
  old_until: Date | null
  old_signs: boolean
}

/** `standard`: whose signatures stand in `webhook-signature`, newest first. `documented`: whose is in `X-Service-Signature`. */
export type SigningSecrets = { standard: readonly string[]; documented: string }

/** The secrets that sign at `now`, or undefined when they were sealed under a key that is not known here. */
export function openSecrets(sealer: Sealer, row: SealedSecrets, now: Date): SigningSecrets | undefined {
  const place = getSealingContext(row.account_id, row.id)
  const secret = sealer.open(row.secret, place)
  if (secret === undefined) return undefined
  const isOverlap = row.old_secret !== null && row.old_until !== null && now < row.old_until
  if (!isOverlap || row.old_secret === null) return { standard: [secret], documented: secret }
  const old = sealer.open(row.old_secret, place)
  if (old === undefined) return undefined
  return { standard: [secret, old], documented: row.old_signs ? old : secret }
}
