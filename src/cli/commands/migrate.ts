/** `carnet migrate`: migrates the database, as the server and every other command do when they start. */
import { alignColumns, type Command } from '../command-line/command.ts'
import { CREATES_STORE, withStore } from '../store/with-store.ts'

export const migrateCommand: Command = {
  usage: 'migrate',
  about: 'applies the missing migrations, one process at a time; it never reverts one',
  options: {},
  run: ({ env }) =>
    withStore(
      env,
      async ({ store }) => {
        const { appliedMigrations } = store
        const text =
          appliedMigrations.length === 0
            ? 'The database is up to date.'
            : `Applied:\n${alignColumns(
                appliedMigrations.map(name => [name]),
                '  ',
              )}`
        return { value: { applied: appliedMigrations, pending: await store.findPendingMigrations() }, text }
      },
      CREATES_STORE,
    ),
}
