/** Signs in with a passkey. The device names the person, so no e-mail is typed and none can be guessed. */
import type { AuthenticationResponseJSON, WebAuthnCredential } from '@simplewebauthn/server'
import type { OperatorContext } from '../account/context.ts'
import { toUserHandle } from './add-passkey.ts'
import {
  countChallenge,
  countPasskeyAttempt,
  type Throttled,
  uncountPasskeyAttempt,
} from './network-attempts.ts'
import {
  BROWSER_TIMEOUT_MS,
  type ChallengePurpose,
  consumeChallenge,
  createChallenge,
  listCredentials,
  loadWebAuthn,
  parseCredential,
  type RelyingParty,
} from './passkey-challenges.ts'
import { createSession, type NewSession, renewSession, type Session } from './sessions.ts'

const ANY_PERSON: ChallengePurpose = { purpose: 'sign_in', personId: undefined }

/** The options for `navigator.credentials.get` (WebAuthn §5.5). */
export async function createSignInOptions(
  ctx: OperatorContext,
  { home, network }: { home: RelyingParty; network: string },
): Promise<{ options: object } | Throttled> {
  return countChallenge(ctx, network) ?? { options: await buildOptions(ctx, home, ANY_PERSON) }
}

/** Built without the library, which takes 200 ms to load: every sign-in page needs these options. */
const buildOptions = async (ctx: OperatorContext, { rpId }: RelyingParty, purpose: ChallengePurpose) => ({
  rpId,
  challenge: Buffer.from(await createChallenge(ctx, purpose)).toString('base64url'),
  timeout: BROWSER_TIMEOUT_MS,
  userVerification: 'required',
})

/** `answer`: the JSON result of `navigator.credentials.get`. */
type PasskeyAnswer = { home: RelyingParty; answer: string; network: string }

/** Creates a session for a valid response to an unused challenge. */
export const signInWithPasskey = (
  ctx: OperatorContext,
  input: PasskeyAnswer & { replaces: string | undefined },
): Promise<NewSession | { problem: 'wrong' } | Throttled> =>
  usePasskey(ctx, input, ANY_PERSON, ({ personId, id: passkeyId }) =>
    createSession(ctx, { personId, passkeyId, replaces: input.replaces }),
  )

/** The options to confirm the identity of a signed-in person, with their own passkeys only. */
export async function createProofOptions(
  ctx: OperatorContext,
  { personId, home }: { personId: string; home: RelyingParty },
): Promise<object> {
  const options = await buildOptions(ctx, home, { purpose: 'prove', personId })
  const own = await listCredentials(ctx, personId)
  return { ...options, allowCredentials: own.map(one => ({ type: 'public-key', ...one })) }
}

/** Renews the session after a confirmation with a passkey, and returns its new token. */
export const proveByPasskey = (
  ctx: OperatorContext,
  session: Session,
  input: PasskeyAnswer,
): Promise<{ token: string } | { problem: 'wrong' } | Throttled> =>
  usePasskey(ctx, input, { purpose: 'prove', personId: session.personId }, async ({ personId }) => {
    const token = personId === session.personId ? await renewSession(ctx, session) : undefined
    return token === undefined ? undefined : { token }
  })

/**
 * Counts an attempt, unless the passkey is right and `use` returns something. Passkeys are looked up first:
 * a registered one has attempts of its own, which nobody else can use up.
 */
async function usePasskey<T>(
  ctx: OperatorContext,
  input: PasskeyAnswer,
  purpose: ChallengePurpose,
  use: (passkey: Passkey) => Promise<T | undefined>,
): Promise<T | { problem: 'wrong' } | Throttled> {
  const { home, answer, network } = input
  const response = parseCredential<AuthenticationResponseJSON>(answer)
  const passkey = typeof response?.id === 'string' ? await findPasskey(ctx, response.id) : undefined
  const source = { network, passkeyId: passkey?.id }
  const throttled = countPasskeyAttempt(ctx, source)
  if (throttled !== undefined) return throttled
  if (response === undefined || passkey === undefined) return { problem: 'wrong' }
  const isValid = await verifyAnswer(ctx, { home, response, purpose, passkey })
  const result = isValid ? await use(passkey) : undefined
  if (result === undefined) return { problem: 'wrong' }
  uncountPasskeyAttempt(ctx, source)
  return result
}

type SignedAnswer = {
  home: RelyingParty
  response: AuthenticationResponseJSON
  purpose: ChallengePurpose
  passkey: Passkey
}

/** Returns true if the response answers a challenge of this purpose. Records the use. */
async function verifyAnswer(ctx: OperatorContext, signed: SignedAnswer): Promise<boolean> {
  const { response, purpose, passkey } = signed
  // A browser that got a list of accepted passkeys need not name the person.
  const isNamed = response.response?.userHandle !== undefined || purpose.purpose === 'sign_in'
  if (isNamed && !isOwnHandle(response, passkey.personId)) return false
  const counter = await verify(ctx, signed)
  return counter !== undefined && (await recordUse(ctx, passkey.id, counter))
}

type Passkey = { id: string; personId: string; credential: WebAuthnCredential }

async function findPasskey(ctx: OperatorContext, credentialId: string): Promise<Passkey | undefined> {
  if (!/^[\w-]{1,1400}$/.test(credentialId)) return undefined
  const [row] = await ctx.sql<
    { id: string; person_id: string; public_key: Buffer; counter: number; transports: string[] }[]
  >`
    select id, person_id, public_key, counter, transports from passkey where credential_id = ${credentialId}`
  if (row === undefined) return undefined
  const { id, counter, transports } = row
  const publicKey = Uint8Array.from(row.public_key)
  return { id, personId: row.person_id, credential: { id: credentialId, publicKey, counter, transports } }
}

/** WebAuthn §7.2, step 6: the user handle of a discoverable credential must be its owner's. */
function isOwnHandle({ response }: AuthenticationResponseJSON, personId: string): boolean {
  return response?.userHandle === Buffer.from(toUserHandle(personId)).toString('base64url')
}

/** The authenticator's new counter; undefined for an invalid response. */
async function verify(
  ctx: OperatorContext,
  { home, response, purpose, passkey }: SignedAnswer,
): Promise<number | undefined> {
  const expectedChallenge = await consumeChallenge(ctx, response, purpose)
  if (expectedChallenge === undefined) return undefined
  const { verifyAuthenticationResponse } = await loadWebAuthn()
  // The library throws for invalid and for unreadable responses alike.
  const checked = await verifyAuthenticationResponse({
    response,
    expectedChallenge,
    expectedOrigin: home.origin,
    expectedRPID: home.rpId,
    credential: passkey.credential,
    requireUserVerification: true,
  }).catch(() => undefined)
  return checked?.verified ? checked.authenticationInfo.newCounter : undefined
}

/** WebAuthn §7.2 step 22: a counter that does not grow reveals a cloned key. False if used. */
async function recordUse(ctx: OperatorContext, id: string, counter: number): Promise<boolean> {
  const noted = await ctx.sql`
    update passkey set counter = ${counter}, last_used_at = ${ctx.clock.now()}
    where id = ${id} and (counter < ${counter} or (counter = 0 and ${counter}::bigint = 0)) returning id`
  return noted.length === 1
}
