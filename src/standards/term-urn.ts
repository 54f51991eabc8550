/** Names of Carnet's own terms that are the same on every server, whatever its address. */
import { createHash } from 'node:crypto'

/** Chosen once at random. Another one would rename every term. */
const NAMESPACE = '0c36d2c5-5119-42a7-9927-31090861467a'

const known = new Map<string, string>()

/**
 * A UUID of version 5 (RFC 9562) over the name of a term, which is the fragment of its address, or over
 * `aas/{idShort}/v1`. Each term has its own: a fragment is not compared in URNs (RFC 8141, section 3.1).
 */
export function buildTermUrn(name: string): string {
  const found = known.get(name)
  if (found !== undefined) return found
  const namespace = Buffer.from(NAMESPACE.replaceAll('-', ''), 'hex')
  const bytes = createHash('sha1').update(namespace).update(name).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const urn = `urn:uuid:${bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`
  known.set(name, urn)
  return urn
}
