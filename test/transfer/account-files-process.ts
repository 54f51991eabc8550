/**
 * Exports or imports an account with its files in a process of its own, which kills itself at a given object.
 * Exits with 0 if it has finished.
 */

import { createSecretCipher } from '../../src/kernel/crypto/secret-cipher.ts'
import { systemClock } from '../../src/kernel/values/clock.ts'
import { openMediaServices } from '../../src/media/upkeep/media-services.ts'
import { exportAccountToFile } from '../../src/transfer/accounts/export-account.ts'
import { importAccountFromFile } from '../../src/transfer/accounts/import-account.ts'
import { openPools, type TestDatabase } from '../database.ts'
import { poolOfOne } from './stores.ts'

/**
 * `media`: the folder of the store; `accountId`: of an export, null for an import; `killAfter`: how many objects
 * it reads or writes before it is killed.
 */
export type ProcessInput = {
  database: Omit<TestDatabase, 'drop'>
  media: string
  secretKey: string
  path: string
  accountId: number | null
  killAfter?: number
}

const input: ProcessInput = JSON.parse(process.argv[2] ?? '')
const database: TestDatabase = { ...input.database, drop: async () => undefined }
const services = openMediaServices({ folder: input.media })
let objects = 0
const count = () => {
  if (++objects === input.killAfter) process.kill(process.pid, 'SIGKILL')
}
const mediaStore: typeof services.mediaStore = {
  ...services.mediaStore,
  read(key) {
    count()
    return services.mediaStore.read(key)
  },
  async write(key, bytes, type) {
    await services.mediaStore.write(key, bytes, type)
    count()
  },
}
const openPool = poolOfOne(database)
const folder = `${input.path}.files`
if (input.accountId === null) {
  const sql = await openPools(database)
  const secretCipher = createSecretCipher(input.secretKey)
  const files = { ...services, mediaStore, folder }
  const options = { path: input.path, name: undefined, plan: undefined, files }
  await importAccountFromFile({ openPool, sql, clock: systemClock, secretCipher }, options)
} else {
  const setup = { openPool, clock: systemClock, version: 'test', publicUrl: 'https://carnet.example' }
  const options = { accountId: input.accountId, path: input.path, files: { folder, mediaStore } }
  await exportAccountToFile(setup, options)
}
process.exit(0)
