/** The metrics of a server's machine: the last backup and the free disk space. */
import { statfs } from 'node:fs/promises'
import type { Config } from '../../kernel/config/config.ts'
import { findLastBackup } from '../../transfer/backup/scheduled-backups.ts'

type MachineConfig = Pick<Config, 'backups' | 'dataDir' | 'databaseUrl'>

/** In Prometheus' format. Backups only with BACKUP_DIR, the space of DATA_DIR only without DATABASE_URL. */
export async function formatMachineMetrics({
  backups,
  dataDir,
  databaseUrl,
}: MachineConfig): Promise<string> {
  const lines: string[] = []
  if (backups !== undefined) {
    const last = await findLastBackup(backups.dir).catch(() => undefined)
    lines.push(
      formatGauge(
        'carnet_backup_last_success_timestamp_seconds',
        'Unix time of the newest backup in BACKUP_DIR; 0 without a backup.',
        (last?.at.getTime() ?? 0) / 1000,
      ),
      formatGauge('carnet_backup_last_size_bytes', 'Size of the newest backup.', last?.bytes ?? 0),
      formatGauge(
        'carnet_backup_interval_seconds',
        'Configured time between backups (BACKUP_EVERY).',
        backups.everyMs / 1000,
      ),
      await formatFreeBytes('carnet_backup_dir_free_bytes', 'Free disk space of BACKUP_DIR.', backups.dir),
    )
  }
  if (databaseUrl === undefined)
    lines.push(await formatFreeBytes('carnet_data_dir_free_bytes', 'Free disk space of DATA_DIR.', dataDir))
  return lines.join('')
}

async function formatFreeBytes(name: string, help: string, folder: string): Promise<string> {
  const found = await statfs(folder).catch(() => undefined)
  return found === undefined ? '' : formatGauge(name, help, found.bavail * found.bsize)
}

/** One metric with its description. */
export const formatGauge = (name: string, help: string, value: number): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${value}\n`
