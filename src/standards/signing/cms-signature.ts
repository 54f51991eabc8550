/**
 * Checks who signed a time stamp: a CMS signature (RFC 5652) with the attributes of RFC 3161 §2.4.2, by a
 * certificate that leads to a trusted one. Revocation of certificates is not looked up.
 */
import { hash, verify, X509Certificate } from 'node:crypto'
import { DER, type DerElement, readChildren, requireTag } from './der.ts'
import { malformed, SignatureError } from './signature-error.ts'

/** By their object identifiers in encoded form, in hex. SHA-1 only names certificates. */
const DIGESTS: Readonly<Record<string, string>> = {
  '608648016503040201': 'sha256',
  '608648016503040202': 'sha384',
  '608648016503040203': 'sha512',
}
/** `digest`: undefined if that of the signed attributes counts. */
const ALGORITHMS: Readonly<Record<string, { keyType: string; digest?: string }>> = {
  '2a864886f70d010101': { keyType: 'rsa' },
  '2a864886f70d01010b': { keyType: 'rsa', digest: 'sha256' },
  '2a864886f70d01010c': { keyType: 'rsa', digest: 'sha384' },
  '2a864886f70d01010d': { keyType: 'rsa', digest: 'sha512' },
  '2a8648ce3d040302': { keyType: 'ec', digest: 'sha256' },
  '2a8648ce3d040303': { keyType: 'ec', digest: 'sha384' },
  '2a8648ce3d040304': { keyType: 'ec', digest: 'sha512' },
}
const ATTRIBUTES = {
  contentType: '2a864886f70d010903',
  messageDigest: '2a864886f70d010904',
  signingCertificate: '2a864886f70d010910020c',
  signingCertificateV2: '2a864886f70d010910022f',
} as const
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8'
const MAX_CHAIN_LENGTH = 8

/** `type`: of `content`, in hex. `parts`: the members of SignedData. */
type SignedContent = { type: string; content: Buffer; parts: readonly DerElement[] }

/**
 * Returns the certificate that signed at `time`. Throws SignatureError: `altered`, `malformed`,
 * `unusable_key` if it does not lead to one of `authorities`.
 */
export function verifyCmsSignature(
  { type, content, parts }: SignedContent,
  authorities: readonly X509Certificate[],
  time: Date,
): X509Certificate {
  const [signerInfo, more] = readChildren(requireTag(parts.at(-1), DER.set).content)
  if (more !== undefined) throw malformed('The time stamp has several signatures.')
  const [, , digestAlgorithm, attributes, algorithm, signature] = readChildren(
    requireTag(signerInfo, DER.sequence).content,
  )
  const digest = DIGESTS[readOid(digestAlgorithm)]
  const known = ALGORITHMS[readOid(algorithm)]
  if (digest === undefined || known === undefined)
    throw malformed('The time stamp is signed by an algorithm that is not known here.')
  const signed = requireTag(attributes, DER.context0)
  const byType = readAttributes(signed)
  const isOfContent =
    byType.get(ATTRIBUTES.contentType)?.content.toString('hex') === type &&
    byType.get(ATTRIBUTES.messageDigest)?.content.equals(hash(digest, content, 'buffer'))
  if (!isOfContent) throw altered()
  const embedded = readCertificates(parts)
  const signer = [...embedded, ...authorities].find(isNamedBy(byType))
  if (signer === undefined) throw untrusted('The certificate that signed the time stamp is not at hand.')
  // Signed as a set, sent with an implicit tag (RFC 5652 §5.4).
  const bytes = Buffer.concat([Buffer.from([DER.set]), signed.whole.subarray(1)])
  const { keyType, digest: named = digest } = known
  const { publicKey } = signer
  const isValid =
    publicKey.asymmetricKeyType === keyType &&
    verify(named, bytes, publicKey, requireTag(signature, DER.octets).content)
  if (!isValid) throw altered()
  requireTrusted(signer, { embedded, authorities }, time)
  return signer
}

const altered = () => new SignatureError('altered', 'The time stamp was changed after it was signed.')
const untrusted = (message: string) => new SignatureError('unusable_key', message)

const readOid = (algorithm: DerElement | undefined): string =>
  requireTag(readChildren(requireTag(algorithm, DER.sequence).content)[0], DER.oid).content.toString('hex')

/** The only value of each attribute. */
function readAttributes(attributes: DerElement): Map<string, DerElement> {
  const values = new Map<string, DerElement>()
  for (const attribute of readChildren(attributes.content)) {
    const [type, set] = readChildren(requireTag(attribute, DER.sequence).content)
    const [value] = readChildren(requireTag(set, DER.set).content)
    const name = requireTag(type, DER.oid).content.toString('hex')
    if (value === undefined || values.has(name)) throw malformed('The time stamp cannot be read.')
    values.set(name, value)
  }
  return values
}

function readCertificates(parts: readonly DerElement[]): X509Certificate[] {
  const set = parts.find(one => one.tag === DER.context0)
  const elements = set === undefined ? [] : readChildren(set.content)
  return elements.filter(({ tag }) => tag === DER.sequence).map(({ whole }) => parseCertificate(whole))
}

function parseCertificate(der: Buffer): X509Certificate {
  try {
    return new X509Certificate(der)
  } catch {
    throw malformed('A certificate in the time stamp cannot be read.')
  }
}

/** By the hash of the certificate in what is signed (RFC 5035), so that no other can take its place. */
function isNamedBy(attributes: ReadonlyMap<string, DerElement>): (certificate: X509Certificate) => boolean {
  const v2 = attributes.get(ATTRIBUTES.signingCertificateV2)
  const value = v2 ?? attributes.get(ATTRIBUTES.signingCertificate)
  const ids = readChildren(requireTag(value, DER.sequence).content)[0]
  const id = readChildren(requireTag(ids, DER.sequence).content)[0]
  const [first, second] = readChildren(requireTag(id, DER.sequence).content)
  const hasAlgorithm = v2 !== undefined && first?.tag === DER.sequence
  const digest = v2 === undefined ? 'sha1' : hasAlgorithm ? DIGESTS[readOid(first)] : 'sha256'
  const named = requireTag(hasAlgorithm ? second : first, DER.octets).content
  if (digest === undefined) throw malformed('The time stamp names its certificate by an unknown hash.')
  return ({ raw }) => hash(digest, raw, 'buffer').equals(named)
}

type Certificates = { embedded: readonly X509Certificate[]; authorities: readonly X509Certificate[] }

function requireTrusted(signer: X509Certificate, known: Certificates, time: Date): void {
  const { keyUsage: purposes } = signer
  if (purposes?.length !== 1 || purposes[0] !== TIME_STAMPING)
    throw untrusted(`The certificate of ${formatName(signer)} is not for time stamps.`)
  let current = signer
  for (let length = 1; length <= MAX_CHAIN_LENGTH; length++) {
    const { raw, validFromDate, validToDate } = current
    if (time < validFromDate || time > validToDate)
      throw untrusted(`The certificate of ${formatName(current)} was not valid at the time of the stamp.`)
    if (known.authorities.some(one => one.raw.equals(raw))) return
    const issuer = [...known.authorities, ...known.embedded].find(isIssuerOf(current))
    if (issuer === undefined) break
    current = issuer
  }
  throw untrusted(`${formatName(current)} is not among the trusted certificates, nor issued by one of them.`)
}

const isIssuerOf =
  (certificate: X509Certificate) =>
  (issuer: X509Certificate): boolean =>
    issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)

/** In one line. */
export const formatName = ({ subject }: X509Certificate): string => subject.replaceAll('\n', ', ')
