import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { ConfigError, readConfig } from '../../src/kernel/config.ts'
import { openBackupFile } from '../../src/transfer/backup-file.ts'
import { backUpWhenDue } from '../../src/transfer/scheduled.ts'
import { cloneDatabase, type TestDatabase } from '../database.ts'
import { TestClock } from '../harness.ts'
import { FINGERPRINT, type Folder, poolOfOne, temporaryFolder } from './stores.ts'

let database: TestDatabase
let folder: Folder
before(async () => {
  database = await cloneDatabase()
  folder = await temporaryFolder()
})
after(async () => {
  await database.drop()
  await folder.remove()
})

const HOUR_MS = 3_600_000

describe('backups by themselves', () => {
  test('one of several processes makes one when it is due, and the oldest go', async () => {
    const clock = new TestClock()
    clock.set('2026-11-01T00:00:00Z')
    const dir = folder.file('backups')
    const wish = {
      openPool: poolOfOne(database),
      clock,
      fingerprint: FINGERPRINT,
      version: 'test',
      dir,
      everyMs: 24 * HOUR_MS,
      keep: 3,
    }
    const look = async () => {
      const made = await Promise.all(Array.from({ length: 4 }, () => backUpWhenDue(wish)))
      return made.filter(one => one !== undefined).length
    }
    assert.equal(await look(), 1)
    assert.equal(await look(), 0)
    await writeFile(folder.file('backups/carnet-20261101T120000Z.backup.partial'), 'cut off')
    await writeFile(folder.file('backups/notes.txt'), 'of somebody else')
    clock.advance(23 * HOUR_MS)
    assert.equal(await look(), 0)
    for (let day = 0; day < 4; day++) {
      clock.advance(24 * HOUR_MS)
      assert.equal(await look(), 1)
    }
    const names = (await readdir(dir)).sort()
    assert.deepEqual(names, [
      'carnet-20261103T230000Z.backup',
      'carnet-20261104T230000Z.backup',
      'carnet-20261105T230000Z.backup',
      'notes.txt',
    ])
    const { header } = await openBackupFile(folder.file(`backups/${names[2]}`))
    assert.equal(header.created_at, '2026-11-05T23:00:00.000Z')
  })

  test('settings: off without a folder, daily and seven without more; nonsense is refused by name', () => {
    assert.equal(readConfig({}).backups, undefined)
    assert.deepEqual(readConfig({ BACKUP_DIR: '/b' }).backups, { dir: '/b', everyMs: 24 * HOUR_MS, keep: 7 })
    const some = { BACKUP_DIR: '/b', BACKUP_EVERY: '90m', BACKUP_KEEP: '30' }
    assert.deepEqual(readConfig(some).backups, { dir: '/b', everyMs: 1.5 * HOUR_MS, keep: 30 })
    assert.throws(
      () => readConfig({ BACKUP_DIR: '/b', BACKUP_EVERY: 'often', BACKUP_KEEP: '0' }),
      (error: unknown) => error instanceof ConfigError && error.problems.length === 2,
    )
  })
})
