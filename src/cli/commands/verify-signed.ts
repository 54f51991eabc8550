/** Checks a signed text, and the manifest of a mirror, for `carnet verify`. */
import { systemClock } from '../../kernel/values/clock.ts'
import type { DataObject } from '../../kernel/values/data-object.ts'
import {
  createKeyFinder,
  getDidDocumentUrl,
  getDidHost,
  getDidOfKey,
} from '../../standards/signing/did-document.ts'
import { listMirroredFiles } from '../../standards/signing/mirror-manifest.ts'
import { SignatureError } from '../../standards/signing/signature-error.ts'
import {
  readSignedText,
  type SignedFacts,
  type SignedForm,
  type SignedText,
} from '../../standards/signing/signed-text.ts'
import { isRevoked, type StatusPurpose } from '../../standards/signing/status-list.ts'
import { type CommandResult, UsageError } from '../command-line/command.ts'
import { type ComparedFiles, compareWithFolder, readFile, type VerifyPaths } from './verify-files.ts'
import { renderReport, UNKNOWN, type VerifiedFact, type VerifyReport } from './verify-report.ts'

export type FindDocument = (did: string) => Promise<DataObject | undefined>

const MAX_LISTED_FILES = 10

const FORM_NAMES: Readonly<Record<SignedForm, string>> = {
  passport: 'a passport as in EN 18223',
  credential: 'a verifiable credential',
  'credential-jwt': 'a verifiable credential (vc+jwt)',
  'sd-jwt': 'a passport with selective disclosure (SD-JWT)',
  'status-list-jwt': 'a token status list',
  'mirror-manifest': 'the manifest of a mirror',
}

/** Throws SignatureError. */
export async function checkSigned(
  signed: SignedText,
  paths: VerifyPaths,
  findIssuer: FindDocument,
): Promise<CommandResult> {
  if (paths.files !== undefined && signed.form !== 'mirror-manifest')
    throw new UsageError('--files is only for the manifest of a mirror.')
  const document = await findIssuer(getDidOfKey(signed.keyId))
  if (document === undefined) return describeMissingKey(signed)
  const facts = signed.verify(createKeyFinder(document), systemClock.now())
  const compared = paths.files === undefined ? undefined : await compareWithFolder(paths.files, facts.files)
  const listed =
    paths.status === undefined ? undefined : lookUpStatus(paths.status, { signed, facts, document })
  return describeSigned(signed, facts, { compared, listed, didPath: paths.did })
}

/**
 * A document of an account that does not sign. Somebody could have removed the proof, so it is only accepted
 * on demand: `accepts`.
 */
export async function checkUnsignedManifest(
  manifest: DataObject,
  folder: string | undefined,
  accepts: boolean,
): Promise<CommandResult> {
  const files = listMirroredFiles(manifest)
  const compared = folder === undefined ? undefined : await compareWithFolder(folder, files)
  const unsigned = {
    code: 'unsigned',
    reason: 'Nobody signed this manifest, so anybody may have written it. --accept-unsigned accepts that.',
    exitCode: UNKNOWN,
  }
  const isAccepted = accepts && compared !== undefined
  const { format: _, files: __, ...others } = manifest
  return renderReport({
    form: 'mirror-manifest',
    passport: null,
    versionNo: null,
    signedBy: null,
    problem: findWrongFiles(compared) ?? (isAccepted ? null : unsigned),
    heading: `The manifest is not signed. Its files were ${compared === undefined ? 'not compared with it: --files DIR does so' : 'compared with it'}.`,
    proven: listFileFacts(files.length, compared),
    notProven: [
      { name: 'signer', label: 'signer', value: 'nobody' },
      ...Object.entries(others).map(([name, value]) => ({ name, label: name, value })),
      ...listUnlisted(compared),
    ],
  })
}

/** `isSet` is undefined if the list cannot be used, for the reason in `problem`. */
type ListedStatus = {
  purpose: StatusPurpose
  isSet: boolean | undefined
  asOf: string | null
  problem?: string
}

type VerifiedFile = { signed: SignedText; facts: SignedFacts; document: DataObject }

