/** All commands. The file of a command is loaded only when the command runs, so that each starts fast. */
import type { Command } from './command-line/command.ts'

type CommandEntry = { about: string; load: () => Promise<Command> }

export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  serve: { about: 'start the server', load: async () => (await import('./commands/serve.ts')).serve },
  demo: {
    about: 'start a server with a demo account and passports',
    load: async () => (await import('./commands/demo.ts')).demo,
  },
  migrate: {
    about: 'migrate the database to this version',
    load: async () => (await import('./commands/migrate.ts')).migrateCommand,
  },
  doctor: {
    about: 'check the installation for problems',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  'accounts create': {
    about: 'create an account',
    load: async () => (await import('./commands/accounts.ts')).accountsCreate,
  },
  'accounts list': {
    about: 'list the accounts and their usage',
    load: async () => (await import('./commands/accounts.ts')).accountsList,
  },
  'accounts set-plan': {
    about: 'change the plan of an account',
    load: async () => (await import('./commands/accounts.ts')).accountsSetPlan,
  },
  'accounts set-indexing': {
    about: 'allow or forbid search engines to list the products of an account',
    load: async () => (await import('./commands/accounts.ts')).accountsSetIndexing,
  },
  'accounts brand': {
    about: 'set how the public pages of an account look',
    load: async () => (await import('./commands/accounts-brand.ts')).accountsBrand,
  },
  'accounts scans': {
    about: "show or change how an account's scans are counted",
    load: async () => (await import('./commands/accounts-scans.ts')).accountsScans,
  },
  'accounts close': {
    about: 'freeze an account; its public pages stay',
    load: async () => (await import('./commands/accounts.ts')).accountsClose,
  },
  'accounts reopen': {
    about: 'reopen a closed account',
    load: async () => (await import('./commands/accounts.ts')).accountsReopen,
  },
  'users create': {
    about: 'add a person to an account, with a link to set a password',
    load: async () => (await import('./commands/users.ts')).usersCreate,
  },
  'users reset-password': {
    about: 'give a person a new link to set a password',
    load: async () => (await import('./commands/users.ts')).usersResetPassword,
  },
  'keys create': {
    about: 'create an API key; it is shown once',
    load: async () => (await import('./commands/keys.ts')).keysCreate,
  },
  'keys list': {
    about: "list an account's API keys",
    load: async () => (await import('./commands/keys.ts')).keysList,
  },
  'keys rotate': {
    about: 'replace an API key; the old one works for another day',
    load: async () => (await import('./commands/keys.ts')).keysRotate,
  },
  'keys revoke': {
    about: 'revoke an API key within two seconds',
    load: async () => (await import('./commands/keys.ts')).keysRevoke,
  },
  'gtin release': {
    about: 'release the GTIN of an inactive product for another product',
    load: async () => (await import('./commands/gtin.ts')).gtinRelease,
  },
  'access-links create': {
    about: 'create a link to data that is not public; it is shown once',
    load: async () => (await import('./commands/access-links.ts')).accessLinksCreate,
  },
  'access-links list': {
    about: "list an account's access links",
    load: async () => (await import('./commands/access-links.ts')).accessLinksList,
  },
  'access-links revoke': {
    about: 'revoke an access link',
    load: async () => (await import('./commands/access-links.ts')).accessLinksRevoke,
  },
  'webhooks add': {
    about: 'send events to a URL; the secret is shown once',
    load: async () => (await import('./commands/webhooks.ts')).webhooksAdd,
  },
  'webhooks list': {
    about: 'list an account’s webhooks and their state',
    load: async () => (await import('./commands/webhooks.ts')).webhooksList,
  },
  'webhooks change': {
    about: 'change the URL, events or description of a webhook',
    load: async () => (await import('./commands/webhooks.ts')).webhooksChange,
  },
  'webhooks pause': {
    about: 'hold back the events of a webhook',
    load: async () => (await import('./commands/webhooks.ts')).webhooksPause,
  },
  'webhooks resume': {
    about: 'deliver again, also after a webhook was disabled',
    load: async () => (await import('./commands/webhooks.ts')).webhooksResume,
  },
  'webhooks remove': {
    about: 'remove a webhook and its waiting events',
    load: async () => (await import('./commands/webhooks.ts')).webhooksRemove,
  },
  'webhooks rotate': {
    about: 'give a webhook a new secret; both sign for 24 hours',
    load: async () => (await import('./commands/webhook-secrets.ts')).webhooksRotate,
  },
  'webhooks activate': {
    about: 'sign X-Service-Signature with the new secret now',
    load: async () => (await import('./commands/webhook-secrets.ts')).webhooksActivate,
  },
  'webhooks test': {
    about: 'send a test event and show the result',
    load: async () => (await import('./commands/webhook-deliveries.ts')).webhooksTest,
  },
  'webhooks deliveries': {
    about: 'list delivery attempts, newest first',
    load: async () => (await import('./commands/webhook-deliveries.ts')).webhooksDeliveries,
  },
  'webhooks resend': {
    about: 'send the event of one attempt again',
    load: async () => (await import('./commands/webhook-deliveries.ts')).webhooksResend,
  },
  'webhooks replay': {
    about: 'send again the events that failed since a time',
    load: async () => (await import('./commands/webhook-deliveries.ts')).webhooksReplay,
  },
  'webhooks unstick': {
    about: 'deliver what waits because a clock was ahead',
    load: async () => (await import('./commands/webhook-deliveries.ts')).webhooksUnstick,
  },
  'secrets reseal': {
    about: 'encrypt stored secrets again after a change of SECRET_KEY',
    load: async () => (await import('./commands/webhook-secrets.ts')).secretsReseal,
  },
  backup: {
    about: 'write everything into one file while the server runs',
    load: async () => (await import('./commands/backup.ts')).backup,
  },
  'backup drill': {
    about: 'restore a backup into a temporary database and check it',
    load: async () => (await import('./commands/backup-drill.ts')).backupDrill,
  },
  restore: {
    about: 'restore a backup into an empty store',
    load: async () => (await import('./commands/backup.ts')).restore,
  },
  export: {
    about: 'export an account as a file, or as a folder of pages',
    load: async () => (await import('./commands/export.ts')).exportCommand,
  },
  import: {
    about: 'import an exported account',
    load: async () => (await import('./commands/export.ts')).importCommand,
  },
}
