/** Reads an SD-JWT VC: verifies it, and puts what was disclosed in its place. */
import { type DataObject, isObject } from '../../kernel/values/data-object.ts'
import { decodeBase64Url } from './base-encodings.ts'
import type { FindKey } from './did-document.ts'
import { parseJws, verifyJws } from './jws.ts'
import { parseSignedJson } from './parse-signed-json.ts'
import { hashDisclosure, SD_JWT } from './sd-jwt.ts'
import { malformed } from './signature-error.ts'

export type RevealedSdJwt = {
  keyId: string
  /** The payload with the disclosed members, without digests. */
  claims: DataObject
  disclosed: number
}

/** Reads the payload and the id of the key without verifying. Throws `malformed`. */
export function parseSdJwt(text: string) {
  const [jwt = '', ...rest] = text.split(SD_JWT.separator)
  if (rest.pop() !== '') throw malformed('It is bound to a holder, or its end is missing.')
  const jws = parseJws(jwt)
  if (jws.type !== SD_JWT.type) throw malformed(`It is not of the type ${SD_JWT.type}.`)
  return { jws, encoded: rest }
}

/** Throws SignatureError, also for a disclosure that was not signed. */
export function verifySdJwt(text: string, findKey: FindKey): RevealedSdJwt {
  const { jws, encoded } = parseSdJwt(text)
  verifyJws(jws, findKey(jws.keyId))
  const { [SD_JWT.algorithm]: algorithm, ...payload } = jws.payload
  if (algorithm !== undefined && algorithm !== SD_JWT.sha256) throw malformed('Its digests are not SHA-256.')
  const reader = new DisclosureReader(encoded)
  const claims = reader.revealObject(payload)
  reader.requireAllUsed()
  return { keyId: jws.keyId, claims, disclosed: encoded.length }
}

class DisclosureReader {
  private readonly disclosures: Map<string, readonly unknown[]>
  private readonly seen = new Set<string>()

  constructor(encoded: readonly string[]) {
    this.disclosures = new Map(encoded.map(one => [hashDisclosure(one), parseDisclosure(one)]))
    if (this.disclosures.size < encoded.length) throw malformed('A disclosure is there twice.')
  }

  revealObject(value: DataObject): DataObject {
    const { [SD_JWT.digests]: digests = [], ...open } = value
    if (!Array.isArray(digests)) throw malformed('Its digests are not a list.')
    const members = Object.entries(open).map(([name, member]) => [name, this.reveal(member)] as const)
    const disclosed = digests.flatMap((digest: unknown) => {
      const found = this.take(digest)
      if (found === undefined) return []
      const [, name, member] = found
      if (found.length !== 3 || typeof name !== 'string') throw malformed('A disclosure is not of a member.')
      if (name === SD_JWT.digests || name === SD_JWT.element)
        throw malformed(`A disclosure is named ${name}.`)
      return [[name, this.reveal(member)] as const]
    })
    const all = [...members, ...disclosed]
    if (new Set(all.map(([name]) => name)).size < all.length)
      throw malformed('A disclosed member is there twice.')
    return Object.fromEntries(all)
  }

  requireAllUsed(): void {
    if ([...this.disclosures.keys()].some(digest => !this.seen.has(digest))) {
      throw malformed('It has a disclosure that was not signed.')
    }
  }

  private reveal(value: unknown): unknown {
    if (Array.isArray(value)) return value.flatMap(entry => this.revealEntry(entry))
    return isObject(value) ? this.revealObject(value) : value
  }

  private revealEntry(entry: unknown): unknown[] {
    if (!isObject(entry) || !Object.hasOwn(entry, SD_JWT.element)) return [this.reveal(entry)]
    const found = this.take(entry[SD_JWT.element])
    if (found === undefined) return []
    if (found.length !== 2) throw malformed('A disclosure is not of an entry.')
    return [this.reveal(found[1])]
  }

  /** Undefined for a decoy, and for what is not disclosed. */
  private take(digest: unknown): readonly unknown[] | undefined {
    if (typeof digest !== 'string' || this.seen.has(digest)) throw malformed('A digest is there twice.')
    this.seen.add(digest)
    return this.disclosures.get(digest)
  }
}

function parseDisclosure(encoded: string): readonly unknown[] {
  const parts = parseSignedJson(decodeBase64Url(encoded).toString())
  if (!Array.isArray(parts) || typeof parts[0] !== 'string') throw malformed('A disclosure cannot be read.')
  return parts
}
