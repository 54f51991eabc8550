/** Moves an account in a process of its own, which a test can kill. Prints each step. */

import { openPool } from '../../src/kernel/db/database.ts'
import { systemClock } from '../../src/kernel/values/clock.ts'
import { moveAccount } from '../../src/transfer/accounts/move-account.ts'
import { openPools, type TestDatabase } from '../database.ts'

type Input = {
  database: Omit<TestDatabase, 'drop'>
  accountId: number
  to: number
  quietMs: number
}

const { database, quietMs, ...move }: Input = JSON.parse(process.argv[2] ?? '')
const { target, isDistributed = false } = database
const sql = await openPools({ ...database, drop: async () => undefined })
const setup = {
  sql,
  clock: systemClock,
  openOwnerPool: () => openPool(target, { max: 1, isDistributed }),
  quietMs,
  progress: (step: string) => process.stdout.write(`${step}\n`),
}
const { rows } = await moveAccount(setup, move)
process.stdout.write(`moved ${rows}\n`)
process.exit(0)
