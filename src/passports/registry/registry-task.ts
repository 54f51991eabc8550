/** The scheduled task that keeps the entries of accounts that use the EU registry up to date. */
import { setTimeout as pause } from 'node:timers/promises'
import { listRegistryAccounts } from '../../accounts/account/registry-settings.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { checkDueEntries, type RegistrySetup } from './check-entries.ts'
import { fillEntries } from './mark-entries.ts'

/** Between two batches, for the requests that the database also has to answer. */
const PAUSE_MS = 20

/** Works on one shard. Several processes may do it at once: what one has checked, another finds not due. */
export const createRegistryTask =
  (setup: RegistrySetup & { sql: Sql }, isStopping: () => boolean) => async (): Promise<void> => {
    const { sql } = setup
    const goesOn = async () => {
      await pause(PAUSE_MS)
      return !isStopping()
    }
    for (const accountId of await listRegistryAccounts(sql)) {
      if (isStopping()) return
      await fillEntries({ sql, accountId }, goesOn)
      await checkDueEntries(setup, { sql, accountId }, goesOn)
    }
  }
