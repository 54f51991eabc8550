/** `carnet export` and `carnet import`: one account as a file or as a folder of pages, and back. */
import { actAsOperator, requireAccount } from '../../accounts/account/accounts.ts'
import type { ImportedIssuer } from '../../accounts/issuer/export-issuer.ts'
import { openMediaStore } from '../../media/store/open-media-store.ts'
import { openMediaServices } from '../../media/upkeep/media-services.ts'
import { getIssuerDid } from '../../passports/documents/issuer-document.ts'
import { countAllPassports } from '../../passports/read/totals.ts'
import { exportAccountToFile } from '../../transfer/accounts/export-account.ts'
import { importAccountFromFile } from '../../transfer/accounts/import-account.ts'
import { exportStaticSite } from '../../transfer/static/export-static-site.ts'
import { ACCOUNT_OPTION, getAccountId, parseName } from '../command-line/account-arguments.ts'
import { type Arguments, type Command, type CommandResult, UsageError } from '../command-line/command.ts'
import { createCounter, describeGrowth, withProgress } from '../command-line/progress.ts'
import { VERSION } from '../command-line/version.ts'
import { withStaticPages } from '../server/static-pages.ts'
import { buildWebhookSetup } from '../store/webhook-setup.ts'
import { CREATES_STORE, onStore, type StoreContext } from '../store/with-store.ts'

/** Nobody waits for an imported file, and a refused one would end the import. */
const PREPARE_TIMEOUT_MS = 120_000

/** `folder`: of pictures and documents. */
type ExportTarget = { accountId: number; path: string; folder: string }

/** Beside the file, unless `--files` names another. */
const getFilesFolder = (path: string, args: Arguments): string => args.find('files') ?? `${path}.files`

export const exportCommand: Command = {
  usage: 'export --account A --to FILE [--files DIR] | export --static --account A --to DIR',
  about: 'exports an account with all versions to a file, or its public pages to a folder for any web server',
  options: {
    ...ACCOUNT_OPTION,
    to: { hint: 'FILE', about: 'the file to create; with --static the folder: new, empty or unfinished' },
    files: { hint: 'DIR', about: 'the folder for pictures and documents; the default is FILE.files' },
    static: { about: 'export public pages, JSON-LD and QR codes instead of data' },
  },
  run: onStore(
    args => {
      const path = args.get('to')
      const isStatic = args.has('static')
      if (isStatic && args.find('files') !== undefined)
        throw new UsageError('--files is not for --static: the pages and their files are in one folder.')
      return { accountId: getAccountId(args), path, folder: getFilesFolder(path, args), isStatic }
    },
    (ctx, { isStatic, ...target }) => (isStatic ? writePages(ctx, target) : writeData(ctx, target)),
  ),
}

async function writeData(ctx: StoreContext, { folder, ...target }: ExportTarget): Promise<CommandResult> {
  const { store, clock, addresses, config } = ctx
  const files = { folder, mediaStore: openMediaStore(config.mediaPlace) }
  const setup = { openPool: store.openPoolOfOne, clock, version: VERSION, publicUrl: addresses.publicUrl }
  await requireAccount(ctx, target.accountId)
  const total = await countAllPassports(await actAsOperator(ctx, target.accountId))
  const describe = createCounter('passports')
  const made = await withProgress(update =>
    exportAccountToFile(setup, { ...target, files, progress: n => update(describe(n, total)) }),
  )
  const { passport: passports = 0, version: versions = 0, file: stored = 0 } = made.counts
  const text = [
    `${target.path} has ${passports} passports with ${versions} versions.`,
    ...(stored === 0 ? [] : [`Its ${stored} pictures and documents are in ${folder}: keep both together.`]),
    ...(made.missing_files === 0
      ? []
      : [
          `${made.missing_files} files were deleted meanwhile or are lost: "carnet doctor --verify" names those that are lost.`,
        ]),
    `SHA-256 ${made.sha256}`,
  ].join('\n')
  return { value: { ...made, passports, versions, files: stored, files_folder: folder }, text }
}

