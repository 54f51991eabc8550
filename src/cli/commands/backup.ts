/** `carnet backup` and `carnet restore`: everything in one file. */
import { constants, setPriority } from 'node:os'
import { type Config, readConfig } from '../../kernel/config/config.ts'
import { systemClock } from '../../kernel/values/clock.ts'
import type { MediaStore } from '../../media/store/media-store.ts'
import { openMediaStore } from '../../media/store/open-media-store.ts'
import { type BackupKey, deriveBackupKey } from '../../transfer/backup/backup-key.ts'
import { type BackupResult, createBackup } from '../../transfer/backup/create-backup.ts'
import { type RestoreResult, restoreBackup } from '../../transfer/backup/restore-backup.ts'
import { type Arguments, type Command, CommandError } from '../command-line/command.ts'
import { createTimeEstimate, withProgress } from '../command-line/progress.ts'
import { VERSION } from '../command-line/version.ts'
import { getOrCreateSecretKey, hasSecretKey } from '../store/secret-key.ts'
import { MIGRATIONS, type Store } from '../store/store.ts'
import { CREATES_STORE, onStore, withOpenStore } from '../store/with-store.ts'

export const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`

/** Tables are counted in bytes, pictures and documents one by one. */
function createProgressLine() {
  const estimate = createTimeEstimate()
  return (step: string, n: number | undefined, share?: number): string => {
    if (n === undefined) return step
    const amount = `${step}: ${/(^|\.)files$/.test(step) ? n : mebibytes(n)}`
    return share === undefined ? amount : `${amount}; ${Math.floor(share * 100)} %${estimate(share, 1)}`
  }
}

export const backup: Command = {
  usage: 'backup --to FILE',
  about: 'writes a consistent snapshot of everything into a file while the server runs',
  options: { to: { hint: 'FILE', about: 'the file to create; it must not exist yet' } },
  run: onStore(
    args => args.get('to'),
    async ({ store, config, clock, stopping: signal }, path) => {
      // Requests to a running server get the CPU first.
      setPriority(constants.priority.PRIORITY_LOW)
      const key = deriveBackupKey(getOrCreateSecretKey(config))
      const setup = {
        openPool: store.openPoolOfOne,
        clock,
        key,
        version: VERSION,
        mediaStore: openMediaStore(config.mediaPlace),
      }
      const describe = createProgressLine()
      const made = await withProgress(update =>
        createBackup(setup, {
          path,
          signal,
          progress: (...step) => update(describe(...step)),
        }),
      )
      const text =
        `${made.path} has ${made.passports} passports with ${made.versions} versions, in ${mebibytes(made.bytes)}.\n${describeFiles(made)}` +
        `SHA-256 ${made.sha256}\nKeep SECRET_KEY in another place: it is not in the file, and a restore needs it.`
      return { value: made, text }
    },
  ),
}

const describeFiles = ({ files, missing_files: missing }: BackupResult) =>
  (files === 0 ? '' : `Its ${files} pictures and documents are in the folder carnet-files beside it.\n`) +
  (missing === 0
    ? ''
    : `${missing} files were deleted meanwhile or are lost: "carnet doctor --verify" names those that are lost.\n`)

export const ACCEPT_UNSEALED = {
  about: 'accept a backup of version 0.1, whose integrity cannot be checked: only from a source you trust',
}

/** The keys a backup may be sealed with: SECRET_KEY and OLD_SECRET_KEY. Throws CommandError without a key. */
export function readBackupKeys(config: Config): BackupKey[] {
  if (config.secretKey === undefined && !hasSecretKey(config.dataDir)) {
    throw new CommandError(
      `A restore needs the SECRET_KEY that the backup was made with: set it, or put the file secret-key into ${config.dataDir} (readable by its owner only).`,
    )
  }
  const old = config.oldSecretKey === undefined ? [] : [config.oldSecretKey]
  return [getOrCreateSecretKey(config), ...old].map(deriveBackupKey)
}

/** Restores the backup at `path` and shows the progress. `args` may hold `--accept-unsealed`. */
export async function restoreInto(
  store: Store,
  path: string,
  keys: readonly BackupKey[],
  args: Arguments,
  { mediaStore, createsShards = false }: { mediaStore: MediaStore; createsShards?: boolean },
): Promise<RestoreResult> {
  const openPool = store.openOwnerPool
  const setup = { openPool, clock: systemClock, keys, migrations: MIGRATIONS, mediaStore }
  const describe = createProgressLine()
  return withProgress(async update => {
    const restored = await restoreBackup(setup, {
      path,
      acceptUnsealed: args.has('accept-unsealed'),
      createsShards,
      withoutFiles: args.has('without-files'),
      progress: (...step) => update(describe(...step)),
    })
    await store.grantTraffic()
    return restored
  })
}

export const restore: Command = {
  usage: 'restore --from FILE [--accept-unsealed] [--without-files]',
  about: 'restores a backup into an empty store; needs the SECRET_KEY of the backup',
  options: {
    from: { hint: 'FILE', about: 'a file that `carnet backup` wrote' },
    'accept-unsealed': ACCEPT_UNSEALED,
    'without-files': {
      about: 'leave pictures and documents alone, because they are still where MEDIA_URL leads to',
    },
  },
  run: async ({ args, env }) => {
    const path = args.get('from')
    const config = readConfig(env)
    const keys = readBackupKeys(config)
    const options = { ...CREATES_STORE, name: 'carnet restore', isServer: true, migrate: false }
    return withOpenStore(env, config, options, async store => {
      const made = await restoreInto(store, path, keys, args, {
        mediaStore: openMediaStore(config.mediaPlace),
      })
      const isCurrent = made.key === keys[0]?.fingerprint
      const text = `Restored ${made.passports} passports with ${made.versions} versions and ${made.files} files, as they were on ${made.created_at}.${describeEarlierRun(made)}${keyAdvice(config, isCurrent)}`
      if (made.broken.length === 0) return { value: made, text }
      const failure = `These histories were already broken when the backup was made:\n${made.broken.join('\n')}`
      return { value: made, text, failure }
    })
  },
}

const describeEarlierRun = ({ loaded_at: at }: RestoreResult) =>
  at === null ? '' : ` An earlier run loaded them on ${at} and was interrupted; this one did what was left.`

function keyAdvice({ secretKey: setting }: Config, isCurrent: boolean): string {
  if (!isCurrent)
    return ' It was made with OLD_SECRET_KEY: run "carnet secrets reseal" before you remove that setting.'
  return setting === undefined ? '' : ' The restored server needs the same SECRET_KEY.'
}
