/** Signs in with a passkey. The device names the person, so no e-mail is typed and none can be guessed. */
import type { AuthenticationResponseJSON, WebAuthnCredential } from '@simplewebauthn/server'
import type { OperatorContext } from '../context.ts'
import { toUserHandle } from './add-passkey.ts'
import {
  countChallenge,
  countNetworkAttempt,
  type Throttled,
  uncountNetworkAttempt,
} from './attempt-limits.ts'
import {
  BROWSER_TIMEOUT_MS,
  type ChallengePurpose,
  consumeChallenge,
  createChallenge,
  loadWebAuthn,
  parseCredential,
  type RelyingParty,
  undefinedIfThrown,
} from './passkey-challenges.ts'
import { createSession, type NewSession, renewSession, type Session } from './sessions.ts'

const ANY_PERSON: ChallengePurpose = { purpose: 'sign_in', personId: undefined }

/** The options for `navigator.credentials.get` (WebAuthn §5.5), or the seconds to wait when a network took too many. */
export async function createSignInOptions(
  ctx: OperatorContext,
  input: { home: RelyingParty; network: string },
): Promise<{ options: object } | Throttled> {
  const throttled = countChallenge(ctx, input.network)
  if (throttled !== undefined) return throttled
  const challenge = Buffer.from(await createChallenge(ctx, ANY_PERSON)).toString('base64url')
  // Without the library, which takes 200 ms to load: every sign-in page needs these options.
  return {
    options: { rpId: input.home.rpId, challenge, timeout: BROWSER_TIMEOUT_MS, userVerification: 'required' },
  }
}

type PasskeySignIn = {
  home: RelyingParty
  /** JSON of what `navigator.credentials.get` gave. */
  answer: string
  network: string
  replaces: string | undefined
}

type PasskeySignInResult = NewSession | { problem: 'wrong' } | Throttled

/** Creates a session for a valid response to an unused challenge. */
export async function signInWithPasskey(
  ctx: OperatorContext,
  input: PasskeySignIn,
): Promise<PasskeySignInResult> {
  const throttled = countNetworkAttempt(ctx, input.network)
  if (throttled !== undefined) return throttled
  const passkey = await verifyAnswer(ctx, input, ANY_PERSON)
  if (passkey === undefined) return { problem: 'wrong' }
  const { personId, id: passkeyId } = passkey
  const session = await createSession(ctx, { personId, passkeyId, replaces: input.replaces })
  if (session === undefined) return { problem: 'wrong' }
  uncountNetworkAttempt(ctx, input.network)
  return session
}

/** The options for a signed-in person who confirms their identity: only their own passkeys are accepted. */
export async function createProofOptions(
  ctx: OperatorContext,
  { personId, home }: { personId: string; home: RelyingParty },
): Promise<object> {
  const challenge = await createChallenge(ctx, { purpose: 'prove', personId })
  const known = await ctx.sql<{ credential_id: string; transports: string[] }[]>`
    select credential_id, transports from passkey where person_id = ${personId}`
  return {
    rpId: home.rpId,
    challenge: Buffer.from(challenge).toString('base64url'),
    timeout: BROWSER_TIMEOUT_MS,
    userVerification: 'required',
    allowCredentials: known.map(one => ({
      type: 'public-key',
      id: one.credential_id,
      transports: one.transports,
    })),
  }
}

/** Renews the session of a person who has confirmed their identity with a passkey, and returns its new token. */
export async function proveByPasskey(
  ctx: OperatorContext,
  session: Session,
  input: { home: RelyingParty; answer: string; network: string },
): Promise<{ token: string } | { problem: 'wrong' } | Throttled> {
  const throttled = countNetworkAttempt(ctx, input.network)
  if (throttled !== undefined) return throttled
  const passkey = await verifyAnswer(ctx, input, { purpose: 'prove', personId: session.personId })
  if (passkey === undefined || passkey.personId !== session.personId) return { problem: 'wrong' }
  const token = await renewSession(ctx, session)
  if (token === undefined) return { problem: 'wrong' }
  uncountNetworkAttempt(ctx, input.network)
  return { token }
}

/** The passkey of a valid response to a challenge of this purpose. */
async function verifyAnswer(
  ctx: OperatorContext,
  { home, answer }: { home: RelyingParty; answer: string },
  purpose: ChallengePurpose,
): Promise<Passkey | undefined> {
  const response = parseCredential<AuthenticationResponseJSON>(answer)
  const passkey = typeof response?.id === 'string' ? await findPasskey(ctx, response.id) : undefined
  if (response === undefined || passkey === undefined) return undefined
  // A browser that got a list of accepted passkeys need not name the person.
  const isNamed = response.response?.userHandle !== undefined || purpose.purpose === 'sign_in'
  if (isNamed && !isOwnHandle(response, passkey.personId)) return undefined
  const counter = await verify(ctx, { home, response, credential: passkey.credential, purpose })
  return counter !== undefined && (await recordUse(ctx, passkey.id, counter)) ? passkey : undefined
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

/** The authenticator's new counter; undefined when the response is invalid. */
async function verify(
  ctx: OperatorContext,
  input: {
    home: RelyingParty
    response: AuthenticationResponseJSON
    credential: WebAuthnCredential
    purpose: ChallengePurpose
  },
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await loadWebAuthn()
  const { home, response, credential, purpose } = input
  const { rpId, origin } = home
  const expectedChallenge = await consumeChallenge(ctx, response, purpose)
  if (expectedChallenge === undefined) return undefined
  return undefinedIfThrown(async () => {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      credential,
      requireUserVerification: true,
    })
    return verified ? authenticationInfo.newCounter : undefined
  })
}

/** WebAuthn §7.2, step 22: a counter that does not grow points to a cloned key. False for a counter already used. */
async function recordUse(ctx: OperatorContext, id: string, counter: number): Promise<boolean> {
  const noted = await ctx.sql`
    update passkey set counter = ${counter}, last_used_at = ${ctx.clock.now()}
    where id = ${id} and (counter < ${counter} or (counter = 0 and ${counter}::bigint = 0)) returning id`
  return noted.length === 1
}