async function writePages(ctx: StoreContext, { accountId, path: dir }: ExportTarget): Promise<CommandResult> {
  const { store, clock } = ctx
  await requireAccount(ctx, accountId)
  const total = await countAllPassports(await actAsOperator(ctx, accountId))
  const describe = createCounter('passports')
  return withStaticPages(ctx, async source => {
    const setup = { ...source, openPool: store.openPoolOfOne, clock }
    const made = await withProgress(update =>
      exportStaticSite(setup, {
        accountId,
        dir,
        progress: (done, written) => update(describeGrowth(describe(done, total), written, { done, total })),
      }),
    )
    const { passports, files, kept } = made
    const earlier =
      kept === 0 ? '' : `\n${kept} of them were already there, from an earlier run that was stopped.`
    return {
      value: made,
      text: `${dir} has the pages of ${passports} passports in ${files} files.${earlier}`,
    }
  })
}

export const importCommand: Command = {
  usage: 'import --from FILE [--files DIR | --without-files] [--name N] [--plan P]',
  about: 'creates a new account from an exported one; its passports keep their ids',
  options: {
    from: { hint: 'FILE', about: 'a file that `carnet export` wrote' },
    files: { hint: 'DIR', about: 'the folder with its pictures and documents; the default is FILE.files' },
    'without-files': { about: 'import no pictures and documents; passports keep their references' },
    name: { hint: 'N', about: 'the name of the new account; the default is the name in the file' },
    plan: { hint: 'P', about: 'the plan of the new account; the default is the plan in the file' },
  },
  run: onStore(
    args => {
      const path = args.get('from')
      const withoutFiles = args.has('without-files')
      if (withoutFiles && args.find('files') !== undefined)
        throw new UsageError('Give either --files or --without-files.')
      return {
        path,
        folder: withoutFiles ? undefined : getFilesFolder(path, args),
        name: args.find('name') === undefined ? undefined : parseName(args, 'name'),
        plan: args.find('plan'),
      }
    },
    async ({ store, sql, clock, config, addresses }, { folder, ...input }) => {
      const { secretCipher } = buildWebhookSetup(config)
      const setup = { openPool: store.openPoolOfOne, sql, clock, secretCipher }
      using media = new DisposableStack()
      const services = openMediaServices(config.mediaPlace, { timeoutMs: PREPARE_TIMEOUT_MS })
      media.defer(() => services.preparer.stop())
      const files = folder === undefined ? {} : { files: { folder, ...services } }
      const describe = createCounter('lines')
      const made = await withProgress(update =>
        importAccountFromFile(setup, {
          ...input,
          ...files,
          progress: (n, total) => update(describe(n, total)),
        }),
      )
      const { passport: passports = 0, version: versions = 0, file: stored = 0 } = made.counts
      const contents = `${passports} passports with ${versions} versions${folder === undefined ? '' : ` and ${stored} files`}`
      const text = `Account ${made.account} "${made.name}" has ${contents}. Its people and API keys are not imported: create new ones.`
      const { issuer, ...rest } = made
      const did = issuer === undefined ? undefined : getIssuerDid(addresses, issuer.name)
      const sentences = issuer === undefined ? [] : describeIssuer(issuer, did ?? '')
      return {
        value: { ...rest, did, new_signing_key: issuer?.isNewKey, passports, versions },
        text: [text, ...sentences].join('\n'),
      }
    },
    CREATES_STORE,
  ),
}

/** Says what of the account's signing could not be kept. */
function describeIssuer({ isNewName, isNewKey, isNewCommitKey }: ImportedIssuer, did: string): string[] {
  return [
    isNewName ? `Another account here has the name of its DID. Its new one is ${did}.` : `Its DID is ${did}.`,
    ...(isNewKey
      ? [
          'Its signing key was encrypted with another SECRET_KEY, so a new key signs. The earlier public keys stay listed.',
        ]
      : []),
    ...(isNewCommitKey ? ['Commitments in documents that were signed before cannot be computed again.'] : []),
  ]
}
