/** `carnet verify`: checks a signed file without a network, and says who signed what and when. */
import { createHash, X509Certificate } from 'node:crypto'
import { createReadStream, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { systemClock } from '../../kernel/clock.ts'
import { readConfig } from '../../kernel/config/config.ts'
import type { Environment } from '../../kernel/config/environment-reader.ts'
import { type DataObject, isObject } from '../../kernel/data-object.ts'
import { findErrorCode } from '../../kernel/errors.ts'
import { tryParseJson } from '../../kernel/text/try-parse-json.ts'
import { buildIssuerDocument } from '../../passports/documents/issuer-document.ts'
import {
  createIssuerDid,
  createKeyFinder,
  getDidDocumentUrl,
  getDidOfKey,
} from '../../standards/signing/did-document.ts'
import type { MirroredFile } from '../../standards/signing/mirror-manifest.ts'
import { SignatureError } from '../../standards/signing/signature-error.ts'
import {
  readSignedText,
  type SignedFacts,
  type SignedForm,
  type SignedText,
} from '../../standards/signing/signed-text.ts'
import { isRevoked } from '../../standards/signing/status-list.ts'
import {
  isVersionProof,
  type VersionProofFacts,
  verifyVersionProof,
} from '../../standards/signing/version-proof.ts'
import {
  alignColumns,
  type Command,
  CommandError,
  type CommandResult,
  UsageError,
} from '../command-line/command.ts'
import { withOpenStore } from '../store/with-store.ts'

/** The DID document of an issuer of this installation; undefined for any other. */
export type FindIssuer = (did: string, env: Environment) => Promise<DataObject | undefined>

/** Opens the store only for a DID under this installation's own address. */
const findOwnIssuer: FindIssuer = async (did, env) => {
  const config = readConfig(env)
  const start = createIssuerDid(config.publicUrl, '')
  if (!did.startsWith(start)) return undefined
  const options = { name: 'carnet verify', mustExist: true }
  return withOpenStore(env, config, options, ({ sql, addresses }) =>
    buildIssuerDocument({ sql, addresses }, did.slice(start.length)),
  )
}

/** What would be needed to check it is not at hand. */
const UNKNOWN = 2
const MAX_SIGNED_BYTES = 256 * 1024 * 1024
const MAX_LISTED_FILES = 10

const FORM_NAMES: Readonly<Record<SignedForm, string>> = {
  passport: 'a passport as in EN 18223',
  credential: 'a verifiable credential',
  'credential-jwt': 'a verifiable credential (vc+jwt)',
  'sd-jwt': 'a passport with selective disclosure (SD-JWT)',
  'status-list-jwt': 'a token status list',
  'mirror-manifest': 'the manifest of a mirror',
}

export const createVerifyCommand = (findIssuer: FindIssuer): Command => ({
  usage: 'verify FILE [--did did.json] [--status FILE] [--files DIR] [--time-stamp FILE] [--tsa-ca FILE]',
  about:
    'checks a signed passport, credential, SD-JWT or mirror, or the proof of a version, without a network',
  positionals: ['FILE'],
  options: {
    did: { hint: 'did.json', about: "the issuer's keys; without it, those of this installation" },
    status: { hint: 'FILE', about: 'the status list that a credential names, saved: says if it is revoked' },
    'time-stamp': { hint: 'FILE', about: 'the time stamp on the root of a proof, if the proof has none' },
    'tsa-ca': {
      hint: 'FILE',
      about: 'certificates (PEM or DER) of time stamping authorities that you trust',
    },
    files: { hint: 'DIR', about: 'compare the files in this folder with the manifest of a mirror' },
  },
  run: ({ args, env }) => {
    const didPath = args.find('did')
    const find = didPath === undefined ? findIssuer : async () => readDidDocument(didPath)
    const paths = {
      files: args.find('files'),
      status: args.find('status'),
      timeStamp: args.find('time-stamp'),
      authorities: args.find('tsa-ca'),
    }
    return verifyFile(args.get('FILE'), paths, did => find(did, env))
  },
})

export const verifyCommand = createVerifyCommand(findOwnIssuer)

type FindDocument = (did: string) => Promise<DataObject | undefined>
type OtherPaths = Readonly<Record<'files' | 'status' | 'timeStamp' | 'authorities', string | undefined>>

async function verifyFile(
  path: string,
  others: OtherPaths,
  findIssuer: FindDocument,
): Promise<CommandResult> {
  const bytes = readFile(path)
  try {
    const file: unknown = tryParseJson(bytes.toString())
    if (isVersionProof(file)) return verifyProofFile(file, others)
    if (others.timeStamp !== undefined || others.authorities !== undefined)
      throw new UsageError('--time-stamp and --tsa-ca are only for the proof of a version.')
    const signed = readSignedText(bytes)
    if (others.files !== undefined && signed.form !== 'mirror-manifest')
      throw new UsageError('--files is only for the manifest of a mirror.')
    const document = await findIssuer(getDidOfKey(signed.keyId))
    if (document === undefined) return describeMissingKey(signed.keyId)
    const facts = signed.verify(createKeyFinder(document), systemClock.now())
    const wrongFiles =
      others.files === undefined ? undefined : await findWrongFiles(others.files, facts.files)
    const revocation =
      others.status === undefined ? undefined : lookUpStatus(others.status, { signed, facts, document })
    return describeSigned(signed, facts, { wrongFiles, revocation })
  } catch (error) {
    if (error instanceof SignatureError) return describeRefusal(error)
    throw error
  }
}

function verifyProofFile(
  file: DataObject,
  { files, status, timeStamp, authorities }: OtherPaths,
): CommandResult {
  if (files !== undefined || status !== undefined)
    throw new UsageError('--files and --status are not for the proof of a version.')
  const facts = verifyVersionProof(file, {
    token: timeStamp === undefined ? undefined : readFile(timeStamp),
    authorities: authorities === undefined ? undefined : readCertificateFile(authorities),
  })
  if (facts.stampedAt === null && authorities !== undefined)
    throw new CommandError(
      'The proof has no time stamp. If you have it as a file, name it with --time-stamp.',
    )
  return describeVersionProof(facts)
}

function readCertificateFile(path: string): X509Certificate[] {
  const bytes = readFile(path)
  const blocks = bytes.toString('latin1').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)
  try {
    return (blocks ?? [bytes]).map(one => new X509Certificate(one))
  } catch {
    throw new CommandError(`The file ${path} of --tsa-ca has no certificates that can be read.`)
  }
}

