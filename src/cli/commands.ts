/** The table of contents of the command line. A command's file is loaded when it is asked for, so that each starts fast. */
import type { Command } from './command-line/command.ts'

export type CommandEntry = { about: string; load: () => Promise<Command> }

export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  serve: { about: 'start the server', load: async () => (await import('./commands/serve.ts')).serve },
  demo: {
    about: 'start a server with a demo account and passports',
    load: async () => (await import('./commands/demo.ts')).demo,
  },
  migrate: {
    about: 'bring the database to this version',
    load: async () => (await import('./commands/migrate.ts')).migrateCommand,
  },
  doctor: {
    about: 'look for what is wrong with the installation',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  'accounts create': {
    about: 'make an account',
    load: async () => (await import('./commands/accounts.ts')).accountsCreate,
  },
  'accounts list': {
    about: 'list the accounts with what they use',
    load: async () => (await import('./commands/accounts.ts')).accountsList,
  },
  'accounts set-plan': {
    about: 'put an account on a plan',
    load: async () => (await import('./commands/accounts.ts')).accountsSetPlan,
  },
  'accounts set-indexing': {
    about: 'whether search engines may list the models of an account',
    load: async () => (await import('./commands/accounts.ts')).accountsSetIndexing,
  },
  'accounts brand': {
    about: 'set how the public pages of an account look',
    load: async () => (await import('./commands/accounts-brand.ts')).accountsBrand,
  },
  'accounts scans': {
    about: "whether and how an account's scans are counted",
    load: async () => (await import('./commands/accounts-scans.ts')).accountsScans,
  },
  'accounts close': {
    about: 'freeze an account; its public pages stay',
    load: async () => (await import('./commands/accounts.ts')).accountsClose,
  },
  'accounts reopen': {
    about: 'open a closed account again',
    load: async () => (await import('./commands/accounts.ts')).accountsReopen,
  },
  'users create': {
    about: 'make a person of an account, with a link to set a password',
    load: async () => (await import('./commands/users.ts')).usersCreate,
  },
  'users reset-password': {
    about: 'give a person a new link to set a password',
    load: async () => (await import('./commands/users.ts')).usersResetPassword,
  },
  'keys create': {
    about: 'make an API key; it is shown once',
    load: async () => (await import('./commands/keys.ts')).keysCreate,
  },
  'keys list': {
    about: "list an account's API keys",
    load: async () => (await import('./commands/keys.ts')).keysList,
  },
  'keys rotate': {
    about: 'replace an API key; the old one goes on for a day',
    load: async () => (await import('./commands/keys.ts')).keysRotate,
  },
  'keys revoke': {
    about: 'end an API key within two seconds',
    load: async () => (await import('./commands/keys.ts')).keysRevoke,
  },
  'gtin release': {
    about: 'take a GTIN from a product that is no longer active, for another one',
    load: async () => (await import('./commands/gtin.ts')).gtinRelease,
  },
  'access-links create': {
    about: 'make a link to what the public does not see; it is shown once',
    load: async () => (await import('./commands/access-links.ts')).accessLinksCreate,
  },
  'access-links list': {
    about: "list an account's access links",
    load: async () => (await import('./commands/access-links.ts')).accessLinksList,
  },
  'access-links revoke': {
    about: 'end an access link',
    load: async () => (await import('./commands/access-links.ts')).accessLinksRevoke,
  },
  'webhooks add': {
    about: 'have events sent to an address; its secret is shown once',
    load: async () => (await import('./commands/webhooks.ts')).webhooksAdd,
  },
  'webhooks list': {
    about: 'list an account’s webhooks with how they are doing',
    load: async () => (await import('./commands/webhooks.ts')).webhooksList,
  },
  'webhooks change': {
    about: 'change address, events or description of a webhook',
    load: async () => (await import('./commands/webhooks.ts')).webhooksChange,
  },
  'webhooks pause': {
    about: 'hold what a webhook would get',
    load: async () => (await import('./commands/webhooks.ts')).webhooksPause,
  },
  'webhooks resume': {
    about: 'deliver again, also after it was switched off',
    load: async () => (await import('./commands/webhooks.ts')).webhooksResume,
  },
  'webhooks remove': {
    about: 'take a webhook away with what waits for it',
    load: async () => (await import('./commands/webhooks.ts')).webhooksRemove,
  },
  'webhooks rotate': {
    about: 'give a webhook a new secret; both sign for 24 hours',
    load: async () => (await import('./commands/webhook-secrets.ts')).webhooksRotate,
  },
  'webhooks activate': {
    about: 'let the new secret sign the documented header now',
    load: async () => (await import('./commands/webhook-secrets.ts')).webhooksActivate,
  },
  'webhooks test': {
    about: 'send a test event and say what came of it',
    load: async () => (await import('./commands/webhook-deliveries.ts')).webhooksTest,
  },
  'webhooks deliveries': {
    about: 'list attempts to deliver, newest first',
    load: async () => (await import('./commands/webhook-deliveries.ts')).webhooksDeliveries,
  },
  'webhooks resend': {
    about: 'send the event of one attempt again',
    load: async () => (await import('./commands/webhook-deliveries.ts')).webhooksResend,
  },
  'webhooks replay': {
    about: 'send again what was given up since a time',
    load: async () => (await import('./commands/webhook-deliveries.ts')).webhooksReplay,
  },
  'webhooks unstick': {
    about: 'make due what waits for a time that a clock ran ahead to',
    load: async () => (await import('./commands/webhook-deliveries.ts')).webhooksUnstick,
  },
  'secrets reseal': {
    about: 'seal stored secrets anew after a change of SECRET_KEY',
    load: async () => (await import('./commands/webhook-secrets.ts')).secretsReseal,
  },
  backup: {
    about: 'write everything into one file, while the server goes on',
    load: async () => (await import('./commands/backup.ts')).backup,
  },
  'backup drill': {
    about: 'restore a backup into a temporary database, check it, and delete it again',
    load: async () => (await import('./commands/backup-drill.ts')).backupDrill,
  },
  restore: {
    about: 'put a backup into an empty store',
    load: async () => (await import('./commands/backup.ts')).restore,
  },
  export: {
    about: 'write an account into a file that others can read, or into a folder of pages',
    load: async () => (await import('./commands/export.ts')).exportCommand,
  },
  import: {
    about: 'put an exported account into this Carnet',
    load: async () => (await import('./commands/export.ts')).importCommand,
  },
}
