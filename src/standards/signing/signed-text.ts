/** Recognises what is signed, and says who signed what and when. */
import { asObject, type DataObject, isObject } from '../../kernel/values/data-object.ts'
import { hasCredentialExpired, hasExpired, requireIssuer, VC_JWT, verifyVcJwt } from './credential.ts'
import { verifyProof } from './data-integrity.ts'
import { type FindKey, getDidOfKey, isIssuer } from './did-document.ts'
import { parseJws, verifyJws } from './jws.ts'
import { listMirroredFiles, MANIFEST_FORMAT, type MirroredFile } from './mirror-manifest.ts'
import { parseSignedJson } from './parse-signed-json.ts'
import { parseSdJwt, verifySdJwt } from './read-sd-jwt.ts'
import { SD_JWT } from './sd-jwt.ts'
import { malformed, SignatureError } from './signature-error.ts'
import { decodeTokenStatusBits, findListBits, STATUS_LIST_JWT, type StatusPurpose } from './status-list.ts'

export type SignedForm =
  | 'passport'
  | 'credential'
  | 'credential-jwt'
  | 'sd-jwt'
  | 'status-list-jwt'
  | 'mirror-manifest'

/** `verify` throws SignatureError. */
export type SignedText = {
  form: SignedForm
  /** The DID URL of the key that it names. */
  keyId: string
  verify: (findKey: FindKey, now: Date) => SignedFacts
}

/** A text that somebody signed. None of it says that it is true: `signedAt` is by the clock of the signer. */
export type SignedFacts = {
  /** The identifier of the passport; null of a list or a mirror. */
  passport: string | null
  /** The passport, the credential, the list, or the time of the mirror. */
  subject: string
  versionNo: number | null
  /** RFC 3339; null if it does not say. */
  signedAt: string | null
  validFrom: string | null
  validUntil: string | null
  /** True if `validUntil` is over. The signature is valid, but what was signed may not hold any more. */
  isExpired: boolean
  /** Where the current document of the passport is; null if it does not say. */
  currentDocument: string | null
  /** How many fields are disclosed; null unless it is an SD-JWT. */
  disclosed: number | null
  /** The list that says whether it was revoked, and its place there. */
  status: { listUrl: string; index: number } | null
  /** The list that says whether its passport has changed since, and its place there. */
  message: { listUrl: string; index: number } | null
  /** The places that are set, if it is a status list. */
  list: { url: string; bits: Uint8Array; purpose: StatusPurpose } | null
  /** Empty unless it is a manifest. */
  files: readonly MirroredFile[]
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Throws `malformed` if it is not one of the forms. */
export function readSignedText(bytes: Uint8Array): SignedText {
  const trimmed = decodeText(bytes).trim()
  if (trimmed.startsWith('{')) return readDocument(trimmed)
  if (trimmed.includes(SD_JWT.separator)) return readSdJwt(trimmed)
  const { keyId, type } = parseJws(trimmed)
  if (type === VC_JWT.type) return { form: 'credential-jwt', keyId, verify: verifyCredentialJwt(trimmed) }
  if (type === STATUS_LIST_JWT.type) return { form: 'status-list-jwt', keyId, verify: verifyListJwt(trimmed) }
  throw malformed(`It is a JWT of the type ${type ?? 'none'}, which is not known here.`)
}

function decodeText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw malformed('It is not a text in UTF-8.')
  }
}

/** How far the clock of a signer may be ahead of ours. */
export const MAX_CLOCK_SKEW_MS = 300_000

/** Throws `not_current` for what says that it was signed in the future. */
function requireSignedBefore(signedMs: number | undefined, now: Date): void {
  if (signedMs === undefined || signedMs <= now.getTime() + MAX_CLOCK_SKEW_MS) return
  const time = new Date(signedMs).toISOString()
  throw new SignatureError('not_current', `It says that it was signed at ${time}, which is in the future.`)
}

const NO_FACTS = {
  passport: null,
  versionNo: null,
  signedAt: null,
  validFrom: null,
  validUntil: null,
  isExpired: false,
  currentDocument: null,
  disclosed: null,
  status: null,
  message: null,
  list: null,
  files: [],
} as const

function readDocument(text: string): SignedText {
  const document = parseSignedJson(text)
  if (!isObject(document)) throw malformed('It is not a JSON object.')
  const keyId = asObject(document.proof).verificationMethod
  if (typeof keyId !== 'string') throw malformed('It has no proof.')
  const form = recognizeDocument(document)
  return {
    form,
    keyId,
    verify: (findKey, now) => {
      const { created, expires } = verifyProof(document, findKey)
      requireSignedBefore(Date.parse(created), now)
      const facts = { ...describeDocument(form, document, keyId, now), signedAt: created }
      if (expires === undefined || isBefore(facts.validUntil, expires)) return facts
      const isExpired = hasExpired(undefined, Date.parse(expires), now)
      return { ...facts, validUntil: expires, isExpired }
    },
  }
}

const isBefore = (time: string | null, other: string) => time !== null && Date.parse(time) < Date.parse(other)

function describeDocument(form: SignedForm, document: DataObject, keyId: string, now: Date): SignedFacts {
  if (form === 'passport') return describePassport(document)
  return form === 'mirror-manifest' ? describeManifest(document) : checkCredential(document, keyId, now)
}

function recognizeDocument({ type, format, digitalProductPassportId }: DataObject): SignedForm {
  if (format === MANIFEST_FORMAT) return 'mirror-manifest'
  if ([type].flat().includes('VerifiableCredential')) return 'credential'
  if (typeof digitalProductPassportId === 'string') return 'passport'
  throw malformed('It is neither a passport nor a credential nor the manifest of a mirror.')
}

