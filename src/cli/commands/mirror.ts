/** `carnet mirror`: the back-up copy of an account, as a folder for any static host. */
import { listAccounts } from '../../accounts/account/accounts.ts'
import type { MirrorEstimate } from '../../transfer/mirror/estimate-mirror.ts'
import { type MirrorResult, mirrorAccount } from '../../transfer/mirror/mirror-account.ts'
import { findAccountId } from '../command-line/account-arguments.ts'
import { type Command, CommandError, type CommandResult } from '../command-line/command.ts'
import {
  announce,
  createCounter,
  describeGrowth,
  formatCount,
  formatDuration,
  formatSize,
  withProgress,
} from '../command-line/progress.ts'
import { VERSION } from '../command-line/version.ts'
import { withStaticPages } from '../server/static-pages.ts'
import { buildWebhookSetup } from '../store/webhook-setup.ts'
import { onStore, type StoreContext } from '../store/with-store.ts'

export const mirror: Command = {
  usage: 'mirror --to DIR [--account A] [--all]',
  about:
    'writes what the public may see of an account to a folder for any web server, and later what changed',
  options: {
    to: { hint: 'DIR', about: 'the folder: new, empty, or that of an earlier run' },
    account: { hint: 'A', about: 'the id of the account; needed if there are several' },
    all: { about: 'compare every passport with its files, not only those that changed' },
  },
  run: onStore(
    args => ({ dir: args.get('to'), account: findAccountId(args, 'account'), all: args.has('all') }),
    async (ctx, { account, ...target }) => {
      const accountId = account ?? (await findOnlyAccount(ctx))
      return describe(await writeMirror(ctx, { accountId, ...target }))
    },
  ),
}

async function findOnlyAccount(ctx: StoreContext): Promise<number> {
  const accounts = await listAccounts(ctx)
  const [only] = accounts
  if (only !== undefined && accounts.length === 1) return Number(only.id)
  throw new CommandError(
    `There are ${accounts.length} accounts. Name one with --account: each has a folder of its own.`,
  )
}

type Target = { accountId: number; dir: string; all: boolean }

const writeMirror = (ctx: StoreContext, target: Target): Promise<MirrorResult> =>
  withStaticPages(ctx, async pages => {
    const { sql, clock, addresses, config } = ctx
    const { secretCipher } = buildWebhookSetup(config)
    const { nsUrl, signatureDays } = config
    const documents = { sql, clock, addresses, secretCipher, nsUrl, signatureDays }
    const describe = createCounter('passports')
    return withProgress(update =>
      mirrorAccount(
        { ...pages, documents, version: VERSION },
        {
          ...target,
          onEstimate: estimate => announce(describeEstimate(estimate)),
          progress: (done, total, { written: files, bytes }) =>
            update(describeGrowth(describe(done, total), { files, bytes }, { done, total })),
        },
      ),
    )
  })

/** Names what does not fit, because a run that stops for it has taken hours. */
function describeEstimate({ passports, ms, bytes, files, freeBytes, freeFiles }: MirrorEstimate): string {
  const isFull = bytes > freeBytes || files > (freeFiles ?? Number.POSITIVE_INFINITY)
  const free = freeFiles === undefined ? '' : ` and ${formatCount(freeFiles)} more files`
  return [
    `The first run for ${formatCount(passports)} passports takes about ${formatDuration(ms)} and makes about ${formatCount(files)} files of ${formatSize(bytes)} together. The disk has room for ${formatSize(freeBytes)}${free}.`,
    ...(isFull ? ['That is not enough: it will stop when the disk is full. Choose a larger one.'] : []),
  ].join('\n')
}

function describe(made: MirrorResult): CommandResult {
  const { dir, passports, written, removed, files, is_signed: isSigned, left_out: leftOut } = made
  const lines = [
    `${dir} has ${files} files. ${passports} passports were compared: ${written} files written, ${removed} removed.`,
    isSigned
      ? ''
      : 'The manifest is not signed, because the account does not sign: see "carnet accounts signing".',
    leftOut === 0 ? '' : `${leftOut} GS1 addresses have a slash in their lot or serial and cannot be files.`,
  ]
  return { value: made, text: lines.filter(line => line !== '').join('\n') }
}
