/** W3C Data Integrity proofs of the cryptosuite `ecdsa-jcs-2019` with P-256. */
import { hash } from 'node:crypto'
import { type DataObject, isObject } from '../../kernel/values/data-object.ts'
import { decodeBase58, encodeBase58 } from './base-encodings.ts'
import { canonicalize } from './canonicalize.ts'
import type { FindKey } from './did-document.ts'
import { isSignedByP256, type Signer } from './p256.ts'
import { malformed, SignatureError } from './signature-error.ts'

const TERMS = {
  type: 'DataIntegrityProof',
  cryptosuite: 'ecdsa-jcs-2019',
  purpose: 'assertionMethod',
  base58btc: 'z',
} as const

export type DataIntegrityProof = {
  type: typeof TERMS.type
  cryptosuite: typeof TERMS.cryptosuite
  /** UTC, to the second. */
  created: string
  /** UTC, to the second. */
  expires?: string
  verificationMethod: string
  proofPurpose: typeof TERMS.purpose
  '@context'?: unknown
  /** `z` and base58btc of r‖s. */
  proofValue: string
}

/** Who signed, by the id of the key, when, and until when it holds; undefined: unlimited. */
export type ProofFacts = { verificationMethod: string; created: string; expires?: string }

/** Returns the document with its proof as the last member. A proof that it has is replaced. */
export async function addProof<T extends DataObject>(
  document: T,
  signer: Signer,
  createdAt: Date,
  expiresAt?: Date,
) {
  const { proof: _, ...unsecured } = document
  const config = {
    type: TERMS.type,
    cryptosuite: TERMS.cryptosuite,
    created: formatSeconds(createdAt),
    ...(expiresAt !== undefined && { expires: formatSeconds(expiresAt) }),
    verificationMethod: `${signer.did}#${signer.keyName}`,
    proofPurpose: TERMS.purpose,
    ...(document['@context'] !== undefined && { '@context': document['@context'] }),
  }
  const signature = await signer.sign(hashForProof(unsecured, config).bytes)
  const proof: DataIntegrityProof = { ...config, proofValue: TERMS.base58btc + encodeBase58(signature) }
  return { ...unsecured, proof }
}

const formatSeconds = (time: Date) => time.toISOString().replace(/\.\d{3}Z$/, 'Z')

/**
 * Returns the bytes that are signed: the hash of the proof without its value, then the hash of the document
 * without its proof.
 */
export function hashForProof(unsecured: DataObject, proofConfig: DataObject) {
  const proofHash = hash('sha256', canonicalize(proofConfig), 'buffer')
  const documentHash = hash('sha256', canonicalize(unsecured), 'buffer')
  return { proofHash, documentHash, bytes: Buffer.concat([proofHash, documentHash]) }
}

/**
 * Verifies the one proof of a document. The contexts of both must be equal, which is stricter than the
 * cryptosuite: a context that is added later could change what the terms mean. Throws SignatureError.
 */
export function verifyProof(document: DataObject, findKey: FindKey): ProofFacts {
  const { proof, ...unsecured } = document
  if (!isObject(proof)) throw malformed('It has no proof, or more than one.')
  const { proofValue, ...config } = proof
  const facts = requireProofTerms(config)
  const proofContext = canonicalize(config['@context'] ?? null)
  if (proofContext !== canonicalize(unsecured['@context'] ?? null)) {
    throw new SignatureError('altered', 'Its context is not the one that was signed.')
  }
  const key = findKey(facts.verificationMethod)
  const signature = decodeProofValue(proofValue)
  if (!isSignedByP256(key, hashForProof(unsecured, config).bytes, signature)) {
    throw new SignatureError('altered', 'It was changed after it was signed, or somebody else signed it.')
  }
  return facts
}

function requireProofTerms(config: DataObject): ProofFacts {
  const { type, cryptosuite, proofPurpose, verificationMethod, created, expires } = config
  if (type !== TERMS.type || cryptosuite !== TERMS.cryptosuite) {
    throw malformed(`Its proof is not of the kind ${TERMS.cryptosuite}.`)
  }
  if (proofPurpose !== TERMS.purpose) throw malformed(`Its proof is not for ${TERMS.purpose}.`)
  if (typeof verificationMethod !== 'string') throw malformed('Its proof names no key.')
  if (typeof created !== 'string' || Number.isNaN(Date.parse(created)))
    throw malformed('Its proof has no time.')
  if (expires === undefined) return { verificationMethod, created }
  if (typeof expires !== 'string' || Number.isNaN(Date.parse(expires)))
    throw malformed('The end of its proof cannot be read.')
  return { verificationMethod, created, expires }
}

function decodeProofValue(value: unknown): Buffer {
  if (typeof value !== 'string' || !value.startsWith(TERMS.base58btc)) {
    throw malformed('The value of its proof is not base58btc.')
  }
  return decodeBase58(value.slice(TERMS.base58btc.length))
}