/** `isRevoked` is undefined if the list cannot be used, for the reason in `problem`. */
type Revocation = { isRevoked: boolean | undefined; asOf: string | null; problem?: string }

type VerifiedFile = { signed: SignedText; facts: SignedFacts; document: DataObject }

/** The list must be the one that the credential names, and signed by the same issuer. */
function lookUpStatus(path: string, { signed, facts, document }: VerifiedFile): Revocation {
  const { status } = facts
  if (status === null) throw new UsageError('--status is only for a file that names a status list.')
  const refuse = (problem: string): Revocation => ({ isRevoked: undefined, asOf: null, problem })
  try {
    const list = readSignedText(readFile(path))
    if (getDidOfKey(list.keyId) !== getDidOfKey(signed.keyId)) return refuse('It is of another issuer.')
    const found = list.verify(createKeyFinder(document), systemClock.now())
    if (found.list?.url !== status.listUrl)
      return refuse(`It is not the list ${status.listUrl}, which the credential names.`)
    return { isRevoked: isRevoked(found.list.bits, status.index), asOf: found.signedAt ?? found.validFrom }
  } catch (error) {
    if (error instanceof SignatureError) return refuse(error.message)
    throw error
  }
}

function readFile(path: string): Buffer {
  try {
    if (statSync(path).size <= MAX_SIGNED_BYTES) return readFileSync(path)
  } catch (error) {
    throw new CommandError(`The file ${path} cannot be read (${findErrorCode(error) ?? error}).`)
  }
  throw new CommandError(`The file ${path} is too large: at most ${MAX_SIGNED_BYTES} bytes can be checked.`)
}

function readDidDocument(path: string): DataObject {
  const document: unknown = tryParseJson(readFile(path).toString())
  if (isObject(document) && typeof document.id === 'string') return document
  throw new CommandError(`The file ${path} of --did is not a DID document.`)
}

function describeMissingKey(keyId: string): CommandResult {
  const source = getDidDocumentUrl(getDidOfKey(keyId)) ?? "the issuer's DID document"
  return {
    value: { result: 'unknown_key', key: keyId },
    text: 'Not checked.',
    failure: `The key ${keyId} is not at hand. Save ${source} and name the file with --did.`,
    exitCode: UNKNOWN,
  }
}

const describeRefusal = ({ code, message }: SignatureError): CommandResult => ({
  value: { result: code, reason: message },
  text: code === 'unknown_key' ? 'Not checked.' : 'Not valid.',
  failure: message,
  ...(code === 'unknown_key' && { exitCode: UNKNOWN }),
})

/** Returns the paths of the files that differ or are missing. */
async function findWrongFiles(folder: string, files: readonly MirroredFile[]): Promise<string[]> {
  const wrong: string[] = []
  for (const { path, sha256 } of files) {
    if ((await hashFile(join(folder, path))) !== sha256) wrong.push(path)
  }
  return wrong
}

