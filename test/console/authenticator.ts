/**
 * A software authenticator, as honest or dishonest as a test wants: ES256, `none` attestation, discoverable
 * credentials.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** False values that a browser or device could send; the server must detect each of them. */
export type Lies = {
  origin?: string
  rpId?: string
  challenge?: string
  /** Flags of the authenticator data: bit 0 means user present, bit 2 user verified. */
  flags?: number
  counter?: number
  userHandle?: string
  type?: string
  /** Signs with a different key. */
  forged?: boolean
}

export type Authenticator = {
  id: string
  /** The JSON result of `navigator.credentials.create` for options in JSON. */
  create: (options: string, lies?: Lies) => string
  /** The JSON result of `navigator.credentials.get` for options in JSON. */
  get: (options: string, lies?: Lies) => string
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest()

const PRESENT_AND_VERIFIED = 0b101
const HAS_CREDENTIAL = 0b1000000

export function newAuthenticator(origin: string): Authenticator {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const credentialId = randomBytes(32)
  const id = base64(credentialId)
  let handle = ''
  let counter = 0

  const clientData = (type: string, options: { challenge: string }, lies: Lies) =>
    Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? options.challenge,
        origin: lies.origin ?? origin,
        crossOrigin: false,
      }),
    )
  const head = (rpId: string, lies: Lies, extra = 0) => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(lies.counter ?? counter)
    const flags = (lies.flags ?? PRESENT_AND_VERIFIED) | extra
    return Buffer.concat([sha256(lies.rpId ?? rpId), Buffer.from([flags]), count])
  }

  return {
    id,
    create(text, lies = {}) {
      const options = JSON.parse(text) as { challenge: string; rp: { id: string }; user: { id: string } }
      handle = options.user.id
      const length = Buffer.from([0, credentialId.length])
      const attested = Buffer.concat([Buffer.alloc(16), length, credentialId, coseKey(publicKey)])
      const authData = Buffer.concat([head(options.rp.id, lies, HAS_CREDENTIAL), attested])
      const attestation = Buffer.concat([
        Buffer.from([0xa3]),
        cborText('fmt'),
        cborText('none'),
        cborText('attStmt'),
        Buffer.from([0xa0]),
        cborText('authData'),
        cborBytes(authData),
      ])
      const response = {
        clientDataJSON: base64(clientData('webauthn.create', options, lies)),
        attestationObject: base64(attestation),
        transports: ['internal', 'nonsense'],
      }
      return JSON.stringify({ id, rawId: id, type: 'public-key', response, clientExtensionResults: {} })
    },
    get(text, lies = {}) {
      const options = JSON.parse(text) as { challenge: string; rpId: string }
      counter++
      const authData = head(options.rpId, lies)
      const client = clientData('webauthn.get', options, lies)
      const signed = Buffer.concat([authData, sha256(client)])
      const response = {
        clientDataJSON: base64(client),
        authenticatorData: base64(authData),
        signature: base64(sign('sha256', signed, lies.forged ? other : privateKey)),
        userHandle: lies.userHandle ?? handle,
      }
      return JSON.stringify({ id, rawId: id, type: 'public-key', response, clientExtensionResults: {} })
    },
  }
}

/** RFC 9053 §2.1, §7.1.1: kty EC2, alg ES256, crv P-256, x, y. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    cborBytes(Buffer.from(x, 'base64url')),
    Buffer.from([0x22]),
    cborBytes(Buffer.from(y, 'base64url')),
  ])
}

const cborText = (text: string) => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)])

function cborBytes(bytes: Buffer): Buffer {
  const head =
    bytes.length < 256 ? [0x58, bytes.length] : [0x59, Math.floor(bytes.length / 256), bytes.length % 256]
  return Buffer.concat([Buffer.from(head), bytes])
}
