/** `carnet migrate`: migrates the database, like the server and every other command when they start. */
import type { Command } from '../command-line/command.ts'
import { CREATES_STORE, onStore } from '../store/with-store.ts'

export const migrateCommand: Command = {
  usage: 'migrate',
  about: 'applies the missing migrations, one process at a time; it never reverts any',
  run: onStore(
    () => undefined,
    async ({ store: { appliedMigrations: applied, findPendingMigrations } }) => ({
      value: { applied, pending: await findPendingMigrations() },
      text: applied.length === 0 ? 'The database is up to date.' : `Applied:\n  ${applied.join('\n  ')}`,
    }),
    CREATES_STORE,
  ),
}
