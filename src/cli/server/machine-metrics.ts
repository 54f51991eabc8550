/** What a server says of its machine when it is asked for metrics: the last backup, and how much room is left. */
import { statfs } from 'node:fs/promises'
import type { Config } from '../../kernel/config/config.ts'
import { findLastBackup } from '../../transfer/backup/scheduled-backups.ts'

type Settings = Pick<Config, 'backups' | 'dataDir' | 'databaseUrl'>

/** In Prometheus' format. Without BACKUP_DIR there is nothing of backups, with a DATABASE_URL nothing of DATA_DIR. */
export async function machineText({ backups, dataDir, databaseUrl }: Settings): Promise<string> {
  const lines: string[] = []
  if (backups !== undefined) {
    const last = await findLastBackup(backups.dir).catch(() => undefined)
    lines.push(
      gauge(
        'carnet_backup_last_success_timestamp_seconds',
        'When the newest backup in BACKUP_DIR was made, in seconds since 1970; 0 without a backup.',
        (last?.at.getTime() ?? 0) / 1000,
      ),
      gauge('carnet_backup_last_size_bytes', 'How large it is.', last?.bytes ?? 0),
      gauge(
        'carnet_backup_interval_seconds',
        'How often one is to be made (BACKUP_EVERY).',
        backups.everyMs / 1000,
      ),
      await freeBytes('carnet_backup_dir_free_bytes', 'Room left where BACKUP_DIR is.', backups.dir),
    )
  }
  if (databaseUrl === undefined)
    lines.push(await freeBytes('carnet_data_dir_free_bytes', 'Room left where DATA_DIR is.', dataDir))
  return lines.join('')
}

async function freeBytes(name: string, help: string, folder: string): Promise<string> {
  const found = await statfs(folder).catch(() => undefined)
  return found === undefined ? '' : gauge(name, help, found.bavail * found.bsize)
}

/** One figure with its description. */
export const gauge = (name: string, help: string, value: number): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${value}\n`