function describePassport({ digitalProductPassportId, passportRecord }: DataObject): SignedFacts {
  const { versionNo, currentDocument } = asObject(passportRecord)
  const passport = String(digitalProductPassportId)
  return {
    ...NO_FACTS,
    passport,
    subject: passport,
    versionNo: findNumber(versionNo),
    currentDocument: findString(currentDocument),
    status: findStatus(passportRecord, 'revocation'),
    message: findStatus(passportRecord, 'message'),
  }
}

const describeManifest = (manifest: DataObject): SignedFacts => ({
  ...NO_FACTS,
  subject: String(manifest.time),
  files: listMirroredFiles(manifest),
})

function checkCredential(credential: DataObject, keyId: string, now: Date): SignedFacts {
  requireIssuer(credential, keyId)
  const isExpired = hasCredentialExpired(credential, now)
  const { statusListCredential, statusListIndex } = asObject(credential.credentialStatus)
  const { id, characteristics } = asObject(credential.credentialSubject)
  const isPassport = [credential.type].flat().includes('DigitalProductPassport')
  const { versionNo, passportRecord } = asObject(characteristics)
  const list = findListBits(credential.credentialSubject)
  return {
    ...NO_FACTS,
    list: list === undefined ? null : { url: String(credential.id), ...list },
    // The address of a credential is that of its passport, with a query.
    passport: isPassport ? (findString(credential.id)?.split('?', 1)[0] ?? null) : null,
    versionNo: findNumber(versionNo),
    subject: findString(credential.id) ?? findString(id) ?? 'a credential without an id',
    validFrom: findString(credential.validFrom),
    validUntil: findString(credential.validUntil),
    isExpired,
    currentDocument: findString(asObject(passportRecord).currentDocument),
    status: describeStatus(statusListCredential, statusListIndex),
    message: findStatus(passportRecord, 'message'),
  }
}

const verifyCredentialJwt = (text: string) => (findKey: FindKey, now: Date) => {
  const { credential, keyId } = verifyVcJwt(text, findKey)
  return checkCredential(credential, keyId, now)
}

const verifyListJwt = (text: string) => (findKey: FindKey, now: Date) => {
  const jws = parseJws(text)
  verifyJws(jws, findKey(jws.keyId))
  const url = String(jws.payload.sub)
  const facts = checkClaims(jws.payload, jws.keyId, now)
  return {
    ...facts,
    passport: null,
    subject: url,
    list: { url, bits: decodeTokenStatusBits(jws.payload.status_list), purpose: 'revocation' as const },
  }
}

function readSdJwt(text: string): SignedText {
  const { jws } = parseSdJwt(text)
  const verify = (findKey: FindKey, now: Date) => {
    const { claims, keyId, disclosed } = verifySdJwt(text, findKey)
    return { ...checkClaims(claims, keyId, now), disclosed }
  }
  return { form: 'sd-jwt', keyId: jws.keyId, verify }
}

/** The claims of a JWT about a passport or a list. */
function checkClaims(claims: DataObject, keyId: string, now: Date): SignedFacts {
  const { iss, iat, nbf, exp } = claims
  if (!isIssuer(iss, getDidOfKey(keyId))) {
    throw new SignatureError('unusable_key', `The key ${keyId} is not one of its issuer, ${String(iss)}.`)
  }
  const [issuedMs, fromMs, untilMs] = [iat, nbf, exp].map(parseSeconds)
  requireSignedBefore(issuedMs, now)
  const { idx, uri } = asObject(asObject(claims.status).status_list)
  return {
    ...NO_FACTS,
    passport: findString(claims.digitalProductPassportId),
    subject: String(claims.digitalProductPassportId),
    versionNo: findNumber(claims.versionNo),
    signedAt: formatTime(issuedMs),
    validFrom: formatTime(fromMs),
    validUntil: formatTime(untilMs),
    isExpired: hasExpired(fromMs, untilMs, now),
    currentDocument: findString(asObject(claims.passportRecord).currentDocument),
    status: describeStatus(uri, idx),
    message: findStatus(claims.passportRecord, 'message'),
  }
}

function parseSeconds(value: unknown): number | undefined {
  if (value === undefined) return undefined
  const ms = typeof value === 'number' ? value * 1000 : Number.NaN
  if (Number.isNaN(new Date(ms).getTime())) throw malformed('A time in it cannot be read.')
  return ms
}

const formatTime = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString())
const findString = (value: unknown) => (typeof value === 'string' ? value : null)
const findNumber = (value: unknown) => (typeof value === 'number' ? value : null)

/** Where the record of a passport says that a status of it is. */
function findStatus(record: unknown, purpose: StatusPurpose): SignedFacts['status'] {
  const { credentialStatus } = asObject(record)
  const entries = Array.isArray(credentialStatus) ? credentialStatus.map(asObject) : []
  const { statusListCredential, statusListIndex } =
    entries.find(({ statusPurpose }) => statusPurpose === purpose) ?? {}
  return describeStatus(statusListCredential, statusListIndex)
}

/** The index is a number in UNTP credentials, a text in others. */
function describeStatus(listUrl: unknown, index: unknown): SignedFacts['status'] {
  const number = typeof index === 'string' && /^\d+$/.test(index) ? Number(index) : index
  return typeof listUrl === 'string' && typeof number === 'number' ? { listUrl, index: number } : null
}
