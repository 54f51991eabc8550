/** `carnet migrate`: brings the database to this version, as every other command and the server do when they start. */
import { alignColumns, type Command } from '../command-line/command.ts'
import { CREATES_STORE, withStore } from '../store/with-store.ts'

export const migrateCommand: Command = {
  usage: 'migrate',
  about: 'applies the migrations that are missing, one process at a time; never takes one back',
  options: {},
  run: ({ env }) =>
    withStore(
      env,
      async ({ store }) => {
        const { appliedMigrations } = store
        const text =
          appliedMigrations.length === 0
            ? 'The database is at this version.'
            : `Applied:\n${alignColumns(
                appliedMigrations.map(name => [name]),
                '  ',
              )}`
        return { value: { applied: appliedMigrations, pending: await store.findPendingMigrations() }, text }
      },
      CREATES_STORE,
    ),
}
