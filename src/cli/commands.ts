/** All commands. The file of a command is loaded only when the command runs, so that each starts fast. */
import type { RecordId } from '../accounts/account/audit.ts'
import type { Command } from './command-line/command.ts'

type CommandEntry = { about: string; load: () => Promise<Command> }

const entry = <K extends string>(
  about: string,
  file: () => Promise<Record<NoInfer<K>, Command>>,
  name: K,
): CommandEntry => ({ about, load: async () => (await file())[name] })

const serve = () => import('./commands/serve.ts')
const demo = () => import('./commands/demo.ts')
const migrate = () => import('./commands/migrate.ts')
const doctor = () => import('./commands/doctor.ts')
const accounts = () => import('./commands/accounts.ts')
const brand = () => import('./commands/accounts-brand.ts')
const scans = () => import('./commands/accounts-scans.ts')
const users = () => import('./commands/users.ts')
const keys = () => import('./commands/keys.ts')
const dppId = () => import('./commands/dpp-id.ts')
const gtin = () => import('./commands/gtin.ts')
const categories = () => import('./commands/categories.ts')
const events = () => import('./commands/events.ts')
const media = () => import('./commands/media.ts')
const passports = () => import('./commands/passports.ts')
const links = () => import('./commands/access-links.ts')
const records = () => import('./commands/records.ts')
const readiness = () => import('./commands/readiness.ts')
const verify = () => import('./commands/verify.ts')
const webhooks = () => import('./commands/webhooks.ts')
const deliveries = () => import('./commands/webhook-deliveries.ts')
const spread = () => import('./commands/accounts-spread.ts')
const move = () => import('./commands/accounts-move.ts')
const shards = () => import('./commands/shards.ts')
const identity = () => import('./commands/accounts-verify.ts')
const signing = () => import('./commands/accounts-signing.ts')
const registrySettings = () => import('./commands/accounts-registry.ts')
const registry = () => import('./commands/registry.ts')
const credentials = () => import('./commands/passports-revoke-credential.ts')
const backup = () => import('./commands/backup.ts')
const drill = () => import('./commands/backup-drill.ts')
const mirror = () => import('./commands/mirror.ts')
const exports = () => import('./commands/export.ts')

