/** Commands for auditors of a version: what its commitment is made of, and the proof of when it existed. */
import { parseId } from '../../kernel/crypto/ids.ts'
import { explainCommitment } from '../../passports/documents/explain-commitment.ts'
import { proveVersion } from '../../passports/documents/prove-version.ts'
import { buildVersionProof } from '../../standards/signing/version-proof.ts'
import { requireNewPath, writeNewFile } from '../../transfer/new-file.ts'
import { type Arguments, alignColumns, type Command, UsageError } from '../command-line/command.ts'
import { buildWebhookSetup } from '../store/webhook-setup.ts'
import { onStore } from '../store/with-store.ts'

export const passportsCommitment: Command = {
  usage: 'passports commitment ID [--version N]',
  about: 'shows the hash and the salt of a version, from which an auditor computes its commitment',
  positionals: ['ID'],
  options: { version: { hint: 'N', about: 'the number of the version; the default is the current one' } },
  run: onStore(
    args => ({ uuid: readPassportId(args), version: readVersion(args) }),
    async ({ sql, config }, { uuid, version }) => {
      const { secretCipher } = buildWebhookSetup(config)
      const value = await explainCommitment({ sql, secretCipher }, uuid, version)
      const rows = Object.entries(value).map(([name, text]) => [name, String(text)])
      return { value, text: alignColumns(rows) }
    },
  ),
}

export const passportsProof: Command = {
  usage: 'passports proof ID [--version N] --to FILE',
  about: 'writes the proof of when a version existed, which "carnet verify" checks without a network',
  positionals: ['ID'],
  options: {
    version: { hint: 'N', about: 'the number of the version; the default is the current one' },
    to: { hint: 'FILE', about: 'the file to create' },
  },
  run: onStore(
    args => ({ uuid: readPassportId(args), version: readVersion(args), path: args.get('to') }),
    async ({ sql, config, addresses }, { uuid, version, path }) => {
      await requireNewPath(path, 'a proof')
      const { secretCipher } = buildWebhookSetup(config)
      const proven = await proveVersion({ sql, secretCipher, addresses }, uuid, version)
      const value = buildVersionProof(proven)
      await writeNewFile(path, put => put(Buffer.from(`${JSON.stringify(value, null, 2)}\n`)))
      const until = proven.until.toISOString()
      return { value, text: `${path} proves that version ${proven.versionNo} was made before ${until}.` }
    },
  ),
}

function readPassportId(args: Arguments): string {
  const uuid = parseId(args.get('ID'))
  if (uuid === undefined) throw new UsageError(`"${args.get('ID')}" is not the id of a passport.`)
  return uuid
}

function readVersion(args: Arguments): number | undefined {
  const text = args.find('version')
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError('--version must be a whole number of at least 1.')
  return Number(text)
}
