/** `carnet migrate`: brings the database to this version, as every other command and the server do when they start. */
import { type Command, columns } from '../command-line/command.ts'
import { MAKES_ONE, withStore } from '../store/store.ts'

export const migrateCommand: Command = {
  usage: 'migrate',
  about: 'applies the migrations that are missing, one process at a time; never takes one back',
  options: {},
  run: ({ env }) =>
    withStore(
      env,
      async ({ store }) => {
        const { applied } = store
        const text =
          applied.length === 0
            ? 'The database is at this version.'
            : `Applied:\n${columns(
                applied.map(name => [name]),
                '  ',
              )}`
        return { value: { applied, pending: await store.pending() }, text }
      },
      MAKES_ONE,
    ),
}