export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  serve: entry('start the server', serve, 'serve'),
  demo: entry('start a server with a demo account and passports', demo, 'demo'),
  migrate: entry('migrate the database to this version', migrate, 'migrateCommand'),
  doctor: entry('check the installation for problems', doctor, 'doctor'),
  'accounts create': entry('create an account', accounts, 'accountsCreate'),
  'accounts list': entry('list the accounts and their usage', accounts, 'accountsList'),
  'accounts set-plan': entry('change the plan of an account', accounts, 'accountsSetPlan'),
  'accounts set-indexing': entry(
    'allow or forbid search engines to list the products of an account',
    accounts,
    'accountsSetIndexing',
  ),
  'accounts set-audience': entry(
    'choose who sees protected fields of an account',
    accounts,
    'accountsSetAudience',
  ),
  'accounts brand': entry('set how the public pages of an account look', brand, 'accountsBrand'),
  'accounts scans': entry("show or change how an account's scans are counted", scans, 'accountsScans'),
  'accounts verify': entry('show, approve or withdraw who accounts are', identity, 'accountsVerify'),
  'accounts signing': entry('sign the documents of an account, or stop', signing, 'accountsSigning'),
  'accounts signing rotate': entry('sign with a new key', signing, 'accountsSigningRotate'),
  'accounts signing revoke': entry('declare a signing key stolen', signing, 'accountsSigningRevoke'),
  'accounts registry': entry(
    'prepare the passports of an account for the EU registry, or stop',
    registrySettings,
    'accountsRegistry',
  ),
  'accounts backup-url': entry(
    'set where copies of the passports of an account are published',
    registrySettings,
    'accountsBackupUrl',
  ),
  'accounts operator': entry(
    'let the owners of an account answer requests for verification',
    accounts,
    'accountsOperator',
  ),
  'accounts close': entry('freeze an account; its public pages stay', accounts, 'accountsClose'),
  'accounts reopen': entry('reopen a closed account', accounts, 'accountsReopen'),
  'accounts spread': entry('create new models of an account on several shards', spread, 'accountsSpread'),
  'accounts move': entry('move a closed account to another shard', move, 'accountsMove'),
  'shards create': entry('create shards on a Citus cluster', shards, 'shardsCreate'),
  'shards list': entry('list the shards with their machines and sizes', shards, 'shardsList'),
  'shards move': entry('move a shard to another machine', shards, 'shardsMove'),
  'users create': entry('add a person to an account, with a link to set a password', users, 'usersCreate'),
  'users reset-password': entry('give a person a new link to set a password', users, 'usersResetPassword'),
  'users browser-link': entry(
    'give a person a link that makes a browser known, if guesses of others hold back their sign-in',
    users,
    'usersBrowserLink',
  ),
  'keys create': entry('create an API key; it is shown once', keys, 'keysCreate'),
  'keys list': entry("list an account's API keys", keys, 'keysList'),
  'keys rotate': entry('replace an API key; the old one works for another day', keys, 'keysRotate'),
  'keys revoke': entry('revoke an API key within two seconds', keys, 'keysRevoke'),
  'passports commitment': entry(
    'show what an auditor needs to check a signed version',
    passports,
    'passportsCommitment',
  ),
  'passports proof': entry('write the proof of when a version existed', passports, 'passportsProof'),
  'dpp-id release': entry('take the identifier of another system from a passport', dppId, 'dppIdRelease'),
  'gtin release': entry('release the GTIN of an inactive product for another product', gtin, 'gtinRelease'),
  'media withdraw': entry('withdraw a picture or document for good', media, 'mediaWithdraw'),
  'media withdrawals': entry('list the files that accounts ask to withdraw', media, 'mediaWithdrawals'),
  'passports revoke-credential': entry(
    'revoke the credentials of a passport',
    credentials,
    'passportsRevokeCredential',
  ),
  'access-links create': entry(
    'create a link to data that is not public; it is shown once',
    links,
    'accessLinksCreate',
  ),
  'access-links list': entry("list an account's access links", links, 'accessLinksList'),
  'access-links revoke': entry('revoke an access link', links, 'accessLinksRevoke'),
  ...listRecordEntries('offers', 'offer'),
  'events list': entry('list what happened to a batch or item', events, 'eventsList'),
  'events add': entry('add an event to the log of a batch or item', events, 'eventsAdd'),
  'categories check': entry('check files that describe a category', categories, 'categoriesCheck'),
  readiness: entry('show what the law still wants of products', readiness, 'readiness'),
  'registry export': entry('write the lines for the EU registry to a file', registry, 'registryExport'),
  'registry import': entry('store what the EU registry has answered', registry, 'registryImport'),
  verify: entry('check a signed passport, credential or mirror without a network', verify, 'verifyCommand'),
  'webhooks add': entry('send events to a URL; the secret is shown once', webhooks, 'webhooksAdd'),
  'webhooks list': entry('list an account’s webhooks and their state', webhooks, 'webhooksList'),
  'webhooks change': entry('change the URL, events or description of a webhook', webhooks, 'webhooksChange'),
  'webhooks pause': entry('hold back the events of a webhook', webhooks, 'webhooksPause'),
  'webhooks resume': entry(
    'resume deliveries, also after a webhook was disabled',
    webhooks,
    'webhooksResume',
  ),
  'webhooks remove': entry('remove a webhook and its waiting events', webhooks, 'webhooksRemove'),
  'webhooks rotate': entry('give a webhook a new secret; both sign for 24 hours', webhooks, 'webhooksRotate'),
  'webhooks activate': entry(
    'sign X-Service-Signature with the new secret now',
    webhooks,
    'webhooksActivate',
  ),
  'webhooks test': entry('send a test event and show the result', deliveries, 'webhooksTest'),
  'webhooks deliveries': entry('list delivery attempts, newest first', deliveries, 'webhooksDeliveries'),
  'webhooks resend': entry('send the event of one attempt again', deliveries, 'webhooksResend'),
  'webhooks replay': entry('send again the events that failed since a time', deliveries, 'webhooksReplay'),
  'webhooks unstick': entry(
    'deliver events that wait because a clock was ahead',
    deliveries,
    'webhooksUnstick',
  ),
  'secrets reseal': entry(
    'encrypt stored secrets again after a change of SECRET_KEY',
    webhooks,
    'secretsReseal',
  ),
  backup: entry('write everything into one file while the server runs', backup, 'backup'),
  'backup drill': entry('restore a backup into a temporary database and check it', drill, 'backupDrill'),
  restore: entry('restore a backup into an empty store', backup, 'restore'),
  export: entry('export an account as a file, or as a folder of pages', exports, 'exportCommand'),
  mirror: entry('write the back-up copy of an account, or what changed since', mirror, 'mirror'),
  import: entry('import an exported account', exports, 'importCommand'),
}

/** `names`: of the type with this id, in the plural. */
function listRecordEntries(names: string, id: RecordId): Record<string, CommandEntry> {
  return {
    [`${names} list`]: {
      about: `list the ${names} of an account`,
      load: async () => (await records()).recordsList(id),
    },
    [`${names} add`]: {
      about: `add one of the ${names}`,
      load: async () => (await records()).recordsAdd(id),
    },
    [`${names} change`]: {
      about: `change one of the ${names}`,
      load: async () => (await records()).recordsChange(id),
    },
    [`${names} delete`]: {
      about: `delete one of the ${names}`,
      load: async () => (await records()).recordsDelete(id),
    },
  }
}
