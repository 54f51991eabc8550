/** `carnet export` and `carnet import`: one account as a file or as a folder of pages, and back. */
import { requireAccount } from '../../accounts/accounts.ts'
import { systemClock } from '../../kernel/clock.ts'
import type { Config } from '../../kernel/config/config.ts'
import { openOutbound } from '../../kernel/http-out/outbound-http.ts'
import { openMailer } from '../../kernel/http-out/smtp.ts'
import { createLog } from '../../kernel/log.ts'
import { createScanRecorder } from '../../scans/recorder.ts'
import { exportAccountToFile } from '../../transfer/accounts/export-account.ts'
import { importAccountFromFile } from '../../transfer/accounts/import-account.ts'
import {
  exportStaticSite,
  type FetchedPage,
  type StaticSiteResult,
} from '../../transfer/static/export-static-site.ts'
import { parseAccountId, parseName } from '../command-line/account-arguments.ts'
import type { Command, CommandResult } from '../command-line/command.ts'
import { showProgress } from '../command-line/progress.ts'
import { VERSION } from '../command-line/version.ts'
import { createServerApp } from '../server/server-app.ts'
import { buildWebhookSetup } from '../store/webhook-setup.ts'
import { CREATES_STORE, type StoreContext, withStore } from '../store/with-store.ts'

export const exportCommand: Command = {
  usage: 'export --account A --to FILE | export --static --account A --to DIR',
  about: 'exports an account with all versions to a file, or its public pages to a folder for any web server',
  options: {
    account: { hint: 'A', about: 'the id of the account' },
    to: { hint: 'FILE', about: 'the file to create; with --static the folder: new, empty or unfinished' },
    static: { about: 'export public pages, JSON-LD and QR codes instead of data' },
  },
  run: ({ args, env }) => {
    const accountId = parseAccountId(args.get('account'))
    const path = args.get('to')
    return withStore(env, ctx =>
      args.has('static') ? writePages(ctx, accountId, path) : writeData(ctx, accountId, path),
    )
  },
}

async function writeData(ctx: StoreContext, accountId: number, path: string): Promise<CommandResult> {
  const { store, clock, addresses } = ctx
  const progress = showProgress(process.stderr)
  const setup = { openPool: store.openPoolOfOne, clock, version: VERSION, publicUrl: addresses.publicUrl }
  const made = await exportAccountToFile(setup, {
    accountId,
    path,
    progress: n => progress.update(`${n} passports`),
  })
  progress.clear()
  const { passport = 0, version = 0 } = made.counts
  const value = { ...made, passports: passport, versions: version }
  return {
    value,
    text: `${path} has ${passport} passports with ${version} versions.\nSHA-256 ${made.sha256}`,
  }
}

async function writePages(ctx: StoreContext, accountId: number, dir: string): Promise<CommandResult> {
  const { store, config } = ctx
  await requireAccount(ctx, accountId)
  const { createApp } = await import('../../app.ts')
  const log = createLog({ ...config, logLevel: 'silent' })
  const scans = createScanRecorder({ sql: store.sql, clock: systemClock, log, geoMmdbPath: undefined })
  const outbound = openOutbound(buildWebhookSetup(config).policy)
  const mail = openMailer(undefined, log)
  const app = createServerApp({
    // Only the requests below reach this server: they must not count as a reader's.
    config: { ...config, trustedProxies: ['127.0.0.1'] },
    log,
    store,
    isStopping: () => false,
    create: createApp,
    scans,
    mail,
    outbound,
  })
  const fetchPage = async (path: string, accept: string): Promise<FetchedPage> => {
    ctx.stopping.throwIfAborted()
    // A page that is fetched ahead is not counted as a scan.
    const headers = { accept, 'sec-purpose': 'prefetch' }
    const answer = await app.inject({ method: 'GET', url: path, headers })
    return {
      status: answer.statusCode,
      type: String(answer.headers['content-type']),
      body: answer.rawPayload,
    }
  }
  const progress = showProgress(process.stderr)
  try {
    const { publicUrl } = config
    const setup = {
      openPool: store.openPoolOfOne,
      clock: ctx.clock,
      fetchPage,
      publicUrl,
      namespace: findNamespacePath(config),
    }
    const made = await exportStaticSite(setup, {
      accountId,
      dir,
      progress: n => progress.update(`${n} passports`),
    })
    progress.clear()
    return {
      value: made,
      text: `${dir} has the pages of ${made.passports} passports in ${made.files} files.${describeKept(made)}`,
    }
  } finally {
    await Promise.all([app.close(), outbound.close()])
  }
}

const describeKept = ({ kept }: StaticSiteResult) =>
  kept === 0 ? '' : `\n${kept} of them were already there, from an earlier run that was stopped.`

/** The path of the vocabulary, when this server publishes it. */
function findNamespacePath({ publicUrl, nsUrl }: Pick<Config, 'publicUrl' | 'nsUrl'>): string | undefined {
  const path = nsUrl.slice(publicUrl.length + 1)
  return nsUrl.startsWith(`${publicUrl}/`) && /^[a-z0-9-]+(\/[a-z0-9-]+)*$/i.test(path) ? path : undefined
}

export const importCommand: Command = {
  usage: 'import --from FILE [--name N] [--plan P]',
  about: 'creates a new account from an exported one; its passports keep their ids',
  options: {
    from: { hint: 'FILE', about: 'a file that `carnet export` wrote' },
    name: { hint: 'N', about: 'the name of the new account; the default is the name in the file' },
    plan: { hint: 'P', about: 'the plan of the new account; the default is the plan in the file' },
  },
  run: ({ args, env }) => {
    const path = args.get('from')
    const name = args.find('name') === undefined ? undefined : parseName(args, 'name')
    const plan = args.find('plan')
    return withStore(
      env,
      async ({ store, clock }) => {
        const progress = showProgress(process.stderr)
        const setup = { openPool: store.openPoolOfOne, clock }
        const made = await importAccountFromFile(setup, {
          path,
          name,
          plan,
          progress: n => progress.update(`${n} lines`),
        })
        progress.clear()
        const { passport = 0, version = 0 } = made.counts
        const value = { ...made, passports: passport, versions: version }
        const text = `Account ${made.account} "${made.name}" has ${passport} passports with ${version} versions. Its people and keys are not imported: create new ones.`
        return { value, text }
      },
      CREATES_STORE,
    )
  },
}