/** The list must be the one that the credential names, and signed by the same issuer. */
function lookUpStatus(path: string, { signed, facts, document }: VerifiedFile): ListedStatus {
  const { status, message } = facts
  if (status === null && message === null)
    throw new UsageError('--status is only for a file that names a status list.')
  const refuse = (problem: string): ListedStatus => ({
    purpose: 'revocation',
    isSet: undefined,
    asOf: null,
    problem,
  })
  try {
    const list = readSignedText(readFile(path))
    if (getDidOfKey(list.keyId) !== getDidOfKey(signed.keyId)) return refuse('It is of another issuer.')
    const found = list.verify(createKeyFinder(document), systemClock.now())
    const place = found.list?.purpose === 'message' ? message : status
    if (found.list === null || found.list.url !== place?.listUrl)
      return refuse(`It is not the list ${(status ?? message)?.listUrl}, which the file names.`)
    if (found.isExpired) return refuse(`It was valid until ${found.validUntil}. Save the current one.`)
    const isSet = isRevoked(found.list.bits, place.index)
    return { purpose: found.list.purpose, isSet, asOf: found.signedAt ?? found.validFrom }
  } catch (error) {
    if (error instanceof SignatureError) return refuse(error.message)
    throw error
  }
}

function describeMissingKey({ keyId, form }: SignedText): CommandResult {
  const source = getDidDocumentUrl(getDidOfKey(keyId)) ?? "the issuer's DID document"
  const reason = `The key ${keyId} is not at hand. Save ${source} and name the file with --did.`
  return renderReport({
    form,
    passport: null,
    versionNo: null,
    signedBy: null,
    proven: [],
    heading: 'Not checked.',
    problem: { code: 'unknown_key', reason, exitCode: UNKNOWN },
    notProven: [{ name: 'key', label: 'key', value: keyId, text: null }],
  })
}

type Checks = {
  compared: ComparedFiles | undefined
  listed: ListedStatus | undefined
  didPath: string | undefined
}

function describeSigned({ form, keyId }: SignedText, facts: SignedFacts, checks: Checks): CommandResult {
  const { passport, subject, versionNo, validFrom, validUntil, disclosed, status, files } = facts
  const { currentDocument } = facts
  const { compared, listed } = checks
  const did = getDidOfKey(keyId)
  const isMirror = form === 'mirror-manifest'
  return renderReport({
    form,
    passport,
    versionNo,
    signedBy: did,
    problem: findWrongFiles(compared) ?? findListed(listed, facts) ?? findExpiry(facts),
    heading: `The signature is valid${facts.isExpired ? ', but has expired' : ''}. This is ${FORM_NAMES[form]}.`,
    proven: [
      {
        name: 'about',
        label: isMirror ? 'of' : 'about',
        value: subject,
        text: versionNo === null ? subject : `${subject}, version ${versionNo}`,
      },
      { name: 'key', label: 'signed by', value: keyId, text: `${did} (${keyId.slice(did.length + 1)})` },
      { name: 'valid_from', label: 'valid from', value: validFrom },
      { name: 'valid_until', label: 'valid until', value: validUntil },
      { name: 'current_document', label: 'current one', value: currentDocument },
      {
        name: 'disclosed',
        label: 'disclosed',
        value: disclosed,
        text: disclosed === null ? null : `${disclosed} fields, also those inside of others`,
      },
      {
        name: 'status',
        label: 'status',
        text: null,
        value: status && { list_url: status.listUrl, index: status.index },
      },
      describeListed('revocation', listed),
      describeListed('message', listed),
      ...(isMirror ? listFileFacts(files.length, compared) : []),
    ],
    notProven: listUnproven({ form, did, facts }, checks),
  })
}

