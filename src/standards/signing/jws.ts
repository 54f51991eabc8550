/** Compact JSON Web Signatures with ES256: RFC 7515. */
import type { KeyObject } from 'node:crypto'
import { type DataObject, isObject } from '../../kernel/values/data-object.ts'
import { decodeBase64Url, encodeBase64Url } from './base-encodings.ts'
import { getJwkName } from './did-document.ts'
import { isSignedByP256, type Signer } from './p256.ts'
import { parseSignedJson } from './parse-signed-json.ts'
import { malformed, SignatureError } from './signature-error.ts'

const ES256 = 'ES256'

export type Jws = {
  /** The DID URL of the key. */
  keyId: string
  /** The media type without `application/`; undefined if the header has none. */
  type: string | undefined
  payload: DataObject
  signed: Buffer
  signature: Buffer
}

/** `type` is the media type without `application/`; `contentType` is that of the payload. */
export async function signJws(
  payload: DataObject,
  { type, contentType }: { type: string; contentType?: string },
  signer: Signer,
): Promise<string> {
  const header = {
    alg: ES256,
    typ: type,
    ...(contentType !== undefined && { cty: contentType }),
    kid: `${signer.did}#${getJwkName(signer.keyName)}`,
  }
  const signed = `${encodeBase64Url(JSON.stringify(header))}.${encodeBase64Url(JSON.stringify(payload))}`
  return `${signed}.${encodeBase64Url(await signer.sign(Buffer.from(signed)))}`
}

/** Reads a JWS without verifying it. Throws `malformed`. */
export function parseJws(text: string): Jws {
  const [header = '', payload = '', signature, more] = text.split('.')
  if (signature === undefined || more !== undefined)
    throw malformed('It does not have the three parts of a JWS.')
  const { alg, typ, kid, crit, b64 } = readPart(header)
  if (alg !== ES256) throw malformed(`It is not signed with ${ES256}.`)
  // An extension that must be understood: none is.
  if (crit !== undefined || b64 !== undefined) throw malformed('Its header has an unknown extension.')
  if (typeof kid !== 'string') throw malformed('Its header names no key.')
  return {
    keyId: kid,
    type: typeof typ === 'string' ? typ : undefined,
    payload: readPart(payload),
    signed: Buffer.from(`${header}.${payload}`),
    signature: decodeBase64Url(signature),
  }
}

function readPart(part: string): DataObject {
  const value = parseSignedJson(decodeBase64Url(part).toString())
  if (!isObject(value)) throw malformed('A part of it is not a JSON object.')
  return value
}

export function verifyJws({ signed, signature }: Jws, key: KeyObject): void {
  if (isSignedByP256(key, signed, signature)) return
  throw new SignatureError('altered', 'It was changed after it was signed, or somebody else signed it.')
}