async function hashFile(path: string): Promise<string | undefined> {
  const hash = createHash('sha256')
  try {
    await pipeline(createReadStream(path), hash)
  } catch {
    return undefined
  }
  return hash.digest('hex')
}

type Checks = { wrongFiles: readonly string[] | undefined; revocation: Revocation | undefined }

function describeSigned(
  { form, keyId }: SignedText,
  facts: SignedFacts,
  { wrongFiles, revocation }: Checks,
): CommandResult {
  const { subject, versionNo, signedAt, validFrom, validUntil, disclosed, status, files } = facts
  const did = getDidOfKey(keyId)
  const isMirror = form === 'mirror-manifest'
  const rows: [string, string | null][] = [
    [isMirror ? 'of' : 'about', versionNo === null ? subject : `${subject}, version ${versionNo}`],
    ['signed by', `${did} (${keyId.slice(did.length + 1)})`],
    ['signed at', signedAt ?? 'not stated'],
    ['valid from', validFrom],
    ['valid until', validUntil],
    ['disclosed', disclosed === null ? null : `${disclosed} fields, also those inside of others`],
    ['files', isMirror ? describeFiles(files.length, wrongFiles) : null],
    ['revocation', describeRevocation(status, revocation)],
  ]
  const stated = rows.flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
  return {
    value: {
      result: 'valid',
      form,
      key: keyId,
      signer: did,
      subject,
      version_no: versionNo,
      signed_at: signedAt,
      valid_from: validFrom,
      valid_until: validUntil,
      disclosed,
      status: status && { list_url: status.listUrl, index: status.index },
      revoked: revocation?.isRevoked ?? null,
      files: isMirror ? files.length : null,
      wrong_files: wrongFiles ?? null,
      ...findFailure(wrongFiles, revocation)?.value,
    },
    text: `The signature is valid. This is ${FORM_NAMES[form]}.\n${alignColumns(stated, '  ')}`,
    ...findFailure(wrongFiles, revocation)?.outcome,
  }
}

function findFailure(wrongFiles: Checks['wrongFiles'], revocation: Checks['revocation']) {
  if (wrongFiles !== undefined && wrongFiles.length > 0)
    return { value: { result: 'altered' }, outcome: { failure: describeWrongFiles(wrongFiles) } }
  if (revocation?.isRevoked === true)
    return { value: { result: 'revoked' }, outcome: { failure: 'Its issuer has revoked it.' } }
  if (revocation?.problem === undefined) return undefined
  const failure = `The status list cannot be used. ${revocation.problem}`
  return { value: { result: 'unknown_status', reason: failure }, outcome: { failure, exitCode: UNKNOWN } }
}

function describeRevocation(
  status: SignedFacts['status'],
  revocation: Revocation | undefined,
): string | null {
  if (status === null) return null
  if (revocation?.isRevoked === undefined)
    return `not checked; see number ${status.index} of ${status.listUrl}, and --status`
  return `${revocation.isRevoked ? 'revoked' : 'not revoked'}, by the list of ${revocation.asOf ?? 'no stated time'}`
}

function describeVersionProof({
  passport,
  versionNo,
  until,
  root,
  stampedAt,
  authority,
}: VersionProofFacts): CommandResult {
  const rows = [
    ['about', `${passport}, version ${versionNo}`],
    ['made before', until],
    ['root', root],
    ['time stamp', stampedAt?.toISOString() ?? 'none'],
    ...(stampedAt === null ? [] : [['stamped by', authority ?? 'not checked; --tsa-ca checks it']]),
  ]
  return {
    value: {
      result: 'valid',
      form: 'version-proof',
      subject: passport,
      version_no: versionNo,
      made_before: until,
      root,
      stamped_at: stampedAt?.toISOString() ?? null,
      stamped_by: authority,
    },
    text: `The proof is valid. The version is in a daily Merkle tree.\n${alignColumns(rows, '  ')}`,
  }
}

function describeFiles(count: number, wrong: readonly string[] | undefined): string {
  if (wrong === undefined) return `${count}, not compared; --files DIR compares them`
  return wrong.length === 0 ? `${count}, all as signed` : `${count}, ${wrong.length} not as signed`
}

function describeWrongFiles(paths: readonly string[]): string {
  const more = paths.length - MAX_LISTED_FILES
  const list = paths.slice(0, MAX_LISTED_FILES).join(', ')
  return `These files are missing or differ from the manifest: ${list}${more > 0 ? ` and ${more} more` : ''}.`
}
