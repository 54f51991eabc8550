/** Adds a passkey to a signed-in person: the options for the browser, and its response. */
import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import { newUuid } from '../../kernel/crypto/ids.ts'
import { auditPerson } from '../account/audit.ts'
import { type OperatorContext, withTransaction } from '../account/context.ts'
import {
  BROWSER_TIMEOUT_MS,
  consumeChallenge,
  createChallenge,
  listCredentials,
  loadWebAuthn,
  parseCredential,
  type RelyingParty,
} from './passkey-challenges.ts'
import { MAX_PASSKEYS_PER_PERSON } from './passkeys.ts'

type Owner = { personId: string; email: string }

/** The options for `navigator.credentials.create`, as JSON. `serviceName` is what the device shows. */
export async function createPasskeyOptions(
  ctx: OperatorContext,
  owner: Owner,
  { rpId, serviceName }: RelyingParty & { serviceName: string },
): Promise<string> {
  const { generateRegistrationOptions } = await loadWebAuthn()
  const options = await generateRegistrationOptions({
    rpName: serviceName,
    rpID: rpId,
    userID: toUserHandle(owner.personId),
    userName: owner.email,
    userDisplayName: owner.email,
    challenge: await createChallenge(ctx, { purpose: 'add', personId: owner.personId }),
    timeout: BROWSER_TIMEOUT_MS,
    attestationType: 'none',
    excludeCredentials: await listCredentials(ctx, owner.personId),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  return JSON.stringify(options)
}

/** WebAuthn's user handle: the 16 bytes of the person's id. */
export const toUserHandle = (personId: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Buffer.from(personId.replaceAll('-', ''), 'hex'))

/** `refused`: the response is too old or invalid. `full`: the person has the maximum number of passkeys. */
type AddPasskeyResult = { id: string } | { problem: 'refused' | 'full' }

/** Stores the passkey of a browser's response (JSON of `navigator.credentials.create`). */
export async function addPasskey(
  ctx: OperatorContext,
  owner: Owner,
  input: { home: RelyingParty; answer: string; name: string },
): Promise<AddPasskeyResult> {
  const made = await verify(ctx, owner, input)
  if (made === undefined) return { problem: 'refused' }
  const now = ctx.clock.now()
  const id = newUuid(now.getTime())
  return withTransaction(ctx, async tx => {
    await tx.sql`select from person where id = ${owner.personId} for update`
    const [count] = await tx.sql<{ n: number }[]>`
      select count(*)::int as n from passkey where person_id = ${owner.personId}`
    if ((count?.n ?? 0) >= MAX_PASSKEYS_PER_PERSON) return { problem: 'full' }
    const kept = await tx.sql`
      insert into passkey (id, person_id, credential_id, public_key, counter, transports, name, created_at)
      values (${id}, ${owner.personId}, ${made.id}, ${Buffer.from(made.publicKey)}, ${made.counter},
        ${keepKnownTransports(made.transports)}, ${input.name}, ${now})
      on conflict (credential_id) do nothing returning id`
    if (kept.length === 0) return { problem: 'refused' }
    await auditPerson(tx, owner.personId, 'passkey_added', input.name)
    return { id }
  })
}

/** Only transports that WebAuthn defines are stored. */
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']
const keepKnownTransports = (sent: readonly string[] | undefined): string[] =>
  TRANSPORTS.filter(one => sent?.includes(one))

async function verify(
  ctx: OperatorContext,
  owner: Owner,
  { home, answer }: { home: RelyingParty; answer: string },
) {
  const response = parseCredential<RegistrationResponseJSON>(answer)
  const expectedChallenge =
    response && (await consumeChallenge(ctx, response, { purpose: 'add', personId: owner.personId }))
  if (response === undefined || expectedChallenge === undefined) return undefined
  const { verifyRegistrationResponse } = await loadWebAuthn()
  // The library throws for invalid and for unreadable responses alike.
  const checked = await verifyRegistrationResponse({
    response,
    expectedChallenge,
    expectedOrigin: home.origin,
    expectedRPID: home.rpId,
    requireUserVerification: true,
  }).catch(() => undefined)
  return checked?.verified ? checked.registrationInfo.credential : undefined
}