function listUnproven(
  { form, did, facts }: { form: SignedForm; did: string; facts: SignedFacts },
  { compared, listed, didPath }: Checks,
): VerifiedFact[] {
  const { passport, signedAt, disclosed, status, message } = facts
  const found: VerifiedFact[] = []
  const add = (name: string, label: string, value: unknown, text?: string) =>
    found.push({ name, label, value, ...(text !== undefined && { text }) })
  if (signedAt === null) add('signed_at', 'signed at', null, 'not stated')
  else add('signed_at', 'signed at', signedAt, `${signedAt}, by the clock of the signer`)
  if (passport !== null && getHost(passport) !== getDidHost(did)) {
    const text = `the identifier ${passport} is not an address of ${getDidHost(did) ?? did}: anybody can sign such a passport`
    add('right_to_sign', 'right to sign', text)
  }
  if (didPath !== undefined) {
    const source = getDidDocumentUrl(did) ?? 'the DID document of the issuer'
    add('keys', 'keys', `${didPath} says that these are the keys of the issuer; compare it with ${source}`)
  }
  if (disclosed !== null) add('left_out', 'left out', 'fields that the sender did not disclose')
  const isChecked = (purpose: StatusPurpose) => listed?.purpose === purpose && listed.isSet !== undefined
  const describePlace = ({ index, listUrl }: { index: number; listUrl: string }) =>
    `not checked; see number ${index} of ${listUrl}, and --status`
  if (status !== null && !isChecked('revocation')) add('revocation', 'revocation', describePlace(status))
  if (message !== null && !isChecked('message')) add('changes', 'since then', describePlace(message))
  if (form === 'mirror-manifest' && compared === undefined)
    add('files_compared', 'files', 'not compared; --files DIR compares them')
  return [...found, ...listUnlisted(compared)]
}

function getHost(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).host : undefined
}

type Problem = VerifyReport['problem']

function findWrongFiles(compared: ComparedFiles | undefined): Problem {
  if (compared === undefined || compared.wrong.length === 0) return null
  const reason = `These files are missing or differ from the manifest: ${listSome(compared.wrong)}.`
  return { code: 'altered', reason }
}

function findListed(listed: ListedStatus | undefined, { currentDocument }: SignedFacts): Problem {
  if (listed?.isSet === true && listed.purpose === 'revocation')
    return { code: 'revoked', reason: 'Its issuer has revoked it.' }
  if (listed?.isSet === true) {
    const reason = `Its passport was recalled or archived, or has a newer version. The current one is at ${currentDocument}.`
    return { code: 'outdated', reason }
  }
  if (listed?.problem === undefined) return null
  const reason = `The status list cannot be used. ${listed.problem}`
  return { code: 'unknown_status', reason, exitCode: UNKNOWN }
}

const LISTED_FACTS = {
  revocation: { name: 'revoked', label: 'revocation', texts: ['not revoked', 'revoked'] },
  message: {
    name: 'outdated',
    label: 'since then',
    texts: ['neither recalled, archived nor succeeded', 'recalled, archived or succeeded'],
  },
} as const

/** Returns what a list says; null if the list at hand has another purpose. */
function describeListed(purpose: StatusPurpose, listed: ListedStatus | undefined): VerifiedFact {
  const { name, label, texts } = LISTED_FACTS[purpose]
  const value = listed?.purpose === purpose ? (listed.isSet ?? null) : null
  const text =
    value === null ? null : `${texts[value ? 1 : 0]}, by the list of ${listed?.asOf ?? 'no stated time'}`
  return { name, label, value, text }
}

function findExpiry({ isExpired, validUntil, currentDocument, passport }: SignedFacts): Problem {
  if (!isExpired) return null
  const place = currentDocument ?? passport
  const way = place === null ? 'Get a new one.' : `The current one is at ${place}.`
  return { code: 'expired', reason: `It may be trusted without looking only until ${validUntil}. ${way}` }
}

const listFileFacts = (count: number, compared: ComparedFiles | undefined): VerifiedFact[] => [
  { name: 'files', label: 'files', value: count, text: describeFiles(count, compared) },
  { name: 'wrong_files', label: 'wrong files', value: compared?.wrong ?? null, text: null },
]

function describeFiles(count: number, compared: ComparedFiles | undefined): string {
  if (compared === undefined) return `${count} in the list`
  const { length } = compared.wrong
  return length === 0 ? `${count}, all as in the list` : `${count}, ${length} not as in the list`
}

function listUnlisted(compared: ComparedFiles | undefined): VerifiedFact[] {
  if (compared === undefined || compared.unlisted.length === 0) return []
  const text = `in the folder and not in the list: ${listSome(compared.unlisted)}`
  return [{ name: 'unlisted_files', label: 'other files', value: compared.unlisted, text }]
}

function listSome(paths: readonly string[]): string {
  const more = paths.length - MAX_LISTED_FILES
  return `${paths.slice(0, MAX_LISTED_FILES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
