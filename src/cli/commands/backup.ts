/** `carnet backup` and `carnet restore`: everything in one file. */
import { constants, setPriority } from 'node:os'
import { type Config, readConfig } from '../../kernel/config/config.ts'
import { type BackupKey, deriveBackupKey } from '../../transfer/backup/backup-key.ts'
import { createBackup } from '../../transfer/backup/create-backup.ts'
import { restoreBackup } from '../../transfer/backup/restore-backup.ts'
import { type Command, CommandError, type CommandResult } from '../command-line/command.ts'
import { showProgress } from '../command-line/progress.ts'
import { VERSION } from '../command-line/version.ts'
import { getOrCreateSecretKey, hasSecretKey } from '../store/secret-key.ts'
import { MIGRATIONS } from '../store/store.ts'
import { CREATES_STORE, type StoreContext, withStore } from '../store/with-store.ts'

const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`

export const backup: Command = {
  usage: 'backup --to FILE',
  about: 'writes a consistent snapshot of everything into a file while the server runs',
  options: { to: { hint: 'FILE', about: 'the file to create; it must not exist yet' } },
  run: ({ args, env }) => {
    const path = args.get('to')
    return withStore(env, async ({ store, config, clock, stopping }) => {
      // Requests that the server answers meanwhile go first.
      setPriority(constants.priority.PRIORITY_LOW)
      const progress = showProgress(process.stderr)
      const key = deriveBackupKey(getOrCreateSecretKey(config))
      const setup = { openPool: store.openPoolOfOne, clock, key, version: VERSION }
      const made = await createBackup(setup, {
        path,
        signal: stopping,
        progress: (table, bytes) => progress.update(`${table}: ${mebibytes(bytes)}`),
      })
      progress.clear()
      const text =
        `${made.path} has ${made.passports} passports with ${made.versions} versions, in ${mebibytes(made.bytes)}.\n` +
        `SHA-256 ${made.sha256}\nKeep SECRET_KEY in another place: it is not in the file, and a restore needs it.`
      return { value: made, text }
    })
  },
}

export const ACCEPT_UNSEALED = {
  about: 'accept a backup of version 0.1, whose integrity cannot be checked: only from a source you trust',
}

/** The keys a backup may be sealed with: SECRET_KEY and OLD_SECRET_KEY. Throws Refusal without a key. */
export function readBackupKeys(config: Config): BackupKey[] {
  if (config.secretKey === undefined && !hasSecretKey(config.dataDir)) {
    throw new CommandError(
      `A restore needs the SECRET_KEY that the backup was made with: set it, or put the file secret-key into ${config.dataDir} (readable by its owner only).`,
    )
  }
  const old = config.oldSecretKey === undefined ? [] : [config.oldSecretKey]
  return [getOrCreateSecretKey(config), ...old].map(deriveBackupKey)
}

function keyAdvice({ secretKey: setting }: Config, isCurrent: boolean): string {
  if (!isCurrent)
    return ' It was made with OLD_SECRET_KEY: run "carnet secrets reseal" before you remove that setting.'
  return setting === undefined ? '' : ' Its server needs the same SECRET_KEY from now on.'
}

export const restore: Command = {
  usage: 'restore --from FILE [--accept-unsealed]',
  about: 'restores a backup into an empty store; needs the SECRET_KEY of the backup',
  options: {
    from: { hint: 'FILE', about: 'a file that `carnet backup` wrote' },
    'accept-unsealed': ACCEPT_UNSEALED,
  },
  run: async ({ args, env }) => {
    const path = args.get('from')
    const config = readConfig(env)
    const keys = readBackupKeys(config)
    const work = async ({ store, clock }: StoreContext): Promise<CommandResult> => {
      const progress = showProgress(process.stderr)
      const setup = { openPool: store.openOwnerPool, clock, keys, migrations: MIGRATIONS }
      const made = await restoreBackup(setup, {
        path,
        acceptUnsealed: args.has('accept-unsealed'),
        progress: (table, bytes) => progress.update(`${table}: ${mebibytes(bytes)}`),
      })
      await store.grantTraffic()
      progress.clear()
      const text = `Restored ${made.passports} passports with ${made.versions} versions, as they were on ${made.created_at}.${keyAdvice(config, made.key === keys[0]?.fingerprint)}`
      if (made.broken.length === 0) return { value: made, text }
      const failure = `These histories were already broken when the backup was made:\n${made.broken.join('\n')}`
      return { value: made, text, exitCode: 1, failure }
    }
    return withStore(env, work, { ...CREATES_STORE, name: 'carnet restore', isServer: true, migrate: false })
  },
}
