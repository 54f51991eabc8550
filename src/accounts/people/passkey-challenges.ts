/** The random challenges that browsers sign with a passkey. Each is valid for minutes and is used once. */
import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { sha256Hex } from '../../kernel/crypto/crypto.ts'
import { tryReadJson } from '../../kernel/text/strict-json.ts'
import type { OperatorContext } from '../account/context.ts'

/**
 * Not loaded by servers without passkeys: the library takes 26 MB. Nobody else is served for 220 ms
 * meanwhile, so answers without a valid challenge are refused before.
 */
export const loadWebAuthn = () => import('@simplewebauthn/server')

/** Call before the server serves anybody. Loads the library if somebody has a passkey; returns whether. */
export async function preloadWebAuthn(ctx: OperatorContext): Promise<boolean> {
  const stored = await ctx.sql`select from passkey limit 1`
  if (stored.length > 0) await loadWebAuthn()
  return stored.length > 0
}

/** The script of the sign-in page fetches a new one before this ends. */
export const CHALLENGE_LIFETIME_MS = 10 * 60_000
/** How long a browser waits for the person. */
export const BROWSER_TIMEOUT_MS = 5 * 60_000
const CHALLENGE_BYTES = 32

export type ChallengePurpose =
  | { purpose: 'sign_in'; personId: undefined }
  | { purpose: 'add' | 'prove'; personId: string }

/** The host that passkeys belong to and the origin they are used from (WebAuthn, "RP ID"). */
export type RelyingParty = { rpId: string; origin: string }

/** Undefined for IP addresses, and for plain http except localhost: browsers refuse passkeys there. */
export function findRelyingParty(publicUrl: string): RelyingParty | undefined {
  const { protocol, hostname, origin } = new URL(publicUrl)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  const isNumber = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
  if (isNumber || (protocol !== 'https:' && !isLocal)) return undefined
  return { rpId: hostname, origin }
}

export async function createChallenge(
  ctx: OperatorContext,
  { purpose, personId }: ChallengePurpose,
): Promise<Uint8Array<ArrayBuffer>> {
  const now = ctx.clock.now()
  const challenge = Uint8Array.from(randomBytes(CHALLENGE_BYTES))
  await ctx.sql`
    with expired as (
      delete from passkey_challenge where hash in (
        select hash from passkey_challenge where expires_at <= ${now} limit 100 for update skip locked)
    )
    insert into passkey_challenge (hash, purpose, person_id, expires_at)
    values (${hashOf(challenge)}, ${purpose}, ${personId ?? null},
      ${new Date(now.getTime() + CHALLENGE_LIFETIME_MS)})`
  return challenge
}

/** The credentials of a person's passkeys, as options for browsers name them. */
export async function listCredentials(ctx: OperatorContext, personId: string) {
  const known = await ctx.sql<{ credential_id: string; transports: string[] }[]>`
    select credential_id, transports from passkey where person_id = ${personId}`
  return known.map(one => ({ id: one.credential_id, transports: one.transports }))
}

/** The browser's JSON if it is an object. The library checks its members. */
export function parseCredential<T>(text: string): T | undefined {
  const value: unknown = tryReadJson(text)
  return typeof value === 'object' && value !== null ? (value as T) : undefined
}

/**
 * The challenge (base64url) that the response signed, if it is valid for this purpose. It is used up in any
 * case.
 */
export async function consumeChallenge(
  ctx: OperatorContext,
  answer: { response?: { clientDataJSON?: unknown } },
  { purpose, personId }: ChallengePurpose,
): Promise<string | undefined> {
  const signed = answer.response?.clientDataJSON
  if (typeof signed !== 'string') return undefined
  const client = parseCredential<{ challenge?: unknown }>(Buffer.from(signed, 'base64url').toString('utf8'))
  const challenge = client?.challenge
  if (typeof challenge !== 'string') return undefined
  const taken = await ctx.sql`
    delete from passkey_challenge where hash = ${hashOf(Buffer.from(challenge, 'base64url'))}
      and purpose = ${purpose} and person_id is not distinct from ${personId ?? null}::uuid
      and expires_at > ${ctx.clock.now()}
    returning hash`
  return taken.length === 1 ? challenge : undefined
}

const hashOf = (challenge: Uint8Array) => sha256Hex(Buffer.from(challenge).toString('base64url'))
