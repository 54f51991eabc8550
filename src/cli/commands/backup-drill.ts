/** `carnet backup drill`: restores a backup into a temporary database, checks and deletes it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Config, readConfig } from '../../kernel/config/config.ts'
import { AppError, toError } from '../../kernel/errors/errors.ts'
import { systemClock } from '../../kernel/values/clock.ts'
import type { MediaStore } from '../../media/store/media-store.ts'
import type { RestoreResult } from '../../transfer/backup/restore-backup.ts'
import { findLastBackup } from '../../transfer/backup/scheduled-backups.ts'
import { alignColumns, type Command, CommandError, type CommandResult } from '../command-line/command.ts'
import { getOrCreateSecretKey } from '../store/secret-key.ts'
import { hasStore, type Store } from '../store/store.ts'
import { type Check, checkCounters, checkHistories, runChecks } from '../store/verify-store.ts'
import { CREATES_STORE, withOpenStore } from '../store/with-store.ts'
import { ACCEPT_UNSEALED, mebibytes, readBackupKeys, restoreInto } from './backup.ts'

export const backupDrill: Command = {
  usage: 'backup drill [--from FILE] [--in DIR] [--accept-unsealed]',
  about:
    'restores a backup into a temporary database and checks every history and counter; exit code 1 when one is wrong',
  options: {
    from: {
      hint: 'FILE',
      about: 'a file that `carnet backup` wrote; the default is the newest in BACKUP_DIR',
    },
    in: {
      hint: 'DIR',
      about:
        'a folder with space for the database; the default is DATA_DIR, or the system’s temporary folder',
    },
    'accept-unsealed': ACCEPT_UNSEALED,
  },
  run: async ({ args, env }) => {
    const config = readConfig(env)
    const path = args.find('from') ?? (await newestIn(config))
    const keys = readBackupKeys(config)
    const folder = await makeFolder(args.find('in') ?? (hasStore(config.dataDir) ? config.dataDir : tmpdir()))
    const own: Config = {
      ...config,
      dataDir: folder,
      databaseUrl: undefined,
      databaseOwnerUrl: undefined,
      secretKey: getOrCreateSecretKey(config),
    }
    const options = { ...CREATES_STORE, name: 'carnet backup drill', migrate: false }
    try {
      return await withOpenStore(env, own, options, store =>
        rehearse(store, path, () =>
          restoreInto(store, path, keys, args, { mediaStore: CHECKED_ONLY, createsShards: true }),
        ),
      )
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}

/** A drill reads and compares pictures and documents, and does not need the room to write them. */
const CHECKED_ONLY: MediaStore = {
  place: 'nowhere',
  write: async () => undefined,
  read: async () => undefined,
  readRange: async () => undefined,
  delete: async () => undefined,
  async *listKeys() {},
}

async function newestIn({ backups }: Config): Promise<string> {
  if (backups === undefined) throw new CommandError('Give a backup with --from FILE: BACKUP_DIR is not set.')
  const last = await findLastBackup(backups.dir)
  if (last === undefined) throw new CommandError(`There is no backup in ${backups.dir} (BACKUP_DIR).`)
  return last.path
}

async function makeFolder(within: string): Promise<string> {
  try {
    return await mkdtemp(join(resolve(within), 'drill-'))
  } catch (error) {
    throw new CommandError(`No database can be created in ${within}: ${toError(error).message}.`)
  }
}

async function rehearse(
  store: Store,
  path: string,
  restore: () => Promise<RestoreResult>,
): Promise<CommandResult> {
  const startedAt = performance.now()
  try {
    const restored = await restore()
    await store.openShards()
    const restoredAt = performance.now()
    const checks = await runChecks({
      counters: () => checkCounters(store.sql),
      histories: () => checkHistories(store.sql),
    })
    return report(path, restored, checks, {
      restore_seconds: secondsBetween(startedAt, restoredAt),
      verify_seconds: secondsBetween(restoredAt, performance.now()),
    })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { message } = error
    const text = `The drill failed: ${path} cannot be restored.`
    return { value: { ok: false, file: path, reason: message }, text, failure: message }
  }
}

const secondsBetween = (from: number, to: number) => Math.round(to - from) / 1000

function report(
  path: string,
  { broken: _, key: __, ...restored }: RestoreResult,
  checks: readonly Check[],
  durations: { restore_seconds: number; verify_seconds: number },
): CommandResult {
  const bad = checks.filter(({ ok }) => !ok).map(({ name }) => name)
  const age_seconds = Math.round((systemClock.now().getTime() - Date.parse(restored.created_at)) / 1000)
  const value = { ok: bad.length === 0, file: path, age_seconds, ...restored, ...durations, checks }
  const { passports, versions, tables, created_at, sealed, migrated } = restored
  const text = alignColumns([
    ['file', `${path}, ${mebibytes(restored.bytes)}`],
    ['made', `${created_at}, ${(age_seconds / 3600).toFixed(1)} hours ago`],
    ['seal', sealed ? 'valid: nobody without SECRET_KEY has changed it' : 'none: it is of version 0.1'],
    [
      'restored',
      `${passports} passports with ${versions} versions in ${tables} tables and ${restored.files} files, ${durations.restore_seconds} s`,
    ],
    ...(migrated.length === 0 ? [] : [['migrated', migrated.join(', ')]]),
    ...checks.map(({ name, ok, detail }) => [name, `${ok ? '' : 'BAD: '}${detail}`]),
    ['verified', `${durations.verify_seconds} s; the temporary database is deleted`],
  ])
  return { value, text, failure: value.ok ? undefined : `The drill failed: ${bad.join(', ')}.` }
}
