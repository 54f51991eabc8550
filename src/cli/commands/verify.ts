/** `carnet verify`: checks a signed file without a network, and says what that proves and what not. */
import { readConfig } from '../../kernel/config/config.ts'
import type { Environment } from '../../kernel/config/environment-reader.ts'
import { tryParseJson } from '../../kernel/text/try-parse-json.ts'
import type { DataObject } from '../../kernel/values/data-object.ts'
import { buildIssuerDocument } from '../../passports/documents/issuer-document.ts'
import { createIssuerDid } from '../../standards/signing/did-document.ts'
import { findUnsignedManifest } from '../../standards/signing/mirror-manifest.ts'
import { parseSignedJson } from '../../standards/signing/parse-signed-json.ts'
import { SignatureError } from '../../standards/signing/signature-error.ts'
import { readSignedText } from '../../standards/signing/signed-text.ts'
import { isVersionProof } from '../../standards/signing/version-proof.ts'
import { type Command, type CommandResult, UsageError } from '../command-line/command.ts'
import { withOpenStore } from '../store/with-store.ts'
import { readDidDocument, readFile, type VerifyPaths } from './verify-files.ts'
import { renderRefusal } from './verify-report.ts'
import { checkSigned, checkUnsignedManifest, type FindDocument } from './verify-signed.ts'
import { checkVersionProof, VERSION_PROOF_FORM } from './verify-version-proof.ts'

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

export const createVerifyCommand = (findIssuer: FindIssuer): Command => ({
  usage:
    'verify FILE [--did did.json] [--status FILE] [--files DIR [--accept-unsigned]] [--time-stamp FILE] [--tsa-ca FILE]',
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
    'accept-unsigned': { about: 'accept the manifest of an account that does not sign' },
  },
  run: ({ args, env }) => {
    const paths = {
      did: args.find('did'),
      files: args.find('files'),
      status: args.find('status'),
      timeStamp: args.find('time-stamp'),
      authorities: args.find('tsa-ca'),
    }
    const { did: didPath } = paths
    const findDocument: FindDocument =
      didPath === undefined ? did => findIssuer(did, env) : async () => readDidDocument(didPath)
    const input = { paths, findDocument, acceptsUnsigned: args.has('accept-unsigned') }
    return verifyFile(args.get('FILE'), input)
  },
})

export const verifyCommand = createVerifyCommand(findOwnIssuer)

type VerifyInput = { paths: VerifyPaths; findDocument: FindDocument; acceptsUnsigned: boolean }

async function verifyFile(path: string, input: VerifyInput): Promise<CommandResult> {
  const { paths, findDocument, acceptsUnsigned } = input
  const bytes = readFile(path)
  let form: string | null = null
  try {
    const text = bytes.toString()
    const file: unknown = tryParseJson(text)
    if (isVersionProof(file)) {
      form = VERSION_PROOF_FORM
      // Throws for a member that is there twice.
      parseSignedJson(text)
      return checkVersionProof(file, paths)
    }
    if (paths.timeStamp !== undefined || paths.authorities !== undefined)
      throw new UsageError('--time-stamp and --tsa-ca are only for the proof of a version.')
    const unsigned = findUnsignedManifest(file)
    if (unsigned !== undefined) {
      form = 'mirror-manifest'
      parseSignedJson(text)
      return await checkUnsignedManifest(unsigned, paths.files, acceptsUnsigned)
    }
    const signed = readSignedText(bytes)
    form = signed.form
    return await checkSigned(signed, paths, findDocument)
  } catch (error) {
    if (error instanceof SignatureError) return renderRefusal(error, form)
    throw error
  }
}
