/** Checks the proof of when a version existed, for `carnet verify`. */
import type { DataObject } from '../../kernel/values/data-object.ts'
import { type VersionProofFacts, verifyVersionProof } from '../../standards/signing/version-proof.ts'
import { CommandError, type CommandResult, UsageError } from '../command-line/command.ts'
import { readCertificateFile, readFile, type VerifyPaths } from './verify-files.ts'
import { renderReport, type VerifiedFact } from './verify-report.ts'

export const VERSION_PROOF_FORM = 'version-proof'

/** Throws SignatureError. */
export function checkVersionProof(file: DataObject, paths: VerifyPaths): CommandResult {
  const { files, status, timeStamp, authorities } = paths
  if (files !== undefined || status !== undefined)
    throw new UsageError('--files and --status are not for the proof of a version.')
  const facts = verifyVersionProof(file, {
    token: timeStamp === undefined ? undefined : readFile(timeStamp),
    authorities: authorities === undefined ? undefined : readCertificateFile(authorities),
  })
  if (facts.stamp === null && authorities !== undefined)
    throw new CommandError(
      'The proof has no time stamp. If you have it as a file, name it with --time-stamp.',
    )
  return describe(facts)
}

function describe({ version, commitment, root, stamp, notProven }: VersionProofFacts): CommandResult {
  const stampedAt = stamp?.at.toISOString() ?? null
  return renderReport({
    form: VERSION_PROOF_FORM,
    passport: version?.passportId ?? null,
    versionNo: version?.versionNo ?? null,
    signedBy: null,
    problem: null,
    heading:
      version === null
        ? 'The proof is valid. A version with this commitment is in a daily Merkle tree.'
        : 'The proof is valid. The version is in a daily Merkle tree.',
    proven: [
      ...(version === null ? [] : [aboutVersion(version)]),
      { name: 'commitment', label: 'commitment', value: commitment },
      { name: 'root', label: 'root', value: root },
      { name: 'stamped_at', label: 'made before', value: stampedAt },
      { name: 'stamped_by', label: 'stamped by', value: stamp?.authority ?? null },
    ],
    notProven: [
      ...Object.entries(notProven).map(describeUnproven),
      {
        name: 'published_by',
        label: 'published by',
        value:
          'see the versionCommitment in a signed document of this version: it must be the commitment above',
      },
    ],
  })
}

/** Its members are in the report already. */
const aboutVersion = ({
  passportId,
  versionNo,
}: NonNullable<VersionProofFacts['version']>): VerifiedFact => ({
  name: 'about',
  label: 'about',
  value: `passport ${passportId}, version ${versionNo}`,
})

const EXPLANATIONS: Readonly<Record<string, string>> = {
  'tree.until': 'made before, as the file says; only a time stamp that --tsa-ca checks proves a date',
  timeStamp: 'nobody checked who signed it; --tsa-ca does',
}

function describeUnproven([name, value]: [string, unknown]): VerifiedFact {
  const explanation = name === 'timeStamp' && value === 'none' ? undefined : EXPLANATIONS[name]
  const shown = typeof value === 'string' ? value : JSON.stringify(value)
  return {
    name,
    label: name,
    value,
    text: explanation === undefined ? shown : `${shown} (${explanation})`,
  }
}
